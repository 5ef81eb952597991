package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// maxErrorText bounds what a server's own words take in a status row, in bytes; some
// answer with a whole web page.
const maxErrorText = 1000

// picture is what a connection says of its server at one moment. It is immutable:
// state, tools and instructions of one picture belong together.
type picture struct {
	state    State
	err      *StatusError
	tools    []agent.Tool
	tokens   int // estimate of what the tools cost in a prompt
	counts   counts
	protocol string
	pid      int
	retryAt  time.Time // of the next try; zero for none
	// instructions are the server's own, as they came.
	instructions string
}

// connection is one server under one configuration, from its start until it is
// stopped or given up; it may have several sessions, one after the other. One
// goroutine, run, owns it and publishes its pictures; nobody else changes what they
// show. Calls go beside it, on their callers' goroutines. Each start makes a new
// connection, so its identity is the generation by which the manager tells a late
// picture from a current one.
type connection struct {
	m    *Manager
	name string
	log  *serverLog
	// prev ends with the connection this one replaces; nil for none. There is
	// never more than one process of a server.
	prev <-chan struct{}

	ctx    context.Context // ends when the server shall stop
	cancel context.CancelFunc
	done   chan struct{} // closed when the process is gone and the last picture published

	cfg  atomic.Pointer[ServerConfig] // unexpanded; only its inert fields ever change
	poke chan struct{}                // says that cfg changed; capacity 1
	slot atomic.Pointer[slot]
	// listed holds the tools of the newest list by the server's names.
	listed atomic.Pointer[map[string]*MCPTool]
}

// update takes over an entry that differs only in what needs no restart.
func (c *connection) update(cfg ServerConfig) {
	c.cfg.Store(&cfg)
	signal(c.poke)
}

// signal makes sure that a channel of capacity 1 holds a token.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

func (c *connection) publish(p picture) { c.m.publish(c, p) }

// run connects and serves until the server shall stop or is given up, and leaves
// nothing behind.
func (c *connection) run() {
	defer close(c.done)
	defer c.cancel()
	if c.prev != nil {
		<-c.prev // its stop ladder is bounded
	}
	if c.ctx.Err() != nil { // replaced before it began: nothing is started for nothing
		c.publish(picture{state: StateStopped})
		return
	}
	kind := c.cfg.Load().Transport()
	rec := recovery{address: kind == TransportHTTP || kind == TransportSSE, base: c.m.retryBase}
	var renewed *serving // what a session that is renewed at once takes over
	for {
		lv, fail := c.connect(c.ctx)
		if c.ctx.Err() != nil {
			if lv != nil {
				lv.close()
			}
			c.publish(picture{state: StateStopped})
			return
		}
		if fail == nil {
			begin := time.Now()
			s := newServing(c, lv, renewed)
			if fail = s.serve(); fail == nil {
				return
			}
			rec.lasted(time.Since(begin))
			renewed = s
		}
		wait, again := rec.next(fail)
		if wait > 0 {
			renewed = nil
		}
		if !again {
			if rec.tries > 0 && fail.state() == StateFailed {
				fail.Hint = join(fail.Hint, c.say(textGaveUpHint, rec.tries))
			}
			c.setSlot(slot{})
			c.log.add("error", LogClient, fail.Message)
			c.publish(picture{state: fail.state(), err: &fail.StatusError})
			return
		}
		if !c.rest(fail, wait, rec.tries) {
			c.publish(picture{state: StateStopped})
			return
		}
	}
}

// rest waits before the next try and shows that it does. It reports false when the
// server shall stop. A session that is renewed at once is not worth a picture: calls
// wait for it, and the tools stay on offer.
func (c *connection) rest(fail *failure, wait time.Duration, try int) bool {
	if wait == 0 {
		c.setSlot(slot{renewing: true})
		c.log.add("info", LogClient, fmt.Sprintf(textSessionRenewed, c.name, fail.Message))
		return c.ctx.Err() == nil
	}
	wait = jitter(wait)
	c.setSlot(slot{why: fail.Message})
	c.log.add("warning", LogClient, fail.Message, fmt.Sprintf(textRetryAt, wait.Round(100*time.Millisecond), try))
	shown := fail.StatusError
	shown.Hint = join(shown.Hint, c.say(textReconnectHint))
	c.publish(picture{state: StateReconnecting, err: &shown, retryAt: time.Now().Add(wait)})
	if pause(c.ctx, wait) != nil {
		return false
	}
	c.publish(picture{state: StateReconnecting, err: &shown})
	return true
}

