//go:build unix

package mcp

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/codebot-ls/codebot-ls/mcp/mcptest"
)

// awaitGone waits until a process is no more. The dying is the system's, outside this
// process, so it can only be polled.
func awaitGone(t *testing.T, what string, pid int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		if isZombie(pid) {
			return // dead; its parent has to bury it
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s (%d) is still there", what, pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z")
}

func pidOf(t *testing.T, m *Manager, tool string) int {
	t.Helper()
	pid, err := strconv.Atoi(call(t, m, tool, `{}`))
	if err != nil || pid <= 1 {
		t.Fatalf("%s answered pid %d, %v", tool, pid, err)
	}
	return pid
}

// What npx and uvx start below them must not stay when the server goes
// (claude-code#26658).
func TestNoDescendantIsLeft(t *testing.T) {
	t.Run("stopped", func(t *testing.T) {
		m := startFaulty(t, "grandchild")
		pid, below := pidOf(t, m, "pid"), pidOf(t, m, "grandchild")
		if got := row(t, m, "s").Pid; got != pid {
			t.Errorf("the row shows pid %d, it is %d", got, pid)
		}
		got, err := m.Stop(testContext(t), "s")
		if err != nil || got.State != StateStopped {
			t.Fatalf("stop: %+v, %v", got, err)
		}
		awaitGone(t, "the server", pid)
		awaitGone(t, "its child", below)
	})
	t.Run("removed", func(t *testing.T) {
		m := startFaulty(t, "grandchild")
		pid, below := pidOf(t, m, "pid"), pidOf(t, m, "grandchild")
		m.Reconfigure(testContext(t), nil)
		awaitGone(t, "the server", pid)
		awaitGone(t, "its child", below)
	})
	t.Run("closed", func(t *testing.T) {
		m := startFaulty(t, "grandchild")
		pid, below := pidOf(t, m, "pid"), pidOf(t, m, "grandchild")
		if err := m.Close(testContext(t)); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			t.Errorf("the server (%d) outlives Close", pid)
		}
		awaitGone(t, "its child", below)
	})
	t.Run("ended by itself", func(t *testing.T) {
		m := newTestManager(t)
		m.retryBase = time.Hour
		m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, "grandchild")})
		below := pidOf(t, m, "grandchild")
		if _, err := m.CallTool(testContext(t), "s", "leave", nil, nil); err == nil {
			t.Error("the call was answered")
		}
		// The grandchild holds the pipes, yet the end is noticed.
		got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateReconnecting })
		if got.Error.ExitCode == nil || *got.Error.ExitCode != 0 {
			t.Errorf("error = %+v", got.Error)
		}
		awaitGone(t, "its child", below)
	})
}

// Servers that ignore the end of their input and TERM are killed, all of them at
// once (mcp-go#94).
func TestStubbornServersAreKilledInParallel(t *testing.T) {
	m := newTestManager(t)
	servers := make(map[string]ServerConfig)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		servers[name] = faulty(t, "stubborn")
	}
	if errs := m.StartAll(testContext(t), servers); errs != nil {
		t.Fatal(errs)
	}
	rows, _ := m.Status()
	begin := time.Now()
	if err := m.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
	for _, r := range rows {
		awaitGone(t, r.Name, r.Pid)
	}
}

// A kill -9 of ourselves leaves neither child nor grandchild (claude-code#27707).
// The test runs itself as the one that is killed.
func TestKillOfOurselvesLeavesNobody(t *testing.T) {
	if dir := os.Getenv("MCP_TEST_VICTIM"); dir != "" {
		m := NewManager(Options{Cwd: dir, Environ: os.Environ})
		m.StartAll(context.Background(), map[string]ServerConfig{
			"s": {Command: os.Getenv("MCP_TEST_SERVER"), Args: []string{"-fault", "stubborn,grandchild"}},
		})
		pids := call(t, m, "pid", `{}`) + " " + call(t, m, "grandchild", `{}`)
		if err := os.WriteFile(filepath.Join(dir, "pids.tmp"), []byte(pids), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "pids.tmp"), filepath.Join(dir, "pids")); err != nil {
			t.Fatal(err)
		}
		select {} // until killed
	}
	dir := t.TempDir()
	victim := exec.Command(os.Args[0], "-test.run=^TestKillOfOurselvesLeavesNobody$")
	victim.Env = append(os.Environ(), "MCP_TEST_VICTIM="+dir, "MCP_TEST_SERVER="+mcptest.Build(t))
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []string
	for deadline := time.Now().Add(patience); len(pids) != 2; time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(filepath.Join(dir, "pids"))
		pids = strings.Fields(string(data))
		if time.Now().After(deadline) {
			_ = victim.Process.Kill()
			t.Fatal("the victim did not start its server")
		}
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // killed, as it should be
	for i, what := range []string{"the server", "its child"} {
		pid, err := strconv.Atoi(pids[i])
		if err != nil {
			t.Fatal(err)
		}
		awaitGone(t, what, pid)
	}
}

