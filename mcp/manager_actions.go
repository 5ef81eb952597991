package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Start starts a server that does not run, at once also where it waits for another
// try, and answers with its row once it has left starting; one that runs is left alone. A server that then is failed or needs
// a login is a row, not an error. An [*ActionError] says why nothing was tried. When
// ctx ends first, Start answers with its error and the server goes on starting.
func (m *Manager) Start(ctx context.Context, name string) (ServerStatus, error) {
	return m.launch(ctx, name, false)
}

// Restart is Start, but stops a server that runs before that.
func (m *Manager) Restart(ctx context.Context, name string) (ServerStatus, error) {
	return m.launch(ctx, name, true)
}

func (m *Manager) launch(ctx context.Context, name string, again bool) (ServerStatus, error) {
	m.mu.Lock()
	e, err := m.find(name)
	if err == nil {
		err = m.blocked(name, e)
	}
	if err != nil {
		m.mu.Unlock()
		return ServerStatus{}, err
	}
	started := again || e.conn == nil || !(e.pic.state.Usable() || e.pic.state == StateStarting)
	if started {
		m.begin(name, e)
	}
	m.mu.Unlock()
	if started {
		m.announce()
	}
	return m.awaitRow(ctx, name, StateStarting)
}

// Stop stops a server and answers with its row once it is gone, process and all. Its
// entry stays; Start, or a change of the entry, brings it back.
func (m *Manager) Stop(ctx context.Context, name string) (ServerStatus, error) {
	m.mu.Lock()
	e, err := m.find(name)
	if err != nil {
		m.mu.Unlock()
		return ServerStatus{}, err
	}
	stopped := false
	switch {
	case e.conn == nil: // it must not run, or was never started
	case e.conn.isDone(): // it failed: only the row is left to change
		e.conn = nil
		m.show(name, e, picture{state: StateStopped})
		stopped = true
	case e.pic.state != StateStopping:
		m.show(name, e, picture{state: StateStopping})
		e.conn.cancel()
		stopped = true
	}
	m.mu.Unlock()
	if stopped {
		m.announce()
	}
	return m.awaitRow(ctx, name, StateStopping)
}

// isDone reports whether nothing of the connection is left.
func (c *connection) isDone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// awaitRow answers with a server's row once it is not in state any more.
func (m *Manager) awaitRow(ctx context.Context, name string, state State) (ServerStatus, error) {
	var row ServerStatus
	gone := false
	err := m.await(ctx, func() bool {
		e := m.entries[name]
		if e == nil {
			gone = true
			return true
		}
		row = e.status
		return row.State != state
	})
	switch {
	case gone:
		return ServerStatus{}, &ActionError{Kind: KindUnknownServer, Name: name, Message: m.say(textUnknownServer, CleanLine(name))}
	case err != nil:
		return row, fmt.Errorf("waiting for %s: %w", name, err)
	}
	return row, nil
}

// find returns the entry of a server. m.mu is held.
func (m *Manager) find(name string) (*entry, error) {
	if e := m.entries[name]; e != nil {
		return e, nil
	}
	hint := m.say(textNoServers)
	if len(m.entries) > 0 {
		hint = m.say(textUnknownServerHint, strings.Join(slices.Sorted(maps.Keys(m.entries)), ", "))
	}
	message := m.say(textUnknownServer, CleanLine(name))
	if m.closed {
		message = m.say(textClosed)
	}
	return nil, &ActionError{Kind: KindUnknownServer, Name: name, Message: message, Hint: hint}
}

// blocked says why a server must not run; nil when it may. m.mu is held.
func (m *Manager) blocked(name string, e *entry) error {
	state, problem, inert := inertState(name, e.cfg)
	switch {
	case !inert:
		return nil
	case problem != nil:
		return &ActionError{Kind: KindConfigInvalid, Name: name, Message: m.say(textInvalid, CleanLine(name), problem), Hint: m.say(textInvalidHint)}
	case state == StateDisabled:
		return &ActionError{Kind: KindStartBlocked, Name: name, Message: m.say(textDisabled, CleanLine(name)), Hint: m.say(textDisabledHint)}
	}
	return &ActionError{Kind: KindUntrusted, Name: name, Message: m.say(textUntrusted, CleanLine(name)), Hint: m.say(textUntrustedHint)}
}
