package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// leavers are commands that leave something running outside their process group, whose
// number they write to the file pid.
var leavers = map[string]string{
	"setsid":         `setsid sh -c 'echo $$ >pid; exec sleep 600' &`,
	"nohup":          `nohup sh -c 'echo $$ >pid; exec sleep 600' >/dev/null 2>&1 & disown`,
	"a double fork":  `(setsid sh -c '(trap "" HUP TERM; sh -c "echo \$\$ >pid; exec sleep 600" &) ' &)`,
	"one that stays": `setsid sh -c 'trap "" TERM HUP; echo $$ >pid; while :; do sleep 1; done' &`,
}

// up waits until a leaver has written its number whole.
const up = "\nuntil [ -s pid ]; do sleep 0.01; done\n"

// A command that gave what it started a session of its own left it behind, beyond the end of
// the command, of the session and of ours.
func TestBashEndsWhatLeftItsGroup(t *testing.T) {
	for name, leave := range leavers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("ended", func(t *testing.T) {
				b := newBench(t)
				if got := b.must("bash", m{"command": leave + up + "echo done"}); got != "done" {
					t.Errorf("%q", got)
				}
				gone(t, filepath.Join(b.root, "pid"))
			})
			t.Run("timed out", func(t *testing.T) {
				b := newBench(t)
				b.must("bash", m{"command": leave + up + "sleep 600", "timeout_seconds": 3})
				gone(t, filepath.Join(b.root, "pid"))
			})
			t.Run("cancelled", func(t *testing.T) {
				b := newBench(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				args := []byte(fmt.Sprintf(`{"command":%q}`, leave+up+"echo up; sleep 600"))
				_, err := b.tools["bash"].Execute(ctx, args, func(p agent.Progress) {
					if strings.Contains(p.Text, "up") {
						cancel()
					}
				})
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				gone(t, filepath.Join(b.root, "pid"))
			})
			t.Run("as a job", func(t *testing.T) {
				b := newBench(t)
				command := leave + up + "echo up; sleep 600"
				b.starts(1, command, "up")
				data, err := os.ReadFile(filepath.Join(b.root, "pid"))
				if err != nil {
					t.Fatal(err)
				}
				if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err != nil || !alive(pid) {
					t.Fatalf("it does not run to begin with: %q", data)
				}
				b.does("bash_stop", m{"job": 1})
				gone(t, filepath.Join(b.root, "pid"))

				if err := os.Remove(filepath.Join(b.root, "pid")); err != nil {
					t.Fatal(err)
				}
				b.starts(2, command, "up")
				b.jobs.Close()
				gone(t, filepath.Join(b.root, "pid"))
			})
		})
	}
}

// Two commands at a time end each their own.
func TestBashEndsNothingOfAnotherCommand(t *testing.T) {
	b := newBench(t)
	b.starts(1, leavers["setsid"]+up+"echo up; sleep 600", "up")
	b.must("bash", m{"command": "setsid sleep 600 & echo done"})
	data, err := os.ReadFile(filepath.Join(b.root, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err != nil || !alive(pid) {
		t.Errorf("%q was ended with another command", data)
	}
}