// join puts two hints into one line.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// serve keeps the picture of a session true until it ends. It returns nil when the
// server was asked to stop and has, else why the session ended.
func (s *serving) serve() *failure {
	c, lv := s.c, s.lv
	if lv.link != nil {
		lv.link.armed.Store(true)
		lv.link.listen(c.ctx)
	}
	s.list()
	if s.loop() { // asked to stop
		s.retire()
		c.setSlot(slot{})
		c.publish(picture{state: StateStopping})
		lv.close()
		c.publish(picture{state: StateStopped})
		return nil
	}
	s.retire()
	fail := c.whyEnded(lv)
	lv.why.Store(fail)
	lv.abort() // lost shall mean that nothing is left
	return fail
}

// serving is the state of the serve loop. It belongs to the connection's goroutine.
type serving struct {
	c     *connection
	lv    *live
	pic   picture
	tools []*sdk.Tool // of the last list that worked
	pace  pacer
	// failures counts the lists that failed since one worked; retry is when to try
	// again.
	failures int
	retry    time.Time
	// polled is when the tools were last asked for without an announcement; poll is
	// when to do so again, zero for not at all.
	polled, poll time.Time

	counting   sync.WaitGroup // the one goroutine that counts, if any
	stopCount  context.CancelFunc
	counted    chan counts
	countAgain bool
}

// newServing begins the state of a session. One that replaces another unseen takes over
// what that one showed, until its own list is there.
func newServing(c *connection, lv *live, before *serving) *serving {
	s := &serving{c: c, lv: lv, counted: make(chan counts, 1)}
	s.pic = picture{state: StateConnected, pid: lv.pid(), protocol: lv.init.ProtocolVersion, instructions: lv.init.Instructions}
	if before != nil {
		s.tools, s.pic.tools, s.pic.tokens, s.pic.counts = before.tools, before.pic.tools, before.pic.tokens, before.pic.counts
	}
	return s
}

// retire ends what the loop started.
func (s *serving) retire() {
	if s.stopCount != nil {
		s.stopCount()
	}
	s.counting.Wait()
}

// loop reports whether the server shall stop; else the session ended by itself.
func (s *serving) loop() (stop bool) {
	s.count()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Stop()
		if at, ok := s.due(); ok {
			timer.Reset(time.Until(at))
		}
		select {
		case <-s.c.ctx.Done():
			return true
		case <-s.lv.ended:
			return false
		case <-s.lv.down():
			return false
		case <-s.lv.missed:
			// Notices may have been lost; how often we look is our own choice.
			if s.poll.IsZero() {
				s.poll = time.Now()
				if soonest := s.polled.Add(pollGap); soonest.After(s.poll) {
					s.poll = soonest
				}
			}
		case <-s.lv.toolsChanged:
			s.pace.notice(time.Now())
		case <-timer.C:
		case <-s.lv.othersChanged:
			s.count()
		case n := <-s.counted:
			s.takeCounts(n)
			if s.countAgain {
				s.countAgain = false
				s.count()
			}
		case <-s.c.poke:
			s.show()
		}
		if !s.poll.IsZero() && !time.Now().Before(s.poll) {
			s.polled, s.poll = time.Now(), time.Time{}
			s.pace.notice(time.Now())
			s.count()
		}
		if at, ok := s.due(); ok && !time.Now().Before(at) {
			s.list()
		}
	}
}

