package server_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

func text(s string) []wire.ContentBlock { return []wire.ContentBlock{wire.TextBlock(s)} }

// Who sees the agent go astray says so without stopping it: the running command ends,
// the next one is not begun, and the model's next request has what was said.
func TestSteeringReachesTheRunningTurn(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		w := servertest.NewWorld(t)
		fifo := filepath.Join(w.Folder, "gate")
		if err := makeFIFO(fifo); err != nil {
			t.Skip(err)
		}
		d := modeltest.New(t, f, modeltest.Reply{Calls: []modeltest.Call{
			{ID: "c1", Name: "bash", Args: []string{`{"command":"cat gate"}`}}, {ID: "c2", Name: "bash", Args: []string{`{"command":"touch never"}`}},
		}}, modeltest.Say("As you wish."))
		w.User(with(d, nil))
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
		if _, err := servertest.Try(e, wire.SessionSteer, wire.SessionSteerParams{SessionID: id, Prompt: text("x")}); code(t, err) != -32602 || !strings.Contains(err.Error(), "prompt") {
			t.Errorf("without a turn: %v", err)
		}
		wait := begin(context.Background(), e, id, "go")
		e.Await("bash to run", running(id))
		servertest.Call(e, wire.SessionSteer, wire.SessionSteerParams{SessionID: id, Prompt: text("rather read it")})
		if err := os.WriteFile(fifo, []byte("opened"), 0); err != nil {
			t.Fatal(err)
		}
		if result, err := wait(); err != nil || result.StopReason != wire.StopEndTurn {
			t.Fatalf("%+v %v", result, err)
		}
		continues(t, d.Requests()[0], d.Requests()[1])
		messages := field(t, d.Requests()[1], "messages")
		opened, skipped, said := strings.Index(messages, "opened"), strings.Index(messages, "Skipped due to queued user message."), strings.Index(messages, "rather read it")
		if opened < 0 || skipped < opened || said < skipped {
			t.Errorf("the next request has\n%s", messages)
		}
		if servertest.IsExist(filepath.Join(w.Folder, "never")) {
			t.Error("the second command was run")
		}
		e.Look(func(s *servertest.State) {
			var told []string
			for _, u := range s.Updates[id] {
				switch v := u.(type) {
				case *wire.UserMessageChunk:
					told = append(told, "user "+*v.Content.Text)
				case *wire.AgentMessageChunk:
					told = append(told, "agent "+*v.Content.Text)
				}
			}
			if got := strings.Join(told, ", "); got != "user rather read it, agent As you wish." {
				t.Errorf("the editor saw %s", got)
			}
		})
	})
}

