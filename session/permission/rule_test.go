package permission

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestRulesAreRefusedWithAReason(t *testing.T) {
	for rule, says := range map[string]string{
		"":                       "form",
		"read":                   "form",
		"read(":                  "form",
		"read()":                 "empty",
		"write(**)":              "only read, edit, bash and mcp",
		"Bash(ls)":               "only read, edit, bash and mcp",
		"read([a)":               "glob",
		"read(../x)":             "..",
		"read(~bob/x)":           "own home",
		"bash(npm run:*)":        "bash(npm run *)",
		"bash(go test*)":         "bash(go test *)",
		"bash(npm * test *)":     "last word",
		"mcp(/x)":                "server/tool",
		"mcp(x/)":                "server/tool",
		"mcp(mcp__docs__search)": "own names",
	} {
		r, err := ParseRule(rule)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v; want an error with %q", rule, r, err, says)
		}
	}
	rules, errs := ParseRules([]string{"read(**)", "x"}, nil, []string{"mcp(a/b)"})
	if len(rules.Allow) != 1 || len(rules.Deny) != 1 || len(errs) != 1 {
		t.Errorf("%v %v", rules, errs)
	}
}

func TestPathRules(t *testing.T) {
	h := newHouse(t)
	for _, tt := range []struct {
		rule, path string
		want       bool
	}{
		{"read(**)", "a/b.go", true},
		{"read(**)", ".", true},
		{"read(**)", "../b.go", false},
		{"read(*.go)", "a.go", true},
		{"read(*.go)", "a/b.go", false},
		{"read(./src/**)", "src/a", true},
		{"read(src/**)", "src", true},
		{"read(src/**)", "srcs/a", false},
		{"read(src/{a,b}.go)", "src/b.go", true},
		{"read(~/notes/**)", filepath.Join(h.home, "notes", "x"), true},
		{"read(~/notes/**)", filepath.Join(h.home, "notebook"), false},
		{"read(/**)", filepath.Join(h.home, "x"), true},
		{"read(" + filepath.ToSlash(h.home) + "/*.md)", filepath.Join(h.home, "a.md"), true},
		{"edit(**)", "a.go", false},
	} {
		r, err := ParseRule(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		req := h.read(tt.path)
		e := NewEngine(EngineOptions{Home: h.home, Rules: func() Rules { return Rules{Deny: []Rule{r}} }})
		if _, got := e.DenyRule(req); got != tt.want {
			t.Errorf("%s on %s: %v", tt.rule, tt.path, got)
		}
	}
}

// Fault of a predecessor: rules on displayed names miss tools whose name was
// changed to fit. Ours see the raw names, where a slash is a letter.
func TestMCPRulesMatchRawNames(t *testing.T) {
	for _, tt := range []struct {
		rule, server, tool string
		want               bool
	}{
		{"mcp(github/delete_*)", "github", "delete_branch", true},
		{"mcp(github/*)", "github", "user/update.now", true},
		{"mcp(github)", "github", "anything", true},
		{"mcp(git*/get)", "github", "get", true},
		{"mcp(*/*)", "a__b", "c", true},
		{"mcp(a/b__c)", "a__b", "c", false},
		{"mcp(docs/search)", "docs", "Search", false},
		{"mcp(docs/search)", "docs", "search_all", false},
	} {
		r, err := ParseRule(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.matchMCP(mcpCall(tt.server, tt.tool)); got != tt.want {
			t.Errorf("%s on %s/%s: %v", tt.rule, tt.server, tt.tool, got)
		}
	}
	connect := Request{Kind: KindConnect, Tool: "connect_mcp", Server: "github"}
	whole, _ := ParseRule("mcp(github/*)")
	part, _ := ParseRule("mcp(github/get_*)")
	if !whole.matchMCP(connect) || part.matchMCP(connect) {
		t.Error("only a rule for a whole server speaks of connecting to it")
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"read(**)", "bash(a *)", "mcp(a/b)", "edit(~/x)", "bash( *)", "read({a,b})"} {
		f.Add(s, "a b")
	}
	f.Fuzz(func(t *testing.T, rule, value string) {
		r, err := ParseRule(rule)
		if err != nil {
			return
		}
		if again, err := ParseRule(r.String()); err != nil || again != r {
			t.Errorf("%q does not parse to itself: %v, %v", r, again, err)
		}
		r.matchMCP(mcpCall(value, value))
		r.matchPath("/"+value, "/", "/home")
		r.allowsCommand(value)
		r.forbidsCommand(value)
	})
}
