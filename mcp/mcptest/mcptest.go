// Package mcptest builds an MCP server on stdio that misbehaves on request, for
// tests that must see real processes and real pipes. What it can do is said at
// package faulty below it.
package mcptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Build returns the path of the faulty server, built once per test process. A
// package that calls it hands its TestMain to [Run], which removes the program.
func Build(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "codebot-ls-mcptest"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "faulty")
		if runtime.GOOS == "windows" {
			built.path += ".exe"
		}
		cmd := exec.Command("go", "build", "-o", built.path, "github.com/codebot-ls/codebot-ls/mcp/mcptest/faulty")
		cmd.Stderr = os.Stderr
		built.err = cmd.Run()
	})
	if built.err != nil {
		t.Fatalf("building the faulty server: %v", built.err)
	}
	return built.path
}

// Run runs a package's tests and removes what Build left.
func Run(m *testing.M) int {
	defer func() {
		if built.dir != "" {
			_ = os.RemoveAll(built.dir)
		}
	}()
	return m.Run()
}
