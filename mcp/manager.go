package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Manager runs the servers of one scope: the user's, or one folder's.
type Manager struct{}

// NewManager makes a manager that runs nothing yet.
func NewManager(o Options) *Manager { return &Manager{} }

// Reconfigure makes servers the set that runs.
func (m *Manager) Reconfigure(ctx context.Context, servers map[string]ServerConfig) Outcome {
	return Outcome{}
}

// StartAll is Reconfigure, then waits until each first attempt has settled.
func (m *Manager) StartAll(ctx context.Context, servers map[string]ServerConfig) []error { return nil }

// Settle waits until no server is starting.
func (m *Manager) Settle(ctx context.Context) error { return nil }

// Start starts a server that does not run.
func (m *Manager) Start(ctx context.Context, name string) (ServerStatus, error) {
	return ServerStatus{}, nil
}

// Stop stops a server.
func (m *Manager) Stop(ctx context.Context, name string) (ServerStatus, error) {
	return ServerStatus{}, nil
}

// Restart stops a server and starts it again.
func (m *Manager) Restart(ctx context.Context, name string) (ServerStatus, error) {
	return ServerStatus{}, nil
}

// Status returns the rows, sorted by name, and the revision they belong to.
func (m *Manager) Status() ([]ServerStatus, uint64) { return nil, 0 }

// Tools returns the tools of all usable servers.
func (m *Manager) Tools(ctx context.Context) []agent.Tool { return nil }

// Instructions returns one "## <server>" section per server that gave instructions.
func (m *Manager) Instructions() []string { return nil }

// MarkDirty makes the next RefreshIfDirty answer.
func (m *Manager) MarkDirty() {}

// RefreshIfDirty returns the tools when something changed since the last call.
func (m *Manager) RefreshIfDirty(ctx context.Context) ([]agent.Tool, bool) { return nil, false }

// CallTool is a person's own call of a server's tool.
func (m *Manager) CallTool(ctx context.Context, server, tool string, args json.RawMessage, progress func(string)) (*CallResult, error) {
	return nil, nil
}

// Logs returns the newest entries of a server's log.
func (m *Manager) Logs(name string, limit int) ([]LogEntry, error) { return nil, nil }

// RootsChanged tells the servers that Options.Roots answers differently now.
func (m *Manager) RootsChanged() {}

// Close stops everything.
func (m *Manager) Close(ctx context.Context) error { return nil }

// Reader is one session's view of its servers.
type Reader struct{}

// NewReader makes the reader of one session.
func NewReader(user, project *Manager) *Reader { return &Reader{} }

// RefreshIfDirty returns what the servers offer when it changed since last time.
func (r *Reader) RefreshIfDirty(ctx context.Context) (Snapshot, bool) { return Snapshot{}, false }

// Close ends the view.
func (r *Reader) Close() {}

type connection struct{}

func (c *connection) CallTool(ctx context.Context, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error) {
	return nil, nil
}
