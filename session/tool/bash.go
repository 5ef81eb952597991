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
	"github.com/codebot-ls/codebot-ls/session/proc"
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
	Background     bool   `json:"background"`
}

var bashSchema = schema(`{"type":"object","properties":{"command":{"type":"string","minLength":1,"description":"The command, as for bash -c."},"timeout_seconds":{"type":"integer","minimum":1,"maximum":600,"description":"How long it may run; 120 by default. Not for the background."},"background":{"type":"boolean","description":"Let it run on and answer at once: for servers, watchers and long builds. bash_output reads what it prints, bash_stop ends it."}},"required":["command"],"additionalProperties":false}`)

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
	title := textRun
	if a.Background {
		title = textRunOn
	}
	return agent.Description{Title: t.w.say(title, oneLine(a.Command))}
}

// oneLine is the first line of a command, marked where there are more.
func oneLine(command string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(clean(command)), "\n")
	if more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return first
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
	if a.Background {
		return t.background(ctx, a.Command)
	}
	timeout := bashTimeout
	if a.TimeoutSeconds > 0 {
		timeout = min(time.Duration(a.TimeoutSeconds)*time.Second, bashMaxTimeout)
	}
	end, err := t.w.run(ctx, a.Command, timeout, report)
	if err != nil {
		return agent.Result{}, err
	}
	return t.w.Jobs.withNews(end.result(timeout)), nil
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
		note = fmt.Sprintf("[ended: it ran longer than %s; give timeout_seconds (600 at most) when it needs more, or run it in the background]", timeout)
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

// command is one that runs.
type command struct {
	cmd    *exec.Cmd
	group  *proc.Group
	out    *output
	begun  time.Time
	pipe   *os.File
	exited chan struct{} // closed once it was waited for and its group is gone
	read   chan struct{} // closed once its output has ended
}

// start starts a command that writes to out. It must be ended by end.
func (w *world) start(line string, out *output) (*command, error) {
	argv, err := w.shell()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], line)...)
	cmd.Dir = w.root
	cmd.Env = w.environ()
	// A pipe of our own: with one of exec's Wait would not return before every
	// process that inherited it is gone.
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("running a command: %w", err)
	}
	cmd.Stdout, cmd.Stderr = pw, pw
	group, err := proc.Start(cmd, proc.Options{NoTerminal: true, Hold: true, Grace: bashGrace})
	_ = pw.Close()
	if err != nil {
		_ = pr.Close()
		return nil, fmt.Errorf("running a command in %s: %w", w.root, err)
	}
	c := &command{
		cmd: cmd, group: group, out: out, begun: time.Now(), pipe: pr,
		exited: make(chan struct{}), read: make(chan struct{}),
	}
	go func() {
		defer close(c.read)
		_, _ = io.Copy(c.out, pr) // ends when pr is closed at the latest
	}()
	go func() {
		defer close(c.exited)
		group.Wait() // what the shell started goes with it
	}()
	return c, nil
}

// stop ends a command that still runs, first by asking, and returns when every process of
// its group is gone.
func (c *command) stop() {
	select {
	case <-c.exited:
		return
	default:
	}
	c.group.Terminate()
	grace := time.NewTimer(bashGrace)
	defer grace.Stop()
	select {
	case <-c.exited:
	case <-grace.C:
		c.group.Kill()
		<-c.exited
	}
}

// end stops a command. When it returns its output is there.
func (c *command) end() ending {
	c.stop()
	drain := time.NewTimer(bashDrain)
	defer drain.Stop()
	select {
	case <-c.read:
	case <-drain.C:
	}
	_ = c.pipe.Close()
	<-c.read
	return ending{state: c.cmd.ProcessState}
}

// follow reports what a command prints until something happens: it ends, the time is over,
// or ctx ends. It says whether the time was over.
func (c *command) follow(ctx context.Context, timeout time.Duration, report func(agent.Progress)) (timedOut bool) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	tick := time.NewTicker(bashReport)
	defer tick.Stop()
	shown := int64(0)
	for {
		select {
		case <-c.exited:
			return false
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-tick.C:
			if n := c.out.size(); n != shown {
				shown = n
				report(agent.Progress{Text: c.out.last()})
			}
		}
	}
}

// run runs a command to its end, its time-out or the end of ctx. When it returns
// every process of the command's group is gone.
func (w *world) run(ctx context.Context, line string, timeout time.Duration, report func(agent.Progress)) (ending, error) {
	c, err := w.start(line, newOutput())
	if err != nil {
		return ending{}, err
	}
	timedOut := c.follow(ctx, timeout, report)
	e := c.end()
	if ctx.Err() != nil {
		return ending{}, ctx.Err()
	}
	e.output, e.timedOut = c.out.text(), timedOut
	return e, nil
}
