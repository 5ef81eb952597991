package assist

// knownServer is a server that many use, as a snippet of its entry.
type knownServer struct {
	name, means string
	entry       string
}

// knownServers are the general shapes, the reference servers of the MCP project and
// two that come from the makers of what they serve.
var knownServers = []knownServer{
	{"server", docKnownStdio, "{\n  \"command\": \"$1\",\n  \"args\": [$2]\n}"},
	{"remote", docKnownHTTP, "{\n  \"url\": \"${1:https://}\",\n  \"headers\": {\"Authorization\": \"Bearer \\${${2:TOKEN}}\"}\n}"},
	{"filesystem", docKnownFiles, npx("@modelcontextprotocol/server-filesystem", `, "${1:.}"`)},
	{"memory", docKnownMemory, npx("@modelcontextprotocol/server-memory", "")},
	{"sequential-thinking", docKnownThink, npx("@modelcontextprotocol/server-sequential-thinking", "")},
	{"everything", docKnownAll, npx("@modelcontextprotocol/server-everything", "")},
	{"playwright", docKnownBrowser, npx("@playwright/mcp", "")},
	{"git", docKnownGit, uvx("mcp-server-git", `, "--repository", "${1:.}"`)},
	{"fetch", docKnownFetch, uvx("mcp-server-fetch", "")},
	{"time", docKnownTime, uvx("mcp-server-time", "")},
	{"github", docKnownGitHub, "{\n  \"url\": \"https://api.githubcopilot.com/mcp/\",\n  \"headers\": {\"Authorization\": \"Bearer \\${${1:GITHUB_TOKEN}}\"}\n}"},
}

func npx(name, more string) string {
	return "{\n  \"command\": \"npx\",\n  \"args\": [\"-y\", \"" + name + "\"" + more + "]\n}"
}

func uvx(name, more string) string {
	return "{\n  \"command\": \"uvx\",\n  \"args\": [\"" + name + "\"" + more + "]\n}"
}

// knownServers suggests entries.
func (k *completer) knownServers(taken map[string]bool, start, end int, hasValue bool) {
	for _, s := range knownServers {
		if !taken[s.name] {
			k.addKey(s.name, k.word(s.means), s.entry, start, end, hasValue)
		}
	}
}
