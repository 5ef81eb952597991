package model

import (
	"fmt"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// A thousand tools are read for their words at each request.
func BenchmarkThousandTools(b *testing.B) {
	req := request("Search the docs for the worktree cleanup policy.", builtIns, docs, deploy)
	for i := range 1000 {
		req.Tools = append(req.Tools, spec(fmt.Sprintf("mcp__s%d__update_record_%d", i/20, i), "Update a record of the table by its key and return the new state of it.", "key:string", "value:string"))
	}
	for b.Loop() {
		if _, err := NewOffline().Stream(b.Context(), req, func(agent.Delta) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
