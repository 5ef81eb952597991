package assist

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// cursor takes the mark | out of a text and opens it.
func cursor(text string) (*File, workspace.Position) {
	before, after, _ := strings.Cut(text, "|")
	f := Open(before + after)
	return f, f.positions.At(len(before))
}

// What is not explained here is unknown to hover, completion, docs/settings.md and the
// schema, and what is explained but not read would be a lie.
func TestEveryKeyIsExplainedAndRead(t *testing.T) {
	used := map[string]bool{}
	var walk func(s *shape, path string)
	walk = func(s *shape, path string) {
		for _, k := range s.keys {
			used[path+k.name] = true
			if k.means == "" {
				t.Errorf("%s is not explained", path+k.name)
			}
			text := `{"` + k.name + `": null}`
			for _, outer := range slices.Backward(strings.Split(strings.TrimSuffix(path, "."), ".")) {
				if outer != "" {
					text = `{"` + outer + `": ` + text + `}`
				}
			}
			_, diagnostics, _ := workspace.ParseSettings("/x", mcp.ScopeUser, []byte(text), lang.En)
			for _, d := range diagnostics {
				if d.Code == workspace.CodeUnknownKey {
					t.Errorf("%s: %s", text, d.Message)
				}
			}
			_, diagnostics, _ = workspace.ParseSettings("/x", mcp.ScopeProject, []byte(text), lang.En)
			only := slices.ContainsFunc(diagnostics, func(d workspace.Diagnostic) bool { return d.Code == workspace.CodeUserScopeOnly })
			if path != "providers.*." && path != "model_info.*." && only != k.userOnly {
				t.Errorf("%s: only the user's: %v, and we say %v", path+k.name, only, k.userOnly)
			}
			walk(k.value, path+k.name+".")
		}
		if s.entry != nil {
			walk(s.entry, path+"*.")
		}
	}
	walk(settingsShape(), "")
	for path := range notes {
		if !used[path] {
			t.Errorf("%s is explained and no key", path)
		}
	}
}

// A text that is being typed is nearly always broken; what is there must be found all
// the same.
func TestABrokenTextHasATree(t *testing.T) {
	for _, test := range []struct {
		text, path string
		key        bool
	}{
		{`{"mcp_servers": {"a": {"command": "np|`, "mcp_servers.a.command", false},
		{"{\"mcp_servers\": {\"a\": {\"command\": |\n\"args\": []}}}", "mcp_servers.a.command", false},
		{"{\"mcp_servers\": {\"a\": {\"comm|\n\"b\": {}}}", "mcp_servers.a", true},
		{`{"permissions": {"allow": ["x", "|`, "permissions.allow.*", false},
		{`{"model": "a" "permis|`, "", true},
		{`{mo|`, "", true},
		{`{"permissions": /* { */ {"mode": |}}`, "permissions.mode", false},
		{`{"mcp_servers": {"a": {}}, |}`, "", false},
	} {
		f, at := cursor(test.text)
		p := f.locate(f.positions.Offset(at))
		if got := strings.Join(p.path, "."); got != test.path || p.onKey != test.key {
			t.Errorf("%s: at %q, key %v; want %q, %v", test.text, got, p.onKey, test.path, test.key)
		}
	}
}

