//go:build unix

package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// npx and uvx leave grandchildren behind (claude-code#26658, #27707); stubborn
// servers held up the editor's end (vscode-languageserver-node#597).
func TestNothingIsLeftWhateverEndsUs(t *testing.T) {
	for name, end := range map[string]func(*servertest.Editor, *servertest.Process){
		"exit":         func(e *servertest.Editor, _ *servertest.Process) { e.Shutdown() },
		"end of input": func(_ *servertest.Editor, p *servertest.Process) { _ = p.Stdin.Close() },
		"TERM":         func(_ *servertest.Editor, p *servertest.Process) { _ = p.Cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			w := servertest.NewWorld(t)
			w.User(servertest.Servers(servertest.M{
				"plain": servertest.Demo("docs"), "family": faulty(t, "grandchild"), "stubborn1": faulty(t, "stubborn"), "stubborn2": faulty(t, "stubborn,grandchild"),
			}))
			e, p := w.Spawn(servertest.Config{})
			var left []int
			for _, server := range []string{"plain", "family", "stubborn1", "stubborn2"} {
				left = append(left, e.AwaitState(server, wire.MCPConnected).Pid)
			}
			for _, server := range []string{"family", "stubborn2"} {
				left = append(left, grandchild(t, e, server))
			}
			for _, pid := range left {
				if !servertest.Alive(pid) {
					t.Fatalf("%d does not run to begin with", pid)
				}
			}
			begun := time.Now()
			end(e, p)
			p.Wait(t)
			took := time.Since(begun)
			t.Logf("the end took %v", took)
			if took > 9*time.Second {
				t.Errorf("the end took %v", took)
			}
			for _, pid := range left {
				if servertest.Alive(pid) {
					t.Errorf("%d is left", pid)
				}
			}
		})
	}
}

func grandchild(t *testing.T, e *servertest.Editor, server string) int {
	t.Helper()
	res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: server, Tool: "grandchild"})
	pid, err := strconv.Atoi(*res.Content[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// kill -9 of us leaves nobody: the children's input ends and the kernel tells them.
func TestKillingUsLeavesNobody(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"plain": servertest.Demo("docs"), "family": faulty(t, "grandchild"), "stubborn": faulty(t, "stubborn")}))
	e, p := w.Spawn(servertest.Config{})
	var left []int
	for _, server := range []string{"plain", "family", "stubborn"} {
		left = append(left, e.AwaitState(server, wire.MCPConnected).Pid)
	}
	left = append(left, grandchild(t, e, "family"))
	_ = p.Cmd.Process.Kill()
	p.Wait(t)
	for _, pid := range left {
		servertest.Poll(t, fmt.Sprintf("process %d to be gone", pid), func() bool { return !servertest.Alive(pid) })
	}
}

// kill -9 of the editor left orphans (vscode-languageserver-node#726): its pid is
// watched, though its end of our input stays open in another process's hands.
func TestADeadEditorEndsUs(t *testing.T) {
	editor := exec.Command("sleep", "300")
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"plain": servertest.Demo("docs")}))
	e, p := w.Spawn(servertest.Config{ProcessID: editor.Process.Pid})
	child := e.AwaitState("plain", wire.MCPConnected).Pid
	_ = editor.Process.Kill()
	_ = editor.Wait()
	if code := p.Wait(t); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if servertest.Alive(child) {
		t.Error("a child is left")
	}
}

// A pid that cannot be seen (an editor outside our container) ended the server in
// silence (vscode-languageserver-node#857).
func TestAPidThatCannotBeSeenEndsNothing(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	w := servertest.NewWorld(t)
	e, p := w.Spawn(servertest.Config{ProcessID: gone.Process.Pid})
	// The watch ticks each second; after more than one tick we still answer.
	timer := time.NewTimer(1500 * time.Millisecond)
	defer timer.Stop()
	<-timer.C
	servertest.Call(e, wire.Status, wire.Empty{})
	if !servertest.Alive(p.Pid()) {
		t.Error("it ended")
	}
}

