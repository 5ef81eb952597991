package mcp

import (
	"context"
	"fmt"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// slot is what a connection has in the way of a session at one moment. It is
// immutable; a new one replaces it.
type slot struct {
	lv *live // nil while there is no session
	// renewing says that a new session is being made, which whoever wants to call
	// waits for.
	renewing bool
	// why there is none; empty when nothing is known.
	why string
	// replaced is closed when another slot has taken the place of this one.
	replaced chan struct{}
}

// setSlot replaces the slot. Only the connection's goroutine calls it.
func (c *connection) setSlot(s slot) {
	s.replaced = make(chan struct{})
	old := c.slot.Swap(&s)
	if old != nil {
		close(old.replaced)
	}
}

// current returns the session there is now; nil for none.
func (c *connection) current() *live {
	if s := c.slot.Load(); s != nil {
		return s.lv
	}
	return nil
}

// session returns a session to call over other than not, which may be nil. While one
// is being made it waits, so that all calls share it. Its error is ctx's, or one that
// says why there is none.
func (c *connection) session(ctx context.Context, not *live) (*live, error) {
	for {
		s := c.slot.Load()
		switch {
		case s == nil:
			return nil, fmt.Errorf("%w: %s", ErrToolGone, c.name)
		case s.lv != nil && s.lv != not && !s.lv.hasEnded():
			return s.lv, nil
		case s.lv == nil && !s.renewing && s.why != "":
			return nil, lang.Errorf(zh, textReconnecting, c.name, s.why)
		case s.lv == nil && !s.renewing:
			return nil, fmt.Errorf("%w: %s", ErrToolGone, c.name)
		}
		select {
		case <-s.replaced:
		case <-c.done:
			return nil, fmt.Errorf("%w: %s", ErrToolGone, c.name)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
