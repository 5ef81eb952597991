//go:build unix

package loginshell

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// home makes a home folder whose shells start with the text.
func home(t *testing.T, startup string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{".bash_profile", ".profile", ".zshrc", ".cshrc"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(startup), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func shellIn(dir, shell string, wait time.Duration) *Shell {
	return &Shell{Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "SHELL=" + shell}, Patience: wait}
}

// An editor from the desktop has a short PATH; the user's shell knows the whole one, and
// says what it likes around it (modelcontextprotocol/servers#1332).
func TestTheLoginShellKnowsTheWholePath(t *testing.T) {
	dir := home(t, "echo Welcome back\nexport PATH=\"$HOME/tools bin:$PATH\"\necho $PATH\necho done >&2\n")
	tried := 0
	for _, shell := range []string{"/bin/bash", "/bin/sh", "/bin/zsh"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		tried++
		path, err := shellIn(dir, shell, 0).Path(t.Context())
		if err != nil || !strings.HasPrefix(path, dir+"/tools bin:/") || strings.Contains(path, "Welcome") {
			t.Errorf("%s says %q, %v", shell, path, err)
		}
	}
	if tried == 0 {
		t.Fatal("no shell was there to ask")
	}
}

// A start-up file that waits for somebody is not waited for, and nothing of it is left.
func TestAStartupFileThatHangsIsGivenUp(t *testing.T) {
	dir := home(t, "echo $$ > $HOME/pid\nsleep 300\n")
	s := shellIn(dir, "/bin/bash", 300*time.Millisecond)
	begin := time.Now()
	if path, err := s.Path(t.Context()); path != "" || err == nil {
		t.Errorf("it says %q, %v", path, err)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("that took %v", took)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); syscall.Kill(-pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the shell, or its sleep, is still there")
		}
	}
	begin = time.Now()
	if _, err := s.Path(t.Context()); err == nil || time.Since(begin) > 100*time.Millisecond {
		t.Errorf("asked again: %v after %v", err, time.Since(begin))
	}
}

// It is asked once, however many want to know; who gives up asking does not decide for
// the others.
func TestTheShellIsAskedOnce(t *testing.T) {
	dir := home(t, "echo x >> $HOME/asked\nexport PATH=/there:$PATH\n")
	s := shellIn(dir, "/bin/bash", 0)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if path, err := s.Path(gone); path != "" || err == nil {
		t.Errorf("for somebody who has gone: %q, %v", path, err)
	}
	_ = os.Remove(filepath.Join(dir, "asked"))
	for range 3 {
		if path, err := s.Path(t.Context()); err != nil || !strings.HasPrefix(path, "/there:/") {
			t.Errorf("%q, %v", path, err)
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "asked")); err != nil || string(raw) != "x\n" {
		t.Errorf("asked %q, %v", raw, err)
	}
}

// No shell, one that is no path and one that is not there are no PATH, and no wait.
func TestNoShellIsNoPath(t *testing.T) {
	dir := t.TempDir()
	for _, shell := range []string{"", "bash", "/nowhere/sh", "/bin/false"} {
		if path, _ := shellIn(dir, shell, 0).Path(t.Context()); path != "" && shell != "" {
			t.Errorf("%q says %q", shell, path)
		}
	}
}