// due returns when the tools are to be listed next, if at all.
func (s *serving) due() (time.Time, bool) {
	at, ok := s.pace.due()
	for _, other := range []time.Time{s.retry, s.poll} {
		if !other.IsZero() && (!ok || other.Before(at)) {
			at, ok = other, true
		}
	}
	return at, ok
}

// list reads the tools and publishes what they are now. A list that fails keeps
// the last good one and is tried again.
func (s *serving) list() {
	if !s.lv.hasTools() {
		s.show()
		return
	}
	s.pace.begin()
	ctx, cancel := context.WithTimeout(s.c.ctx, s.c.cfg.Load().ConnectTimeout())
	tools, notes, err := listTools(ctx, s.lv.session)
	if f, ok := faultOf(err); ok && f.kind == faultDropped && !s.lv.hasEnded() {
		// Often an idle connection that the server closed just then.
		tools, notes, err = listTools(ctx, s.lv.session)
	}
	cancel()
	for _, n := range notes {
		s.c.log.add("warning", LogClient, n)
	}
	if s.c.ctx.Err() != nil || err != nil && s.lv.hasEnded() {
		return // the loop sees it, and says why
	}
	if err != nil {
		s.failures++
		s.retry = time.Now().Add(retryDelay(s.failures))
		s.pace.end(time.Now(), false)
		text := s.c.say(textListFailed, s.c.theirs(err))
		s.c.log.add("warning", LogClient, text)
		s.pic.state = StateDegraded
		s.pic.err = &StatusError{Code: CodeListFailed, Message: text, Hint: s.c.say(textListHint)}
		s.publish()
		return
	}
	changed := s.failures > 0 || !s.pace.started || !sameTools(s.tools, tools)
	s.failures, s.retry = 0, time.Time{}
	s.pace.end(time.Now(), changed)
	if changed {
		s.tools = tools
		s.pic.state, s.pic.err = StateConnected, nil
		s.show()
	}
}

// show publishes the tools under the entry as it stands now.
func (s *serving) show() {
	cfg := *s.c.cfg.Load()
	names := make(map[string]*MCPTool, len(s.tools))
	s.pic.tools = make([]agent.Tool, 0, len(s.tools))
	s.pic.tokens = 0
	for _, t := range s.tools {
		tool := NewMCPTool(s.c, s.c.name, cfg, t)
		tool.lang = s.c.m.opts.Lang
		names[t.Name] = tool
		s.pic.tools = append(s.pic.tools, tool)
		s.pic.tokens += estimateTokens(tool)
	}
	s.c.listed.Store(&names)
	s.publish()
}

// publish shows the picture. The first one of a session opens it to calls: those that
// waited for it shall find its tools.
func (s *serving) publish() {
	if s.c.current() != s.lv {
		s.c.setSlot(slot{lv: s.lv})
	}
	s.c.publish(s.pic)
}

// estimateTokens guesses what a tool costs in a prompt: four bytes of JSON make a
// token, near enough for a person to see which server is the expensive one.
func estimateTokens(t agent.Tool) int {
	return (len(t.Name()) + len(t.Description()) + len(t.Schema()) + 3) / 4
}

// count counts prompts and resources beside the loop, one count at a time.
func (s *serving) count() {
	caps := s.lv.init.Capabilities
	if caps == nil || caps.Prompts == nil && caps.Resources == nil {
		return
	}
	if s.stopCount != nil {
		s.countAgain = true
		return
	}
	ctx, cancel := context.WithTimeout(s.c.ctx, s.c.cfg.Load().ConnectTimeout())
	s.stopCount = cancel
	s.counting.Go(func() { s.counted <- count(ctx, s.lv.session) })
}

func (s *serving) takeCounts(n counts) {
	s.stopCount()
	s.stopCount = nil
	before := s.pic.counts
	if n.prompts >= 0 {
		s.pic.counts.prompts = n.prompts
	}
	if n.resources >= 0 {
		s.pic.counts.resources = n.resources
	}
	if s.pic.counts != before {
		s.publish()
	}
}

