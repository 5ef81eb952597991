package server_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// isSubAgent reports whether a request is one of a sub-agent.
func isSubAgent(r modeltest.Request) bool {
	return strings.Contains(string(r.Body), "You are a sub-agent")
}

func task(id, prompt string, more servertest.M) modeltest.Call {
	args := servertest.M{"description": "Look around", "prompt": prompt}
	for k, v := range more {
		args[k] = v
	}
	return use(id, "task", args)
}

// told is what a session's calls came to: "id parent status", in the order they began.
func told(e *servertest.Editor, id string) []string {
	var out []string
	for _, c := range e.Calls(id) {
		out = append(out, strings.Join([]string{c.ToolCallID, c.Meta.Codebot.Parent, string(c.Status)}, " "))
	}
	return out
}

// A sub-agent works with the built-in tools alone, under the call that began it: its calls
// are shown there, its questions are asked there, its report is the result, and it is all
// there again after a restart, to be taken back with the turn. (SEEDS: MCP and connect_mcp
// are the lead's.)
func TestASubAgentWorksUnderItsCall(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f,
			modeltest.Reply{Calls: []modeltest.Call{task("c1", "Find the rule and note it.", nil)}},
			// The sub-agent's ids are the same: a provider that counts from one in each conversation.
			modeltest.Reply{Calls: []modeltest.Call{use("c1", "ls", servertest.M{})}},
			modeltest.Reply{Calls: []modeltest.Call{
				use("c2", "write", servertest.M{"path": "rule.txt", "content": "remove it after seven days\n"}),
				use("c3", "bash", servertest.M{"command": "touch made-by-bash"}),
			}},
			modeltest.Say("The rule is: ", "seven days."), modeltest.Say("Done."))
		w := servertest.NewWorld(t)
		w.User(with(d, servertest.Servers(servertest.M{"docs": servertest.Demo("docs")})))
		e := w.Start(servertest.Config{Permit: always("allow_once")})
		e.AwaitState("docs", wire.MCPConnected)
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		began := prompt(e, id, "note the rule").MessageID

		requests := d.Requests()
		if len(requests) != 5 {
			t.Fatalf("%d requests", len(requests))
		}
		own := []string{"read", "ls", "glob", "grep", "write", "edit", "bash", "fetch", "bash_output", "bash_stop"}
		for i, r := range requests {
			tools := r.Tools(t)
			if sub := i >= 1 && i <= 3; isSubAgent(r) != sub || sub && !slices.Equal(tools, own) || !sub && !slices.Contains(tools, "task") {
				t.Errorf("request %d offers %v", i, tools)
			}
		}
		if body := string(requests[1].Body); !strings.Contains(body, "Find the rule and note it.") || strings.Contains(body, "note the rule\"") {
			t.Errorf("the sub-agent was told %s", body)
		}
		if body := string(requests[4].Body); !strings.Contains(body, "The rule is: seven days.") || strings.Contains(body, "made-by-bash") {
			t.Errorf("the lead was told %s", body)
		}

		want := []string{"c1  completed", "c1/c1 c1 completed", "c1/c2 c1 completed", "c1/c3 c1 completed"}
		if got := told(e, id); !slices.Equal(got, want) {
			t.Errorf("shown %q", got)
		}
		if text := servertest.CallText(e.Calls(id)[0]); text != "The rule is: seven days." {
			t.Errorf("the result is shown as %q", text)
		}
		e.Look(func(s *servertest.State) {
			for i, call := range []string{"c1/c2", "c1/c3"} {
				if len(s.Asked) != 2 || s.Asked[i].ToolCall.ToolCallID != call || s.Asked[i].ToolCall.Meta.Codebot.Parent != "c1" {
					t.Errorf("asked %+v", s.Asked)
				}
			}
		})

		e.Shutdown()
		e = w.Start(servertest.Config{Permit: always("allow_once")})
		servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
		if got := told(e, id); !slices.Equal(got, want) {
			t.Errorf("shown again %q", got)
		}
		fork := servertest.Call(e, wire.SessionFork, wire.SessionForkParams{SessionID: id}).SessionID
		servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: fork})
		if got := told(e, fork); !slices.Equal(got, want) {
			t.Errorf("a copy shows %q", got)
		}
		back := servertest.Call(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: began, Files: true, Messages: true})
		if len(back.Conflicts) > 0 || len(back.Files) != 1 || !slices.Equal(back.NotUndone, []string{"touch made-by-bash"}) || fileText(t, w, "rule.txt") != "(none)" {
			t.Errorf("taken back %+v; the file has %q", back, fileText(t, w, "rule.txt"))
		}
	})
}

