package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A turn tells and keeps what happened in one order: an answer is durable before
// its tools start, a result before it is shown, and the next request has both.
func TestTurnKeepsBeforeItTells(t *testing.T) {
	b := newBench(say("let me look", use("a", "look", `{"at":1}`)), say("all good"))
	b.tools = []Tool{&tool{name: "look"}}
	out, err := b.run(t, t.Context())
	if err != nil || out.Stop != StopEndTurn || out.Requests != 2 || out.Usage.InputTokens != 20 {
		t.Fatalf("outcome %+v, error %v", out, err)
	}
	want := `text let 
text me 
text look
tool_call a
usage 10/10
commit assistant "let me look" look#a{"at":1}
tool_ready a
tool_start a
commit user result#a
tool_end a look {"at":1}
text all 
text good
usage 10/20
commit assistant "all good"`
	if got := b.said(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := historyText(b.model.requests[1].Messages); got != "user \"do it\"\nassistant \"let me look\" look#a{\"at\":1}\nuser result#a" {
		t.Errorf("second request has\n%s", got)
	}
	if !b.model.requests[1].CacheLastMessage {
		t.Error("the last message has no cache mark")
	}
}

// Safe neighbours run beside each other, an unsafe call alone; results stand in
// call order whatever ends first.
func TestSafeCallsRunTogetherAndResultsKeepCallOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(say("", use("1", "slow", ""), use("2", "fast", ""), use("3", "alone", ""), use("4", "fast", "")), say("done"))
		var running atomic.Int32
		wait := func(name string, safe bool, d time.Duration, most int) Tool {
			return &tool{name: name, safe: safe, run: func(context.Context, json.RawMessage, func(Progress)) (Result, error) {
				if n := int(running.Add(1)); n > most {
					t.Errorf("%s runs with %d others", name, n-1)
				}
				time.Sleep(d)
				running.Add(-1)
				return Result{Content: []Content{Text(name)}}, nil
			}}
		}
		b.tools = []Tool{wait("slow", true, 3*time.Second, 2), wait("fast", true, time.Second, 2), wait("alone", false, time.Second, 1)}
		start := time.Now()
		out, err := b.run(t, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d != 5*time.Second {
			t.Errorf("took %v, want 3 s together + 1 s alone + 1 s", d)
		}
		if got := messageText(out.History[2]); got != "user result#1 result#2 result#3 result#4" {
			t.Errorf("results: %s", got)
		}
		if s := b.said(); strings.Index(s, "tool_end 2") > strings.Index(s, "tool_end 1") {
			t.Errorf("the fast one was held back:\n%s", s)
		}
	})
}

func TestMaxParallelBoundsSafeCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []Block
		for i := range 6 {
			calls = append(calls, use(fmt.Sprint(i), "nap", ""))
		}
		b := newBench(say("", calls...), say("done"))
		b.o.MaxParallel = 2
		b.tools = []Tool{&tool{name: "nap", safe: true, run: func(context.Context, json.RawMessage, func(Progress)) (Result, error) {
			time.Sleep(time.Second)
			return Result{}, nil
		}}}
		start := time.Now()
		if _, err := b.run(t, t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("6 calls by 2 took %v", d)
		}
	})
}

// A call that cannot run is answered, so that the model can do better.
func TestCallsThatCannotRunAreAnswered(t *testing.T) {
	schema := `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"how":{"enum":["a","b"]},"in":{"type":"object","properties":{"x":{"type":"number"}},"required":["x","y"]}},"required":["path","deep"],"additionalProperties":false}`
	for _, c := range []struct {
		name, tool, args string
		want             []string
		stored           string
	}{
		{"unknown", "nope", `{}`, []string{`unknown tool "nope"`}, `{}`},
		{"all issues at once", "strict", `{"n":"x","how":"c","odd":1,"in":{"x":"s"}}`, []string{"path is missing", "deep is missing", "n: type", "how: enum", "odd is not an argument", "in.y is missing", "in.x: type"}, ""},
		{"malformed", "free", `{"a":`, []string{"invalid arguments for free", "not valid JSON", `{"a":`}, `{}`},
		{"a list", "free", `[1]`, []string{"must be a JSON object"}, `{}`},
		{"a string", "free", `"x"`, []string{"must be a JSON object"}, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(say("", use("x", c.tool, c.args)), say("I see"))
			ran := false
			run := func(context.Context, json.RawMessage, func(Progress)) (Result, error) {
				ran = true
				return Result{}, nil
			}
			b.tools = []Tool{&tool{name: "strict", schema: schema, run: run}, &tool{name: "free", run: run}}
			out, err := b.run(t, t.Context())
			if err != nil || out.Stop != StopEndTurn {
				t.Fatalf("%+v %v", out, err)
			}
			text, isError := resultOf(t, out.History, "x")
			if !isError || ran {
				t.Errorf("isError %v, ran %v", isError, ran)
			}
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in %q", w, text)
				}
			}
			if got := string(out.History[1].Blocks[0].Input); c.stored != "" && got != c.stored {
				t.Errorf("stored input %s", got)
			}
		})
	}
}

