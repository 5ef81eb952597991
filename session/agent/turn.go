package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// turn is one Run. Its run method is the only one that changes history; what
// tools and the model's stream report from their own goroutines goes through mu.
type turn struct {
	o   Options
	ctx context.Context
	// cancel ends ctx; besides the owner's cancel, a failed commit calls it.
	cancel context.CancelFunc

	history []Message
	ids     map[string]bool // tool_use ids taken in the conversation
	offered map[string]bool // names of tools offered in this turn
	usage   Usage
	// fallback answers in place of an overloaded model, nil while none is.
	fallback Model

	// mu puts events and commits in one order. over is set when the turn has
	// answered: what a straggler says afterwards is dropped. fatal is the first
	// failed commit.
	mu    sync.Mutex
	over  bool
	fatal error

	// shown says that the request under way has shown something of its answer. Only the
	// turn itself reads and writes it.
	shown bool

	// graceOnce and grace make cancelGrace one span for the whole turn, however
	// many stragglers there are.
	graceOnce sync.Once
	grace     <-chan time.Time
}

func newTurn(ctx context.Context, history []Message, o Options) *turn {
	if o.Emit == nil {
		o.Emit = func(Event) {}
	}
	if o.Commit == nil {
		o.Commit = func(Message) error { return nil }
	}
	if o.Gate == nil {
		o.Gate = func(context.Context, Call) (Ruling, error) { return Ruling{Allow: true}, nil }
	}
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	if o.Schemas == nil {
		o.Schemas = new(SchemaCache)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxRequests <= 0 {
		o.MaxRequests = DefaultMaxRequests
	}
	if o.MaxParallel <= 0 {
		o.MaxParallel = DefaultMaxParallel
	}
	if o.ResultLimit <= 0 {
		o.ResultLimit = DefaultResultLimit
	}
	t := &turn{o: o, history: history, ids: map[string]bool{}, offered: map[string]bool{}}
	t.ctx, t.cancel = context.WithCancel(ctx)
	for _, m := range history {
		for _, b := range m.Blocks {
			if b.Kind == BlockToolUse {
				t.ids[b.ID] = true
			}
		}
	}
	return t
}

func (t *turn) run() (Outcome, error) {
	defer t.close()
	out := func(stop StopReason, n int) Outcome {
		return Outcome{History: t.history, Stop: stop, Usage: t.usage, Requests: n}
	}
	if n := len(t.history); n == 0 || t.history[n-1].Role != RoleUser {
		return out("", 0), ErrNoPrompt
	}
	for n := 0; ; n++ {
		if t.ctx.Err() != nil {
			return t.ended(out(StopCancelled, n))
		}
		if n == t.o.MaxRequests {
			return out(StopMaxTurns, n), nil
		}
		prompt, err := t.o.BeforeRequest(t.ctx)
		if err != nil {
			if t.ctx.Err() != nil {
				return t.ended(out(StopCancelled, n))
			}
			return out("", n), err
		}
		t.steer(false)
		calls, stop, err := t.fitted(prompt)
		if err != nil {
			if t.ctx.Err() != nil {
				return t.ended(out(StopCancelled, n))
			}
			return out("", n+1), err
		}
		if len(calls) == 0 {
			if (stop == StopEndTurn || stop == StopMaxTokens) && t.steer(true) {
				continue
			}
			return t.ended(out(stop, n+1))
		}
		t.runCalls(calls)
	}
}

// fitted is request with a history that fits into the model's window, as far as
// anybody knows.
func (t *turn) fitted(p Prompt) ([]Call, StopReason, error) {
	if t.fallback != nil {
		p.Model = t.fallback
	}
	calls, stop, err := t.fittedFor(p)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != ErrOverloaded || t.fallback != nil || t.o.Fallback == nil || t.shown || t.ctx.Err() != nil {
		return calls, stop, err
	}
	other := t.o.Fallback(p.Model)
	if other == nil {
		return calls, stop, err
	}
	t.fallback, p.Model = other, other
	t.emit(Event{Kind: EventFallback, Model: other})
	return t.fittedFor(p)
}

func (t *turn) fittedFor(p Prompt) ([]Call, StopReason, error) {
	if _, err := t.fit(p, false); err != nil {
		return nil, "", err
	}
	n := len(t.history)
	calls, stop, err := t.request(p)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != ErrTooLong || len(t.history) != n {
		return calls, stop, err
	}
	smaller, ferr := t.fit(p, true)
	switch {
	case ferr != nil:
		return nil, "", ferr
	case !smaller:
		return nil, "", err
	}
	return t.request(p)
}

func (t *turn) fit(p Prompt, tooLong bool) (bool, error) {
	if t.o.Fit == nil {
		return false, nil
	}
	h, usage, ok, err := t.o.Fit(t.ctx, p, t.history, tooLong)
	t.usage = t.usage.Add(usage)
	if ok && err == nil {
		t.history = h
	}
	return ok, err
}

// steer takes in what the user has said meanwhile and reports whether there was
// something.
func (t *turn) steer(last bool) bool {
	if t.o.Steer == nil {
		return false
	}
	blocks := t.o.Steer(last)
	if len(blocks) == 0 {
		return false
	}
	m := Message{Role: RoleUser, Blocks: blocks}
	if !t.commit(m, Event{Kind: EventSteered, Blocks: blocks}) {
		return false // the turn ends
	}
	t.history = Append(t.history, m)
	return true
}

// ended puts a failed commit, which looks like a cancel from inside, in its place.
func (t *turn) ended(o Outcome) (Outcome, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fatal != nil {
		o.Stop = ""
		return o, t.fatal
	}
	return o, nil
}

func (t *turn) close() {
	t.cancel()
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
}

// emit hands an event over, in order; it reports false once the turn has answered.
func (t *turn) emit(e Event) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	t.o.Emit(e)
	return true
}

// commit makes m durable, then emits the events that tell of it. When it cannot
// be made durable nothing is told and the turn ends.
func (t *turn) commit(m Message, events ...Event) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.fatal != nil {
		return false
	}
	if err := t.o.Commit(m); err != nil {
		t.fatal = fmt.Errorf("keep the conversation: %w", err)
		t.cancel()
		return false
	}
	for _, e := range events {
		t.o.Emit(e)
	}
	return true
}

// await waits for done. After a cancel it waits no longer than the turn's grace
// and reports false when that ran out.
func (t *turn) await(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-t.ctx.Done():
	}
	t.graceOnce.Do(func() { t.grace = after(cancelGrace) })
	select {
	case <-done:
		return true
	case <-t.grace:
		return false
	}
}

// after is time.After with a channel that stays readable: every straggler of the
// turn looks at it.
func after(d time.Duration) <-chan time.Time {
	c := make(chan time.Time)
	time.AfterFunc(d, func() { close(c) })
	return c
}
