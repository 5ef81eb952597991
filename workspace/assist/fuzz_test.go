package assist

import (
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// around is a context with a bit of everything.
func around(scope mcp.Scope) Context {
	user := workspace.Settings{
		Model:      "local/qwen3",
		Providers:  map[string]workspace.Provider{"local": {Type: "openai", Models: []string{"qwen3"}}},
		MCPServers: map[string]mcp.ServerConfig{"docs": {Command: "docs", Origin: mcp.Origin{File: "/home/me/.codebot/settings.json"}}},
	}
	c := Context{
		Place:    workspace.SettingsPlace{Path: "/home/me/.codebot/settings.json", Scope: scope},
		Snapshot: workspace.Snapshot{User: workspace.Layer{Path: "/home/me/.codebot/settings.json", Settings: user}},
		UserHome: "/home/me", Variables: []string{"GH_TOKEN", "HOME", "PATH"}, Snippets: true,
	}
	if scope == mcp.ScopeProject {
		c.Place.Path, c.Place.Root = "/work/shop/.codebot/settings.json", "/work/shop"
	}
	c.Servers = []Server{{
		ServerStatus: mcp.ServerStatus{
			Name: "docs", Scope: scope, State: mcp.StateConnected, Source: c.Place.Path, Transport: "stdio",
			ToolCount: 2, ToolTokens: 120, ProtocolVersion: "2025-11-25", Pid: 7,
		},
		Folder: c.Place.Root,
		Tools:  []Tool{{Name: "search", Description: "Search the documentation", Tokens: 70}, {Name: "get_version", Tokens: 50}},
	}}
	return c
}

var seeds = []string{
	"{\r\n  // c\r\n  \"model\": \"x\", \r\n \"a\": [1,\r\n2], /* d\r\n e */ }\r\n",
	``, `{`, `{"`, `{"model": "`, `{"mcp_servers": {"docs": {"command": "npx", "args": ["-y"], "env": {"A": "${A}"}}}}`,
	`{"mcp_servers": {"docs": {"command": ["npx", "-y"], "transport": {"type": "streamable-http", "url": "https://x"}}}}`,
	`{"mcpServers": {"a": {"httpUrl": "https://x", "headers": {"Authorization": "Bearer ${env:T}"}}}}`,
	"{\n  // c\n  \"permissions\": {\"allow\": [\"mcp(docs/\"], /* d */ \"deny\": [\"mcp(docs/gone)\",],},\n}\n",
	`{"mcp": {"servers": {"a": {"command": "x", "enabled": false}}}} // end`,
	`{"a": "b" "c": 1, "a": [1, {"x": [}]}`, "\uFEFF{\"model\": \"\U0001F600 ${", `["x"`, `{"modle": 1, "model": 2, "model": "x"}`,
}

// Nothing that can be typed may end the process, and no range may lie outside the
// text or run backwards.
func FuzzEveryFeatureOnAnyText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		file := Open(text)
		offset := 0
		if len(text) > 0 {
			offset = max(at, -at) % (len(text) + 1)
			offset = max(offset, 0)
		}
		position := file.positions.At(offset)
		check := func(r workspace.Range) {
			t.Helper()
			if start, end := file.positions.Offset(r.Start), file.positions.Offset(r.End); start > end || end > len(text) {
				t.Errorf("range %v of %q", r, text)
			}
		}
		for _, scope := range []mcp.Scope{mcp.ScopeUser, mcp.ScopeProject} {
			c := around(scope)
			for _, d := range file.Check(c) {
				for _, fix := range d.Fixes {
					if fix.Title == "" || len(fix.Edits) == 0 {
						t.Errorf("an empty fix of %q in %q", d.Message, text)
					}
					for _, e := range fix.Edits {
						check(e.Range)
					}
					file.Apply(fix.Edits)
				}
			}
			for _, i := range file.Complete(c, position).Items {
				check(i.Edit.Range)
			}
			hover, r := file.Hover(c, position)
			if hover != "" {
				check(r)
			}
			for _, l := range file.Lenses(c) {
				check(l.Range)
			}
			file.Hints(c)
			file.Actions(c, position)
			file.Convert(c)
		}
		file.Symbols()
	})
}

// Formatting changes nothing but white space and, where there were some, trailing
// commas: every value and every comment is there afterwards, and formatting again
// does nothing.
func FuzzFormatting(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, tabs bool) {
		o := FormatOptions{Tab: "  "}
		if tabs {
			o.Tab = "\t"
		}
		file := Open(text)
		edits, ok := file.Format(o)
		if !ok {
			return
		}
		after := file.Apply(edits)
		if a, b := values(t, text), values(t, after); a != b {
			t.Errorf("%q became %q", text, after)
		}
		if a, b := Open(text), Open(after); len(a.comments) != len(b.comments) {
			t.Errorf("%q has %d comments, %q has %d", text, len(a.comments), after, len(b.comments))
		}
		again, ok := Open(after).Format(o)
		if !ok || len(again) > 0 {
			t.Errorf("%q is formatted once more to %q", after, Open(after).Apply(again))
		}
	})
}

// values is a text without its white space and comments.
func values(t *testing.T, text string) string {
	t.Helper()
	v, err := hujson.Parse([]byte(text + "\n"))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	v.Minimize()
	return strings.TrimSpace(v.String())
}