// No goroutine outlives Close, however its server took part in the end.
func TestNoGoroutineOutlivesClose(t *testing.T) {
	others := goroutinesBut(nil)
	m := newTestManager(t)
	servers := make(map[string]ServerConfig)
	for _, fault := range []string{"ok", "noisy", "exit3", "silent", "discover-null", "discover-silent", "stubborn", "grandchild", "list-fails=99"} {
		cfg := faulty(t, fault)
		cfg.ConnectTimeoutMs = 1000
		servers[strings.ReplaceAll(fault, "=", "-")] = cfg
	}
	m.StartAll(testContext(t), servers)
	if len(goroutinesBut(others)) == 0 {
		t.Fatal("this test does not see the goroutines it is about")
	}
	if err := m.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	// Those of the SDK end a little after what they serve, so this is polled.
	deadline := time.Now().Add(patience)
	for {
		left := goroutinesBut(others)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still there: %v", slices.Collect(maps.Values(left)))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// goroutinesBut returns the stacks, by id, of goroutines of this package or the SDK
// that are not among others, less the two that live as long as the process.
func goroutinesBut(others map[string]string) map[string]string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	found := make(map[string]string)
	for _, g := range strings.Split(string(buf), "\n\n") {
		id, _, _ := strings.Cut(strings.TrimPrefix(g, "goroutine "), " ")
		ours := strings.Contains(g, "codebot-ls/mcp.") || strings.Contains(g, "go-sdk/")
		forever := strings.Contains(g, "guardian") || strings.Contains(g, "mcp.init.func")
		if ours && !forever && others[id] == "" && !strings.Contains(g, "testing.") {
			found[id] = g
		}
	}
	return found
}

// A server runs in the folder of its entry, with the variables of its entry and
// few others (claude-code#17565).
func TestChildRunsWhereAndWithWhatItsEntrySays(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_API_KEY", "sk-not-for-children")
	t.Setenv("FOR_CHILD", "named by env_from")
	m := newTestManager(t, func(o *Options) { o.Cwd = dir })
	cfg := faulty(t, "ok")
	cfg.Env = map[string]string{"OWN": "from ${FOR_CHILD}"}
	cfg.EnvFrom = []string{"FOR_CHILD"}
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": cfg}); errs != nil {
		t.Fatal(errs)
	}
	if got := call(t, m, "cwd", `{}`); got != dir {
		t.Errorf("cwd = %s, want %s", got, dir)
	}
	for name, want := range map[string]string{
		"OWN": "true from named by env_from", "FOR_CHILD": "true named by env_from", "OPENAI_API_KEY": "false ",
	} {
		if got := call(t, m, "env", `{"name":"`+name+`"}`); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A relative command with a separator is found under the folder it runs in
// (vscode#331302).
func TestRelativeCommandIsUnderItsFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(mcptest.Build(t), filepath.Join(dir, "sub", "srv")); err != nil {
		t.Fatal(err)
	}
	m := newTestManager(t, func(o *Options) { o.Scope, o.Folder, o.Cwd = ScopeProject, dir, dir })
	origin := Origin{Scope: ScopeProject, Approved: true}
	errs := m.StartAll(testContext(t), map[string]ServerConfig{
		"s": {Command: "./sub/srv", Origin: origin},
		"t": {Command: "./srv", Cwd: "sub", Origin: origin},
	})
	if errs != nil {
		t.Fatal(errs)
	}
}
