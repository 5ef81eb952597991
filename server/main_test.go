package server_test

import (
	"testing"

	"github.com/codebot-ls/codebot-ls/mcp/mcptest"
	"github.com/codebot-ls/codebot-ls/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// faulty is the entry of an MCP server that does these things wrong.
func faulty(t *testing.T, faults string) servertest.M {
	return servertest.M{"command": mcptest.Build(t), "args": []string{"-fault", faults}}
}
