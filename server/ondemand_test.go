package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// waiting is shop with servers that are started when they are needed.
func waiting(t *testing.T, autostart string) *servertest.World {
	w := servertest.NewWorld(t)
	servers := servertest.M{}
	for _, name := range []string{"docs", "deploy"} {
		entry := servertest.Demo(name)
		entry["autostart"] = autostart
		servers[name] = entry
	}
	w.User(servertest.Servers(servers))
	return w
}

func tools(calls []wire.ToolCallUpdate) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Meta.Codebot.Tool+"="+string(c.Status))
	}
	return strings.Join(names, " ")
}

// The lesson's three prompts where no server runs: the agent connects the one it needs,
// which is asked for, and calls its tool in the same turn.
func TestTheLessonsPromptsConnectWhatTheyNeed(t *testing.T) {
	for _, lang := range []struct{ name, search, deploy, list string }{
		{"English", "Search the docs for the worktree cleanup policy.", "Deploy the current project and report the result.", "What documentation and deployment actions can you perform?"},
		{"Chinese", "查一下文档里的 worktree 清理策略。", "部署当前项目，并告诉我结果。", "你现在可以执行哪些文档和部署操作？"},
	} {
		for _, autostart := range []string{"on_demand", "never"} {
			t.Run(lang.name+" "+autostart, func(t *testing.T) {
				w := waiting(t, autostart)
				e := w.Start(servertest.Config{Permit: always("allow_once")})
				for _, name := range []string{"docs", "deploy"} {
					e.AwaitState(name, wire.MCPStopped)
				}
				id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
				prompt(e, id, lang.search)
				if got := tools(e.Calls(id)); got != "connect_mcp=completed mcp__docs__search=completed" {
					t.Fatalf("the search called %s\n%s", got, e.Text(id))
				}
				if got := servertest.CallText(e.Calls(id)[0]); got != "Connected to MCP server 'docs'. Discovered 2 tools: get_version, search" {
					t.Errorf("connect_mcp answered %q", got)
				}
				prompt(e, id, lang.deploy)
				if got := tools(e.Calls(id)[2:]); got != "connect_mcp=completed mcp__deploy__trigger=completed" {
					t.Fatalf("the deploy called %s\n%s", got, e.Text(id))
				}
				e.Look(func(s *servertest.State) {
					if len(s.Asked) != 3 { // twice to connect, and the deploy itself
						t.Errorf("asked %d times: %+v", len(s.Asked), s.Asked)
					}
				})
				before := len(e.Text(id))
				prompt(e, id, lang.list)
				if n := len(e.Calls(id)); n != 4 {
					t.Errorf("the question called %s", tools(e.Calls(id)[4:]))
				}
				if answer := e.Text(id)[before:]; !strings.Contains(answer, "mcp__docs__search") || !strings.Contains(answer, "mcp__deploy__trigger") {
					t.Errorf("the answer is %s", answer)
				}
			})
		}
	}
}

// A server that starts on demand offers at the next start of the editor what it was seen
// to offer, runs nothing, and starts with the first call of one of its tools, without
// connect_mcp. One that is changed in the settings is another, of which nothing is known.
func TestAServerStartsAtTheFirstCallOfItsTool(t *testing.T) {
	w := waiting(t, "on_demand")
	first := w.Start(servertest.Config{Permit: always("allow_once")})
	servertest.Call(first, wire.MCPStart, wire.MCPServerRef{Name: "docs"})
	first.AwaitState("docs", wire.MCPConnected)
	first.Shutdown()

	e := w.Start(servertest.Config{Permit: always("allow_once")})
	if row := e.AwaitState("docs", wire.MCPStopped); row.ToolCount != 2 || row.Pid != 0 {
		t.Fatalf("asleep: %+v", row)
	}
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "Search the docs for the worktree cleanup policy.")
	if got := tools(e.Calls(id)); got != "mcp__docs__search=completed" || !strings.Contains(servertest.CallText(e.Calls(id)[0]), "Found 3 results") {
		t.Fatalf("called %s: %s", got, servertest.CallText(e.Calls(id)[0]))
	}
	if row := e.AwaitState("docs", wire.MCPConnected); row.Pid == 0 {
		t.Errorf("after the call: %+v", row)
	}
	e.Shutdown()

	entry := servertest.Demo("docs")
	entry["autostart"] = "on_demand"
	entry["env"] = servertest.M{"ANOTHER": "1"}
	w.User(servertest.Servers(servertest.M{"docs": entry}))
	e = w.Start(servertest.Config{})
	if row := e.AwaitState("docs", wire.MCPStopped); row.ToolCount != 0 {
		t.Errorf("another entry has the tools of the one before: %+v", row)
	}
}

