//go:build unix

package server_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// jobWorld is a session whose first turn has started a server in the background.
func jobWorld(t *testing.T, config servertest.Config) (w *servertest.World, d *modeltest.Double, e *servertest.Editor, p *servertest.Process, id string, pid int) {
	t.Helper()
	d = modeltest.New(t, modeltest.Anthropic,
		modeltest.Reply{Calls: []modeltest.Call{use("c1", "bash", servertest.M{"command": "echo listening; echo $$ >pid; sleep 600 & wait", "background": true})}},
		modeltest.Say("It runs."))
	w = servertest.NewWorld(t)
	w.User(with(d, nil))
	e, p = w.Spawn(config)
	id = servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "start the server")
	return w, d, e, p, id, awaitPid(t, w, "pid")
}

// awaitPid is the process that writes its number into a file of the folder.
func awaitPid(t *testing.T, w *servertest.World, name string) (pid int) {
	t.Helper()
	servertest.Poll(t, "a process that runs in "+name, func() bool {
		data, _ := os.ReadFile(filepath.Join(w.Folder, name))
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil && servertest.Alive(pid)
	})
	return pid
}

func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	servertest.Poll(t, "the end of process "+strconv.Itoa(pid), func() bool { return !servertest.Alive(pid) })
}

// A command in the background is asked for as what it is, outlives the turn and the cancel
// of another, and is read and ended in a later one.
func TestACommandInTheBackgroundOutlivesItsTurn(t *testing.T) {
	_, d, e, _, id, pid := jobWorld(t, servertest.Config{Permit: always("allow_once")})
	e.Look(func(s *servertest.State) {
		if len(s.Asked) != 1 || !strings.HasSuffix(s.Asked[0].ToolCall.Title, "in the background") {
			t.Errorf("asked %+v", s.Asked)
		}
	})
	if text := servertest.CallText(e.Calls(id)[0]); !strings.Contains(text, "listening\n[job 1 runs") {
		t.Errorf("answered %q", text)
	}
	d.Then(modeltest.Reply{Text: []string{"I am "}, Hold: make(chan struct{})})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait := begin(ctx, e, id, "wait")
	d.AwaitHeld(1)
	e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: id})
	if got, err := wait(); err != nil || got.StopReason != wire.StopCancelled {
		t.Fatalf("ended %+v, %v", got, err)
	}
	if !servertest.Alive(pid) {
		t.Error("the cancel of another turn has ended it")
	}
	d.Then(modeltest.Reply{Calls: []modeltest.Call{use("c2", "bash_output", servertest.M{"job": 1})}},
		modeltest.Reply{Calls: []modeltest.Call{use("c3", "bash_stop", servertest.M{"job": 1})}}, modeltest.Say("It is stopped."))
	prompt(e, id, "stop it")
	awaitEnd(t, pid)
	calls := e.Calls(id)
	if got := servertest.CallText(calls[1]); !strings.Contains(got, "(no new output)\n[job 1 runs") {
		t.Errorf("read %q", got)
	}
	if got := servertest.CallText(calls[2]); !strings.Contains(got, "[job 1 was stopped]") || calls[2].Title != "End job 1 `echo listening; echo $$ >pid; sleep 600 & wait`" {
		t.Errorf("stopped %q: %q", calls[2].Title, got)
	}
	e.Look(func(s *servertest.State) {
		if len(s.Asked) != 1 {
			t.Errorf("asked for a look: %+v", s.Asked)
		}
	})
}

// What runs in the background ends with the session, with the editor and with us.
func TestWhatRunsInTheBackgroundEndsWithUs(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, e *servertest.Editor, p *servertest.Process, id string){
		"the session is deleted": func(t *testing.T, e *servertest.Editor, _ *servertest.Process, id string) {
			servertest.Call(e, wire.SessionDelete, wire.SessionDeleteParams{SessionID: id})
		},
		"the editor goes": func(t *testing.T, e *servertest.Editor, _ *servertest.Process, _ string) { e.Shutdown() },
		"we are killed": func(t *testing.T, _ *servertest.Editor, p *servertest.Process, _ string) {
			if err := p.Cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.Wait(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, e, p, id, pid := jobWorld(t, servertest.Config{Permit: always("allow_once")})
			end(t, e, p, id)
			awaitEnd(t, pid)
		})
	}
}

// Plan mode has no commands in the background either, and a job of before a restart is
// gone and said to be.
func TestAJobIsNotThereInPlanModeNorAfterARestart(t *testing.T) {
	w, d, e, _, id, pid := jobWorld(t, servertest.Config{Permit: always("allow_once")})
	servertest.Call(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "plan"})
	d.Then(modeltest.Reply{Calls: []modeltest.Call{use("c2", "bash", servertest.M{"command": "touch started; sleep 600", "background": true})}}, modeltest.Say("No."))
	prompt(e, id, "start another")
	if _, err := os.Stat(filepath.Join(w.Folder, "started")); err == nil {
		t.Error("it was started in plan mode")
	}
	e.Shutdown()
	awaitEnd(t, pid)
	e = w.Start(servertest.Config{Permit: always("allow_once")})
	servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
	d.Then(modeltest.Reply{Calls: []modeltest.Call{use("c3", "bash_output", servertest.M{"job": 1})}}, modeltest.Say("Gone."))
	prompt(e, id, "how is it?")
	calls := e.Calls(id)
	if got := servertest.CallText(calls[len(calls)-1]); !strings.Contains(got, "there is no job 1: jobs end with the editor") {
		t.Errorf("read %q", got)
	}
}

// The end of a job is told by the next command, and a command in the background is noted
// and not undone like any other.
func TestAJobsEndIsToldAndItsCommandIsNoted(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI)
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	if err := syscall.Mkfifo(filepath.Join(w.Folder, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, _ := w.Spawn(servertest.Config{})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
	d.Then(modeltest.Reply{Calls: []modeltest.Call{use("c1", "bash", servertest.M{"command": "cat  go; exit 3", "background": true})}}, modeltest.Say("It builds."))
	prompt(e, id, "build")
	if err := os.WriteFile(filepath.Join(w.Folder, "go"), []byte("built\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := ""
	for i := 0; !strings.Contains(told, "job 1"); i++ {
		if i == 100 {
			t.Fatal("the end was not told")
		}
		d.Then(modeltest.Reply{Calls: []modeltest.Call{use("d"+strconv.Itoa(i), "bash", servertest.M{"command": "sleep 0.05; echo mine"})}}, modeltest.Say("Done."))
		prompt(e, id, "and?")
		calls := e.Calls(id)
		told = servertest.CallText(calls[len(calls)-1])
	}
	if told != "mine\n[job 1 ended with exit code 3; bash_output has what it printed]" {
		t.Errorf("told %q", told)
	}
	got := servertest.Call(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: "0", Files: true})
	if !slices.Contains(got.NotUndone, "cat go; exit 3") {
		t.Errorf("not undone: %q", got.NotUndone)
	}
	noted, err := os.ReadFile(filepath.Join(w.Home, "audit.jsonl"))
	if err != nil || !strings.Contains(string(noted), `"command":"cat  go; exit 3"`) {
		t.Errorf("noted %s, %v", noted, err)
	}
}
