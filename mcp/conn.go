package mcp

import (
	"context"
	"fmt"
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
	tools    []agent.Tool  // that the agent gets
	listed   []*MCPTool    // all
	tokens   int           // estimate of what the tools cost in a prompt
	raw      []*sdk.Tool   // as the server listed them
	under    *ServerConfig // the entry that says which of them the agent gets
	offers   offers
	protocol string
	pid      int
	retryAt  time.Time // of the next try; zero for none
	// instructions are the server's own, as they came.
	instructions string
	// kept says that the tools and the instructions are those of a session that has ended:
	// they stay on offer while it is tried again, for a list that comes and goes would cost
	// the model its cache each time.
	kept bool
	// asleep says that nothing runs and the tools are those last seen, which start the
	// server when they are called.
	asleep bool
}

// offer puts the tools of a server's list into a picture that is not shown yet: all of
// them as listed, and to the agent those that the entry leaves on.
func (p *picture) offer(l lang.Lang, c Caller, name string, cfg *ServerConfig, tools []*sdk.Tool) {
	p.raw, p.under = tools, cfg
	p.tools, p.listed, p.tokens = make([]agent.Tool, 0, len(tools)), make([]*MCPTool, 0, len(tools)), 0
	for _, t := range tools {
		tool := NewMCPTool(c, name, *cfg, t)
		tool.lang = l
		tool.off = !cfg.Tools.Offers(t.Name)
		p.listed = append(p.listed, tool)
		if !tool.off {
			p.tools = append(p.tools, tool)
			p.tokens += estimateTokens(tool)
		}
	}
}

// take shows the tools of another picture.
func (p *picture) take(from picture) {
	p.tools, p.listed, p.tokens, p.raw, p.under = from.tools, from.listed, from.tokens, from.raw, from.under
}

// connection is one server under one configuration, from its start until it is
// stopped or given up; it may have several sessions, one after the other. One
// goroutine, run, owns it and publishes its pictures; nobody else changes what they
// show. Calls go beside it, on their callers' goroutines. Each start makes a new
// connection, so its identity is the generation by which the manager tells a late
// picture from a current one.
type connection struct {
	followed *followed // the entry's
	samples  allowance

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

// redrawn is p under the entry as it stands now. The loop sees a change only when it
// comes round, which may be after a slow list; whoever made the change looks at once.
func (c *connection) redrawn(p picture) picture {
	if cfg := c.cfg.Load(); p.under != nil && p.under != cfg {
		p.offer(c.m.opts.Lang, c, c.name, cfg, p.raw)
	}
	return p
}

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
	var last *serving // what the next session takes over until it has a list of its own
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
			s := newServing(c, lv, last)
			if fail = s.serve(); fail == nil {
				return
			}
			rec.lasted(time.Since(begin))
			last = s
		}
		wait, again := rec.next(fail)
		if !again {
			if rec.tries > 0 && fail.state() == StateFailed {
				fail.Hint = join(fail.Hint, c.say(textGaveUpHint, rec.tries))
			}
			c.log.add("error", LogClient, fail.Message)
			c.publish(picture{state: fail.state(), err: &fail.StatusError})
			c.setSlot(slot{}) // after the picture: who waits for it finds that
			return
		}
		if !c.rest(fail, wait, rec.tries, last) {
			c.publish(picture{state: StateStopped})
			return
		}
	}
}

// rest waits before the next try and shows that it does. It reports false when the
// server shall stop. A session that is renewed at once is not worth a picture: calls
// wait for it, and the tools stay on offer.
func (c *connection) rest(fail *failure, wait time.Duration, try int, last *serving) bool {
	if wait == 0 {
		c.setSlot(slot{renewing: true})
		c.log.add("info", LogClient, fmt.Sprintf(textSessionRenewed, c.name, fail.Message))
		return c.ctx.Err() == nil
	}
	wait = jitter(wait)
	c.log.add("warning", LogClient, fail.Message, fmt.Sprintf(textRetryAt, wait.Round(100*time.Millisecond), try))
	shown := fail.StatusError
	shown.Hint = join(shown.Hint, c.say(textReconnectHint))
	pic := picture{state: StateReconnecting, err: &shown}
	if last != nil && len(last.pic.tools) > 0 {
		pic.kept = true
		pic.take(last.pic)
		pic.instructions = last.pic.instructions
	}
	waiting := pic
	waiting.retryAt = time.Now().Add(wait)
	c.publish(waiting)
	c.setSlot(slot{why: fail.Message}) // after the picture: who waits for it finds that
	if pause(c.ctx, wait) != nil {
		return false
	}
	c.publish(pic)
	return true
}

// join puts two hints into one line.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
