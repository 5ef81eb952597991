package agent

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// stream is what a request showed so far. It is written by the model's goroutine
// under turn.mu and read by the turn after the stream ended or was left behind.
type stream struct {
	text      strings.Builder
	announced []announced
}

// answer is where the model's goroutine leaves what Stream returned.
type answer struct {
	resp Response
	err  error
}

// announced is a call that the editor knows of.
type announced struct {
	providerID string
	call       Call
	taken      bool
}

// request asks the model once, keeps its answer in the history and returns the
// calls to run. No calls means that the turn ends with the stop reason.
func (t *turn) request(p Prompt) ([]Call, StopReason, error) {
	for _, s := range p.Tools {
		t.offered[s.Name] = true
	}
	req := &Request{
		System: p.System, Tools: p.Tools, Messages: t.history,
		CacheLastMessage: true, MaxTokens: p.MaxTokens, Locale: p.Locale, CacheKey: p.CacheKey,
	}
	var s stream
	answer := new(answer)
	done := make(chan struct{})
	t.o.Go(func() {
		defer close(done)
		answer.resp, answer.err = t.stream(req, p, &s)
	})
	var resp Response
	var err error
	if t.await(done) {
		resp, err = answer.resp, answer.err
	} else {
		resp = t.leaveStream(&s) // the model may still write its answer: not ours any more
	}
	cancelled := t.ctx.Err() != nil
	t.shown = s.shown() != "" || len(s.announced) > 0
	t.addUsage(p.Model, resp.Usage)

	msg := resp.Message
	msg.Role = RoleAssistant
	if !hasText(msg) {
		if shown := s.shown(); shown != "" {
			at := slices.IndexFunc(msg.Blocks, func(b Block) bool { return b.Kind != BlockThinking })
			if at < 0 {
				at = len(msg.Blocks)
			}
			msg.Blocks = slices.Insert(slices.Clone(msg.Blocks), at, textBlock(shown)) // thinking comes first
		}
	} else if s.shown() == "" {
		t.emitText(msg) // a model that does not stream its text
	}
	runs := err == nil && !cancelled && resp.StopReason != StopRefusal
	keep := func(b Block) bool {
		if resp.StopReason == StopMaxTokens || err != nil || cancelled {
			return wholeInput(b.Input) // what was cut is no call
		}
		return true
	}
	if resp.StopReason == StopRefusal {
		keep = func(Block) bool { return false }
	}
	msg, calls, events := t.takeCalls(msg, &s, p, keep)
	if msg, ok := cleanMessage(msg); ok {
		if !t.commit(msg, events...) {
			return nil, StopCancelled, t.fatalError()
		}
		t.history = Append(t.history, msg)
	}
	t.dropUnfinished(&s)
	switch {
	case len(calls) > 0 && !runs:
		t.skipCalls(calls, "not run: the answer was interrupted")
	case len(calls) > 0:
		return calls, StopToolUse, nil
	}
	if cancelled {
		return nil, StopCancelled, t.fatalError()
	}
	if err != nil {
		return nil, "", asModelError(p.Model, err)
	}
	switch resp.StopReason {
	case StopMaxTokens, StopRefusal:
		return nil, resp.StopReason, nil
	default:
		return nil, StopEndTurn, nil
	}
}

// stream calls the model. A panic becomes a model error.
func (t *turn) stream(req *Request, p Prompt, s *stream) (resp Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			t.o.Logger.Error("model panicked", "model", p.Model.ID(), "panic", v, "stack", string(debug.Stack()))
			resp, err = Response{}, &Error{Kind: ErrModel, Message: fmt.Sprintf("%s failed inside: %v", p.Model.ID(), v)}
		}
	}()
	return p.Model.Stream(t.ctx, req, func(d Delta) error { return t.delta(s, p, d) })
}