// failure is the end of an attempt or a session as its row shows it.
type failure struct {
	StatusError
	// transient says that time alone may mend it.
	transient bool
	// forgotten says that the server only does not know the session any more.
	forgotten bool
	// after is how long the server wants to be left alone.
	after time.Duration
}

func (f *failure) state() State {
	if f.Code == string(KindNeedsAuth) {
		return StateNeedsAuth
	}
	return StateFailed
}

// whyEnded says why a session ended by itself. It waits a moment for the exit of a
// child that closed its output first.
func (c *connection) whyEnded(lv *live) *failure {
	if known := lv.why.Load(); known != nil {
		return known
	}
	if c.ctx.Err() != nil {
		return &failure{StatusError: StatusError{Code: CodeExited, Message: c.say(textStopped, c.name)}}
	}
	if lv.link != nil {
		select {
		case <-lv.link.down:
			return c.httpFailure(lv.link.fault)
		default:
		}
		if f, ok := faultOf(lv.cause()); ok {
			return c.httpFailure(f)
		}
	}
	if p := lv.proc; p != nil {
		if p.gone(pipeGrace) {
			return c.exited(p, textExited, textSignal)
		}
		return &failure{StatusError: StatusError{Code: CodeExited, Message: c.say(textClosedOutput, c.name), StderrTail: c.tail(p)}}
	}
	code, cause := CodeHTTP, lv.cause()
	if lv.link == nil {
		code = CodeExited
	}
	if cause == nil {
		cause = lang.Errorf(zh, textItEnded)
	}
	return &failure{StatusError: StatusError{Code: code, Message: c.say(textSessionLost, c.name, c.theirs(cause))}}
}

// exited describes the end of a child. What it wrote is read to the end first, which
// is bounded.
func (c *connection) exited(p *process, byCode, bySignal string) *failure {
	<-p.drained
	<-p.read
	f := &failure{StatusError: StatusError{Code: CodeExited, ExitCode: p.exitCode(), StderrTail: c.tail(p)}}
	if f.ExitCode != nil {
		f.Message = c.say(byCode, c.name, *f.ExitCode)
	} else {
		f.Message = c.say(bySignal, c.name, p.state)
	}
	return f
}

// theirs is the text of an error that a server had a hand in, fit for a status row.
// It is made at once, in English and in the manager's language: what is secret is
// known now.
func (c *connection) theirs(err error) words {
	fit := func(l lang.Lang) string { return cut(CleanLine(c.log.clean(rootText(l.Error(err)))), maxErrorText) }
	return words{english: fit(lang.En), local: fit(c.m.opts.Lang)}
}

// words are a text in English and in one other language.
type words struct{ english, local string }

func (w words) String() string { return w.english }

// In implements what package lang looks for in an argument.
func (w words) In(l lang.Lang) string {
	if l == lang.En {
		return w.english
	}
	return w.local
}

// say gives a text for people in the manager's language.
func (c *connection) say(format string, args ...any) string { return c.m.say(format, args...) }

func (c *connection) tail(p *process) string { return c.log.clean(p.stderr.text()) }

// httpFailure is a failed exchange as the end of an attempt or a session.
func (c *connection) httpFailure(f *httpFault) *failure {
	fail := &failure{
		StatusError: StatusError{Code: CodeHTTP, Message: c.httpMessage(f).In(c.m.opts.Lang), Hint: c.m.opts.Lang.Text(zh, f.hint)},
		transient:   f.transient, forgotten: f.kind == faultSession, after: f.after,
	}
	if f.kind == faultUnauthorized {
		fail.Code = string(KindNeedsAuth)
	}
	return fail
}

// httpMessage says of a failed exchange what happened.
func (c *connection) httpMessage(f *httpFault) lang.Message {
	text := c.theirs(f)
	switch f.kind {
	case faultUnauthorized:
		return lang.Messagef(zh, textNeedsAuth, c.name, text)
	case faultUnreachable:
		return lang.Messagef(zh, textUnreachable, c.name, text)
	}
	return lang.Messagef(zh, textHTTPFailed, c.name, text)
}