// Providers send no arguments as "", null or {}; some tools take none.
// vercel/ai#6687, LibreChat#13987.
func TestNoArgumentsAreAnEmptyObject(t *testing.T) {
	for _, args := range []string{"", "null", " {} ", "\n"} {
		b := newBench(say("", use("x", "free", args)), say("ok"))
		b.tools = []Tool{&tool{name: "free"}}
		out, err := b.run(t, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, isError := resultOf(t, out.History, "x"); text != "free {}" || isError {
			t.Errorf("%q: %q, error %v", args, text, isError)
		}
	}
}

// A schema that cannot be used checks nothing: the tool decides.
func TestUnusableSchemaDoesNotBlockItsTool(t *testing.T) {
	for _, schema := range []string{
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","required":["a"]}`,
		`{"type":"object","properties":{"a":{"$ref":"https://example.test/x.json"}}}`,
		`{"type":"object","properties":{"a":{"pattern":"(?<!x)y"}}}`,
		`not json`, `[]`, ``,
	} {
		if issues := new(SchemaCache).Check(json.RawMessage(schema), json.RawMessage(`{"a":1}`)); issues != nil {
			t.Errorf("%s: %v", schema, issues)
		}
	}
}

func TestSchemaRefsIntoDefsAndBigNumbers(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"list":{"type":"array","items":{"$ref":"#/$defs/e"}},"n":{"type":"integer"}},"$defs":{"e":{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]}}}`)
	var c SchemaCache
	if issues := c.Check(schema, json.RawMessage(`{"n":123456789012345678901234567890}`)); issues != nil {
		t.Errorf("a big integer: %v", issues)
	}
	issues := c.Check(schema, json.RawMessage(`{"list":[{"k":"ok"},{},{"k":5}],"n":1.5}`))
	got := strings.Join(issues, "\n")
	for _, w := range []string{"list[1].k is missing", "list[2].k: type", "n: type"} {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in\n%s", w, got)
		}
	}
}

// The prompt is made anew before every request: a tool that came is offered, one
// that went is "no longer available".
func TestToolsMayComeAndGoWithinATurn(t *testing.T) {
	b := newBench(say("", use("1", "old", "")), say("", use("2", "old", ""), use("3", "new", "")), say("done"))
	n := 0
	b.o.BeforeRequest = func(context.Context) (Prompt, error) {
		n++
		if n == 1 {
			return b.prompt(&tool{name: "old"}), nil
		}
		return b.prompt(&tool{name: "new"}), nil
	}
	b.o.WasOffered = func(name string) bool { return name == "ancient" }
	out, err := b.run(t, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text, isError := resultOf(t, out.History, "2"); text != "old is no longer available" || !isError {
		t.Errorf("old: %q", text)
	}
	if text, _ := resultOf(t, out.History, "3"); text != "new {}" {
		t.Errorf("new: %q", text)
	}
}

// Some providers count call ids anew in every answer. opencode#21326.
func TestReusedCallIDsBecomeUnique(t *testing.T) {
	b := newBench(say("", use("call-1", "look", `{"n":1}`), use("call-1", "look", `{"n":2}`)), say("", use("call-1", "look", `{"n":3}`), use("", "look", `{"n":4}`)), say("done"))
	b.tools = []Tool{&tool{name: "look"}}
	out, err := b.run(t, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"call-1": "1", "call-1_2": "2", "call-1_3": "3", "call": "4"} {
		if text, _ := resultOf(t, out.History, id); !strings.Contains(text, want) {
			t.Errorf("%s: %q", id, text)
		}
	}
	if s := b.said(); strings.Count(s, "tool_call ") != 4 || strings.Count(s, "tool_end ") != 4 {
		t.Errorf("events\n%s", s)
	}
}

func TestGateDecidesInCallOrderAndItsReasonIsRead(t *testing.T) {
	b := newBench(say("", use("1", "look", ""), use("2", "look", ""), use("3", "look", "")), say("done"))
	b.tools = []Tool{&tool{name: "look", safe: true}}
	var order []string
	b.o.Gate = func(_ context.Context, c Call) (Ruling, error) {
		order = append(order, c.ID)
		switch c.ID {
		case "1":
			return Ruling{Reason: "refused: plan mode"}, nil
		case "2":
			return Ruling{}, errors.New("broken")
		}
		return Ruling{Allow: true}, nil
	}
	out, err := b.run(t, t.Context())
	if err != nil || strings.Join(order, "") != "123" {
		t.Fatalf("%v, order %v", err, order)
	}
	for id, want := range map[string]string{"1": "refused: plan mode", "2": "refused: the permission check failed: broken", "3": "look {}"} {
		if text, _ := resultOf(t, out.History, id); text != want {
			t.Errorf("%s: %q", id, text)
		}
	}
	if s := b.said(); !strings.Contains(s, "tool_end 1 rejected failed") || strings.Contains(s, "tool_start 1") {
		t.Errorf("events\n%s", s)
	}
}

// A panic anywhere near a call is that call's failure, not the process's.
func TestPanicsBecomeFailedResults(t *testing.T) {
	boom := func(context.Context, json.RawMessage, func(Progress)) (Result, error) { panic("boom") }
	b := newBench(say("", use("1", "bad", ""), use("2", "gated", "")), say("done"))
	b.tools = []Tool{&tool{name: "bad", run: boom}, &tool{name: "gated"}}
	b.o.Gate = func(_ context.Context, c Call) (Ruling, error) {
		if c.Name == "gated" {
			panic("gate")
		}
		return Ruling{Allow: true}, nil
	}
	out, err := b.run(t, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text, isError := resultOf(t, out.History, "1"); text != "bad failed inside: boom" || !isError {
		t.Errorf("tool: %q", text)
	}
	if text, isError := resultOf(t, out.History, "2"); !strings.Contains(text, "gate") || !isError {
		t.Errorf("gate: %q", text)
	}

	b = newBench(func(context.Context, *Request, func(Delta) error) (Response, error) { panic("model") })
	_, err = b.run(t, t.Context())
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != ErrModel {
		t.Errorf("model panic: %v", err)
	}
}

func TestMaxRequestsEndsTheTurnWithAValidHistory(t *testing.T) {
	b := newBench(say("", use("1", "look", "")), say("", use("2", "look", "")), say("never"))
	b.tools = []Tool{&tool{name: "look"}}
	b.o.MaxRequests = 2
	out, err := b.run(t, t.Context())
	if err != nil || out.Stop != StopMaxTurns || out.Requests != 2 {
		t.Fatalf("%+v %v", out, err)
	}
}

// Every result says something, and none floods the model. claude-code#62396.
func TestResultsAreNeverEmptyNorTooLong(t *testing.T) {
	long := strings.Repeat("ü", 1000) + "END"
	old := "x"
	for _, c := range []struct {
		name string
		r    Result
		err  error
		want func(string) bool
	}{
		{"nothing", Result{}, nil, func(s string) bool { return s == "(no output)" }},
		{"blank", Result{Content: []Content{Text(" \n")}}, nil, func(s string) bool { return s == "(no output)" }},
		{"a diff only", Result{Content: []Content{{Kind: ContentDiff, Path: "/a", Old: &old}}}, nil, func(s string) bool { return strings.HasPrefix(s, "(no output)") }},
		{"an error", Result{Content: []Content{Text("partial")}}, errors.New("exit 1"), func(s string) bool { return s == "partial|exit 1" }},
		{"bad bytes", Result{Content: []Content{Text("a\xffb")}}, nil, func(s string) bool { return s == "a\uFFFDb" }},
		{"long", Result{Content: []Content{Text(long)}}, nil, func(s string) bool {
			return len(s) < 700 && strings.HasSuffix(s, "END") && strings.Contains(s, "The whole is in /kept/x") && strings.ToValidUTF8(s, "?") == s
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(say("", use("x", "look", "")), say("ok"))
			b.o.ResultLimit = 500
			spilled := ""
			b.o.Spill = func(id, text string) (string, error) { spilled = text; return "/kept/" + id, nil }
			b.tools = []Tool{&tool{name: "look", run: func(context.Context, json.RawMessage, func(Progress)) (Result, error) { return c.r, c.err }}}
			out, err := b.run(t, t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := resultOf(t, out.History, "x"); !c.want(text) {
				t.Errorf("%q", text)
			}
			if c.name == "long" && spilled != long {
				t.Error("the whole text was not kept")
			}
		})
	}
}

// What was shown stays in the history when the model fails after it.
func TestModelErrorKeepsWhatWasShown(t *testing.T) {
	fail := &Error{Kind: ErrStreamCut, Message: "cut"}
	b := newBench(func(_ context.Context, _ *Request, emit func(Delta) error) (Response, error) {
		emit(Delta{Kind: DeltaText, Text: "half an ans"})
		emit(Delta{Kind: DeltaToolUse, ID: "a", Name: "look"})
		emit(Delta{Kind: DeltaToolUse, ID: "b", Name: "look"})
		return Response{Message: Message{Blocks: []Block{textBlock("half an ans"), use("a", "look", `{}`), use("b", "look", `{"x":`)}}}, fail
	})
	b.tools = []Tool{&tool{name: "look"}}
	out, err := b.run(t, t.Context())
	if !errors.Is(err, fail) {
		t.Fatalf("error %v", err)
	}
	if got := historyText(out.History[1:]); got != "assistant \"half an ans\" look#a{}\nuser result#a" {
		t.Errorf("history\n%s", got)
	}
	if s := b.said(); !strings.Contains(s, "tool_end a failed") || !strings.Contains(s, "tool_end b failed") || strings.Contains(s, "tool_start") {
		t.Errorf("events\n%s", s)
	}
}

// Shown text that the model did not return goes behind its thinking, where
// providers want it.
func TestShownTextGoesBehindThinking(t *testing.T) {
	b := newBench(func(_ context.Context, _ *Request, emit func(Delta) error) (Response, error) {
		emit(Delta{Kind: DeltaThinking, Text: "hm"})
		emit(Delta{Kind: DeltaText, Text: "so"})
		return Response{Message: Message{Blocks: []Block{{Kind: BlockThinking, Thinking: "hm", Signature: "s"}}}}, &Error{Kind: ErrStreamCut}
	})
	out, err := b.run(t, t.Context())
	if err == nil || historyText(out.History[1:]) != `assistant thinking "so"` {
		t.Errorf("%v\n%s", err, historyText(out.History))
	}
}

func TestModelErrorWithNothingShownLeavesTheQuestion(t *testing.T) {
	b := newBench(func(context.Context, *Request, func(Delta) error) (Response, error) {
		return Response{}, errors.New("dial tcp: refused")
	})
	out, err := b.run(t, t.Context())
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != ErrModel || len(out.History) != 1 {
		t.Fatalf("%v, history\n%s", err, historyText(out.History))
	}
}

// A call that the token limit cut is not run. A whole one is.
func TestTokenLimitDropsTheCutCall(t *testing.T) {
	b := newBench(func(context.Context, *Request, func(Delta) error) (Response, error) {
		return Response{StopReason: StopMaxTokens, Message: Message{Blocks: []Block{textBlock("so"), use("a", "look", `{"path":"/et`)}}}, nil
	})
	b.tools = []Tool{&tool{name: "look"}}
	out, err := b.run(t, t.Context())
	if err != nil || out.Stop != StopMaxTokens || historyText(out.History[1:]) != `assistant "so"` {
		t.Fatalf("%+v %v\n%s", out.Stop, err, historyText(out.History))
	}
}

