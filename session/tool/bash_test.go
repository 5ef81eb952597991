//go:build unix

package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

func TestBash(t *testing.T) {
	b := newBench(t, func(e *Env) {
		e.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=/h", "ANTHROPIC_API_KEY=s1", "GH_TOKEN=s2", "MY_SECRET_X=s3", "OPENAI_BASE_URL=s4", "EDITOR=vi"}
	})
	for _, tt := range []struct {
		cmd, want string
		isError   bool
	}{
		{"echo hi; echo err >&2", "hi\nerr", false},
		{"pwd", b.root, false},
		{"true", "(no output)", false},
		{"echo x; exit 3", "x\n[exit code 3]", true},
		{"exit 4", "[exit code 4]", true},
		{"kill -9 $$", "[ended by signal: killed]", true},
		{"echo $EDITOR$ANTHROPIC_API_KEY$GH_TOKEN$MY_SECRET_X$OPENAI_BASE_URL", "vi", false},
		{"cat", "(no output)", false}, // there is no input to wait for
		{`printf '\033[31mred\033[0m\007\n1%%\r2%%\r3%%\n'`, "red\n3%", false},
		{`printf '\xff\n'`, "\uFFFD", false},
	} {
		r, err := b.call("bash", m{"command": tt.cmd})
		if err != nil || text(r) != tt.want || r.IsError != tt.isError {
			t.Errorf("%q: %q, error %v, %v", tt.cmd, text(r), r.IsError, err)
		}
	}
	r, err := b.call("bash", m{"command": "exit 7"})
	if err != nil || string(r.Raw) != `{"exitCode":7}` {
		t.Errorf("%s, %v", r.Raw, err)
	}
	b.fails("bash", m{"command": " "}, "empty")
}

func TestBashOutputIsBounded(t *testing.T) {
	o := &output{limitHead: 10, limitTail: 20}
	for i := range 1000 {
		_, _ = o.Write([]byte("line " + strconv.Itoa(i) + "\n"))
	}
	got := o.text()
	if !strings.HasPrefix(got, "line 0\nlin\n[") || !strings.HasSuffix(got, "line 998\nline 999\n") || !strings.Contains(got, "bytes left out]") || len(o.tail) > 60 {
		t.Errorf("%q, tail %d", got, len(o.tail))
	}
	b := newBench(t)
	r, err := b.call("bash", m{"command": "yes 0123456789 | head -c 5000000"})
	if err != nil || len(text(r)) > outputHead+outputTail+100 || !strings.Contains(text(r), "bytes left out") {
		t.Errorf("%d bytes, %v", len(text(r)), err)
	}
}

func TestBashStreams(t *testing.T) {
	b := newBench(t)
	fifo := filepath.Join(b.root, "go-on")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	// The command ends only after its first output was reported.
	r, err := b.tools["bash"].Execute(t.Context(), json.RawMessage(`{"command":"echo first; cat go-on; echo last","timeout_seconds":60}`), func(p agent.Progress) {
		if strings.Contains(p.Text, "first") {
			once.Do(func() {
				if err := os.WriteFile(fifo, []byte("middle\n"), 0o600); err != nil {
					t.Error(err)
				}
			})
		}
	})
	if err != nil || text(r) != "first\nmiddle\nlast" {
		t.Errorf("%q, %v", text(r), err)
	}
}

// alive reports whether a process is there and not only waiting to be reaped.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || !hasProc()
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func hasProc() bool { _, err := os.Stat("/proc/self/stat"); return err == nil }

// gone waits for a process of another program to go away.
func gone(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// claude-code#26658, golang/go#23019: grandchildren outlived the call and held
// its pipe.
func TestBashLeavesNoProcessBehind(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.root, "pid")
	start := time.Now()
	if got := b.must("bash", m{"command": "sleep 300 & echo $! > pid; echo done"}); got != "done" {
		t.Errorf("%q", got)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("waited %s for a background process", d)
	}
	gone(t, file)
}

func TestBashTimeoutEndsEverything(t *testing.T) {
	b := newBench(t)
	r, err := b.call("bash", m{"command": "trap '' TERM; (trap '' TERM; sleep 300) & echo $! > pid; echo before; sleep 300", "timeout_seconds": 1})
	if err != nil || !r.IsError || !strings.HasPrefix(text(r), "before\n[ended: it ran longer than 1s") {
		t.Errorf("%q, %v", text(r), err)
	}
	gone(t, filepath.Join(b.root, "pid"))
}

func TestBashEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := b.tools["bash"].Execute(ctx, json.RawMessage(`{"command":"sleep 300 & echo $! > pid; echo up; wait"}`), func(p agent.Progress) {
		if strings.Contains(p.Text, "up") {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	gone(t, filepath.Join(b.root, "pid"))
}

// tidy is a server that puts its things away when it is asked to end.
const tidy = "trap 'sleep 0.1; echo tidy >tidied; exit 0' TERM\necho up >up\nwhile :; do sleep 0.05; done\n"

// What a shell runs is not killed because the shell went first, nor what it left behind
// when it was done: a server that is asked to end may put its things away.
func TestWhatACommandStartedMayPutItsThingsAway(t *testing.T) {
	start := map[string]string{"the same group": "sh server.sh"}
	if _, err := exec.LookPath("setsid"); err == nil && hasProc() {
		start["another session"] = "setsid sh server.sh"
	}
	for name, start := range start {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.put("server.sh", tidy)
			b.starts(1, start+" & until [ -s up ]; do sleep 0.01; done; echo it is up; wait; true", "it is up")
			begun := time.Now()
			b.does("bash_stop", m{"job": 1})
			if b.get("tidied") != "tidy\n" {
				t.Error("it was killed at once")
			}
			if took := time.Since(begun); took > bashGrace+bashDrain+2*time.Second {
				t.Errorf("the end took %v", took)
			}

			b = newBench(t)
			b.put("server.sh", tidy)
			b.must("bash", m{"command": start + " & until [ -s up ]; do sleep 0.01; done"})
			if b.get("tidied") != "tidy\n" {
				t.Error("it was killed when the command was done")
			}
		})
	}
}