// delta shows one piece of the answer. An error ends the model's stream.
func (t *turn) delta(s *stream, p Prompt, d Delta) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.ctx.Err(); err != nil {
		return err
	}
	switch d.Kind {
	case DeltaText:
		if d.Text == "" {
			return nil
		}
		s.text.WriteString(d.Text)
		t.o.Emit(Event{Kind: EventText, Text: d.Text})
	case DeltaThinking:
		if d.Text == "" {
			return nil
		}
		t.o.Emit(Event{Kind: EventThinking, Text: d.Text})
	case DeltaToolUse:
		c := Call{ID: t.takeID(d.ID), Name: d.Name, Tool: lookup(p, d.Name)}
		s.announced = append(s.announced, announced{providerID: d.ID, call: c})
		t.o.Emit(Event{Kind: EventToolCall, Call: c})
	case DeltaRetry:
		t.o.Emit(Event{Kind: EventRetry, Text: d.Text, RetryAfter: d.RetryAfter})
	}
	return nil
}

// leaveStream gives up on a model that does not hear the cancel. From here on
// delta refuses, for ctx is done, so s is still.
func (t *turn) leaveStream(s *stream) Response {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Response{StopReason: StopCancelled}
	if s.text.Len() > 0 {
		r.Message.Blocks = []Block{textBlock(s.text.String())}
	}
	return r
}

func (s *stream) shown() string { return s.text.String() }

// takeCalls gives each tool_use block of msg its unique id and valid input, joins
// it with its announcement, and drops those keep does not want. The events
// announce what was not announced while streaming, or bring its arguments.
func (t *turn) takeCalls(msg Message, s *stream, p Prompt, keep func(Block) bool) (Message, []Call, []Event) {
	var (
		blocks []Block
		calls  []Call
		events []Event
	)
	for _, b := range msg.Blocks {
		if b.Kind != BlockToolUse {
			blocks = append(blocks, b)
			continue
		}
		if !keep(b) {
			continue
		}
		kind := EventToolReady
		c, ok := s.take(b)
		if !ok {
			kind, c = EventToolCall, Call{ID: t.takeID(b.ID)}
		}
		c.Name, c.Tool = b.Name, lookup(p, b.Name)
		c.Args = b.Input
		b.ID, b.Input = c.ID, storedInput(b.Input)
		blocks = append(blocks, b)
		calls = append(calls, c)
		shown := c
		shown.Args = b.Input
		events = append(events, Event{Kind: kind, Call: shown})
	}
	msg.Blocks = blocks
	return msg, calls, events
}

// take finds the announcement of a block: the first one of its id and name not
// yet taken, else of its id (a name may arrive in pieces).
func (s *stream) take(b Block) (Call, bool) {
	for _, byName := range []bool{true, false} {
		for i := range s.announced {
			a := &s.announced[i]
			if !a.taken && a.providerID == b.ID && (!byName || a.call.Name == b.Name) {
				a.taken = true
				return a.call, true
			}
		}
	}
	return Call{}, false
}

// dropUnfinished ends the calls that were announced but never became whole.
func (t *turn) dropUnfinished(s *stream) {
	for _, a := range s.announced {
		if !a.taken {
			t.emit(Event{Kind: EventToolEnd, Call: a.call, Result: failed("interrupted before its arguments were complete")})
		}
	}
}

func (t *turn) addUsage(m Model, u Usage) {
	if u == (Usage{}) {
		return
	}
	t.usage = t.usage.Add(u)
	t.emit(Event{Kind: EventUsage, Model: m, Usage: u, Total: t.usage})
}

func (t *turn) emitText(m Message) {
	for _, b := range m.Blocks {
		if b.Kind == BlockContent && b.Content != nil && b.Content.Kind == ContentText && b.Content.Text != "" {
			t.emit(Event{Kind: EventText, Text: b.Content.Text})
		}
	}
}

func (t *turn) fatalError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fatal
}

// takeID reserves an id for a tool call: the provider's own, with a suffix where
// it was used before (some providers count "call_1" anew in every answer).
func (t *turn) takeID(id string) string { return uniqueID(t.ids, id) }

func lookup(p Prompt, name string) Tool {
	if p.Lookup == nil {
		return nil
	}
	return p.Lookup(name)
}

func asModelError(m Model, err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Kind: ErrModel, Message: fmt.Sprintf("%s: %v", m.ID(), err), Err: err}
}
