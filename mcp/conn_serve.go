package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

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
	c    *connection
	lv   *live
	pic  picture // its tools are of the last list that worked
	pace pacer
	// failures counts the lists that failed since one worked; retry is when to try
	// again.
	failures int
	retry    time.Time
	// polled is when the tools were last asked for without an announcement; poll is
	// when to do so again, zero for not at all.
	polled, poll time.Time

	// offers are listed beside the loop, at a pace of their own.
	counting  sync.WaitGroup // the one goroutine that lists them, if any
	stopCount context.CancelFunc
	counted   chan counted
	offerPace pacer
	// offerFailures counts the lists of offers that failed since all worked; offerRetry is
	// when to try again.
	offerFailures int
	offerRetry    time.Time

	// toolsErr and offersErr say why what is shown may be old; nil when it is not.
	toolsErr, offersErr *StatusError
}

// counted is what a list of offers brought. Of a list that failed, offers have the one
// before.
type counted struct {
	offers offers
	err    error
}

// newServing begins the state of a session. One that replaces another unseen takes over
// what that one showed, until its own list is there.
func newServing(c *connection, lv *live, before *serving) *serving {
	s := &serving{c: c, lv: lv, counted: make(chan counted, 1)}
	s.pic = picture{state: StateConnected, pid: lv.pid(), protocol: lv.init.ProtocolVersion, instructions: lv.init.Instructions}
	if before != nil {
		s.pic.offers = before.pic.offers
		s.pic.take(before.pic)
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
			s.offerPace.notice(time.Now())
		case n := <-s.counted:
			s.takeOffers(n)
		case <-s.c.poke:
			s.show()
		}
		if !s.poll.IsZero() && !time.Now().Before(s.poll) {
			s.polled, s.poll = time.Now(), time.Time{}
			s.pace.notice(time.Now())
			s.offerPace.notice(time.Now())
		}
		if at, ok := s.toolsDue(); ok && !time.Now().Before(at) {
			s.list()
		}
		if at, ok := s.offersDue(); ok && !time.Now().Before(at) {
			s.count()
		}
	}
}

// due returns when something is to be listed next, if at all.
func (s *serving) due() (time.Time, bool) {
	tools, toolsOK := s.toolsDue()
	offers, offersOK := s.offersDue()
	return soonest(tools, toolsOK, offers, offersOK)
}

func (s *serving) toolsDue() (time.Time, bool) {
	at, ok := s.pace.due()
	for _, other := range []time.Time{s.retry, s.poll} {
		at, ok = soonest(at, ok, other, !other.IsZero())
	}
	return at, ok
}

// offersDue is when prompts and resources are to be listed, which is not while they are.
func (s *serving) offersDue() (time.Time, bool) {
	if s.stopCount != nil || !s.hasOffers() {
		return time.Time{}, false
	}
	at, ok := s.offerPace.due()
	return soonest(at, ok, s.offerRetry, !s.offerRetry.IsZero())
}

func soonest(a time.Time, aOK bool, b time.Time, bOK bool) (time.Time, bool) {
	if bOK && (!aOK || b.Before(a)) {
		return b, true
	}
	return a, aOK
}

// mood is the state that the lists make of the session.
func (s *serving) mood() {
	s.pic.state, s.pic.err = StateConnected, nil
	for _, err := range []*StatusError{s.offersErr, s.toolsErr} { // the tools matter more
		if err != nil {
			s.pic.state, s.pic.err = StateDegraded, err
		}
	}
}

// listError says that a list failed.
func (s *serving) listError(err error) *StatusError {
	text := s.c.say(textListFailed, s.c.theirs(err))
	s.c.log.add("warning", LogClient, text)
	out := &StatusError{Code: CodeListFailed, Message: text, Hint: s.c.say(textListHint)}
	if f, ok := faultOf(err); ok && f.kind == faultScope {
		out.Code, out.Hint = string(KindNeedsAuth), s.c.m.opts.Lang.Text(zh, f.hint)
	}
	return out
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
		s.toolsErr = s.listError(err)
		s.mood()
		s.publish()
		return
	}
	changed := s.failures > 0 || !s.pace.started || !sameTools(s.pic.raw, tools)
	s.failures, s.retry = 0, time.Time{}
	s.pace.end(time.Now(), changed)
	if changed {
		s.pic.raw = tools
		s.toolsErr = nil
		s.mood()
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
	cfg := s.c.cfg.Load()
	s.pic.offer(s.c.m.opts.Lang, s.c, s.c.name, cfg, s.pic.raw)
	names := make(map[string]*MCPTool, len(s.pic.raw))
	for _, tool := range s.pic.listed {
		names[tool.original] = tool
	}
	s.c.listed.Store(&names)
	s.c.m.saw(s.c.name, *cfg, s.pic.raw, s.pic.instructions)
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

func (s *serving) hasOffers() bool {
	caps := s.lv.init.Capabilities
	return caps != nil && (caps.Prompts != nil || caps.Resources != nil)
}

// count lists prompts and resources beside the loop, one listing at a time.
func (s *serving) count() {
	if !s.hasOffers() || s.stopCount != nil {
		return
	}
	s.offerPace.begin()
	s.offerRetry = time.Time{}
	ctx, cancel := context.WithTimeout(s.c.ctx, s.c.cfg.Load().ConnectTimeout())
	s.stopCount = cancel
	before := s.pic.offers
	s.counting.Go(func() {
		o, err := listOffers(ctx, s.lv.session, before)
		s.counted <- counted{o, err}
	})
}

// takeOffers publishes what a listing of prompts and resources brought. One that failed
// keeps what there was and is tried again, as that of tools is.
func (s *serving) takeOffers(n counted) {
	s.stopCount()
	s.stopCount = nil
	changed := !n.offers.same(s.pic.offers)
	s.offerPace.end(time.Now(), changed)
	was := s.offersErr
	switch {
	case s.c.ctx.Err() != nil || n.err != nil && s.lv.hasEnded():
		return // the loop sees it, and says why
	case n.err != nil:
		s.offerFailures++
		s.offerRetry = time.Now().Add(retryDelay(s.offerFailures))
		s.offersErr = s.listError(n.err)
	default:
		s.offerFailures, s.offersErr = 0, nil
	}
	if changed || was != s.offersErr {
		s.pic.offers = n.offers
		s.mood()
		s.publish()
	}
}
