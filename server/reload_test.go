package server_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// reloadBound is three times what a save may take to be acted on, beside the start
// of the server itself.
const reloadBound = 3 * time.Second

func pids(e *servertest.Editor) map[string]int {
	out := map[string]int{}
	e.Look(func(s *servertest.State) {
		for key, row := range s.Rows {
			out[key.Name] = row.Pid
		}
	})
	return out
}

// Each way an editor saves a file reaches the servers, and only those whose entry
// changed (opencode#37421, copilot-cli#4562, fsnotify#17, fsnotify#663).
func TestASaveTouchesExactlyTheChangedServers(t *testing.T) {
	saves := map[string]func(t testing.TB, path, text string){
		"in place": servertest.WriteFile,
		"by rename": func(t testing.TB, path, text string) {
			servertest.WriteFile(t, path+".tmp", text)
			if err := os.Rename(path+".tmp", path); err != nil {
				t.Fatal(err)
			}
		},
		"by deleting and recreating the directory": func(t testing.TB, path, text string) {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			servertest.WriteFile(t, path, text)
		},
	}
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			w := servertest.NewWorld(t)
			path := w.User(servertest.Servers(servertest.M{
				"kept": servertest.Demo("docs"), "changed": faulty(t, ""), "gone": servertest.Demo("deploy"),
			}))
			e := w.Start(servertest.Config{})
			for _, server := range []string{"kept", "changed", "gone"} {
				e.AwaitState(server, wire.MCPConnected)
			}
			before := pids(e)

			saved := time.Now()
			save(t, path, w.Text(servertest.Servers(servertest.M{
				"kept": servertest.Demo("docs"), "changed": faulty(t, "noisy"), "new": servertest.Demo("deploy"),
			})))
			e.Await("the change to hold", func(s *servertest.State) bool {
				_, gone := s.Row("gone")
				changed, _ := s.Row("changed")
				fresh, _ := s.Row("new")
				return !gone && changed.State == wire.MCPConnected && changed.Pid != before["changed"] && fresh.State == wire.MCPConnected
			})
			took := time.Since(saved)
			t.Logf("save to connected: %v", took)
			if took > reloadBound {
				t.Errorf("it took %v, more than %v", took, reloadBound)
			}
			if after := pids(e); after["kept"] != before["kept"] {
				t.Errorf("the unchanged server was restarted: pid %d, then %d", before["kept"], after["kept"])
			}
			servertest.Poll(t, "the replaced processes to be gone", func() bool {
				return !servertest.Alive(before["gone"]) && !servertest.Alive(before["changed"])
			})
			e.Look(func(s *servertest.State) {
				if s.Gaps != 0 {
					t.Errorf("%d revisions did not follow the one before", s.Gaps)
				}
			})
		})
	}
}

// touch, other key order and comments restart nothing (kilocode#5817, #1986).
func TestASaveThatSaysTheSameRestartsNothing(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "SOMEWHERE=here")
	exe := mcptestPath(t)
	path := w.User(`{"mcp_servers": {"a": {"command": "` + exe + `", "args": ["-fault", ""], "env": {"X": "${SOMEWHERE}", "Y": "2"}}}}`)
	e := w.Start(servertest.Config{})
	pid := e.AwaitState("a", wire.MCPConnected).Pid
	servertest.WriteFile(t, path, `{
	  // the same, said in another way
	  "mcp_servers": {"a": {"env": {"Y": "2", "X": "${SOMEWHERE}"}, "args": ["-fault", ""], "command": "`+exe+`",}},
	}`)
	// A later change of another server shows that the earlier one was seen.
	servertest.WriteFile(t, path, `{"mcp_servers": {"b": {"command": "`+exe+`"}, "a": {"env": {"Y": "2", "X": "${SOMEWHERE}"}, "args": ["-fault", ""], "command": "`+exe+`"}}}`)
	e.AwaitState("b", wire.MCPConnected)
	if now := pids(e)["a"]; now != pid {
		t.Errorf("pid %d, then %d", pid, now)
	}
}

