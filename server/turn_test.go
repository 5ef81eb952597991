package server_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// cancelBound is three times what a cancel may take.
const cancelBound = 300 * time.Millisecond

// Cancel is heard at once while a question is open: the question is taken back and
// nobody waits for its answer (golang/go#37159, palantir#289).
func TestCancelWhileAQuestionIsOpen(t *testing.T) {
	for _, way := range []string{"codebot/session/cancel", "$/cancelRequest"} {
		t.Run(way, func(t *testing.T) {
			w := shop(t)
			late := make(chan struct{})
			e := w.Start(servertest.Config{Permit: func(context.Context, wire.RequestPermissionParams) string {
				<-late // an editor that hears no cancel
				return "allow_once"
			}})
			ready(t, e)
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			wait := servertest.Start(ctx, e, wire.SessionPrompt, wire.SessionPromptParams{
				SessionID: id, Prompt: []wire.ContentBlock{wire.TextBlock("Deploy the current project")},
			})
			e.Await("the question", func(s *servertest.State) bool { return len(s.Asked) == 1 })
			_, err := servertest.Try(e, wire.SessionPrompt, wire.SessionPromptParams{SessionID: id, Prompt: []wire.ContentBlock{wire.TextBlock("again")}})
			if data := refusal(t, err); data.Kind != wire.KindSessionBusy {
				t.Errorf("a second prompt: %+v", data)
			}
			begun := time.Now()
			if way == "$/cancelRequest" {
				cancel()
			} else {
				e.Notify(way, wire.SessionCancelParams{SessionID: id})
				result, err := wait()
				if err != nil || result.StopReason != wire.StopCancelled {
					t.Errorf("the prompt answered %+v %v", result, err)
				}
			}
			e.Await("the question to be resolved", func(s *servertest.State) bool {
				return len(s.Resolved) == 1 && s.Resolved[0].Outcome.Outcome == wire.OutcomeCancelled
			})
			took := time.Since(begun)
			t.Logf("cancel to resolved: %v", took)
			if took > cancelBound {
				t.Errorf("it took %v", took)
			}
			servertest.Poll(t, "the call to end as failed", func() bool {
				calls := e.Calls(id)
				return len(calls) == 1 && calls[0].Status == wire.ToolFailed
			})
			close(late)
			// The late answer is ignored, the session goes on. Our own call came back
			// when we cancelled it, perhaps before the server had answered.
			servertest.Poll(t, "the next prompt to run", func() bool {
				got, err := servertest.Try(e, wire.SessionPrompt, wire.SessionPromptParams{
					SessionID: id, Prompt: []wire.ContentBlock{wire.TextBlock("Search the docs for the worktree cleanup policy.")},
				})
				return err == nil && got.StopReason == wire.StopEndTurn
			})
			if calls := e.Calls(id); calls[0].Status != wire.ToolFailed {
				t.Errorf("a late answer changed the call: %+v", calls[0])
			}
		})
	}
}