// A model that does not stream its text is shown all the same, and an answer of
// nothing (or of thinking alone) leaves no empty message. hermes-agent#70475.
func TestUnstreamedAndEmptyAnswers(t *testing.T) {
	b := newBench(func(context.Context, *Request, func(Delta) error) (Response, error) {
		return Response{Message: Message{Blocks: []Block{textBlock("hello")}}}, nil
	})
	if _, err := b.run(t, t.Context()); err != nil || !strings.Contains(b.said(), "text hello") {
		t.Errorf("%v\n%s", err, b.said())
	}
	b = newBench(func(context.Context, *Request, func(Delta) error) (Response, error) {
		return Response{Message: Message{Blocks: []Block{textBlock(""), {Kind: BlockThinking, Thinking: "hm", Signature: "s"}}}}, nil
	})
	if out, err := b.run(t, t.Context()); err != nil || out.Stop != StopEndTurn || len(out.History) != 1 {
		t.Errorf("%v\n%s", err, historyText(out.History))
	}
}

// When a message cannot be kept, nothing that follows from it happens or is told.
func TestFailedCommitStopsBeforeTheConsequence(t *testing.T) {
	for _, at := range []string{"assistant", "user"} {
		b := newBench(say("", use("a", "look", ""), use("b", "look", "")), say("never"))
		ran := 0
		b.tools = []Tool{&tool{name: "look", run: func(context.Context, json.RawMessage, func(Progress)) (Result, error) { ran++; return Result{}, nil }}}
		full := errors.New("disk full")
		b.o.Commit = func(m Message) error {
			if string(m.Role) == at {
				return full
			}
			return nil
		}
		_, err := b.run(t, t.Context())
		if !errors.Is(err, full) {
			t.Errorf("%s: error %v", at, err)
		}
		if s := b.said(); strings.Contains(s, "tool_end") || len(b.model.requests) != 1 {
			t.Errorf("%s: told\n%s", at, s)
		}
		if want := map[string]int{"assistant": 0, "user": 1}[at]; ran != want {
			t.Errorf("%s: %d calls ran", at, ran)
		}
	}
}

func TestRunNeedsAQuestion(t *testing.T) {
	for _, h := range [][]Message{nil, append(ask("x"), Message{Role: RoleAssistant, Blocks: []Block{textBlock("y")}})} {
		if _, err := Run(t.Context(), h, newBench().o); !errors.Is(err, ErrNoPrompt) {
			t.Errorf("%v", err)
		}
	}
}