// tooLong is how each provider refuses a request that does not fit its window.
func tooLong(f modeltest.Flavor) modeltest.Reply {
	if f != modeltest.Anthropic {
		return modeltest.Reply{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`}
	}
	return modeltest.Reply{Status: 400, Body: `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`}
}

func thoughts(e *servertest.Editor, id string) string {
	var b strings.Builder
	e.Look(func(s *servertest.State) {
		for _, u := range s.Updates[id] {
			if c, ok := u.(*wire.AgentThoughtChunk); ok {
				b.WriteString(*c.Content.Text)
			}
		}
	})
	return b.String()
}

// A conversation that outgrew the model's window goes on by itself: the provider says
// that it is too long, old results are left out, and the same prompt is answered. A
// person who asks for it gets a summary, and the provider takes what is left, also
// after a restart.
func TestAConversationOutgrowsTheWindow(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f)
		for range 3 {
			d.Then(bash("seq 1 4000"), modeltest.Reply{Thinking: "hm", Signature: "sig", Text: []string{"Counted."}})
		}
		w := servertest.NewWorld(t)
		w.User(with(d, nil))
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
		for range 3 {
			prompt(e, id, "count")
		}
		d.Then(tooLong(f), modeltest.Say("Still here."))
		if got := prompt(e, id, "are you there?"); got.StopReason != wire.StopEndTurn {
			t.Fatalf("%+v", got)
		}
		requests := d.Requests()
		refused, again := requests[len(requests)-2], requests[len(requests)-1]
		if len(again.Body) > len(refused.Body)*2/3 || !strings.Contains(string(again.Body), "was left out to save space") || !strings.Contains(string(again.Body), "are you there?") {
			t.Errorf("refused with %d bytes, sent again with %d", len(refused.Body), len(again.Body))
		}
		if got := thoughts(e, id); !strings.Contains(got, "The conversation was made smaller: from about ") {
			t.Errorf("the editor was told %q", got)
		}

		d.Then(modeltest.Say("The user had me count to 4000."))
		compacted := servertest.Call(e, wire.SessionCompact, wire.SessionCompactParams{SessionID: id})
		if compacted.After <= 0 || compacted.After >= compacted.Before {
			t.Errorf("compacted %+v", compacted)
		}
		if asked := d.Requests()[len(d.Requests())-1]; len(asked.Tools(t)) != 0 || !strings.Contains(string(asked.Body), "## User\\ncount") {
			t.Errorf("the summary was asked for with %s", asked.Body)
		}
		d.Then(modeltest.Say("Yes."))
		prompt(e, id, "and now?")
		live := d.Requests()[len(d.Requests())-1]
		if messages := field(t, live, "messages"); !strings.Contains(messages, "The user had me count to 4000.") || !strings.Contains(messages, "are you there?") || strings.Contains(messages, `"count"`) {
			t.Errorf("after the summary: %s", messages)
		}
		e.Shutdown()

		e = w.Start(servertest.Config{})
		servertest.Poll(t, "the journal to be free", func() bool {
			_, err := servertest.Try(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
			return err == nil
		})
		if n := len(e.Calls(id)); n != 3 {
			t.Errorf("the replay has %d calls", n)
		}
		d.Then(modeltest.Say("Good."))
		prompt(e, id, "after the restart")
		continues(t, live, d.Requests()[len(d.Requests())-1])
	})
}

// Stopping a compaction leaves everything as it was.
func TestACompactionIsCancelled(t *testing.T) {
	never := make(chan struct{})
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Say(strings.Repeat("one ", 300)), modeltest.Say("two"), modeltest.Reply{Text: []string{"The"}, Hold: never})
		w := servertest.NewWorld(t)
		w.User(with(d, nil))
		e := w.Start(servertest.Config{Locale: "zh-cn"})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		prompt(e, id, "first")
		prompt(e, id, "second")
		wait := servertest.Start(context.Background(), e, wire.SessionCompact, wire.SessionCompactParams{SessionID: id})
		d.AwaitHeld(1)
		_, err := servertest.Try(e, wire.SessionPrompt, wire.SessionPromptParams{SessionID: id, Prompt: text("x")})
		if data := refusal(t, err); data.Kind != wire.KindSessionBusy {
			t.Errorf("a prompt meanwhile: %+v", data)
		}
		e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: id})
		if _, err := wait(); code(t, err) != -32800 {
			t.Errorf("it answered %v", err)
		}
		d.AwaitGone(1)
		if got := thoughts(e, id); !strings.Contains(got, "正在总结对话") {
			t.Errorf("the editor was told %q", got)
		}
		d.Then(modeltest.Say("three"))
		prompt(e, id, "third")
		continues(t, d.Requests()[1], d.Requests()[3])
	})
}

// The next request is shown as it will be: with the servers' tools before anything
// was sent, and with what a server that went away costs the cache.
func TestTheContextIsShown(t *testing.T) {
	d := modeltest.New(t, modeltest.Anthropic, modeltest.Say("Hello."))
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.Servers(servertest.M{"docs": servertest.Demo("docs")})))
	e := w.Start(servertest.Config{})
	e.AwaitState("docs", wire.MCPConnected)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	see := func() wire.SessionContextResult {
		return servertest.Call(e, wire.SessionContext, wire.SessionContextParams{SessionID: id})
	}
	fresh := see()
	prompt(e, id, "hello")
	if got := len(d.Requests()[0].Tools(t)); fresh.Tools.Count != got || fresh.CacheBreak != "" || fresh.Messages.Count != 0 {
		t.Errorf("shown %+v, sent %d tools", fresh, got)
	}
	if got := see(); got.Tools.Hash != fresh.Tools.Hash || got.CacheBreak != "" || got.Messages.Count != 2 || len(got.Blocks) != 3 {
		t.Errorf("after the prompt %+v", got)
	}
	servertest.Call(e, wire.MCPStop, wire.MCPServerRef{Name: "docs"})
	if got := see(); got.CacheBreak != wire.CacheBreakTools || got.Tools.Count != fresh.Tools.Count-2 {
		t.Errorf("without the server %+v", got)
	}
	if _, err := servertest.Try(e, wire.SessionContext, wire.SessionContextParams{SessionID: "x"}); refusal(t, err).Kind != wire.KindUnknownSession {
		t.Errorf("%v", err)
	}
}

// A list of sessions in an editor is kept right by what it is told: a first prompt,
// a title, a copy, a removal, whether the session is open or only kept.
func TestSessionsAreRenamedCopiedAndDeleted(t *testing.T) {
	w := shop(t)
	e := w.Start(servertest.Config{})
	ready(t, e)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	last := func() (change wire.SessionDidChangeParams) {
		e.Look(func(s *servertest.State) {
			if n := len(s.Sessions); n > 0 {
				change = s.Sessions[n-1]
			}
		})
		return change
	}
	title := func(of string) string {
		for _, info := range servertest.Call(e, wire.SessionList, wire.SessionListParams{}).Sessions {
			if info.SessionID == of {
				return info.Title
			}
		}
		return ""
	}
	prompt(e, id, "Search the docs for the worktree cleanup policy.")
	if got := last(); len(got.Sessions) != 1 || got.Sessions[0].SessionID != id || got.Sessions[0].Title != "Search the docs for the worktree cleanup policy." || got.Sessions[0].UpdatedAt == "" {
		t.Errorf("after the prompt it told %+v", got)
	}
	servertest.Call(e, wire.SessionRename, wire.SessionRenameParams{SessionID: id, Title: "worktrees"})
	if got := last(); len(got.Sessions) != 1 || got.Sessions[0].Title != "worktrees" || title(id) != "worktrees" {
		t.Errorf("after the new title it told %+v, listed is %q", got, title(id))
	}

	replayed := func(of string) (users []string, ids []string) {
		servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: of})
		e.Look(func(s *servertest.State) {
			for _, u := range s.Updates[of] {
				if c, ok := u.(*wire.UserMessageChunk); ok {
					users, ids = append(users, *c.Content.Text), append(ids, c.MessageID)
				}
			}
		})
		return users, ids
	}
	prompt(e, id, "Deploy the current project")
	_, ids := replayed(id)
	copied := servertest.Call(e, wire.SessionFork, wire.SessionForkParams{SessionID: id, ToMessageID: ids[0]})
	if copied.SessionID == id || copied.Cwd != w.Folder || copied.Modes.CurrentModeID != copied.Mode {
		t.Errorf("the copy is %+v", copied)
	}
	if users, _ := replayed(copied.SessionID); len(users) != 1 {
		t.Errorf("the copy has %q", users)
	}
	if got := last(); got.Sessions[0].SessionID != copied.SessionID || got.Sessions[0].Title != "worktrees (copy)" {
		t.Errorf("after the copy it told %+v", got)
	}
	prompt(e, copied.SessionID, "Search the docs for the worktree cleanup policy.")

	servertest.Call(e, wire.SessionDelete, wire.SessionDeleteParams{SessionID: copied.SessionID})
	if got := last(); len(got.Removed) != 1 || got.Removed[0] != copied.SessionID || title(copied.SessionID) != "" {
		t.Errorf("after the removal it told %+v", got)
	}
	for _, gone := range []func() error{
		func() error {
			_, err := servertest.Try(e, wire.SessionPrompt, wire.SessionPromptParams{SessionID: copied.SessionID, Prompt: text("x")})
			return err
		},
		func() error {
			_, err := servertest.Try(e, wire.SessionDelete, wire.SessionDeleteParams{SessionID: copied.SessionID})
			return err
		},
		func() error {
			_, err := servertest.Try(e, wire.SessionRename, wire.SessionRenameParams{SessionID: copied.SessionID, Title: "x"})
			return err
		},
	} {
		if data := refusal(t, gone()); data.Kind != wire.KindUnknownSession {
			t.Errorf("afterwards: %+v", data)
		}
	}

	// Another window has it open, or nobody.
	other := w.Start(servertest.Config{})
	for _, err := range []error{
		func() error {
			_, err := servertest.Try(other, wire.SessionDelete, wire.SessionDeleteParams{SessionID: id})
			return err
		}(),
		func() error {
			_, err := servertest.Try(other, wire.SessionRename, wire.SessionRenameParams{SessionID: id, Title: "mine"})
			return err
		}(),
	} {
		if data := refusal(t, err); data.Kind != wire.KindSessionBusy || data.Hint == "" {
			t.Errorf("from another window: %+v", data)
		}
	}
	md := servertest.Call(other, wire.SessionExport, wire.SessionExportParams{SessionID: id, Format: wire.ExportMarkdown}).Text
	if !strings.HasPrefix(md, "# worktrees\n") || !strings.Contains(md, "## User\n\nDeploy the current project\n") {
		t.Errorf("exported %s", md)
	}
	if js := servertest.Call(other, wire.SessionExport, wire.SessionExportParams{SessionID: id, Format: wire.ExportJSON}).Text; !strings.Contains(js, `"sessionId": "`+id+`"`) {
		t.Errorf("exported %s", js)
	}
	if _, err := servertest.Try(other, wire.SessionExport, wire.SessionExportParams{SessionID: id, Format: "pdf"}); code(t, err) != -32602 {
		t.Errorf("in a format that there is not: %v", err)
	}
	e.Shutdown()
	servertest.Poll(t, "the journal to be free", func() bool {
		_, err := servertest.Try(other, wire.SessionRename, wire.SessionRenameParams{SessionID: id, Title: "kept"})
		return err == nil
	})
	other.Look(func(s *servertest.State) {
		if got := s.Sessions[len(s.Sessions)-1]; got.Sessions[0].Title != "kept" {
			t.Errorf("of a kept session it told %+v", got)
		}
	})
	servertest.Call(other, wire.SessionDelete, wire.SessionDeleteParams{SessionID: id})
	if got := servertest.Call(other, wire.SessionList, wire.SessionListParams{}); len(got.Sessions) != 0 {
		t.Errorf("left %+v", got)
	}
}

// A running turn is not pulled out from under a person.
func TestABusySessionIsNeitherDeletedNorCopied(t *testing.T) {
	never := make(chan struct{})
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Reply{Text: []string{"half"}, Hold: never})
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	e := w.Start(servertest.Config{Locale: "zh-cn"})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	wait := begin(context.Background(), e, id, "go")
	d.AwaitHeld(1)
	_, deleted := servertest.Try(e, wire.SessionDelete, wire.SessionDeleteParams{SessionID: id})
	_, copied := servertest.Try(e, wire.SessionFork, wire.SessionForkParams{SessionID: id})
	for _, err := range []error{deleted, copied} {
		if data := refusal(t, err); data.Kind != wire.KindSessionBusy || !strings.Contains(err.Error(), "会话正忙") {
			t.Errorf("%+v %v", data, err)
		}
	}
	e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: id})
	if result, err := wait(); err != nil || result.StopReason != wire.StopCancelled {
		t.Errorf("%+v %v", result, err)
	}
}