// A cancelled request is answered once, with -32800, whatever it was doing.
func TestACancelledPromptIsAnsweredOnce(t *testing.T) {
	w := servertest.NewWorld(t)
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	fifo := filepath.Join(w.Folder, "fifo")
	if err := makeFIFO(fifo); err != nil {
		t.Skip(err)
	}
	e.Notify("$/cancelRequest", servertest.M{"id": 987654})
	e.Notify("$/cancelRequest", servertest.M{"id": "nobody"})
	params := wire.SessionPromptParams{SessionID: id, Prompt: []wire.ContentBlock{wire.TextBlock("Run `cat fifo`")}}
	// The raw id is needed: the request is sent by hand.
	e.Send(`{"jsonrpc":"2.0","id":"mine","method":"codebot/session/prompt","params":` + encode(t, params) + `}`)
	e.Await("the command to run", func(s *servertest.State) bool {
		for _, u := range s.Updates[id] {
			if c, ok := u.(*wire.ToolCallProgress); ok && c.Status == wire.ToolInProgress {
				return true
			}
		}
		return false
	})
	begun := time.Now()
	e.Notify("$/cancelRequest", servertest.M{"id": "mine"})
	answered := func() (n int) {
		for _, line := range e.MessageLog() {
			if strings.HasPrefix(line, "server -> editor ") && strings.Contains(line, `"id":"mine"`) {
				if !strings.Contains(line, "-32800") {
					t.Fatalf("it was answered %s", line)
				}
				n++
			}
		}
		return n
	}
	servertest.Poll(t, "the answer", func() bool { return answered() > 0 })
	took := time.Since(begun)
	t.Logf("cancel to answer: %v", took)
	if took > cancelBound {
		t.Errorf("it took %v", took)
	}
	e.Notify("$/cancelRequest", servertest.M{"id": "mine"})
	servertest.Call(e, wire.Status, wire.Empty{})
	if n := answered(); n != 1 {
		t.Errorf("answered %d times", n)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := protocol.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The text in the editor is what tools see, saved or not, and edits keep their
// order (UTF-16 positions).
func TestUnsavedTextWinsOverTheDisk(t *testing.T) {
	w := servertest.NewWorld(t)
	path := w.Write("notes.txt", "on disk\n")
	e := w.Start(servertest.Config{})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	uri := "file://" + path
	e.Notify(protocol.MethodTextDocumentDidOpen, servertest.M{"textDocument": servertest.M{"uri": uri, "languageId": "text", "version": 1, "text": "a😀b\n"}})
	at := func(char int) servertest.M { return servertest.M{"line": 0, "character": char} }
	for i, text := range []string{"x", "y", "z"} {
		e.Notify(protocol.MethodTextDocumentDidChange, servertest.M{
			"textDocument":   servertest.M{"uri": uri, "version": 2 + i},
			"contentChanges": []any{servertest.M{"range": servertest.M{"start": at(3 + i), "end": at(3 + i)}, "text": text}},
		})
	}
	prompt(e, id, "read notes.txt")
	calls := e.Calls(id)
	if len(calls) != 1 || !strings.Contains(servertest.CallText(calls[0]), "a😀xyzb") {
		t.Errorf("read %+v %q", calls, servertest.CallText(calls[0]))
	}
	e.Notify(protocol.MethodTextDocumentDidClose, servertest.M{"textDocument": servertest.M{"uri": uri}})
	prompt(e, id, "read notes.txt")
	if calls := e.Calls(id); len(calls) != 2 || !strings.Contains(servertest.CallText(calls[1]), "on disk") {
		t.Errorf("after close: %+v", calls)
	}
}

// A session is there after a restart, as it was: listed, loaded, gone on with.
func TestASessionOutlivesTheProcess(t *testing.T) {
	w := shop(t)
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	ready(t, e)
	made := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "accept_edits"})
	prompt(e, made.SessionID, "Deploy the current project and report the result.")
	text := e.Text(made.SessionID)
	never := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	e.Shutdown()

	// The first process lets go of the journal before this one can have it.
	e = w.Start(servertest.Config{})
	ready(t, e)
	var list wire.SessionListResult
	servertest.Poll(t, "the session to be listed", func() bool {
		list = servertest.Call(e, wire.SessionList, wire.SessionListParams{})
		return len(list.Sessions) == 1
	})
	info := list.Sessions[0]
	if info.SessionID != made.SessionID || info.Cwd != w.Folder || info.Title != "Deploy the current project and report the result." || info.UpdatedAt == "" {
		t.Errorf("listed %+v", info)
	}
	var loaded wire.SessionLoadResult
	servertest.Poll(t, "the journal to be free", func() bool {
		var err error
		loaded, err = servertest.Try(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: made.SessionID})
		return err == nil
	})
	if loaded.Model != "offline" || loaded.Mode != "accept_edits" {
		t.Errorf("loaded %+v", loaded)
	}
	if got := e.Text(made.SessionID); got != text {
		t.Errorf("replayed %q\nwant     %q", got, text)
	}
	if calls := e.Calls(made.SessionID); len(calls) != 1 || calls[0].Status != wire.ToolCompleted || calls[0].Meta.Codebot.Original != "trigger" {
		t.Errorf("replayed calls %+v", calls)
	}
	if got := prompt(e, made.SessionID, "Search the docs for the worktree cleanup policy."); got.StopReason != wire.StopEndTurn {
		t.Errorf("the next prompt: %+v", got)
	}
	for _, id := range []string{never, "../../etc/passwd", ""} {
		_, err := servertest.Try(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
		if data := refusal(t, err); data.Kind != wire.KindUnknownSession {
			t.Errorf("load %q: %+v", id, data)
		}
	}
	entries, err := os.ReadDir(filepath.Join(w.Home, "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.Contains(entry.Name(), never) && strings.HasSuffix(entry.Name(), ".jsonl") {
			t.Errorf("a session without a prompt was kept: %s", entry.Name())
		}
	}
}

// Mode and model change by request and are told; what does not exist is refused.
func TestModeAndModelAreChosen(t *testing.T) {
	w := shop(t)
	e := w.Start(servertest.Config{})
	ready(t, e)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	servertest.Call(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "plan"})
	servertest.Call(e, wire.SessionSetModel, wire.SessionSetModelParams{SessionID: id, ModelID: "offline"})
	e.Look(func(s *servertest.State) {
		var mode, model bool
		for _, u := range s.Updates[id] {
			switch v := u.(type) {
			case *wire.CurrentModeUpdate:
				mode = v.CurrentModeID == "plan"
			case *wire.ConfigOptionUpdate:
				model = v.ConfigOptions[0].CurrentValue == "offline"
			}
		}
		if !mode || !model {
			t.Errorf("told %+v", s.Updates[id])
		}
	})
	// Plan mode refuses to deploy: nothing is asked, nothing runs.
	prompt(e, id, "Deploy the current project")
	for _, c := range e.Calls(id) {
		if c.Status != wire.ToolFailed {
			t.Errorf("plan mode let %+v run", c)
		}
	}
	e.Look(func(s *servertest.State) {
		if len(s.Asked) != 0 {
			t.Errorf("plan mode asked %+v", s.Asked)
		}
	})
	_, err := servertest.Try(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "yolo"})
	if data := refusal(t, err); data.Kind != wire.KindUnknownMode {
		t.Errorf("%+v", data)
	}
	_, err = servertest.Try(e, wire.SessionSetModel, wire.SessionSetModelParams{SessionID: id, ModelID: "nobody/nothing"})
	if data := refusal(t, err); data.Kind != wire.KindUnknownModel || data.Hint == "" {
		t.Errorf("%+v", data)
	}
	if models := servertest.Call(e, wire.Models, wire.Empty{}); models.Current != "offline" || len(models.Models) == 0 || !models.Models[0].Available {
		t.Errorf("models %+v", models)
	}
}
