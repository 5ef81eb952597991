package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hears waits for its cancel, as a good tool or model does.
func hears(ctx context.Context, _ json.RawMessage, report func(Progress)) (Result, error) {
	report(Progress{Text: "working"})
	<-ctx.Done()
	return Result{Content: []Content{Text("partial")}}, ctx.Err()
}

// A cancel at any stage ends the turn at once and leaves a history that the next
// request accepts. claude-code#3003, opencode#10616, fast-agent#26.
func TestCancelAtEachStageLeavesAValidHistory(t *testing.T) {
	deaf := make(chan struct{})
	for _, c := range []struct {
		name    string
		steps   func(cancel func()) []step
		gate    func(cancel func()) func(context.Context, Call) (Ruling, error)
		run     func(ctx context.Context, args json.RawMessage, report func(Progress)) (Result, error)
		history string // after the prompt
		result  string // of call "a"
	}{
		{
			name: "before the first byte",
			steps: func(cancel func()) []step {
				return []step{func(ctx context.Context, _ *Request, _ func(Delta) error) (Response, error) {
					cancel()
					<-ctx.Done()
					return Response{}, ctx.Err()
				}}
			},
		},
		{
			name: "in the middle of a text",
			steps: func(cancel func()) []step {
				return []step{func(ctx context.Context, _ *Request, emit func(Delta) error) (Response, error) {
					emit(Delta{Kind: DeltaText, Text: "I will"})
					cancel()
					return Response{}, emit(Delta{Kind: DeltaText, Text: " not"})
				}}
			},
			history: `assistant "I will"`,
		},
		{
			name: "in the middle of the arguments",
			steps: func(cancel func()) []step {
				return []step{func(ctx context.Context, _ *Request, emit func(Delta) error) (Response, error) {
					emit(Delta{Kind: DeltaText, Text: "ok"})
					emit(Delta{Kind: DeltaToolUse, ID: "a", Name: "work"})
					cancel()
					return Response{Message: Message{Blocks: []Block{textBlock("ok"), use("a", "work", `{"pa`)}}}, ctx.Err()
				}}
			},
			history: `assistant "ok"`,
		},
		{
			name: "after a whole call, before the end of the answer",
			steps: func(cancel func()) []step {
				return []step{func(ctx context.Context, _ *Request, emit func(Delta) error) (Response, error) {
					emit(Delta{Kind: DeltaToolUse, ID: "a", Name: "work"})
					cancel()
					return Response{Message: Message{Blocks: []Block{use("a", "work", `{}`)}}}, ctx.Err()
				}}
			},
			history: "assistant work#a{}\nuser result#a",
			result:  "not run: the answer was interrupted",
		},
		{
			name:  "while a question is open",
			steps: func(func()) []step { return []step{say("", use("a", "work", ""), use("b", "work", ""))} },
			gate: func(cancel func()) func(context.Context, Call) (Ruling, error) {
				return func(context.Context, Call) (Ruling, error) {
					cancel()
					<-deaf // a question that nobody withdraws
					return Ruling{Allow: true}, nil
				}
			},
			history: "assistant work#a{} work#b{}\nuser result#a result#b",
			result:  textNotStarted,
		},
		{
			name:    "while a tool runs that hears it",
			steps:   func(func()) []step { return []step{say("", use("a", "work", ""), use("b", "work", ""))} },
			run:     hears,
			history: "assistant work#a{} work#b{}\nuser result#a result#b",
			result:  "partial|cancelled by the user: context canceled",
		},
		{
			name:  "while a tool runs that does not hear it",
			steps: func(func()) []step { return []step{say("", use("a", "work", ""), use("b", "work", ""))} },
			run: func(_ context.Context, _ json.RawMessage, report func(Progress)) (Result, error) {
				report(Progress{Text: "half way"})
				<-deaf
				report(Progress{Text: "too late"})
				return Result{Content: []Content{Text("too late")}}, nil
			},
			history: "assistant work#a{} work#b{}\nuser result#a result#b",
			result:  textCancelled + "; the tool did not stop at once and may still be finishing. Output so far:\nhalf way",
		},
		{
			name: "while a model streams that does not hear it",
			steps: func(cancel func()) []step {
				return []step{func(_ context.Context, _ *Request, emit func(Delta) error) (Response, error) {
					emit(Delta{Kind: DeltaText, Text: "on"})
					cancel()
					<-deaf
					emit(Delta{Kind: DeltaText, Text: " too late"})
					return Response{Message: Message{Blocks: []Block{textBlock("on too late")}}}, nil
				}}
			},
			history: `assistant "on"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deaf = make(chan struct{})
				ctx, cancel := context.WithCancel(t.Context())
				b := newBench(c.steps(cancel)...)
				b.tools = []Tool{&tool{name: "work", run: c.run}}
				if c.gate != nil {
					b.o.Gate = c.gate(cancel)
				}
				emit := b.o.Emit
				b.o.Emit = func(e Event) {
					emit(e)
					if e.Kind == EventToolProgress {
						cancel()
					}
				}
				start := time.Now()
				out, err := b.run(t, ctx)
				if err != nil || out.Stop != StopCancelled {
					t.Fatalf("stop %q, error %v", out.Stop, err)
				}
				if d := time.Since(start); d > cancelGrace {
					t.Errorf("took %v", d)
				}
				if got := historyText(out.History[1:]); got != c.history {
					t.Errorf("history\n%s\nwant\n%s", got, c.history)
				}
				if c.result != "" {
					if text, isError := resultOf(t, out.History, "a"); text != c.result || !isError {
						t.Errorf("result %q", text)
					}
				}
				before := b.said()
				close(deaf)
				synctest.Wait() // the stragglers end
				if after := b.said(); after != before || strings.Contains(after, "too late") {
					t.Errorf("told after the end:\n%s", strings.TrimPrefix(after, before))
				}
				if n := strings.Count(before, "tool_call "); n != strings.Count(before, "tool_end ") {
					t.Errorf("a call was left open:\n%s", before)
				}
				// The next prompt of the same conversation works.
				next := newBench(say("hello again"))
				if _, err := Run(t.Context(), Append(out.History, ask("go on")[0]), next.o); err != nil {
					t.Error(err)
				}
				checkValid(t, next.model.requests[0].Messages)
			})
		})
	}
}

// A turn that is cancelled before it starts asks nothing.
func TestCancelledBeforeTheStart(t *testing.T) {
	b := newBench(say("never"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := b.run(t, ctx)
	if err != nil || out.Stop != StopCancelled || len(b.model.requests) != 0 {
		t.Fatalf("%+v %v", out, err)
	}
}
