package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

func TestPromptShowsTheTurnInOrder(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look")} },
		say("let me look", use("a", "look", `{"at":1}`)), say("all good"))
	res := r.ask(t, "  what is\nhere?")
	if res.StopReason != agent.StopEndTurn || res.Usage.InputTokens != 10 {
		t.Errorf("%+v", res)
	}
	want := `title what is
agent_message let me look
usage
tool_call a pending read look {"at":1}
tool_call_change a in_progress
tool_call_change a completed | look ran
agent_message all good
usage`
	if got := r.seen(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r.Title() != "what is" || r.Busy() {
		t.Errorf("title %q, busy %v", r.Title(), r.Busy())
	}
}

// A Cancel that comes after the prompt on the wire means that prompt, even when
// its turn has not started to run.
func TestCancelBetweenBeginAndRun(t *testing.T) {
	r := newRoom(t, nil, say("hi"))
	turn, err := r.Begin(prompt("go"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Begin(prompt("second")); !errors.Is(err, ErrBusy) {
		t.Errorf("second prompt: %v", err)
	}
	r.Cancel()
	res, err := turn.Run(t.Context())
	if err != nil || res.StopReason != agent.StopCancelled || len(r.model.requests) != 0 {
		t.Errorf("%+v %v", res, err)
	}
	if res := r.ask(t, "again"); res.StopReason != agent.StopEndTurn {
		t.Errorf("the next prompt: %+v", res)
	}
}

// The turn answers at once although its tool does not hear the cancel; the
// session takes the next prompt, and Close waits for the straggler.
func TestCancelDoesNotWaitForADeafTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		started := make(chan struct{})
		deaf := readTool("deaf")
		deaf.run = func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
			close(started)
			<-release
			return agent.Result{}, nil
		}
		r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{deaf} }, say("", use("a", "deaf", "")), say("next"))
		go func() { <-started; r.Cancel() }()
		if res := r.ask(t, "go"); res.StopReason != agent.StopCancelled {
			t.Errorf("%+v", res)
		}
		if s := r.seen(); !strings.Contains(s, "a failed | cancelled by the user") {
			t.Errorf("updates\n%s", s)
		}
		r.ask(t, "go on")
		start := time.Now()
		go func() { time.Sleep(time.Second); close(release) }()
		if err := r.Close(); err != nil || time.Since(start) != time.Second {
			t.Errorf("close: %v after %v", err, time.Since(start))
		}
	})
}

// Close does not hang on a tool that never ends.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, started := make(chan struct{}), make(chan struct{})
		deaf := readTool("deaf")
		deaf.run = func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
			close(started)
			<-release
			return agent.Result{}, nil
		}
		r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{deaf} }, say("", use("a", "deaf", "")))
		go func() { <-started; r.Cancel() }()
		r.ask(t, "go")
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "did not stop") {
			t.Errorf("close: %v", err)
		}
		if _, err := r.Prompt(t.Context(), prompt("x")); !errors.Is(err, ErrClosed) {
			t.Errorf("prompt after close: %v", err)
		}
		if err := r.SetMode(permission.ModePlan); !errors.Is(err, ErrClosed) {
			t.Errorf("mode after close: %v", err)
		}
		close(release)
	})
}

// A title is one plain line, whatever was pasted.
func TestTitleIsOnePlainLine(t *testing.T) {
	for in, want := range map[string]string{
		"\n\n  fix\tthe\x1b[31m  bug \nand more": "fix the[31m bug",
		"\u202egpj.exe":                          "gpj.exe",
		strings.Repeat("字", 100):                 strings.Repeat("字", 79) + "…",
		"\x00":                                   "",
	} {
		if got := titleOf(prompt(in)); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	link := agent.Content{Kind: agent.ContentLink, URI: "file:///x"}
	if got := titleOf([]agent.Content{link, agent.Text("look")}); got != "look" {
		t.Errorf("%q", got)
	}
}

// The receiver's panic is its own: the turn and the process go on.
func TestPanickingReceiverEndsNothing(t *testing.T) {
	r := newRoom(t, func(o *Options) {
		o.BuiltIns = []agent.Tool{readTool("look")}
		o.Emit = func(Update) { panic("receiver") }
	}, say("", use("a", "look", "")), say("ok"))
	if res := r.ask(t, "go"); res.StopReason != agent.StopEndTurn {
		t.Errorf("%+v", res)
	}
}

func TestPromptRefusesNothing(t *testing.T) {
	r := newRoom(t, nil)
	for _, c := range [][]agent.Content{nil, prompt(" \n")} {
		if _, err := r.Prompt(t.Context(), c); !errors.Is(err, ErrEmptyPrompt) {
			t.Errorf("%v", err)
		}
	}
}

// Mode and model change from the next model request on, within the running turn.
func TestModeAndModelChangeWithinATurn(t *testing.T) {
	other := &script{id: "test/other", steps: []step{say("from the other")}}
	var r *room
	look := readTool("look")
	look.run = func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
		r.SetMode(permission.ModePlan)
		r.SetModel(other)
		return agent.Result{}, nil
	}
	r = newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{look, editTool("write")} }, say("", use("a", "look", "")))
	r.ask(t, "go")
	if got := toolNames(r.model.request(0).Tools); got != "look write*" {
		t.Errorf("before: %s", got)
	}
	if got := toolNames(other.request(0).Tools); got != "look*" {
		t.Errorf("in plan mode: %s", got)
	}
	if s := r.seen(); !strings.Contains(s, "mode plan\nmodel test/other") {
		t.Errorf("updates\n%s", s)
	}
	if err := r.SetMode("fast"); !errors.Is(err, ErrUnknownMode) {
		t.Errorf("%v", err)
	}
}

func TestModelErrorAnswersThePromptAndTheSessionGoesOn(t *testing.T) {
	r := newRoom(t, nil, func(_ context.Context, _ *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
		emit(agent.Delta{Kind: agent.DeltaText, Text: "half"})
		return agent.Response{}, &agent.Error{Kind: agent.ErrStreamCut, Message: "the stream was cut"}
	}, say("better"))
	_, err := r.Prompt(t.Context(), prompt("go"))
	if e, ok := errors.AsType[*agent.Error](err); !ok || e.Kind != agent.ErrStreamCut {
		t.Fatalf("%v", err)
	}
	r.ask(t, "again")
	if m := r.model.request(1).Messages; len(m) != 3 || m[1].Blocks[0].Content.Text != "half" {
		t.Errorf("history %+v", m)
	}
}
