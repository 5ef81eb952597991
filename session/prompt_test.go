package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

func activeNames(s *Session) string {
	var names []string
	for _, t := range s.ActiveTools() {
		names = append(names, t.Name())
	}
	return strings.Join(names, " ")
}

// The three cases of replacing the MCP tools: the active tools mirror all, are a
// filtered set that has MCP tools, or leave MCP out on purpose.
func TestReplaceMCPToolsKeepsTheModesFilter(t *testing.T) {
	one := []agent.Tool{mcpTool("docs", "search", true), mcpTool("deploy", "trigger", false)}
	two := []agent.Tool{mcpTool("deploy", "trigger", false), mcpTool("docs", "find", true), mcpTool("docs", "search", true)}
	for _, c := range []struct {
		name          string
		mode          permission.Mode
		before, after string
		first, second []agent.Tool
	}{
		{"active mirrors all", permission.ModeDefault, "look write mcp__docs__search mcp__deploy__trigger",
			"look write mcp__deploy__trigger mcp__docs__find mcp__docs__search", one, two},
		{"filtered, with MCP", permission.ModePlan, "look mcp__docs__search", "look mcp__docs__find mcp__docs__search", one, two},
		{"filtered, without MCP", permission.ModePlan, "look", "look", one[1:], two[:1]},
		{"to none", permission.ModeDefault, "look write mcp__docs__search mcp__deploy__trigger", "look write", one, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t, func(o *Options) { o.Mode = c.mode; o.BuiltIns = []agent.Tool{readTool("look"), editTool("write")} })
			r.ReplaceMCPTools(c.first)
			if got := activeNames(r.Session); got != c.before {
				t.Errorf("before: %s", got)
			}
			tools := r.currentPrompt().Tools
			r.ReplaceMCPTools(c.second)
			if got := activeNames(r.Session); got != c.after {
				t.Errorf("after: %s", got)
			}
			if same := &r.currentPrompt().Tools[0] == &tools[0]; same != (c.before == c.after) {
				t.Errorf("the tool list is the same slice: %v", same)
			}
		})
	}
}

func TestLeavingPlanModeRestoresTheTools(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look"), editTool("write"), bashTool()} })
	r.SetMode(permission.ModePlan)
	if got := activeNames(r.Session); got != "look" {
		t.Errorf("plan: %s", got)
	}
	r.ReplaceMCPTools([]agent.Tool{mcpTool("a", "b", false)})
	r.SetMode(permission.ModeDefault)
	if got := activeNames(r.Session); got != "look write bash mcp__a__b" {
		t.Errorf("default: %s", got)
	}
}

// Four cache marks: the last built-in tool, identity, instructions, and (with the
// loop) the last message. The dynamic block has none.
func TestPromptBlocksAndCacheMarks(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look"), editTool("write")} }, say("ok"))
	r.AddTools(&tool{name: "connect_mcp", req: permission.Request{Kind: permission.KindConnect}})
	r.SetBeforePrompt(func(context.Context) {
		r.ReplaceMCPTools([]agent.Tool{mcpTool("docs", "search", true), mcpTool("docs", "version", true), mcpTool("z", "y", false)})
		r.SetMCPInstructions("## docs\nSearch first.")
		r.SetMCPServers([]ServerNote{{Name: "slow"}}, []ServerNote{{"b", "exit\n## code 1"}, {"a", ""}})
	})
	r.ask(t, "go")
	req := r.model.request(0)
	if got := toolNames(req.Tools); got != "look write* connect_mcp mcp__docs__search mcp__docs__version mcp__z__y" {
		t.Errorf("tools: %s", got)
	}
	if !req.CacheLastMessage || len(req.System) != 3 {
		t.Fatalf("last message %v, %d blocks", req.CacheLastMessage, len(req.System))
	}
	for i, key := range []string{"identity", "instructions", "dynamic"} {
		if b := req.System[i]; b.Key != key || b.CacheMark != (i < 2) {
			t.Errorf("block %d: %s, mark %v", i, b.Key, b.CacheMark)
		}
	}
	if !strings.Contains(req.System[0].Text, "\nWorking directory: "+r.Cwd()+"\n") || !strings.Contains(req.System[0].Text, "\nDate: 2026-03-04\n") {
		t.Errorf("identity:\n%s", req.System[0].Text)
	}
	want := `## MCP Tools
You have 3 additional tools from MCP servers:
- docs: mcp__docs__search, mcp__docs__version
- z: mcp__z__y

## MCP Server Instructions
Written by the servers about the use of their tools; the user's words go before them.

## docs
Search first.

## Unavailable MCP Servers
These failed, so their tools are missing; say so when the user needs them:
- a
- b: exit ## code 1

## Starting MCP Servers
Their tools may appear later in this conversation:
- slow`
	if got := req.System[2].Text; got != want {
		t.Errorf("dynamic block:\n%s", got)
	}
}

