//go:build unix

package loginshell

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// shell is the user's, as the session says; "" for none.
func (s *Shell) shell() string {
	shell := s.value("SHELL")
	if shell == "" && runtime.GOOS == "darwin" {
		shell = "/bin/zsh" // what a Mac gives to everybody
	}
	if !filepath.IsAbs(shell) {
		return ""
	}
	return shell
}

// run returns what the shell wrote to stdout. It has a session of its own, so that an
// interactive one does not reach for the terminal of ours, and nothing of it is left.
func run(ctx context.Context, shell string, args, environ []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, shell, args...)
	cmd.Env = append(environ[:len(environ):len(environ)], "CODEBOT_RESOLVING_PATH=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = 200 * time.Millisecond
	var out bounded
	cmd.Stdout = &out
	err := cmd.Run()
	if cmd.Process != nil {
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // what it left in the background
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", shell, err)
	}
	return out.Bytes(), err
}