// Several tasks in one answer run side by side, and their questions come one at a time.
func TestSubAgentsRunSideBySideAndAskOneAtATime(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI)
	both := make(chan struct{})
	var there atomic.Int32
	d.Improvise(func(r modeltest.Request) modeltest.Reply {
		body := string(r.Body)
		switch {
		case !isSubAgent(r) && !strings.Contains(body, "tool_call_id"):
			return modeltest.Reply{Calls: []modeltest.Call{task("a", "Do number one.", nil), task("b", "Do number two.", nil)}}
		case !isSubAgent(r):
			return modeltest.Say("Both are done.")
		case strings.Contains(body, "tool_call_id"):
			return modeltest.Say("I have done it.")
		}
		name := "one"
		if strings.Contains(body, "number two") {
			name = "two"
		}
		if there.Add(1) == 2 {
			close(both)
		}
		// Neither goes on before the other is there.
		return modeltest.Reply{Calls: []modeltest.Call{use("w", "write", servertest.M{"path": name, "content": name})}, Hold: both}
	})
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	var asking, most atomic.Int32
	e := w.Start(servertest.Config{Permit: func(ctx context.Context, _ wire.RequestPermissionParams) string {
		if n := asking.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer asking.Add(-1)
		select { // long enough for another question to come, if it did
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
		return "allow_once"
	}})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	if got := prompt(e, id, "do both"); got.StopReason != wire.StopEndTurn {
		t.Errorf("ended %+v", got)
	}
	if got := fileText(t, w, "one") + fileText(t, w, "two"); got != "onetwo" {
		t.Errorf("the files have %q", got)
	}
	if most.Load() != 1 {
		t.Errorf("%d questions at once", most.Load())
	}
	got := told(e, id)
	slices.Sort(got)
	if want := []string{"a  completed", "a/w a completed", "b  completed", "b/w b completed"}; !slices.Equal(got, want) {
		t.Errorf("shown %q", got)
	}
}

// A cancel reaches a sub-agent wherever it is: while its model streams, while it asks and
// while its command runs. All calls end, nothing comes after the answer, and the next
// prompt is accepted by a strict provider.
func TestACancelEndsTheSubAgentToo(t *testing.T) {
	for name, reply := range map[string]modeltest.Reply{
		"streaming": {Text: []string{"I am "}, Hold: make(chan struct{})},
		"asking":    {Calls: []modeltest.Call{use("q", "write", servertest.M{"path": "x", "content": "x"})}},
		"running":   {Calls: []modeltest.Call{use("r", "bash", servertest.M{"command": "echo begun; exec sleep 600"})}},
	} {
		t.Run(name, func(t *testing.T) {
			flavors(t, func(t *testing.T, f modeltest.Flavor) {
				d := modeltest.New(t, f, modeltest.Reply{Calls: []modeltest.Call{task("t", "Go.", nil)}}, reply)
				w := servertest.NewWorld(t)
				w.User(with(d, nil))
				asked := make(chan struct{})
				e := w.Start(servertest.Config{Permit: func(ctx context.Context, p wire.RequestPermissionParams) string {
					if p.ToolCall.Meta.Codebot.Tool == "bash" {
						return "allow_once"
					}
					close(asked)
					<-ctx.Done()
					return ""
				}})
				id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
				wait := begin(t.Context(), e, id, "go")
				switch name {
				case "streaming":
					d.AwaitHeld(1)
				case "asking":
					<-asked
				case "running":
					e.Await("its command", func(s *servertest.State) bool { return shows(s, id, "t/r", "begun") })
				}
				e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: id})
				if got, err := wait(); err != nil || got.StopReason != wire.StopCancelled {
					t.Fatalf("ended %+v, %v", got, err)
				}
				var updates int
				e.Look(func(s *servertest.State) { updates = len(s.Updates[id]) })
				for _, c := range e.Calls(id) {
					if c.Status != wire.ToolFailed {
						t.Errorf("%s is %s", c.ToolCallID, c.Status)
					}
				}
				d.Then(modeltest.Say("Here."))
				if got := prompt(e, id, "are you there?"); got.StopReason != wire.StopEndTurn {
					t.Errorf("the next prompt ended %+v", got)
				}
				e.Look(func(s *servertest.State) {
					for _, u := range s.Updates[id][updates:] {
						switch u := u.(type) {
						case *wire.ToolCallStart:
							t.Errorf("after the answer: %+v", u)
						case *wire.ToolCallProgress:
							t.Errorf("after the answer: %+v", u)
						}
					}
				})
			})
		})
	}
}