// A refresh that changes nothing changes no byte, and hands out the same slices.
func TestUnchangedRefreshChangesNoByte(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look")} })
	refresh := func() agent.Prompt {
		r.ReplaceMCPTools([]agent.Tool{mcpTool("docs", "search", true)})
		r.SetMCPInstructions("use it")
		r.SetMCPServers(nil, []ServerNote{{"x", "y"}})
		p, err := r.beforeRequest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := refresh(), refresh()
	if &a.System[0] != &b.System[0] || &a.Tools[0] != &b.Tools[0] {
		t.Error("the same prompt was made anew")
	}
	// Without MCP there is no dynamic block at all.
	r.ReplaceMCPTools(nil)
	r.SetMCPInstructions("")
	r.SetMCPServers(nil, nil)
	if got := r.SystemPrompt(); len(got) != 2 || got[0] != a.System[0] || got[1] != a.System[1] {
		t.Errorf("%d blocks", len(got))
	}
}

// The hook and the prompt of an unchanged session cost no allocation.
func TestUnchangedPromptAllocatesNothing(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look")} })
	r.ReplaceMCPTools([]agent.Tool{mcpTool("docs", "search", true)})
	r.SetBeforePrompt(func(context.Context) {})
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() { r.beforeRequest(ctx) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkUnchangedPrompt(b *testing.B) {
	s, err := New(Options{Cwd: b.TempDir(), Model: &script{}, Gate: permission.NewEngine(permission.EngineOptions{})})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var tools []agent.Tool
	for i := range 1000 {
		tools = append(tools, mcpTool("s", string(rune('a'+i%26))+strings.Repeat("x", i/26), true))
	}
	s.ReplaceMCPTools(tools)
	s.SetBeforePrompt(func(context.Context) {})
	b.ReportAllocs()
	for b.Loop() {
		s.beforeRequest(b.Context())
	}
}

// A tool that left says so; the name of one that never was is unknown.
func TestGoneMCPToolIsNoLongerAvailable(t *testing.T) {
	r := newRoom(t, nil, say("", use("a", "mcp__d__old", "")), say("ok"))
	r.ReplaceMCPTools([]agent.Tool{mcpTool("d", "old", true)})
	r.ReplaceMCPTools(nil)
	r.ask(t, "go")
	if s := r.seen(); !strings.Contains(s, "mcp__d__old is no longer available") {
		t.Errorf("updates\n%s", s)
	}
}

// A tool that the mode keeps from the model is not unknown to it.
func TestToolHiddenByTheModeIsNoLongerAvailable(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.Mode = permission.ModePlan; o.BuiltIns = []agent.Tool{editTool("write")} },
		say("", use("a", "write", "")), say("ok"))
	r.ask(t, "go")
	if s := r.seen(); !strings.Contains(s, "write is no longer available") {
		t.Errorf("updates\n%s", s)
	}
}

func TestOfTwoToolsOfOneNameOursStays(t *testing.T) {
	own := readTool("mcp__a__b")
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{own} })
	r.ReplaceMCPTools([]agent.Tool{mcpTool("a", "b", true)})
	if got := r.ActiveTools(); len(got) != 1 || got[0] != own {
		t.Errorf("%v", got)
	}
}

func TestInstructionsGoFromTheUserToTheFolder(t *testing.T) {
	home, top := t.TempDir(), t.TempDir()
	deep := filepath.Join(top, "a", "b")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, "AGENTS.md"), "mine")
	write(filepath.Join(filepath.Dir(top), "AGENTS.md"), "above the repository")
	write(filepath.Join(top, ".git", "HEAD"), "x")
	write(filepath.Join(top, "AGENTS.md"), "of the top")
	write(filepath.Join(deep, "AGENTS.md"), strings.Repeat("é", maxInstructionFile))
	secret := filepath.Join(home, "secret")
	write(secret, "hush")
	if err := os.Symlink(secret, filepath.Join(top, "a", "AGENTS.md")); err != nil {
		t.Skip("no symlinks here:", err)
	}
	got := instructionsBlock(deep, home, "from settings")
	last := 0
	for _, w := range []string{"mine", "of the top", "[cut after", "from settings"} {
		i := strings.Index(got, w)
		if i < last {
			t.Errorf("%q is missing or out of order", w)
		}
		last = i
	}
	if strings.Contains(got, "hush") || strings.Contains(got, "above the repository") {
		t.Error("it reads what it must not")
	}
	if strings.ToValidUTF8(got, "?") != got || len(got) > maxInstructions+2000 {
		t.Errorf("%d bytes", len(got))
	}
	if again := instructionsBlock(deep, home, "from settings"); again != got {
		t.Error("not the same bytes twice")
	}
}
