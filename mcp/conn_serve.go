package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

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
	counted    chan offers
	countAgain bool
}

// newServing begins the state of a session. One that replaces another unseen takes over
// what that one showed, until its own list is there.
func newServing(c *connection, lv *live, before *serving) *serving {
	s := &serving{c: c, lv: lv, counted: make(chan offers, 1)}
	s.pic = picture{state: StateConnected, pid: lv.pid(), protocol: lv.init.ProtocolVersion, instructions: lv.init.Instructions}
	if before != nil {
		s.tools, s.pic.tools, s.pic.listed, s.pic.tokens, s.pic.offers = before.tools, before.pic.tools, before.pic.listed, before.pic.tokens, before.pic.offers
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
	s.counting.Go(func() { s.c.followAgain(s.c.ctx, s.lv) }) // ends with the session
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
			s.takeOffers(n)
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
		first := !s.pace.started
		s.pace.begin()
		s.pace.end(time.Now(), false)
		if first {
			s.show()
		}
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
		select {
		case <-s.lv.toolsChanged: // the try that is due anyway answers it
		default:
		}
		text := s.c.say(textListFailed, s.c.theirs(err))
		s.c.log.add("warning", LogClient, text)
		s.pic.state = StateDegraded
		s.pic.err = &StatusError{Code: CodeListFailed, Message: text, Hint: s.c.say(textListHint)}
		if f, ok := faultOf(err); ok && f.kind == faultScope {
			s.pic.err.Code, s.pic.err.Hint = string(KindNeedsAuth), s.c.m.opts.Lang.Text(zh, f.hint)
		}
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
		for _, tool := range s.pic.listed {
			for _, note := range tool.Notes() {
				s.c.log.add("info", LogClient, fmt.Sprintf(textSchemaChanged, tool.Original(), note))
			}
		}
	}
}

// show publishes the tools under the entry as it stands now.
func (s *serving) show() {
	cfg := *s.c.cfg.Load()
	names := make(map[string]*MCPTool, len(s.tools))
	s.pic.tools = make([]agent.Tool, 0, len(s.tools))
	s.pic.listed = make([]*MCPTool, 0, len(s.tools))
	s.pic.tokens = 0
	for _, t := range s.tools {
		tool := NewMCPTool(s.c, s.c.name, cfg, t)
		tool.lang = s.c.m.opts.Lang
		tool.off = !cfg.Tools.Offers(t.Name)
		names[t.Name] = tool
		s.pic.listed = append(s.pic.listed, tool)
		if tool.off {
			continue
		}
		s.pic.tools = append(s.pic.tools, tool)
		s.pic.tokens += estimateTokens(tool)
	}
	s.c.listed.Store(&names)
	s.c.m.saw(s.c.name, cfg, s.tools, s.pic.instructions)
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

// count lists prompts and resources beside the loop, one listing at a time.
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
	before := s.pic.offers
	s.counting.Go(func() { s.counted <- listOffers(ctx, s.lv.session, before) })
}

func (s *serving) takeOffers(o offers) {
	s.stopCount()
	s.stopCount = nil
	if !o.same(s.pic.offers) {
		s.pic.offers = o
		s.publish()
	}
}