// shows reports whether a call has a text; the state is held.
func shows(s *servertest.State, session, call, text string) bool {
	for _, u := range s.Updates[session] {
		if p, ok := u.(*wire.ToolCallProgress); ok && p.ToolCallID == call && strings.Contains(servertest.CallText(p.ToolCallUpdate), text) {
			return true
		}
	}
	return false
}

// In plan mode a sub-agent looks and changes nothing; a change of the mode while it works
// holds for it at once.
func TestASubAgentIsBoundByTheModeOfTheSession(t *testing.T) {
	d := modeltest.New(t, modeltest.Anthropic,
		modeltest.Reply{Calls: []modeltest.Call{task("t", "Go.", nil)}},
		modeltest.Reply{Calls: []modeltest.Call{use("w", "write", servertest.M{"path": "x", "content": "x"}), use("l", "ls", servertest.M{})}},
		modeltest.Say("I may not."), modeltest.Say("It may not."))
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "plan"}).SessionID
	prompt(e, id, "go")
	if tools := d.Await(2).Tools(t); slices.Contains(tools, "write") || !slices.Contains(tools, "read") {
		t.Errorf("offered %v", tools)
	}
	if got := told(e, id); !slices.Equal(got, []string{"t  completed", "t/w t failed", "t/l t completed"}) || fileText(t, w, "x") != "(none)" {
		t.Errorf("shown %q", got)
	}
	hold := make(chan struct{})
	d.Then(modeltest.Reply{Calls: []modeltest.Call{task("u", "Go.", nil)}}, modeltest.Reply{Calls: []modeltest.Call{use("l", "ls", servertest.M{})}, Hold: hold},
		modeltest.Reply{Calls: []modeltest.Call{use("w", "write", servertest.M{"path": "x", "content": "x"})}}, modeltest.Say("Written."), modeltest.Say("It has."))
	wait := begin(t.Context(), e, id, "go again")
	d.AwaitHeld(1)
	servertest.Call(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "accept_edits"})
	close(hold)
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	if fileText(t, w, "x") != "x" {
		t.Errorf("the mode was not taken over: %q", told(e, id))
	}
}