// A person's own call starts a server that waits, whichever way it waits, also from the
// command line; what the editor only looks at starts nothing.
func TestAPersonsCallStartsAServerThatWaits(t *testing.T) {
	for _, autostart := range []string{"on_demand", "never"} {
		e := waiting(t, autostart).Start(servertest.Config{})
		e.AwaitState("docs", wire.MCPStopped)
		servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{})
		servertest.Call(e, wire.MCPResources, wire.MCPListParams{})
		if row := e.AwaitState("docs", wire.MCPStopped); row.Pid != 0 {
			t.Errorf("%s: a look started it", autostart)
		}
		res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "docs", Tool: "get_version", Arguments: []byte(`{}`)})
		if res.IsError || len(res.Content) == 0 {
			t.Errorf("%s: %+v", autostart, res)
		}
		if row := e.AwaitState("docs", wire.MCPConnected); row.Pid == 0 {
			t.Errorf("%s: %+v", autostart, row)
		}
	}
}

// A cache of another making, and one that cannot be read, are as good as none.
func TestWhatWasSeenMayBeBroken(t *testing.T) {
	w := waiting(t, "on_demand")
	e := w.Start(servertest.Config{})
	servertest.Call(e, wire.MCPStart, wire.MCPServerRef{Name: "docs"})
	e.Shutdown()
	files, err := filepath.Glob(filepath.Join(w.Home, "cache", "tools", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, text := range []string{"", "{", `{"tools":[null,{},{"name":5}]}`, `[]`} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		e = w.Start(servertest.Config{})
		if row := e.AwaitState("docs", wire.MCPStopped); row.ToolCount != 0 {
			t.Errorf("%q: %+v", text, row)
		}
		if row := servertest.Call(e, wire.MCPStart, wire.MCPServerRef{Name: "docs"}).Server; row.ToolCount != 2 {
			t.Errorf("%q: started, %+v", text, row)
		}
		e.Shutdown()
	}
}

// connect_mcp connects nothing that a person has to do something about first, and says
// who and what.
func TestTheAgentConnectsNoServerThatWaitsForAPerson(t *testing.T) {
	g := newGuarded(t)
	w := servertest.NewWorld(t)
	off := servertest.Demo("docs")
	off["disabled"] = true
	w.User(servertest.Servers(servertest.M{"docs": off, "web": servertest.M{"url": g.URL + "/mcp"}}))
	w.Project(servertest.Servers(servertest.M{"deploy": servertest.Demo("deploy")}))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	e.AwaitState("web", wire.MCPNeedsAuth)
	e.AwaitState("deploy", wire.MCPUntrusted)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	for prompted, want := range map[string]string{
		"connect to docs": "disabled", "connect to web": "wants a login, which only the user can do", "connect to deploy": "waits for your approval",
		"connect to nowhere": "Unknown server 'nowhere'. Available: ",
	} {
		before := len(e.Calls(id))
		prompt(e, id, prompted)
		calls := e.Calls(id)
		if len(calls) != before+1 || calls[before].Status != wire.ToolFailed || !strings.Contains(servertest.CallText(calls[before]), want) {
			t.Errorf("%s: %s", prompted, tools(calls[before:]))
			if len(calls) > before {
				t.Error(servertest.CallText(calls[before]))
			}
		}
	}
}

// A server that is to start by itself from now on does so when the file is saved.
func TestAutostartTakesEffectWhenItIsSaved(t *testing.T) {
	w := waiting(t, "never")
	e := w.Start(servertest.Config{})
	e.AwaitState("docs", wire.MCPStopped)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	pid := e.AwaitState("docs", wire.MCPConnected).Pid
	entry := servertest.Demo("docs")
	entry["autostart"] = "on_demand"
	entry["call_timeout_ms"] = 4321
	w.User(servertest.Servers(servertest.M{"docs": entry}))
	e.Await("the row of the new entry", func(s *servertest.State) bool { row, _ := s.Row("docs"); return row.Autostart == wire.MCPOnDemand })
	if row := e.AwaitState("docs", wire.MCPConnected); row.Pid != pid {
		t.Errorf("restarted: %d, then %d", pid, row.Pid)
	}
}
