package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp/demo"
	"github.com/codebot-ls/codebot-ls/mcp/mcptest"
	"github.com/codebot-ls/codebot-ls/server"
)

// demoVariable makes a test binary a demo MCP server; see Main.
const demoVariable = "CODEBOT_TEST_DEMO_SERVER"

// Main is a TestMain that can also be a demo server, so that tests have real MCP
// servers on stdio without building anything.
func Main(m *testing.M) {
	if name := os.Getenv(demoVariable); name != "" {
		if err := demo.Serve(context.Background(), name, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(mcptest.Run(m))
}

// World is a machine of its own for one test: a home, a ~/.codebot, a folder.
type World struct {
	t testing.TB
	// UserHome, Home (its .codebot) and Folder are absolute, links resolved.
	UserHome, Home, Folder string
	// Env is added to the environment of what is started.
	Env []string
}

// NewWorld makes an empty world; its folder is named "shop".
func NewWorld(t testing.TB) *World {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &World{t: t, UserHome: filepath.Join(base, "home"), Home: filepath.Join(base, "home", ".codebot"), Folder: filepath.Join(base, "work", "shop")}
	for _, dir := range []string{w.Home, w.Folder} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// Environ is the environment of what runs in the world.
func (w *World) Environ() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.UserHome, "CODEBOT_HOME=" + w.Home, "LANG=C.UTF-8",
		"CODEBOT_KEYCHAIN=off",
		"CODEBOT_LOCAL_MODELS=off", // a developer's own model server is none of a test's
	}, w.Env...)
}

// Write writes a file below the world's folder.
func (w *World) Write(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.Folder, filepath.FromSlash(name))
	WriteFile(w.t, path, text)
	return path
}

// User writes the user's settings.
func (w *World) User(settings any) string {
	w.t.Helper()
	path := filepath.Join(w.Home, "settings.json")
	WriteFile(w.t, path, settingsText(w.t, settings))
	return path
}

// Project writes the folder's settings.
func (w *World) Project(settings any) string {
	w.t.Helper()
	return w.Write(".codebot/settings.json", settingsText(w.t, settings))
}

func settingsText(t testing.TB, settings any) string {
	t.Helper()
	if s, ok := settings.(string); ok {
		return s
	}
	raw, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// WriteFile writes a file and the folders above it.
func WriteFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// M is a JSON object in a test.
type M = map[string]any

// Servers are settings with these MCP servers.
func Servers(servers M) M { return M{"mcp_servers": servers} }

// Demo is the entry of a demo server, as a real child on stdio.
func Demo(name string) M {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return M{"command": exe, "env": M{demoVariable: name}, "trust_annotations": true}
}

// Start runs a server in this process, over pipes with the real encoding.
func (w *World) Start(config Config) *Editor {
	w.t.Helper()
	if config.Folders == nil {
		config.Folders = []string{w.Folder}
	}
	in, out := w.Serve()
	return Connect(w.t, in, out, config)
}

// Serve starts a server in this process and gives its two ends; it is ended with the test.
func (w *World) Serve() (io.Writer, io.Reader) {
	w.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var log lockedBuffer
	done := make(chan int, 1)
	go func() {
		done <- server.Serve(context.Background(), server.Options{
			In: inR, Out: outW, Version: "test", Environ: w.Environ(),
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		_ = outW.Close()
	}()
	w.t.Cleanup(func() {
		_ = inW.Close()
		// Whatever is still said is read, so that nothing waits for us.
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		select {
		case <-done:
		case <-time.After(Patience):
			w.t.Error("the server did not end with its input")
		}
		if w.t.Failed() {
			w.t.Log(log.String())
		}
	})
	return inW, outR
}

// Process is a real codebot-ls.
type Process struct {
	Cmd    *exec.Cmd
	Stdin  io.WriteCloser
	stderr *lockedBuffer
	exited chan struct{}
}

// Pid of the process.
func (p *Process) Pid() int { return p.Cmd.Process.Pid }

// Stderr is what it wrote to stderr so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Wait waits for the end and returns the exit code, -1 when a signal ended it.
func (p *Process) Wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.exited:
		return p.Cmd.ProcessState.ExitCode()
	case <-time.After(Patience):
		t.Fatalf("codebot-ls did not end within %v; stderr:\n%s", Patience, p.Stderr())
		return 0
	}
}

// Spawn runs the real binary over real pipes.
func (w *World) Spawn(config Config, args ...string) (*Editor, *Process) {
	w.t.Helper()
	if config.Folders == nil {
		config.Folders = []string{w.Folder}
	}
	cmd := exec.Command(Binary(w.t), args...)
	cmd.Env, cmd.Dir = w.Environ(), w.UserHome
	p := &Process{Cmd: cmd, stderr: &lockedBuffer{}, exited: make(chan struct{})}
	cmd.Stderr = p.stderr
	var err error
	if p.Stdin, err = cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	// Not StdoutPipe: Wait would close it under the reader.
	outR, outW, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stdout = outW
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	_ = outW.Close()
	go func() {
		_ = cmd.Wait()
		close(p.exited)
	}()
	w.t.Cleanup(func() {
		_ = p.Stdin.Close()
		select {
		case <-p.exited:
		case <-time.After(Patience):
			_ = cmd.Process.Kill()
			w.t.Error("codebot-ls did not end with its input")
		}
		_ = outR.Close()
		if w.t.Failed() {
			w.t.Log(p.Stderr())
		}
	})
	return Connect(w.t, p.Stdin, outR, config), p
}

var binary struct {
	once sync.Once
	path string
	err  error
}

// Binary builds codebot-ls, once for all tests of a package, or takes the one that
// CODEBOT_TEST_BINARY names.
func Binary(t testing.TB) string {
	t.Helper()
	binary.once.Do(func() {
		if path := os.Getenv("CODEBOT_TEST_BINARY"); path != "" {
			binary.path = path
			return
		}
		dir, err := os.MkdirTemp("", "codebot-ls-test")
		if err != nil {
			binary.err = err
			return
		}
		binary.path = filepath.Join(dir, "codebot-ls")
		out, err := exec.Command("go", "build", "-o", binary.path, "github.com/codebot-ls/codebot-ls/cmd/codebot-ls").CombinedOutput()
		if err != nil {
			binary.err = fmt.Errorf("building codebot-ls: %w\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

// NPM returns the entry of an npm MCP server of the lock file beside this package,
// or skips the test when `make test` has not installed them.
func NPM(t testing.TB, script string, args ...string) M {
	t.Helper()
	modules := os.Getenv("CODEBOT_TEST_NPM")
	if modules == "" {
		t.Skip("the npm MCP servers are not installed: run the tests by `make test`")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	path := filepath.Join(modules, filepath.FromSlash(script))
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return M{"command": node, "args": append([]string{path}, args...)}
}

// Poll waits for something outside our process that tells nobody: the end of a
// process, a file.
func Poll(t testing.TB, what string, met func() bool) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !met() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for: %s", Patience, what)
		}
		<-tick.C
	}
}

// IsExist reports whether a file exists.
func IsExist(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// lockedBuffer is a buffer that one goroutine writes and another reads.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.ToValidUTF8(b.buf.String(), "?")
}

// Text is settings as they stand in a file.
func (w *World) Text(settings any) string { return settingsText(w.t, settings) }
