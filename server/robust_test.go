package server_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// The end of the input ends us and what we run, also in the middle of things: an
// open question, a command, a person's call. Nothing is done for an editor that has
// gone (vscode-languageserver-node#726).
func TestTheEndOfTheInputEndsWhatRuns(t *testing.T) {
	for name, busy := range map[string]func(t *testing.T, w *servertest.World, e *servertest.Editor, id string){
		"a question": func(_ *testing.T, _ *servertest.World, e *servertest.Editor, id string) {
			begin(context.Background(), e, id, "Deploy the current project")
			e.Await("the question", func(s *servertest.State) bool { return len(s.Asked) == 1 })
		},
		"a command": func(_ *testing.T, _ *servertest.World, e *servertest.Editor, id string) {
			servertest.Call(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "auto"})
			begin(context.Background(), e, id, "Run `sleep 600`")
			e.Await("the command", func(s *servertest.State) bool {
				for _, u := range s.Updates[id] {
					if c, ok := u.(*wire.ToolCallProgress); ok && c.Status == wire.ToolInProgress {
						return true
					}
				}
				return false
			})
		},
		"a person's call": func(_ *testing.T, _ *servertest.World, e *servertest.Editor, _ string) {
			servertest.Start(context.Background(), e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "faulty", Tool: "hang"})
			e.Await("it to be sent", func(s *servertest.State) bool { row, _ := s.Row("faulty"); return row.State == wire.MCPConnected })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := servertest.NewWorld(t)
			w.User(servertest.Servers(servertest.M{
				"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy"), "faulty": faulty(t, ""),
			}))
			forever := make(chan struct{})
			t.Cleanup(func() { close(forever) })
			e, p := w.Spawn(servertest.Config{Permit: func(context.Context, wire.RequestPermissionParams) string {
				<-forever
				return ""
			}})
			ready(t, e)
			child := e.AwaitState("faulty", wire.MCPConnected).Pid
			busy(t, w, e, servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID)
			begun := time.Now()
			_ = p.Stdin.Close()
			p.Wait(t)
			took := time.Since(begun)
			t.Logf("the end took %v", took)
			if took > 6*time.Second {
				t.Errorf("the end took %v", took)
			}
			if servertest.Alive(child) {
				t.Error("a child is left")
			}
		})
	}
}

// A server that reads nothing any more held up the editor when folders changed, and
// a call whose write is stuck could neither be cancelled nor run out of time.
func TestAServerThatDoesNotReadHoldsUpNobody(t *testing.T) {
	w := servertest.NewWorld(t)
	deaf := faulty(t, "")
	deaf["call_timeout_ms"] = 1000
	w.User(servertest.Servers(servertest.M{"deaf": deaf}))
	e := w.Start(servertest.Config{})
	e.AwaitState("deaf", wire.MCPConnected)
	servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "deaf", Tool: "deaf"})

	if _, err := servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "deaf", Tool: "pid"}); err == nil {
		t.Error("a call that was never taken in was answered")
	}

	big := []byte(`{"text":"` + strings.Repeat("x", 3<<20) + `"}`)
	begun := time.Now()
	if _, err := servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "deaf", Tool: "log", Arguments: big}); err == nil {
		t.Error("a call that was never read was answered")
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("its time-out of 1 s took %v", took)
	}
	other := filepath.Join(filepath.Dir(w.Folder), "other")
	servertest.WriteFile(t, filepath.Join(other, "x"), "")
	e.Notify("workspace/didChangeWorkspaceFolders", servertest.M{"event": servertest.M{
		"added": []any{servertest.M{"uri": "file://" + other, "name": "other"}}, "removed": []any{},
	}})
	begun = time.Now()
	servertest.Call(e, wire.Status, wire.Empty{})
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("a changed folder held up the next request for %v", took)
	}
	if row := servertest.Call(e, wire.MCPStop, wire.MCPServerRef{Name: "deaf"}).Server; row.State != wire.MCPStopped {
		t.Errorf("after stop: %+v", row)
	}
}

// A deny rule counts for a person's call, whether the tool is listed or not, and a
// folder's rules count for the user's servers too.
func TestADenyRuleNeedsNoListedTool(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.M{
		"mcp_servers": servertest.M{"a": faulty(t, "")},
		"permissions": servertest.M{"deny": []string{"mcp(a/hidden*)"}},
	})
	w.Project(servertest.M{"permissions": servertest.M{"deny": []string{"mcp(a/pid)"}}})
	e := w.Start(servertest.Config{})
	e.AwaitState("a", wire.MCPConnected)
	for _, tool := range []string{"hidden_one", "pid"} {
		_, err := servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "a", Tool: tool})
		if data := refusal(t, err); data.Kind != wire.KindStartBlocked || data.Hint == "" {
			t.Errorf("%s: %+v", tool, data)
		}
	}
	if res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "a", Tool: "cwd"}); res.IsError {
		t.Errorf("what no rule denies: %+v", res)
	}
}

// An unapproved project entry displaces no server of the user's, whatever else its
// state is.
func TestAnUnapprovedEntryThatIsOffDisplacesNothing(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy")}))
	w.Project(servertest.Servers(servertest.M{
		"docs": servertest.M{"command": "x", "disabled": true}, "deploy": servertest.M{"command": "x", "url": "http://127.0.0.1:1"},
	}))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	e.Await("the user's servers", func(s *servertest.State) bool { return s.Totals.Connected == 2 })
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "Search the docs for the worktree cleanup policy.")
	prompt(e, id, "Deploy the current project")
	calls := e.Calls(id)
	if len(calls) != 2 || calls[0].Status != wire.ToolCompleted || calls[1].Status != wire.ToolCompleted {
		t.Errorf("calls %+v", calls)
	}
}

// A row always has a state: one that was stopped twice, or stopped after it failed,
// keeps it through a change of its time-outs.
func TestAStoppedServerKeepsItsStateThroughAChange(t *testing.T) {
	w := servertest.NewWorld(t)
	entry := servertest.Demo("docs")
	w.User(servertest.Servers(servertest.M{"docs": entry, "dead": faulty(t, "exit3")}))
	e := w.Start(servertest.Config{})
	e.AwaitState("docs", wire.MCPConnected)
	e.AwaitState("dead", wire.MCPFailed)
	for range 2 {
		servertest.Call(e, wire.MCPStop, wire.MCPServerRef{Name: "docs"})
		servertest.Call(e, wire.MCPStop, wire.MCPServerRef{Name: "dead"})
	}
	entry["call_timeout_ms"] = 5000
	dead := faulty(t, "exit3")
	dead["call_timeout_ms"] = 5000
	w.User(servertest.Servers(servertest.M{"docs": entry, "dead": dead, "seen": servertest.Demo("deploy")}))
	e.AwaitState("seen", wire.MCPConnected)
	for _, row := range servertest.Call(e, wire.MCPStatus, wire.Empty{}).Servers {
		if row.Name != "seen" && row.State != wire.MCPStopped {
			t.Errorf("%s is %q", row.Name, row.State)
		}
	}
}
