package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
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
	// instructions are the server's own, as they came.
	instructions string
}

// connection is one server under one configuration, from its start to the end of
// its process. One goroutine, run, owns it and publishes its pictures; nobody else
// changes what they show. Calls go beside it, on their callers' goroutines. Each
// start makes a new connection, so its identity is the generation by which the
// manager tells a late picture from a current one.
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
	live atomic.Pointer[live]         // nil while there is no session
	// listed holds the server's names of the tools of the newest list.
	listed atomic.Pointer[map[string]bool]
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

// run connects, serves until the session ends or the server shall stop, and leaves
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
	lv, failure := c.connect(c.ctx)
	switch {
	case c.ctx.Err() != nil:
		if lv != nil {
			lv.close()
		}
		c.publish(picture{state: StateStopped})
	case failure != nil:
		c.log.add("error", LogClient, failure.Message)
		c.publish(picture{state: failure.state(), err: &failure.StatusError})
	default:
		c.serve(lv)
	}
}

// serve keeps the picture of a session true until it ends.
func (c *connection) serve(lv *live) {
	s := serving{c: c, lv: lv}
	s.pic = picture{state: StateConnected, pid: lv.pid(), protocol: lv.init.ProtocolVersion, instructions: lv.init.Instructions}
	c.live.Store(lv)
	s.list()
	if s.loop() { // asked to stop
		s.retire()
		c.publish(picture{state: StateStopping})
		lv.close()
		c.publish(picture{state: StateStopped})
	} else {
		s.retire()
		failure := c.whyEnded(lv)
		lv.why.Store(failure)
		lv.close() // failed shall mean that nothing is left
		c.log.add("error", LogClient, failure.Message)
		c.publish(picture{state: failure.state(), err: &failure.StatusError})
	}
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

	counting   sync.WaitGroup // the one goroutine that counts, if any
	stopCount  context.CancelFunc
	counted    chan counts
	countAgain bool
}

// retire ends what the loop started.
func (s *serving) retire() {
	s.c.live.CompareAndSwap(s.lv, nil)
	if s.stopCount != nil {
		s.stopCount()
	}
	s.counting.Wait()
}

// loop reports whether the server shall stop; else the session ended by itself.
func (s *serving) loop() (stop bool) {
	s.counted = make(chan counts, 1)
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
		if at, ok := s.due(); ok && !time.Now().Before(at) {
			s.list()
		}
	}
}

// due returns when the tools are to be listed next, if at all.
func (s *serving) due() (time.Time, bool) {
	at, ok := s.pace.due()
	if !s.retry.IsZero() && (!ok || s.retry.Before(at)) {
		return s.retry, true
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
		text := fmt.Sprintf(textListFailed, s.c.theirs(err))
		s.c.log.add("warning", LogClient, text)
		s.pic.state = StateDegraded
		s.pic.err = &StatusError{Code: CodeListFailed, Message: text, Hint: textListHint}
		s.c.publish(s.pic)
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
	names := make(map[string]bool, len(s.tools))
	s.pic.tools = make([]agent.Tool, 0, len(s.tools))
	s.pic.tokens = 0
	for _, t := range s.tools {
		names[t.Name] = true
		tool := NewMCPTool(s.c, s.c.name, cfg, t)
		s.pic.tools = append(s.pic.tools, tool)
		s.pic.tokens += estimateTokens(tool)
	}
	s.c.listed.Store(&names)
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
		s.c.publish(s.pic)
	}
}

// failure is the end of an attempt or a session as its row shows it.
type failure struct{ StatusError }

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
		return &failure{StatusError{Code: CodeExited, Message: fmt.Sprintf(textStopped, c.name)}}
	}
	if lv.link != nil && lv.link.unauthorized.Load() {
		return needsAuth(c.name)
	}
	if p := lv.proc; p != nil {
		if p.gone(pipeGrace) {
			return c.exited(p, textExited, textSignal)
		}
		return &failure{StatusError{Code: CodeExited, Message: fmt.Sprintf(textClosedOutput, c.name), StderrTail: c.tail(p)}}
	}
	code, cause := CodeHTTP, lv.cause()
	if lv.link == nil {
		code = CodeExited
	}
	if cause == nil {
		cause = errors.New("it ended")
	}
	return &failure{StatusError{Code: code, Message: fmt.Sprintf(textSessionLost, c.name, c.theirs(cause))}}
}

// exited describes the end of a child. What it wrote is read to the end first, which
// is bounded.
func (c *connection) exited(p *process, byCode, bySignal string) *failure {
	<-p.drained
	<-p.read
	f := &failure{StatusError{Code: CodeExited, ExitCode: p.exitCode(), StderrTail: c.tail(p)}}
	if f.ExitCode != nil {
		f.Message = fmt.Sprintf(byCode, c.name, *f.ExitCode)
	} else {
		f.Message = fmt.Sprintf(bySignal, c.name, p.state)
	}
	return f
}

// theirs is the text of an error that a server had a hand in, fit for a status row.
func (c *connection) theirs(err error) string {
	return cut(CleanLine(c.log.clean(rootText(err))), maxErrorText)
}

func (c *connection) tail(p *process) string { return c.log.clean(p.stderr.text()) }

func needsAuth(name string) *failure {
	return &failure{StatusError{Code: string(KindNeedsAuth), Message: fmt.Sprintf(textNeedsAuth, name), Hint: textNeedsAuthHint}}
}
