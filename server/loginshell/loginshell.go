// Package loginshell asks the user's login shell where programs are. An editor that was
// started from a desktop has the PATH of the desktop, which lacks what the user's shell
// puts there: the npx of nvm, uvx, a Homebrew (modelcontextprotocol/servers#1332).
package loginshell

import (
	"bytes"
	"context"
	"crypto/rand"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// patience bounds the shell: a start-up file may wait for somebody who is not there.
	patience = 5 * time.Second
	// maxOutput bounds what is read of it, in bytes.
	maxOutput = 1 << 20
)

// Shell is the user's login shell. It is asked once, when it is first needed. It is safe
// for concurrent use.
type Shell struct {
	// Environ is the environment to ask it in.
	Environ []string
	// Patience is how long it has, 0 for five seconds.
	Patience time.Duration

	asked sync.Mutex
	done  bool   // guarded by asked
	path  string // guarded by asked
	err   error  // guarded by asked
}

// Path returns the PATH that the login shell exports, empty where there is no such shell
// or it does not say. The error is that of the one time it was asked, once a ctx did not
// end first.
func (s *Shell) Path(ctx context.Context) (string, error) {
	s.asked.Lock()
	defer s.asked.Unlock()
	if s.done {
		return s.path, s.err
	}
	path, err := s.ask(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	s.path, s.err, s.done = path, err, true
	return path, err
}

func (s *Shell) ask(ctx context.Context) (string, error) {
	shell := s.shell()
	if shell == "" {
		return "", nil
	}
	wait := s.Patience
	if wait == 0 {
		wait = patience
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	// Start-up files print what they like, so the answer stands between marks.
	mark := rand.Text()
	out, err := run(ctx, shell, arguments(shell, "echo "+mark+"; printenv PATH; echo "+mark), s.Environ)
	if path, ok := between(out, mark); ok {
		return path, nil // whatever else happened
	}
	return "", err
}

// arguments makes a login shell, an interactive one, of most: that is where people put
// their PATH, and a shell knows no better way to ask for both.
func arguments(shell, command string) []string {
	switch filepath.Base(shell) {
	case "csh", "tcsh": // -l goes with nothing else there
		return []string{"-ic", command}
	case "dash", "sh", "ash": // there -i would want a terminal
		return []string{"-l", "-c", command}
	}
	return []string{"-l", "-i", "-c", command}
}

func between(out []byte, mark string) (string, bool) {
	_, rest, ok := bytes.Cut(out, []byte(mark))
	if !ok {
		return "", false
	}
	path, _, ok := bytes.Cut(rest, []byte(mark))
	text := strings.TrimSpace(string(path))
	return text, ok && text != "" && !strings.ContainsAny(text, "\n\r\x00")
}

func (s *Shell) value(name string) string {
	for i := len(s.Environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(s.Environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// bounded keeps the beginning of what is written.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxOutput - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