// A sub-agent with a worktree leaves the folder as it is: what it changes is kept and
// named, and where it changed nothing neither folder nor branch is left.
func TestASubAgentWithAWorktreeLeavesTheFolderAlone(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on PATH")
	}
	isolated := servertest.M{"isolation": "worktree"}
	d := modeltest.New(t, modeltest.OpenAI,
		modeltest.Reply{Calls: []modeltest.Call{task("n", "Read.", isolated)}}, modeltest.Say("No repository."),
		modeltest.Reply{Calls: []modeltest.Call{task("t", "Change it.", isolated), task("u", "Read it.", isolated)}})
	d.Improvise(func(r modeltest.Request) modeltest.Reply {
		body := string(r.Body)
		switch {
		case !isSubAgent(r):
			return modeltest.Say("Done.")
		case strings.Contains(body, "tool_call_id"):
			return modeltest.Say("Ready.")
		case strings.Contains(body, "Change it."):
			return modeltest.Reply{Calls: []modeltest.Call{use("e", "write", servertest.M{"path": "a.txt", "content": "two\n"})}}
		}
		return modeltest.Reply{Calls: []modeltest.Call{use("r", "read", servertest.M{"path": "a.txt"})}}
	})
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	w.Write("a.txt", "one\n")
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "go")
	if got := e.Calls(id)[0]; got.Status != wire.ToolFailed || !strings.Contains(servertest.CallText(got), "no git repository") {
		t.Errorf("without a repository: %s", servertest.CallText(got))
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = w.Folder
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "--quiet")
	git("add", ".")
	git("-c", "user.name=A", "-c", "user.email=a@example.test", "commit", "--quiet", "-m", "first")
	began := prompt(e, id, "go again").MessageID
	if got := fileText(t, w, "a.txt"); got != "one\n" {
		t.Errorf("the folder's file has %q", got)
	}
	calls := e.Calls(id)
	at := func(call string) wire.ToolCallUpdate {
		i := slices.IndexFunc(calls, func(c wire.ToolCallUpdate) bool { return c.ToolCallID == call })
		if i < 0 {
			t.Fatalf("no call %s in %q", call, told(e, id))
		}
		return calls[i]
	}
	if got := servertest.CallText(at("u")); !strings.Contains(got, "its worktree is gone") {
		t.Errorf("the one that read: %s", got)
	}
	trees := filepath.Join(w.UserHome, ".local", "share", "codebot", "worktrees")
	left, err := os.ReadDir(trees)
	if err != nil || len(left) != 1 {
		t.Fatalf("left %v, %v", left, err)
	}
	path := filepath.Join(trees, left[0].Name())
	if text, err := os.ReadFile(filepath.Join(path, "a.txt")); err != nil || string(text) != "two\n" {
		t.Errorf("the worktree's file has %q, %v", text, err)
	}
	result := servertest.CallText(at("t"))
	branch := strings.Fields(git("branch", "--list", "codebot/*", "--format=%(refname:short)"))
	if len(branch) != 1 || !strings.Contains(result, branch[0]) || !strings.Contains(result, path) || !strings.Contains(result, "1 files not committed") {
		t.Errorf("branches %v; told %s", branch, result)
	}
	// To take the turn back is nothing to a worktree.
	back := servertest.Call(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: began, Files: true, Messages: true})
	if len(back.Files)+len(back.Conflicts) > 0 {
		t.Errorf("taken back %+v", back)
	}
}

// A crash in the middle of a sub-agent's work loses neither what it did nor the session.
func TestACrashOfASubAgentsTurnIsReadAgain(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Reply{Calls: []modeltest.Call{task("t", "Go.", nil)}},
			modeltest.Reply{Calls: []modeltest.Call{use("l", "ls", servertest.M{})}}, modeltest.Reply{Text: []string{"I see"}, Hold: make(chan struct{})})
		w := servertest.NewWorld(t)
		w.User(with(d, nil))
		e, p := w.Spawn(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		_ = begin(t.Context(), e, id, "go")
		d.AwaitHeld(1)
		if err := p.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Wait(t)
		e = w.Start(servertest.Config{})
		servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
		if got := told(e, id); !slices.Equal(got, []string{"t  failed", "t/l t completed"}) {
			t.Errorf("shown %q", got)
		}
		d.Then(modeltest.Say("Here."))
		if got := prompt(e, id, "are you there?"); got.StopReason != wire.StopEndTurn {
			t.Errorf("the next prompt ended %+v", got)
		}
	})
}
