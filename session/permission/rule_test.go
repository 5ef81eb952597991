package permission

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/permission/shell"
)

func TestRulesAreRefusedWithAReason(t *testing.T) {
	for rule, says := range map[string]string{
		"":                       "form",
		"read":                   "form",
		"read(":                  "form",
		"read()":                 "empty",
		"write(**)":              "only read, edit, bash, mcp and fetch",
		"Bash(ls)":               "only read, edit, bash, mcp and fetch",
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

// A rule may look at the arguments of a call: what it allows for one target it does not for
// another, nor for a call that does not say.
func TestRulesLookAtArguments(t *testing.T) {
	for _, tt := range []struct {
		rule, args string
		want       bool
	}{
		{"mcp(deploy/trigger, env=staging*)", `{"env":"staging-2"}`, true},
		{"mcp(deploy/trigger, env=staging*)", `{"env":"production"}`, false},
		{"mcp(deploy/trigger, env=staging*)", `{}`, false},
		{"mcp(deploy/trigger, env=staging*)", ``, false},
		{"mcp(deploy/trigger, env=staging*)", `[]`, false},
		{"mcp(deploy/trigger, env!=staging*)", `{"env":"production"}`, true},
		{"mcp(deploy/trigger, env!=staging*)", `{}`, true},
		{"mcp(deploy/trigger, env!=staging*)", `{"env":"staging"}`, false},
		{"mcp(deploy/*, env=staging, options.force=true, n=3)", `{"env":"staging","options":{"force":true},"n":3}`, true},
		{"mcp(deploy/*, env=staging, options.force=true)", `{"env":"staging","options":{"force":false}}`, false},
		{"mcp(deploy/*, options.force=true)", `{"options":"force"}`, false},
		{"mcp(deploy/*, path=src/*)", `{"path":"src/a/b.go"}`, true},
		{"mcp(deploy/*, big=12345678901234567890)", `{"big":12345678901234567890}`, true},
		{"mcp(deploy/*, list=*x*)", `{"list":["x"]}`, true},
		{"mcp(deploy/*, note=a, b)", `{"note":"a, b"}`, true},
		{"mcp(deploy/*, note=null)", `{"note":null}`, false},
	} {
		r, err := ParseRule(tt.rule)
		if err != nil {
			t.Errorf("%s: %v", tt.rule, err)
			continue
		}
		req := mcpCall("deploy", "trigger")
		req.Args = []byte(tt.args)
		if got := r.matchMCP(req); got != tt.want {
			t.Errorf("%s on %s: %v", tt.rule, tt.args, got)
		}
		if req.Listing = true; r.matchMCP(req) {
			t.Errorf("%s keeps the tool from the list", tt.rule)
		}
		if !r.Bare().matchMCP(mcpCall("deploy", "trigger")) || r.matchMCP(Request{Kind: KindConnect, Server: "deploy"}) {
			t.Errorf("%s speaks of other things", tt.rule)
		}
	}
	for _, bad := range []string{"mcp(a/b, x=[)", "mcp(a/b, .x=1)", "mcp(a/b, x..y=1)"} {
		if _, err := ParseRule(bad); err == nil || !strings.Contains(err.Error(), "condition") && !strings.Contains(err.Error(), "glob") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"read(**)", "bash(a *)", "mcp(a/b)", "edit(~/x)", "bash( *)", "read({a,b})", "mcp(a/b, x.y!=z*, q=1)"} {
		f.Add(s, "a b")
	}
	f.Fuzz(func(t *testing.T, rule, value string) {
		r, err := ParseRule(rule)
		if err != nil {
			return
		}
		if again, err := ParseRule(r.String()); err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%q does not parse to itself: %v, %v", r, again, err)
		}
		r.matchMCP(mcpCall(value, value))
		r.matchPath("/"+value, "/", "/home")
		_, allowed := allowsCommand([]Rule{r}, value, func(shell.Redirect, bool) bool { return true })
		if allowed && r.kind == KindBash && !r.forbidsCommand(value) {
			t.Errorf("%s allows %q and would not deny it", r, value)
		}
	})
}
