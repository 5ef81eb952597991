package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// step is one answer of a scripted model: what it streams, then what it returns.
type step func(ctx context.Context, req *Request, emit func(Delta) error) (Response, error)

// script is a model that answers the n-th request by the n-th step.
type script struct {
	mu       sync.Mutex
	steps    []step
	requests []Request
}

func (m *script) ID() string         { return "test/script" }
func (m *script) ContextTokens() int { return 0 }
func (m *script) Stream(ctx context.Context, req *Request, emit func(Delta) error) (Response, error) {
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, *req)
	m.mu.Unlock()
	if n >= len(m.steps) {
		return Response{}, &Error{Kind: ErrModel, Message: fmt.Sprintf("the script has no answer %d", n)}
	}
	return m.steps[n](ctx, req, emit)
}

// say answers with text and calls, streaming both.
func say(text string, calls ...Block) step {
	return func(_ context.Context, _ *Request, emit func(Delta) error) (Response, error) {
		r := Response{StopReason: StopEndTurn, Usage: Usage{InputTokens: 10, OutputTokens: 1}}
		if text != "" {
			for _, w := range strings.SplitAfter(text, " ") {
				if err := emit(Delta{Kind: DeltaText, Text: w}); err != nil {
					return r, err
				}
			}
			r.Message.Blocks = append(r.Message.Blocks, textBlock(text))
		}
		for _, c := range calls {
			if err := emit(Delta{Kind: DeltaToolUse, ID: c.ID, Name: c.Name}); err != nil {
				return r, err
			}
			r.Message.Blocks = append(r.Message.Blocks, c)
			r.StopReason = StopToolUse
		}
		return r, nil
	}
}

func use(id, name, args string) Block {
	return Block{Kind: BlockToolUse, ID: id, Name: name, Input: json.RawMessage(args)}
}

// tool is a Tool made of functions.
type tool struct {
	name, schema string
	safe         bool
	run          func(ctx context.Context, args json.RawMessage, report func(Progress)) (Result, error)
}

func (t *tool) Name() string                         { return t.name }
func (t *tool) Description() string                  { return "does " + t.name }
func (t *tool) ConcurrencySafe(json.RawMessage) bool { return t.safe }
func (t *tool) Schema() json.RawMessage {
	if t.schema == "" {
		return json.RawMessage(`{"type":"object"}`)
	}
	return json.RawMessage(t.schema)
}
func (t *tool) Execute(ctx context.Context, args json.RawMessage, report func(Progress)) (Result, error) {
	if t.run == nil {
		return Result{Content: []Content{Text(t.name + " " + string(args))}}, nil
	}
	return t.run(ctx, args, report)
}

// bench is a turn's surroundings that write down what happens.
type bench struct {
	model *script
	tools []Tool
	o     Options

	mu  sync.Mutex
	log []string
}

func newBench(steps ...step) *bench {
	b := &bench{model: &script{steps: steps}}
	b.o = Options{
		BeforeRequest: func(context.Context) (Prompt, error) { return b.prompt(b.tools...), nil },
		Emit:          func(e Event) { b.note(eventText(e)) },
		Commit:        func(m Message) error { b.note("commit " + messageText(m)); return nil },
	}
	return b
}

func (b *bench) prompt(tools ...Tool) Prompt {
	p := Prompt{Model: b.model}
	byName := map[string]Tool{}
	for _, t := range tools {
		p.Tools = append(p.Tools, ToolSpec{Name: t.Name(), Schema: t.Schema()})
		byName[t.Name()] = t
	}
	p.Lookup = func(n string) Tool { return byName[n] }
	return p
}

func (b *bench) note(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, s)
}

func (b *bench) said() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.log, "\n")
}

func (b *bench) run(t *testing.T, ctx context.Context) (Outcome, error) {
	t.Helper()
	out, err := Run(ctx, ask("do it"), b.o)
	checkValid(t, out.History)
	return out, err
}

func ask(text string) []Message {
	return []Message{{Role: RoleUser, Blocks: []Block{textBlock(text)}}}
}

