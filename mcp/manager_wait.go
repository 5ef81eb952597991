package mcp

import "context"

// Wait answers with a server's row once it has left starting, whoever started it.
func (m *Manager) Wait(ctx context.Context, name string) (ServerStatus, error) {
	return m.awaitRow(ctx, name, StateStarting)
}
