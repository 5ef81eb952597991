package foreign

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Each program's own way to write an entry comes out as ours, and what could not be
// brought over is said.
func TestEntriesOfOtherProgramsAreWrittenAsOurs(t *testing.T) {
	for _, c := range []struct{ file, text, want, shown, note string }{
		{
			".config/Code/User/mcp.json",
			`{ // mine
			  "servers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "pkg", "--api-key", "k1"], "env": {"API_KEY": "${input:api-key}", "X": "${env:X}"}, "envFile": "${workspaceFolder}/.env"}},
			  "inputs": [{"id": "api-key"}],
			}`,
			`{"args":["-y","pkg","--api-key","k1"],"command":"npx","env":{"API_KEY":"${API_KEY}","X":"${X}"}}`,
			`{"args":["-y","pkg","--api-key","…"],"command":"npx","env":{"API_KEY":"${API_KEY}","X":"${X}"}}`,
			"set the variable API_KEY: VS Code asks for it when it starts",
		},
		{
			".claude.json",
			`{"projects": {"FOLDER": {"mcpServers": {"a": {"type": "http", "url": "https://x.test/mcp?token=t1", "headers": {"Authorization": "Bearer t2"}, "alwaysAllow": []}}}}}`,
			`{"headers":{"Authorization":"Bearer t2"},"url":"https://x.test/mcp?token=t1"}`,
			`{"headers":{"Authorization":"…"},"url":"https://x.test/mcp?token=%E2%80%A6"}`,
			"left out: alwaysAllow",
		},
		{
			".codex/config.toml",
			"[mcp_servers.a]\nurl = \"https://x.test\"\nbearer_token_env_var = \"TOKEN\"\nstartup_timeout_sec = 20\nenabled = false\n",
			`{"connect_timeout_ms":20000,"disabled":true,"headers":{"Authorization":"Bearer ${TOKEN}"},"url":"https://x.test"}`, "", "",
		},
		{
			".config/eca/config.json",
			`{"mcpServers": {"a": {"command": ["node", "x.js"], "environment": {"N": 1}, "type": "sse"}, "note": "a comment"}}`,
			`{"args":["x.js"],"command":"node","env":{"N":"1"},"type":"sse"}`, "", "",
		},
		{
			".cursor/mcp.json", `{"mcpServers": {"a": {"command": "${workspaceFolder}/run", "args": ["${pathSeparator}", "${HOME}"]}}}`,
			`{"args":["${pathSeparator}","${HOME}"],"command":"${workspaceFolder}/run"}`, "", "${pathSeparator} is no variable here",
		},
		{
			".claude.json",
			`{"mcpServers": {"a": {"type": "http", "url": "https://x.test/mcp", "oauth": {"clientId": "me", "clientSecret": "s3", "callbackPort": 8765, "authServerMetadataUrl": "https://y.test"}}}}`,
			`{"oauth":{"callback_port":8765,"client_id":"me","client_secret":"s3"},"url":"https://x.test/mcp"}`,
			`{"oauth":{"callback_port":8765,"client_id":"me","client_secret":"…"},"url":"https://x.test/mcp"}`, "left out: oauth.authServerMetadataUrl",
		},
		{
			".config/eca/config.json", `{"mcpServers": {"a": {"url": "https://x.test/mcp", "clientId": "me", "clientSecret": "${env:S}", "oauthPort": 9}}}`,
			`{"oauth":{"callback_port":9,"client_id":"me","client_secret":"${S}"},"url":"https://x.test/mcp"}`, "", "",
		},
		{".config/mcphub/servers.json", `{"mcpServers": {"a": {"disabled": true}}}`, `{"disabled":true}`, "", "neither a command nor a url"},
	} {
		if runtime.GOOS != "linux" && strings.HasPrefix(c.file, ".config") {
			continue // it is elsewhere there
		}
		home, folder := t.TempDir(), t.TempDir()
		write(t, filepath.Join(home, c.file), strings.ReplaceAll(c.text, "FOLDER", filepath.ToSlash(folder)))
		servers, problems := Find(lang.En, Places(home, filepath.Join(home, ".config"), []string{folder}))
		if len(problems) > 0 || len(servers) != 1 || servers[0].Name != "a" {
			t.Errorf("%s has %+v, %v", c.file, servers, problems)
			continue
		}
		s := servers[0]
		if c.shown == "" {
			c.shown = c.want
		}
		if string(s.Entry) != c.want || string(s.Shown) != c.shown {
			t.Errorf("%s is\n%s\n%s, want\n%s\n%s", c.file, s.Entry, s.Shown, c.want, c.shown)
		}
		if notes := strings.Join(s.Notes, "\n"); (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", c.file, notes, c.note)
		}
	}
}

// One broken file costs the others nothing.
func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	home := t.TempDir()
	broken, other := filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(home, ".codex", "config.toml")
	write(t, broken, `{"mcpServers": `)
	write(t, other, "[mcp_servers.a]\ncommand = \"x\"\n")
	if err := os.MkdirAll(filepath.Join(home, ".claude.json"), 0o755); err != nil { // a folder of that name
		t.Fatal(err)
	}
	servers, problems := Find(lang.En, Places(home, "", nil))
	if len(servers) != 1 || len(problems) != 1 || !strings.Contains(problems[0].Error(), broken+": ") {
		t.Errorf("%+v, %v", servers, problems)
	}
	write(t, broken, `{"mcpServers": []}`)
	if _, problems := Find(lang.En, []Place{At(nil, broken)}); len(problems) != 1 || !strings.Contains(problems[0].Error(), "mcpServers is no object of servers") {
		t.Errorf("%v", problems)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
