package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

const (
	bashTimeout    = 120 * time.Second
	bashMaxTimeout = 600 * time.Second
	// bashGrace is how long a command may take to end after it was asked to.
	bashGrace = 800 * time.Millisecond
	// bashDrain is how long output is waited for once every process of the group
	// is gone; only one that left the group can still hold it.
	bashDrain = 500 * time.Millisecond
	// bashReport is how often running output is shown.
	bashReport = 100 * time.Millisecond
)

type bashTool struct{ w *world }

type bashArgs struct {
	Command        string `json:"command"`
	TimeoutSeconds int    `json:"timeout_seconds"`
}

var bashSchema = schema(`{"type":"object","properties":{"command":{"type":"string","minLength":1,"description":"The command, as for bash -c."},"timeout_seconds":{"type":"integer","minimum":1,"maximum":600,"description":"How long it may run; 120 by default."}},"required":["command"],"additionalProperties":false}`)

func (*bashTool) Name() string    { return "bash" }
func (t *bashTool) Label() string { return t.w.say(textLabelBash) }
func (*bashTool) Description() string {
	return "Run a shell command in the session's folder. Output and errors come back together, with the exit code. There is no terminal and no input. Whatever the command leaves running is ended with it. Variables that look like keys are not passed on."
}
func (*bashTool) Schema() json.RawMessage { return bashSchema }

func (t *bashTool) PermissionRequest(args []byte) permission.Request {
	var a bashArgs
	r := t.w.request(t.Name(), permission.KindBash, permission.CapabilityExec, t.Label())
	if decode(args, &a) == nil {
		r.Command = a.Command
	}
	return r
}

func (t *bashTool) Describe(args json.RawMessage) agent.Description {
	var a bashArgs
	if decode(args, &a) != nil || a.Command == "" {
		return agent.Description{Title: t.Label()}
	}
	first, rest, more := strings.Cut(strings.TrimSpace(clean(a.Command)), "\n")
	if more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return agent.Description{Title: t.w.say(textRun, first)}
}

// bashRaw is a result's structured form.
type bashRaw struct {
	ExitCode *int   `json:"exitCode,omitempty"`
	Signal   string `json:"signal,omitempty"`
	TimedOut bool   `json:"timedOut,omitempty"`
}

func (t *bashTool) Execute(ctx context.Context, args json.RawMessage, report func(agent.Progress)) (agent.Result, error) {
	var a bashArgs
	if err := decode(args, &a); err != nil {
		return agent.Result{}, err
	}
	if strings.TrimSpace(a.Command) == "" {
		return agent.Result{}, errors.New("command is empty: say what to run")
	}
	timeout := bashTimeout
	if a.TimeoutSeconds > 0 {
		timeout = min(time.Duration(a.TimeoutSeconds)*time.Second, bashMaxTimeout)
	}
	end, err := t.w.run(ctx, a.Command, timeout, report)
	if err != nil {
		return agent.Result{}, err
	}
	return end.result(timeout), nil
}

// ending is how a command ended.
type ending struct {
	output   string
	state    *os.ProcessState
	timedOut bool
}

func (e ending) result(timeout time.Duration) agent.Result {
	raw := bashRaw{TimedOut: e.timedOut}
	note := ""
	switch code := e.state.ExitCode(); {
	case e.timedOut:
		note = fmt.Sprintf("[ended: it ran longer than %s; give timeout_seconds (600 at most) when it needs more]", timeout)
	case code > 0:
		note = fmt.Sprintf("[exit code %d]", code)
		raw.ExitCode = &code
	case code == 0:
		raw.ExitCode = &code
	default:
		raw.Signal = e.state.String()
		note = "[ended by " + raw.Signal + "]"
	}
	text := strings.TrimRight(e.output, "\n")
	switch {
	case text == "" && note == "":
		text = "(no output)"
	case note != "" && text != "":
		text += "\n" + note
	case note != "":
		text = note
	}
	r := textResult(text)
	r.IsError = note != ""
	if data, err := json.Marshal(raw); err == nil {
		r.Raw = data
	}
	return r
}

// shell is the argv in front of a command.
func (w *world) shell() ([]string, error) {
	if len(w.Shell) > 0 {
		return w.Shell, nil
	}
	if p, err := exec.LookPath("bash"); err == nil {
		return []string{p, "-c"}, nil
	}
	if runtime.GOOS == "windows" {
		for _, name := range []string{"pwsh", "powershell"} {
			if p, err := exec.LookPath(name); err == nil {
				return []string{p, "-NoProfile", "-NonInteractive", "-Command"}, nil
			}
		}
	} else if p, err := exec.LookPath("sh"); err == nil {
		return []string{p, "-c"}, nil
	}
	return nil, errors.New("no shell was found on PATH: install bash")
}

// run runs a command to its end, its time-out or the end of ctx. When it returns
// every process of the command's group is gone.
func (w *world) run(ctx context.Context, command string, timeout time.Duration, report func(agent.Progress)) (ending, error) {
	argv, err := w.shell()
	if err != nil {
		return ending{}, err
	}
	cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], command)...)
	cmd.Dir = w.root
	cmd.Env = w.environ()
	// A pipe of our own: with one of exec's Wait would not return before every
	// process that inherited it is gone.
	pr, pw, err := os.Pipe()
	if err != nil {
		return ending{}, fmt.Errorf("running a command: %w", err)
	}
	defer pr.Close()
	cmd.Stdout, cmd.Stderr = pw, pw
	group := newGroup(cmd)
	err = cmd.Start()
	_ = pw.Close()
	if err != nil {
		return ending{}, fmt.Errorf("running a command in %s: %w", w.root, err)
	}
	group.started()
	defer group.close()

	out := newOutput()
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(out, pr) // ends when pr is closed at the latest
	}()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // the state says it all
	}()

	var e ending
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	tick := time.NewTicker(bashReport)
	defer tick.Stop()
	shown := int64(0)
wait:
	for {
		select {
		case <-exited:
			break wait
		case <-ctx.Done():
			break wait
		case <-timer.C:
			e.timedOut = true
			break wait
		case <-tick.C:
			if n := out.size(); n != shown {
				shown = n
				report(agent.Progress{Text: out.last()})
			}
		}
	}
	select {
	case <-exited:
	default:
		group.ask()
		grace := time.NewTimer(bashGrace)
		select {
		case <-exited:
		case <-grace.C:
		}
		grace.Stop()
	}
	// The shell may be gone and what it started not.
	group.kill()
	<-exited
	drain := time.NewTimer(bashDrain)
	select {
	case <-read:
	case <-drain.C:
		_ = pr.Close()
		<-read
	}
	drain.Stop()
	if ctx.Err() != nil {
		return ending{}, ctx.Err()
	}
	e.output, e.state = out.text(), cmd.ProcessState
	return e, nil
}
