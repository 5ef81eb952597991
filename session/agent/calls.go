package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
)

// Texts that the model reads in place of a result.
const (
	textNoOutput   = "(no output)"
	textCancelled  = "cancelled by the user"
	textNotStarted = "cancelled by the user before it ran"
	textRejected   = "rejected by the user"
	textSkipped    = "Skipped due to queued user message."
)

// runCalls runs the calls of one answer and puts their results, in call order, at
// the end of the history. Neighbours that may run beside each other do; any other
// call runs alone. After a cancel the rest is answered without running.
func (t *turn) runCalls(calls []Call) {
	results := make([]Block, len(calls))
	for _, b := range t.batches(calls) {
		t.runBatch(calls, b.from, b.to, results)
	}
	t.history = Append(t.history, Message{Role: RoleUser, Blocks: results})
}

// skipCalls answers calls without running them.
func (t *turn) skipCalls(calls []Call, why string) {
	results := make([]Block, len(calls))
	for i, c := range calls {
		results[i] = t.finish(c, failed(why), notRun)
	}
	t.history = Append(t.history, Message{Role: RoleUser, Blocks: results})
}

type batch struct{ from, to int }

// batches splits calls into runs of neighbours that are safe beside each other.
func (t *turn) batches(calls []Call) []batch {
	var bs []batch
	open := false // the last batch takes more safe calls
	for i, c := range calls {
		safe := t.safe(c)
		if safe && open {
			bs[len(bs)-1].to = i + 1
		} else {
			bs = append(bs, batch{i, i + 1})
		}
		open = safe
	}
	return bs
}

// safe reports whether c may run beside others. A call that will not reach its
// tool is.
func (t *turn) safe(c Call) (ok bool) {
	if c.Tool == nil {
		return true
	}
	args, err := normalInput(c.Args)
	if err != nil {
		return true
	}
	s, ok := c.Tool.(ConcurrencySafe)
	if !ok {
		return false
	}
	defer func() {
		if recover() != nil {
			ok = false // Execute will say what is wrong
		}
	}()
	return s.ConcurrencySafe(args)
}

// runBatch decides on the calls of a batch in order and starts each as soon as it
// is allowed, so that questions come one at a time.
func (t *turn) runBatch(calls []Call, from, to int, results []Block) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, t.o.MaxParallel)
	for i := from; i < to; i++ {
		c := calls[i]
		slots <- struct{}{} // given back within cancelGrace of a cancel
		if t.ctx.Err() == nil && t.o.Steered != nil && t.o.Steered() {
			<-slots
			c.Args = storedInput(c.Args)
			results[i] = t.finish(c, failed(textSkipped), notRun)
			continue
		}
		checked, refusal, byGate := t.admit(c)
		if refusal != nil {
			<-slots
			how := notRun
			if byGate {
				how = rejected
			}
			results[i] = t.finish(checked, *refusal, how)
			continue
		}
		wg.Go(func() {
			defer func() { <-slots }()
			results[i] = t.execute(checked)
		})
	}
	wg.Wait()
}

// admit checks a call and puts it to the gate. A non-nil Result is its answer: it
// does not run.
func (t *turn) admit(c Call) (checked Call, refusal *Result, rejected bool) {
	refuse := func(text string) (Call, *Result, bool) {
		r := failed(text)
		return c, &r, false
	}
	args, err := normalInput(c.Args)
	c.Args = storedInput(c.Args)
	if t.ctx.Err() != nil {
		return refuse(textNotStarted)
	}
	if c.Tool == nil {
		if t.offered[c.Name] || t.o.WasOffered != nil && t.o.WasOffered(c.Name) {
			return refuse(c.Name + " is no longer available")
		}
		return refuse(fmt.Sprintf("unknown tool %q: only the tools offered with the request can be called", c.Name))
	}
	if err != nil {
		return refuse(fmt.Sprintf("invalid arguments for %s: %v", c.Name, err))
	}
	c.Args = args
	if issues := t.o.Schemas.Check(c.Tool.Schema(), args); len(issues) > 0 {
		return refuse(argumentText(c.Name, issues))
	}
	ruling, err := t.ask(c)
	switch {
	case t.ctx.Err() != nil:
		return refuse(textNotStarted)
	case err != nil:
		_, r, _ := refuse(fmt.Sprintf("refused: the permission check failed: %v", err))
		return c, r, true
	case !ruling.Allow:
		reason := ruling.Reason
		if reason == "" {
			reason = textRejected
		}
		_, r, _ := refuse(reason)
		return c, r, true
	}
	return c, nil, false
}

