package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

func use(id, tool string, args servertest.M) modeltest.Call {
	raw, _ := json.Marshal(args)
	return modeltest.Call{ID: id, Name: tool, Args: []string{string(raw)}}
}

// undone is a world in which a first turn wrote a.txt, and a second one changed it, wrote
// b.txt and ran a command; the model is the double.
func undone(t *testing.T, f modeltest.Flavor) (w *servertest.World, d *modeltest.Double, e *servertest.Editor, p *servertest.Process, id, second string) {
	t.Helper()
	d = modeltest.New(t, f,
		modeltest.Reply{Calls: []modeltest.Call{use("c1", "write", servertest.M{"path": "a.txt", "content": "one\n"})}}, modeltest.Say("Written."),
		modeltest.Reply{Calls: []modeltest.Call{
			use("c2", "edit", servertest.M{"path": "a.txt", "old_string": "one", "new_string": "two"}),
			use("c3", "edit", servertest.M{"path": "a.txt", "old_string": "two", "new_string": "three"}),
			use("c4", "write", servertest.M{"path": "sub/b.txt", "content": "new\n"}),
			use("c5", "bash", servertest.M{"command": "touch  made-by-bash"}),
		}}, modeltest.Say("Changed."))
	w = servertest.NewWorld(t)
	w.User(with(d, nil))
	e, p = w.Spawn(servertest.Config{})
	id = servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
	prompt(e, id, "write a file")
	second = prompt(e, id, "change it").MessageID
	return w, d, e, p, id, second
}

func fileText(t *testing.T, w *servertest.World, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Folder, name))
	if os.IsNotExist(err) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A turn that is taken back after a crash and a restart: its files are as they were, what
// a command did is told, and the model never hears of it again.
func TestATurnIsTakenBackAfterARestart(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		w, d, _, p, id, second := undone(t, f)
		if got := fileText(t, w, "a.txt") + fileText(t, w, "sub/b.txt"); got != "three\nnew\n" {
			t.Fatalf("the turns wrote %q", got)
		}
		if err := p.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Wait(t)
		e := w.Start(servertest.Config{})
		got := servertest.Call(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: second, Files: true, Messages: true})
		if len(got.Conflicts) > 0 || got.Prompt != "change it" || !slices.Equal(got.NotUndone, []string{"touch made-by-bash"}) {
			t.Errorf("the answer: %+v", got)
		}
		want := []wire.RolledBackFile{
			{Path: filepath.Join(w.Folder, "a.txt"), Change: wire.RollbackRestored},
			{Path: filepath.Join(w.Folder, "sub", "b.txt"), Change: wire.RollbackRemoved},
		}
		if !slices.Equal(got.Files, want) {
			t.Errorf("files %+v", got.Files)
		}
		if got := fileText(t, w, "a.txt") + fileText(t, w, "sub/b.txt"); got != "one\n(none)" {
			t.Errorf("the files hold %q", got)
		}
		d.Then(modeltest.Say("As before."))
		prompt(e, id, "what now?")
		requests := d.Requests()
		last := requests[len(requests)-1]
		if strings.Contains(string(last.Body), "change it") || !strings.Contains(string(last.Body), "what now?") {
			t.Errorf("the next request: %s", last.Body)
		}
		continues(t, requests[1], last)

		// And it stays gone.
		if err := os.WriteFile(filepath.Join(w.Folder, "a.txt"), []byte("mine\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		e.Shutdown()
		e = w.Start(servertest.Config{})
		servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
		text := servertest.Call(e, wire.SessionExport, wire.SessionExportParams{SessionID: id, Format: wire.ExportMarkdown}).Text
		if strings.Contains(text, "change it") || !strings.Contains(text, "As before.") {
			t.Errorf("the conversation is\n%s", text)
		}
		copied := servertest.Call(e, wire.SessionFork, wire.SessionForkParams{SessionID: id}).SessionID
		text = servertest.Call(e, wire.SessionExport, wire.SessionExportParams{SessionID: copied, Format: wire.ExportMarkdown}).Text
		if strings.Contains(text, "change it") || !strings.Contains(text, "what now?") {
			t.Errorf("the copy is\n%s", text)
		}
	})
}

// A file that somebody else changed since is not written over unasked, and then nothing
// else is done either.
func TestAFileChangedSinceIsNotTakenBackUnasked(t *testing.T) {
	w, _, e, _, id, second := undone(t, modeltest.Anthropic)
	path := filepath.Join(w.Folder, "a.txt")
	if err := os.WriteFile(path, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	params := wire.SessionRollbackParams{SessionID: id, ToMessageID: second, Files: true, Messages: true}
	got := servertest.Call(e, wire.SessionRollback, params)
	if len(got.Conflicts) != 1 || got.Conflicts[0].Path != path || !strings.Contains(got.Conflicts[0].Reason, "changed since") {
		t.Errorf("the answer: %+v", got)
	}
	if got := fileText(t, w, "a.txt") + fileText(t, w, "sub/b.txt"); got != "mine\nnew\n" {
		t.Errorf("something was done all the same: %q", got)
	}
	params.Overwrite = []string{path}
	got = servertest.Call(e, wire.SessionRollback, params)
	if len(got.Conflicts) > 0 || fileText(t, w, "a.txt")+fileText(t, w, "sub/b.txt") != "one\n(none)" {
		t.Errorf("after the yes: %+v %q", got, fileText(t, w, "a.txt"))
	}
}

// Files and messages can be taken back one without the other.
func TestOnlyTheFilesOrOnlyTheMessagesAreTakenBack(t *testing.T) {
	w, d, e, _, id, second := undone(t, modeltest.OpenAI)
	got := servertest.Call(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: second, Files: true})
	if got.Prompt != "" || fileText(t, w, "a.txt") != "one\n" {
		t.Errorf("only files: %+v %q", got, fileText(t, w, "a.txt"))
	}
	d.Then(modeltest.Say("Still here."))
	prompt(e, id, "go on")
	if last := d.Requests()[len(d.Requests())-1]; !strings.Contains(string(last.Body), "change it") {
		t.Errorf("the messages went too: %s", last.Body)
	}
	got = servertest.Call(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: "0", Messages: true})
	if got.Prompt != "write a file" || len(got.Files) > 0 || fileText(t, w, "a.txt") != "one\n" {
		t.Errorf("only messages: %+v", got)
	}
	d.Then(modeltest.Say("Anew."))
	prompt(e, id, "begin again")
	last := d.Requests()[len(d.Requests())-1]
	if strings.Contains(string(last.Body), "write a file") || strings.Contains(string(last.Body), "Still here") {
		t.Errorf("the messages are still there: %s", last.Body)
	}
}

// What cannot be taken back is said.
func TestATakingBackThatCannotBeSaysWhy(t *testing.T) {
	_, d, e, _, id, _ := undone(t, modeltest.Anthropic)
	for _, message := range []string{"", "x", "-1", "99", "1"} {
		if _, err := servertest.Try(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: message, Messages: true}); err == nil || !strings.Contains(err.Error(), "no such message") {
			t.Errorf("message %q: %v", message, err)
		}
	}
	if _, err := servertest.Try(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: "20260101000000000-000000000000", ToMessageID: "0"}); err == nil {
		t.Error("a session that does not exist was taken back")
	}
	id = servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
	d.Then(bash("sleep 600"))
	wait := begin(t.Context(), e, id, "wait")
	e.Await("bash to run", running(id))
	if _, err := servertest.Try(e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: id, ToMessageID: "0", Messages: true}); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("while a turn runs: %v", err)
	}
	e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: id})
	if _, err := wait(); err != nil {
		t.Error(err)
	}
}