// A half-written file dropped all servers (amazon-q-developer-cli#2082,
// PerformanceMonitor#2431): the last good set stays, and the file is marked.
func TestABadFileKeepsTheLastGoodServers(t *testing.T) {
	w := servertest.NewWorld(t)
	path := w.User(servertest.Servers(servertest.M{"a": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{})
	pid := e.AwaitState("a", wire.MCPConnected).Pid
	servertest.WriteFile(t, path, `{"mcp_servers": {"a": `)
	e.Await("the file to be marked", func(s *servertest.State) bool { return len(s.Diagnostics[path]) > 0 })
	e.Await("the status item to show it", func(s *servertest.State) bool { return s.Status != nil && s.Status.Health == wire.HealthError })
	if row := e.AwaitState("a", wire.MCPConnected); row.Pid != pid {
		t.Errorf("pid %d, then %d", pid, row.Pid)
	}
	w.User(servertest.Servers(servertest.M{"a": servertest.Demo("docs")}))
	e.Await("the mark to go", func(s *servertest.State) bool { return len(s.Diagnostics[path]) == 0 })
	e.Await("the status item to be well", func(s *servertest.State) bool { return s.Status.Health == wire.HealthOK })
}

// One slow or dead server blocked the first prompt (crush#660, claude-code#35287).
func TestAHangingAndADeadServerHoldUpNobody(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{
		"hangs": faulty(t, "silent"), "exits": faulty(t, "exit3"), "good": servertest.Demo("docs"),
	}))
	started := time.Now()
	e := w.Start(servertest.Config{})
	t.Logf("initialize: %v", time.Since(started))
	good := e.AwaitState("good", wire.MCPConnected)
	if good.ToolCount != 2 {
		t.Errorf("good has %d tools", good.ToolCount)
	}
	dead := e.AwaitState("exits", wire.MCPFailed)
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("a server that exits at once was failed after %v", took)
	}
	if dead.Error == nil || dead.Error.ExitCode == nil || *dead.Error.ExitCode != 3 || dead.Error.StderrTail != "no such db" || dead.Error.Code != "exited" {
		t.Errorf("the error of the dead server is %+v", dead.Error)
	}
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "Search the docs for the worktree cleanup policy.")
	if calls := e.Calls(id); len(calls) != 1 || calls[0].Meta.Codebot.Tool != "mcp__good__search" {
		t.Errorf("calls %+v", calls)
	}
	e.Look(func(s *servertest.State) {
		if row, _ := s.Row("hangs"); row.State != wire.MCPStarting {
			t.Errorf("the hanging server is %s", row.State)
		}
	})
}

// A person starts, stops and restarts one server; each answer is the row after it.
func TestActionsAnswerWithTheRow(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{
		"a": servertest.Demo("docs"), "off": servertest.M{"command": "x", "disabled": true}, "both": servertest.M{"command": "x", "url": "http://127.0.0.1:1"},
	}))
	e := w.Start(servertest.Config{})
	first := e.AwaitState("a", wire.MCPConnected)
	ref := wire.MCPServerRef{Name: "a"}
	if row := servertest.Call(e, wire.MCPStop, ref).Server; row.State != wire.MCPStopped || row.Pid != 0 {
		t.Errorf("after stop: %+v", row)
	}
	if servertest.Alive(first.Pid) {
		t.Error("stop answered before the process was gone")
	}
	second := servertest.Call(e, wire.MCPStart, ref).Server
	if second.State != wire.MCPConnected || second.Pid == first.Pid {
		t.Errorf("after start: %+v", second)
	}
	third := servertest.Call(e, wire.MCPRestart, ref).Server
	if third.State != wire.MCPConnected || third.Pid == second.Pid {
		t.Errorf("after restart: %+v", third)
	}
	for name, kind := range map[string]wire.ActionErrorKind{
		"nobody": wire.KindUnknownServer, "off": wire.KindStartBlocked, "both": wire.KindConfigInvalid,
	} {
		_, err := servertest.Try(e, wire.MCPStart, wire.MCPServerRef{Name: name})
		if data := refusal(t, err); data.Kind != kind || data.Hint == "" {
			t.Errorf("start %s: %+v", name, data)
		}
	}
	tools := servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{Server: "a"}).Tools
	if len(tools) != 2 || tools[1].Name != "mcp__a__search" || tools[1].Tool != "search" || tools[0].Permission.Capability == "" || len(tools[0].InputSchema) == 0 {
		t.Errorf("tools %+v", tools)
	}
	res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "a", Tool: "search", Arguments: []byte(`{"query":"x"}`)})
	if res.IsError || len(res.Content) != 1 || *res.Content[0].Text != "[docs] Found 3 results for 'x'" {
		t.Errorf("callTool answered %+v", res)
	}
}

// Text on stderr and noise on stdout are in the server's log, and pushed.
func TestAServersLogIsKeptAndPushed(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"noisy": faulty(t, "noisy")}))
	e := w.Start(servertest.Config{})
	e.AwaitState("noisy", wire.MCPConnected)
	has := func(entries []wire.MCPLogEntry) bool {
		for _, entry := range entries {
			if entry.Source == wire.MCPLogStdout && entry.Text == "Server running on stdio" {
				return true
			}
		}
		return false
	}
	e.Await("the noise to be pushed", func(s *servertest.State) bool { return has(s.Logs[wire.MCPKey{Name: "noisy"}]) })
	if entries := servertest.Call(e, wire.MCPLogs, wire.MCPLogsParams{Name: "noisy"}).Entries; !has(entries) {
		t.Errorf("logs %+v", entries)
	}
}