func eventText(e Event) string {
	s := string(e.Kind)
	switch e.Kind {
	case EventText, EventThinking, EventRetry:
		s += " " + e.Text
	case EventToolCall, EventToolReady, EventToolStart:
		s += " " + e.Call.ID
	case EventToolProgress:
		s += " " + e.Call.ID + " " + e.Text
	case EventToolEnd:
		s += " " + e.Call.ID
		if e.Rejected {
			s += " rejected"
		}
		if e.Result.IsError {
			s += " failed"
		}
		s += " " + contentText(e.Result.Content)
	case EventUsage:
		s += fmt.Sprintf(" %d/%d", e.Usage.InputTokens, e.Total.InputTokens)
	}
	return s
}

func messageText(m Message) string {
	parts := []string{string(m.Role)}
	for _, b := range m.Blocks {
		switch b.Kind {
		case BlockContent:
			parts = append(parts, fmt.Sprintf("%q", b.Content.Text))
		case BlockToolUse:
			parts = append(parts, b.Name+"#"+b.ID+string(b.Input))
		case BlockToolResult:
			parts = append(parts, "result#"+b.ID)
		case BlockThinking:
			parts = append(parts, "thinking")
		}
	}
	return strings.Join(parts, " ")
}

func historyText(h []Message) string {
	lines := make([]string, len(h))
	for i, m := range h {
		lines[i] = messageText(m)
	}
	return strings.Join(lines, "\n")
}

func contentText(cs []Content) string {
	var texts []string
	for _, c := range cs {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "|")
}

// resultOf is the text of the result of a call in a history.
func resultOf(t *testing.T, h []Message, id string) (text string, isError bool) {
	t.Helper()
	for _, m := range h {
		for _, b := range m.Blocks {
			if b.Kind == BlockToolResult && b.ID == id {
				return contentText(b.Result), b.IsError
			}
		}
	}
	t.Fatalf("no result of call %q in\n%s", id, historyText(h))
	return "", false
}

// checkValid fails unless a provider would take h as the beginning of a request.
func checkValid(t testing.TB, h []Message) {
	t.Helper()
	if msg := invalid(h); msg != "" {
		t.Fatalf("invalid history: %s\n%s", msg, historyText(h))
	}
}

func invalid(h []Message) string {
	ids := map[string]bool{}
	var open []string
	for i, m := range h {
		want := RoleUser
		if i%2 == 1 {
			want = RoleAssistant
		}
		if m.Role != want {
			return fmt.Sprintf("message %d is the %s's", i, m.Role)
		}
		if len(m.Blocks) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		for k, id := range open {
			if k >= len(m.Blocks) || m.Blocks[k].Kind != BlockToolResult || m.Blocks[k].ID != id {
				return fmt.Sprintf("message %d does not answer call %s at place %d", i, id, k)
			}
		}
		rest := m.Blocks[len(open):]
		open = nil
		for k, b := range rest {
			switch b.Kind {
			case BlockToolResult:
				return fmt.Sprintf("message %d has a result %s of no call", i, b.ID)
			case BlockToolUse:
				var v map[string]any
				if m.Role != RoleAssistant || ids[b.ID] || b.ID == "" || json.Unmarshal(b.Input, &v) != nil || v == nil {
					return fmt.Sprintf("message %d has a bad call %s %s", i, b.ID, b.Input)
				}
				ids[b.ID] = true
				open = append(open, b.ID)
			case BlockContent:
				if b.Content == nil || b.Content.Kind == ContentText && b.Content.Text == "" {
					return fmt.Sprintf("message %d has an empty text", i)
				}
			case BlockThinking:
				if k == len(rest)-1 {
					return fmt.Sprintf("message %d ends in thinking", i)
				}
			}
		}
		for _, b := range m.Blocks {
			if b.Kind == BlockToolResult && contentText(b.Result) == "" && len(b.Result) == 0 {
				return fmt.Sprintf("message %d has an empty result", i)
			}
		}
	}
	if len(open) > 0 {
		return "the last calls have no results"
	}
	return ""
}