// An editor that does not read stderr blocks nobody, and stdout carries nothing but
// the protocol, also with every message traced.
func TestAnUnreadStderrBlocksNobody(t *testing.T) {
	w := shop(t)
	cmd := exec.Command(servertest.Binary(t), "serve", "--stdio", "--trace")
	cmd.Env = w.Environ()
	r, unread, err := os.Pipe() // 64 KiB and nobody reads
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	cmd.Stderr = unread
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = unread.Close()
	e := servertest.Connect(t, in, out, servertest.Config{Folders: []string{w.Folder}})
	big := string(bytes.Repeat([]byte("x"), 1<<20))
	for i := range 20 {
		e.Notify(protocol.MethodTextDocumentDidOpen, servertest.M{"textDocument": servertest.M{
			"uri": fmt.Sprintf("file:///tmp/big%d", i), "languageId": "text", "version": 1, "text": big,
		}})
	}
	servertest.Call(e, wire.Status, wire.Empty{})
	e.Shutdown()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the end: %v", err)
		}
	case <-time.After(servertest.Patience):
		_ = cmd.Process.Kill()
		t.Fatal("it did not end")
	}
}

// Nothing listens on a port (CVE-2025-49596 and its kind).
func TestNothingListensOnAPort(t *testing.T) {
	if _, err := os.Stat("/proc/self/net/tcp"); err != nil {
		t.Skip("no /proc here")
	}
	w := shop(t)
	e, p := w.Spawn(servertest.Config{})
	ready(t, e)
	inodes := map[string]bool{}
	fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.Pid()))
	if err != nil || len(fds) == 0 {
		t.Fatalf("no descriptors of %d: %v", p.Pid(), err)
	}
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err == nil && strings.HasPrefix(target, "socket:[") {
			inodes[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		f, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", p.Pid(), table))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			if len(fields) > 9 && inodes[fields[9]] {
				t.Errorf("it has a %s socket: %s", table, lines.Text())
			}
		}
		_ = f.Close()
	}
}

// What --trace writes holds no secret (FAULTS of many).
func TestATraceOfTheRealBinaryHidesSecrets(t *testing.T) {
	w := shop(t)
	w.Env = append(w.Env, "ANTHROPIC_API_KEY=sk-planted-secret")
	w.User(servertest.M{
		"providers":   servertest.M{"p": servertest.M{"type": "openai", "base_url": "http://127.0.0.1:1", "api_key": "plain-key-of-a-file"}},
		"mcp_servers": servertest.M{"w": servertest.M{"url": "http://127.0.0.1:1/", "headers": servertest.M{"Authorization": "Bearer plain-token-of-a-file"}}},
	})
	log := filepath.Join(w.UserHome, "log")
	e, p := w.Spawn(servertest.Config{}, "--trace", "--log-file", log)
	e.AwaitState("w", wire.MCPFailed, wire.MCPReconnecting)
	e.Notify(protocol.MethodTextDocumentDidOpen, servertest.M{"textDocument": servertest.M{
		"uri": "file:///x/settings.json", "languageId": "json", "version": 1,
		"text": `{"api_key": "literal-secret", "x": "sk-planted-secret", "y": "plain-key-of-a-file", "z": "plain-token-of-a-file"}`,
	}})
	servertest.Call(e, wire.Status, wire.Empty{})
	e.Shutdown()
	p.Wait(t)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("codebot/status")) {
		t.Errorf("the trace lacks what was said:\n%s", text)
	}
	for _, secret := range []string{"sk-planted-secret", "literal-secret", "plain-key-of-a-file", "plain-token-of-a-file"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("the trace holds %q", secret)
		}
	}
	if p.Stderr() != "" {
		t.Errorf("with a log file, stderr says %q", p.Stderr())
	}
}
