package mcp

import (
	"context"
	"fmt"
)

// Wait answers with a server's row once it has left starting, whoever started it,
// and, where it must not run any more, once what ran is gone, process and all.
func (m *Manager) Wait(ctx context.Context, name string) (ServerStatus, error) {
	if err := m.await(ctx, func() bool {
		e := m.entries[name]
		return e == nil || e.conn != nil || m.tails[name] == nil
	}); err != nil {
		return ServerStatus{}, fmt.Errorf("waiting for %s: %w", name, err)
	}
	return m.awaitRow(ctx, name, StateStarting)
}

// WaitGone answers once nothing of a server is left that was taken out of the
// configuration, at once where it was not.
func (m *Manager) WaitGone(ctx context.Context, name string) error {
	err := m.await(ctx, func() bool { return m.entries[name] != nil || m.tails[name] == nil })
	if err != nil {
		return fmt.Errorf("waiting for the end of %s: %w", name, err)
	}
	return nil
}