// ask puts c to the gate without waiting for it after a cancel.
func (t *turn) ask(c Call) (Ruling, error) {
	type answer struct {
		ruling Ruling
		err    error
	}
	ch := make(chan answer, 1)
	t.o.Go(func() {
		var a answer
		defer func() {
			if v := recover(); v != nil {
				t.o.Logger.Error("permission gate panicked", "tool", c.Name, "panic", v, "stack", string(debug.Stack()))
				a = answer{err: fmt.Errorf("%v", v)}
			}
			ch <- a
		}()
		a.ruling, a.err = t.o.Gate(t.ctx, c)
	})
	select {
	case a := <-ch:
		return a.ruling, a.err
	case <-t.ctx.Done():
		return Ruling{}, t.ctx.Err()
	}
}

// execute runs an admitted call and keeps its result.
func (t *turn) execute(c Call) Block {
	if t.ctx.Err() != nil {
		return t.finish(c, failed(textNotStarted), notRun)
	}
	t.emit(Event{Kind: EventToolStart, Call: c})
	var (
		mu     sync.Mutex
		ended  bool // Execute returned or was left behind: reports are late
		soFar  string
		result = make(chan Result, 1)
		done   = make(chan struct{})
	)
	report := func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		soFar = p.Text
		t.emit(Event{Kind: EventToolProgress, Call: c, Text: p.Text})
	}
	t.o.Go(func() {
		defer close(done)
		result <- t.callTool(t.ctx, c, report)
	})
	inTime := t.await(done)
	mu.Lock()
	ended = true
	mu.Unlock()
	if inTime {
		return t.finish(c, <-result, ran)
	}
	text := textCancelled + "; the tool did not stop at once and may still be finishing"
	if soFar != "" {
		text += ". Output so far:\n" + soFar
	}
	return t.finish(c, failed(text), ran)
}

// callTool is Execute with errors and panics made into failed results.
func (t *turn) callTool(ctx context.Context, c Call, report func(Progress)) (r Result) {
	defer func() {
		if v := recover(); v != nil {
			t.o.Logger.Error("tool panicked", "tool", c.Name, "panic", v, "stack", string(debug.Stack()))
			r = failed(fmt.Sprintf("%s failed inside: %v", c.Name, v))
		}
	}()
	r, err := c.Tool.Execute(context.WithValue(ctx, callKey{}, c.ID), slices.Clone(c.Args), report)
	if err != nil {
		text := err.Error()
		if ctx.Err() != nil {
			text = textCancelled + ": " + text
		}
		r.IsError = true
		r.Content = append(slices.Clip(r.Content), Text(text))
	}
	return r
}

// callKey is the key of a call's id in the context of its Execute.
type callKey struct{}

// CallID is the id of the call that a tool's Execute was given ctx for, empty outside one.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

// outcome says how far a call came.
type outcome int

const (
	ran      outcome = iota
	notRun           // it could not be run, or was no longer wanted
	rejected         // by the gate or a person
)

// finish brings a result into shape, makes it durable and tells of it.
func (t *turn) finish(c Call, r Result, how outcome) Block {
	r = t.shape(c, r)
	b := Block{Kind: BlockToolResult, ID: c.ID, Result: r.Content, IsError: r.IsError, NotRun: how != ran}
	t.commit(Message{Role: RoleUser, Blocks: []Block{b}},
		Event{Kind: EventToolEnd, Call: c, Result: r, Rejected: how == rejected})
	return b
}

func failed(text string) Result {
	return Result{Content: []Content{Text(text)}, IsError: true}
}

// normalInput makes a model's arguments valid JSON: nothing and null are an empty
// object. An error is for the model to read.
func normalInput(in json.RawMessage) (json.RawMessage, error) {
	in = trimSpace(in)
	if len(in) == 0 || string(in) == "null" {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid(in) {
		var v any
		err := json.Unmarshal(in, &v)
		return nil, fmt.Errorf("not valid JSON (%v). They arrived as: %s", err, excerpt(string(in), 400))
	}
	if in[0] != '{' {
		return nil, fmt.Errorf("they must be a JSON object, not %s", excerpt(string(in), 400))
	}
	return in, nil
}

// storedInput is what the history keeps of a call's arguments: providers take
// nothing but an object back.
func storedInput(in json.RawMessage) json.RawMessage {
	if in, err := normalInput(in); err == nil {
		return in
	}
	return json.RawMessage("{}")
}

// wholeInput reports whether arguments that may have been cut arrived whole.
func wholeInput(in json.RawMessage) bool {
	in = trimSpace(in)
	return len(in) > 0 && in[0] == '{' && json.Valid(in)
}
