package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// hardCap is how many times its time-out a call may take in all that keeps
// reporting progress.
const hardCap = 10

// Causes of a call's end that are ours.
var (
	errCallSilent = errors.New("no answer in time")
	errCallHard   = errors.New("no end in time")
)

// CallTool calls a tool by the server's own name; see [Caller]. A server that dies
// meanwhile ends the call at once, with what is known of its death.
func (c *connection) CallTool(ctx context.Context, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error) {
	lv, err := c.session(ctx, nil)
	if err != nil {
		return nil, err
	}
	if names := c.listed.Load(); names != nil && (*names)[tool] == nil {
		return nil, fmt.Errorf("%w: %s of %s", ErrToolGone, tool, c.name)
	}
	return c.callOnce(ctx, lv, tool, args, progress)
}

// callOnce calls over a session, and once more where that is safe.
func (c *connection) callOnce(ctx context.Context, lv *live, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error) {
	res, err := c.call(ctx, lv, tool, args, progress)
	if next := c.again(ctx, lv, tool, err); next != nil {
		res, err = c.call(ctx, next, tool, args, progress)
	}
	f, ok := faultOf(err)
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case ok && f.kind == faultSession:
		return nil, lang.Errorf(zh, textSessionGone, c.name, c.theirs(f))
	case ok:
		return nil, &callFault{login: f.kind == faultUnauthorized || f.kind == faultScope, text: c.httpMessage(f), hint: f.hint}
	}
	return nil, err
}

// callFault is a call that failed on the way.
type callFault struct {
	// login says that a login would help.
	login bool
	text  lang.Message
	hint  string // in English
}

func (f *callFault) Error() string         { return f.text.String() }
func (f *callFault) In(l lang.Lang) string { return f.text.In(l) }

// again returns the session over which a call that failed may be made once more; nil
// for none. What was never sent may be, over the next session, which all calls share. A
// tool that is trusted to only read may be called again where the server has forgotten
// the session or the connection was lost. Who calls another is told, and free to call
// again.
func (c *connection) again(ctx context.Context, lv *live, tool string, err error) *live {
	if err == nil || lv.link == nil || ctx.Err() != nil {
		return nil
	}
	f, fault := faultOf(err)
	unsent := fault && f.kind == faultUnsent
	switch {
	case unsent:
	case !c.onlyReads(tool):
		return nil
	case fault && f.kind == faultDropped && !lv.hasEnded():
		return lv
	case !lv.link.forgotten():
		return nil
	}
	next, none := c.session(ctx, lv)
	if none != nil || !unsent && !c.onlyReads(tool) { // what it is may have changed with the server
		return nil
	}
	return next
}

// onlyReads reports whether the newest list has the tool, as one trusted to only read.
func (c *connection) onlyReads(tool string) bool {
	names := c.listed.Load()
	if names == nil {
		return false
	}
	t := (*names)[tool]
	return t != nil && t.judgement.trustedRead
}

func (c *connection) call(ctx context.Context, lv *live, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error) {
	if args = bytes.TrimSpace(args); len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	if args[0] != '{' || !json.Valid(args) {
		return nil, lang.Errorf(zh, textBadArguments, tool)
	}
	timeout := c.cfg.Load().CallTimeout()
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alive := func() {}
	if timeout > 0 {
		silent := time.AfterFunc(timeout, func() { cancel(errCallSilent) })
		defer silent.Stop()
		hard := time.AfterFunc(hardCap*timeout, func() { cancel(errCallHard) })
		defer hard.Stop()
		alive = func() { silent.Reset(timeout) }
	}
	params := &sdk.CallToolParams{Name: tool, Arguments: args}
	reports := relay(progress)
	token, done := lv.progress.register(func(text string) {
		alive()
		reports.put(text)
	})
	defer func() {
		done()
		reports.end()
	}()
	params.SetProgressToken(token)

	// Beside us: the SDK's write to a server that does not read heeds no context, and
	// ends with the session.
	type answer struct {
		res *sdk.CallToolResult
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		res, err := lv.session.CallTool(callCtx, params)
		answered <- answer{res, err}
	}()
	var res *sdk.CallToolResult
	var err error
	select {
	case a := <-answered:
		res, err = a.res, a.err
	case <-callCtx.Done():
		err = callCtx.Err()
	}
	switch cause := context.Cause(callCtx); {
	case err == nil:
		return res, nil
	case errors.Is(cause, errCallSilent):
		return nil, lang.Errorf(zh, textCallTimeout, tool, c.name, timeout)
	case errors.Is(cause, errCallHard):
		return nil, lang.Errorf(zh, textCallTimeoutHard, tool, c.name, hardCap*timeout)
	case cause != nil:
		return nil, cause
	}
	if f, ok := faultOf(err); ok {
		return nil, f // what it means for the session is the connection's business
	}
	if answer, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if answer.Code != codeLost {
			return nil, err
		}
		if !lv.hasEnded() {
			return nil, lang.Errorf(zh, textHTTPFailed, c.name, ourAnswer(answer.Message))
		}
	}
	if errors.Is(err, sdk.ErrConnectionClosed) || lv.endsWithin(pipeGrace) {
		return nil, lang.Errorf(zh, textCallLost, c.whyEnded(lv).Message)
	}
	return nil, err
}

// progressTable finds the call a progress notice is for.
type progressTable struct {
	mu    sync.Mutex
	last  int64
	calls map[string]func(text string) // guarded by mu
}

// register makes a token for one call; done forgets it. After done report is not
// called any more.
func (t *progressTable) register(report func(text string)) (token string, done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	token = "call-" + strconv.FormatInt(t.last, 10)
	if t.calls == nil {
		t.calls = make(map[string]func(string))
	}
	t.calls[token] = report
	return token, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.calls, token)
	}
}

// deliver hands a notice to its call. It holds the lock meanwhile, which is what
// makes done's promise true: reports must not block.
func (t *progressTable) deliver(p *sdk.ProgressNotificationParams) {
	token, ok := p.ProgressToken.(string)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if report := t.calls[token]; report != nil {
		report(progressText(p))
	}
}

// progressText says how far a call is: the server's message, else the share.
func progressText(p *sdk.ProgressNotificationParams) string {
	text := Clean(p.Message)
	switch {
	case text == "" && p.Total > 0:
		return fmt.Sprintf("%.0f %%", 100*p.Progress/p.Total)
	case text == "":
		return strconv.FormatFloat(p.Progress, 'f', -1, 64)
	}
	return text
}

// relayed is how many reports of a call may wait for their reader; older ones give
// way, for each report replaces the one before it.
const relayed = 16

// reporter hands reports to a function that may take its time, from a goroutine of
// its own: the SDK delivers a server's notices one by one, and a slow reader must
// not hold up other calls.
type reporter struct {
	queue chan string
	done  chan struct{}
}

// relay starts a reporter; nil when nobody reads. end must be called.
func relay(report func(string)) *reporter {
	if report == nil {
		return nil
	}
	r := &reporter{queue: make(chan string, relayed), done: make(chan struct{})}
	go func() { // ends with end
		defer close(r.done)
		for text := range r.queue {
			report(text)
		}
	}()
	return r
}

// put queues a report. It is called by one goroutine at a time, never after end.
func (r *reporter) put(text string) {
	if r == nil || text == "" {
		return
	}
	for {
		select {
		case r.queue <- text:
			return
		default:
		}
		select {
		case <-r.queue:
		default:
		}
	}
}

// end waits until what was queued has been reported.
func (r *reporter) end() {
	if r == nil {
		return
	}
	close(r.queue)
	<-r.done
}