// Accepting a suggestion leaves a text that can be read, wherever in a good text it
// was asked for, with and without snippets.
func TestAcceptedSuggestionsLeaveJSON(t *testing.T) {
	good := "{\n  // c\n  \"mcp_servers\": {\n    \"docs\": {\"command\": \"sh\", \"env\": {\"A\": \"${HOME}\"}},\n  },\n" +
		"  \"permissions\": {\"mode\": \"plan\", \"deny\": [\"mcp(docs/search)\", \"\"]},\n  \"model\": \"offline\"\n}\n"
	accepted := 0
	for offset := range len(good) + 1 {
		f := Open(good)
		for _, snippets := range []bool{false, true} {
			c := around(mcp.ScopeUser)
			c.Snippets = snippets
			for _, i := range f.Complete(c, f.positions.At(offset)).Items {
				edit := i.Edit
				if i.Snippet {
					edit.Text = plainText(edit.Text)
				}
				after := f.Apply([]TextEdit{edit})
				if _, err := hujson.Parse([]byte(after)); err != nil {
					t.Fatalf("%q at %d makes %s\n%v", i.Label, offset, after, err)
				}
				accepted++
			}
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d suggestions", accepted)
	}
}

func TestSnippetsAreReadWhereThereAreNone(t *testing.T) {
	for _, test := range [][2]string{
		{`"$1"`, `""`}, {`"\${${1:API_KEY}}"`, `"${API_KEY}"`}, {`"${1|a,b|}"`, `"a"`}, {"{\n  $0\n}", "{\n  \n}"}, {`${1:30000}`, `30000`},
	} {
		if got := plainText(test[0]); got != test[1] {
			t.Errorf("%s: %s, want %s", test[0], got, test[1])
		}
	}
}

// What looks like a secret, and what only looks so to a careless reader (compare
// gitleaks' and detect-secrets' lists of false alarms).
func TestSecretsAreKnown(t *testing.T) {
	for _, test := range []struct {
		name, value, secret string
	}{
		{"Authorization", "Bearer ghp_0123456789abcdefghijABCDEFGHIJ", "ghp_0123456789abcdefghijABCDEFGHIJ"},
		{"Authorization", "Bearer hunter2hunter2", "hunter2hunter2"},
		{"X-Thing", "sk-ant-api03-0123456789abcdef", "sk-ant-api03-0123456789abcdef"},
		{"API_KEY", "Zk3vQ9x7Lm2pR8tY5wB1", "Zk3vQ9x7Lm2pR8tY5wB1"},
		{"Authorization", "Bearer ${TOKEN}", ""},
		{"API_KEY", "your-api-key-goes-here", ""},
		{"API_KEY", "<your key>", ""},
		{"TOKEN_FILE", "/run/secrets/token-of-the-server", ""},
		{"MAX_TOKENS", "4096", ""},
		{"NODE_ENV", "production-environment-1", ""},
		{"AUTHOR", "Zk3vQ9x7Lm2pR8tY5wB1", ""},
		{"PATH", "/usr/local/bin:/usr/bin", ""},
		{"PASSWORD", "xxxxxxxxxxxxxxxxxxxx", ""},
	} {
		start, end, found := secretIn(test.name, test.value)
		if got := test.value[start:end]; found != (test.secret != "") || got != test.secret {
			t.Errorf("%s=%s: %q, want %q", test.name, test.value, got, test.secret)
		}
	}
	for name, want := range map[string]string{
		"Authorization": "TOKEN", "--api-key": "API_KEY", "X-API-Key": "X_API_KEY", "": "SECRET", "1st": "SECRET_1ST", "cloud_api_key": "CLOUD_API_KEY", "密钥": "SECRET",
	} {
		if got := variableFor(name); got != want {
			t.Errorf("the variable for %q is %q, want %q", name, got, want)
		}
	}
}

// A rule is said to name nothing only when that is known: not while its server has not
// told its tools.
func TestARuleIsJudgedByTheToolsThereAre(t *testing.T) {
	for _, test := range []struct {
		rule  string
		state mcp.State
		want  bool
	}{
		{"mcp(docs/search)", mcp.StateConnected, false},
		{"mcp(docs/*)", mcp.StateConnected, false},
		{"mcp(docs/get_*)", mcp.StateConnected, false},
		{"mcp(d*/search)", mcp.StateConnected, false},
		{"mcp(docs)", mcp.StateConnected, false},
		{"mcp(docs/gone)", mcp.StateConnected, true},
		{"mcp(docs/gone)", mcp.StateFailed, false},
		{"mcp(other/search)", mcp.StateConnected, true},
		{"read(**)", mcp.StateConnected, false},
	} {
		c := around(mcp.ScopeUser)
		c.Servers[0].State = test.state
		found := slices.ContainsFunc(Open(`{"permissions": {"deny": ["`+test.rule+`"]}}`).Check(c), func(d Finding) bool { return d.Code == CodeRuleNoTool })
		if found != test.want {
			t.Errorf("%s while docs is %s: %v", test.rule, test.state, found)
		}
	}
}

// A repository must not learn by its settings whether a file exists, nor make us open
// a share to find out (CWE-40, the hash that Windows sends to it).
func TestAProjectsProgramIsLookedForOnPathAlone(t *testing.T) {
	p := NewPrograms([]string{"PATH=" + t.TempDir()})
	for _, test := range []struct {
		command string
		trusted bool
		want    string
	}{
		{"nowhere", false, msgNotOnPath}, {"nowhere", true, msgNotOnPath},
		{"/nowhere/x", true, msgNoSuchFile}, {"/nowhere/x", false, ""},
		{`\\evil.test\share\x`, true, ""}, {"//evil.test/share/x", true, ""}, {"${X}/x", true, ""}, {"./x", true, ""},
	} {
		if test.command == "/nowhere/x" && test.trusted && !filepath.IsAbs(test.command) {
			continue // a path of another system
		}
		if got := p.find(test.command, test.trusted); got != test.want {
			t.Errorf("%s, trusted %v: %q, want %q", test.command, test.trusted, got, test.want)
		}
	}
}

// Unwell texts come from servers and children: the language is ours, the reason theirs.
func TestAServerThatIsNotWellSaysWhy(t *testing.T) {
	s := mcp.ServerStatus{Name: "docs", State: mcp.StateFailed, Error: &mcp.StatusError{Code: mcp.CodeExited, Message: "it ended", Hint: "look", StderrTail: "boom"}}
	message, severity, bad := Unwell(s, lang.En)
	if want := "MCP server \"docs\": failed: it ended\nlook\nboom"; !bad || severity != workspace.SeverityError || message != want {
		t.Errorf("%q %v %v, want %q", message, severity, bad, want)
	}
	if message, _, _ := Unwell(s, lang.ZhCN); !strings.HasPrefix(message, "MCP 服务器 \"docs\"：失败：") {
		t.Errorf("in Chinese: %q", message)
	}
	s.Error.Code = string(mcp.KindConfigInvalid)
	if _, _, bad := Unwell(s, lang.En); bad {
		t.Error("a bad entry is said of the text already")
	}
	if _, _, bad := Unwell(mcp.ServerStatus{State: mcp.StateConnected}, lang.En); bad {
		t.Error("a connected server is well")
	}
}

// Formatting keeps comments where they are and the writer's choice of commas.
func TestFormattingKeepsCommentsAndCommas(t *testing.T) {
	for text, want := range map[string]string{
		"{ // a\n\"model\":\"x\" /* b */ }":                  "{ // a\n  \"model\": \"x\" /* b */\n}\n",
		"{\n\"model\":\"x\",\n\"permissions\":{}\n// end\n}": "{\n  \"model\": \"x\",\n  \"permissions\": {}\n  // end\n}\n",
		"{\n\"model\":\"x\",\n\"permissions\":{},\n}":        "{\n  \"model\": \"x\",\n  \"permissions\": {},\n}\n",
	} {
		f := Open(text)
		edits, ok := f.Format(FormatOptions{Tab: "  "})
		if got := f.Apply(edits); !ok || got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if _, ok := Open(`{"a": }`).Format(FormatOptions{Tab: "  "}); ok {
		t.Error("a broken text was formatted")
	}
}

// A model of a provider that nobody has is a slip that is found in the file, not at the
// first prompt, and a second model's not when the first one is overloaded.
func TestAModelOfNoProviderIsSaid(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{`{"model": "locl/qwen3", "providers": {"local2": {"type": "openai", "base_url": "http://127.0.0.1:1/v1"}}}`, 1},
		{`{"model": "local2/qwen3", "fallback_model": "opnai/gpt", "providers": {"local2": {"type": "openai", "base_url": "http://127.0.0.1:1/v1"}}}`, 1},
		{`{"model": "anthropic/claude", "fallback_model": "offline"}`, 0},
		{`{"model": "ollama/qwen3", "fallback_model": "local2/x", "providers": {"local2": {"type": "openai", "base_url": "http://127.0.0.1:1/v1"}}}`, 0},
	} {
		n := 0
		for _, finding := range Open(test.text).Check(around(mcp.ScopeUser)) {
			if finding.Code == CodeNoProvider {
				n++
			}
		}
		if n != test.want {
			t.Errorf("%s: %d findings, want %d", test.text, n, test.want)
		}
	}
}
