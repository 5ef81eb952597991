package mcp

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp/mcptest"
	"github.com/codebot-ls/codebot-ls/session/agent"
)

func TestMain(m *testing.M) { os.Exit(mcptest.Run(m)) }

// patience bounds every wait of the tests; it is never reached when all is well.
const patience = 30 * time.Second

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// newTestManager makes a manager with the environment of the test that probes for
// a moment only.
func newTestManager(t testing.TB, change ...func(*Options)) *Manager {
	t.Helper()
	o := Options{Scope: ScopeUser, Cwd: t.TempDir(), Home: t.TempDir(), LookupEnv: os.LookupEnv, Environ: os.Environ, ClientVersion: "test"}
	for _, f := range change {
		f(&o)
	}
	m := NewManager(o)
	m.probe = 300 * time.Millisecond
	m.retryBase = 20 * time.Millisecond
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Errorf("closing the manager: %v", err)
		}
	})
	return m
}

// faulty is the entry of a server that does one thing wrong.
func faulty(t testing.TB, fault string) ServerConfig {
	t.Helper()
	return ServerConfig{Command: mcptest.Build(t), Args: []string{"-fault", fault}}
}

// startFaulty runs one such server, named "s", until it has settled.
func startFaulty(t testing.TB, fault string) *Manager {
	t.Helper()
	m := newTestManager(t)
	m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, fault)})
	return m
}

func row(t testing.TB, m *Manager, name string) ServerStatus {
	t.Helper()
	rows, _ := m.Status()
	for _, r := range rows {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no row for %s in %v", name, rows)
	return ServerStatus{}
}

// awaitStatus waits until the row of a server is as it should be.
func awaitStatus(t testing.TB, m *Manager, name string, ok func(ServerStatus) bool) ServerStatus {
	t.Helper()
	var last ServerStatus
	err := m.await(testContext(t), func() bool {
		e := m.entries[name]
		if e == nil {
			return false
		}
		last = e.status
		return ok(last)
	})
	if err != nil {
		t.Fatalf("%s did not get there: %v; it is %+v", name, err, last)
	}
	return last
}

// call makes a person's call and returns its text.
func call(t testing.TB, m *Manager, tool, args string) string {
	t.Helper()
	res, err := m.CallTool(testContext(t), "s", tool, json.RawMessage(args), nil)
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	return textOf(res.Content)
}

func textOf(content []agent.Content) string {
	var b strings.Builder
	for _, c := range content {
		b.WriteString(c.Text)
	}
	return b.String()
}

func toolNames(tools []agent.Tool) []string {
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		names = append(names, t.Name())
	}
	return names
}

func logText(t testing.TB, m *Manager, source LogSource) string {
	t.Helper()
	entries, err := m.Logs("s", 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		if e.Source == source {
			b.WriteString(e.Text + "\n")
		}
	}
	return b.String()
}
