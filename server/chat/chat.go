// Package chat is the editor behind `codebot-ls chat`: it drives a server over the
// real protocol from a terminal, shows what the server tells it and asks the person
// what the server asks. It is a client like any other and knows nothing of a server
// but its messages.
package chat

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Options says what to chat with and how. Serve, Out and Dir must be set.
type Options struct {
	// Serve is the server at the other end of a pair of pipes. It returns when in
	// has ended or the client has sent "exit".
	Serve func(ctx context.Context, in io.Reader, out io.Writer) error
	// Dir is the folder to work in, an absolute path.
	Dir string
	// Version of this program, for the server's log.
	Version string
	// Locale is the language of the texts, as in initialize; "" is English, and of what
	// the server says its own choice.
	Locale string

	// Prompt is run once; without it prompts are lines of In, until "q", an empty
	// line or the end.
	Prompt string
	// Model and Mode of the session; "" is that of the settings.
	Model, Mode string
	// Yes answers every question with "allow once".
	Yes bool
	// NoWait starts a prompt that nobody typed just now at once, instead of giving the
	// MCP servers SettleTime to come up.
	NoWait bool
	// SettleTime bounds that wait; 0 means 10 seconds.
	SettleTime time.Duration

	In io.Reader
	// Interactive says that a person is at In and Out; without one, questions are
	// answered with no.
	Interactive bool
	// Color allows escape sequences on Out.
	Color bool
	Out   io.Writer
	// Interrupts, when not nil, delivers a value for each Ctrl-C.
	Interrupts <-chan os.Signal
}

// Exit codes of Run.
const (
	exitOK          = 0
	exitFailed      = 1
	exitInterrupted = 130
)

// exitTimeout bounds how long the server gets to end after "exit": it has
// children to stop.
const exitTimeout = 10 * time.Second

// Run chats until the prompt is answered, the lines end, or ctx does, and returns
// the exit code of the process. When it returns, the server has ended.
func Run(ctx context.Context, o Options) int {
	s := &screen{out: o.Out, lang: lang.Of(o.Locale), color: o.Color}
	c, err := dial(ctx, o.Serve)
	if err != nil {
		s.failure(err)
		return exitFailed
	}
	code, err := (&chat{Options: o, client: c, screen: s, findings: findings{}}).run(ctx)
	if err != nil {
		s.failure(err)
	}
	closed := c.close()
	if closed == nil {
		return code
	}
	// How the server ended after a failure is a consequence, not news.
	if err == nil {
		s.failure(closed)
	}
	return max(code, exitFailed)
}

// chat is one run: the only owner of the screen and of the lines.
type chat struct {
	Options
	client *client
	screen *screen

	session  string
	servers  servers
	findings findings
	// introduced says that the server has told how it is, and so what is wrong with
	// the settings, which it tells before.
	introduced bool
	// settling keeps changes of servers off the screen.
	settling bool
	calls    calls
	lines    <-chan string // nil when prompts and answers do not come from In
	// open is the question that waits for a line, nil when none does.
	open *question
}

// errInterrupted ends a run because the person asked for it.
var errInterrupted = lang.Errorf(zh, textInterrupted)

func (c *chat) run(ctx context.Context) (int, error) {
	if err := c.begin(ctx); err != nil {
		return exitFailed, err
	}
	if c.Prompt == "" || c.Interactive {
		c.lines = readLines(c.In)
	}
	if c.Prompt != "" {
		return c.once(ctx)
	}
	return c.converse(ctx)
}

// begin initializes the server and starts a session.
func (c *chat) begin(ctx context.Context) error {
	if err := c.client.initialize(ctx, c.Dir, c.Version, c.Locale); err != nil {
		return lang.Errorf(zh, textStartingServer, err)
	}
	var status wire.MCPStatusResult
	if err := c.client.call(ctx, wire.MCPStatus.Name, wire.Empty{}, &status); err != nil {
		return lang.Errorf(zh, textAskingServers, err)
	}
	c.servers.reset(status.Servers, status.Totals)
	var session wire.SessionNewResult
	params := wire.SessionNewParams{Cwd: c.Dir, Model: c.Model, Mode: c.Mode}
	if err := c.client.call(ctx, wire.SessionNew.Name, params, &session); err != nil {
		return lang.Errorf(zh, textStartingSession, err)
	}
	c.session = session.SessionID
	c.screen.note(textSession, session.Model, session.Mode, session.Cwd)
	c.meet(ctx)
	return nil
}

// introductionPatience bounds the wait for what the server tells of itself.
const introductionPatience = 2 * time.Second

// meet shows what is wrong with the settings before anything else is said of them.
func (c *chat) meet(ctx context.Context) {
	timer := time.NewTimer(introductionPatience)
	defer timer.Stop()
	c.settling = true
	defer func() { c.settling = false }()
	for c.handleEvents(); !c.introduced; c.handleEvents() {
		select {
		case <-c.client.ready():
		case <-timer.C:
			return
		case <-c.client.gone:
			return // the prompt will say why
		case <-ctx.Done():
			return
		}
	}
}

// once runs the one prompt, after the servers have come up.
func (c *chat) once(ctx context.Context) (int, error) {
	if !c.NoWait {
		if err := c.settle(ctx); err != nil {
			return exitInterrupted, nil
		}
	}
	c.screen.servers(&c.servers, c.findings.serious())
	c.screen.prompt(c.Prompt)
	return c.turn(ctx, c.Prompt)
}

// settle handles events until no server is starting any more, or the time is up.
func (c *chat) settle(ctx context.Context) error {
	patience := c.SettleTime
	if patience == 0 {
		patience = 10 * time.Second
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	c.settling = true // the table that follows shows them all
	defer func() { c.settling = false }()
	for len(c.servers.starting()) > 0 {
		select {
		case <-c.client.ready():
			c.handleEvents()
		case <-timer.C:
			c.screen.note(textGoingOn, patience, joinNames(c.servers.starting()))
			return nil
		case <-c.client.gone:
			return nil // the prompt will say why
		case <-c.Interrupts:
			return errInterrupted
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// converse runs one line after another.
func (c *chat) converse(ctx context.Context) (int, error) {
	if !c.Interactive && !c.NoWait {
		if err := c.settle(ctx); err != nil {
			return exitInterrupted, nil
		}
	}
	c.screen.servers(&c.servers, c.findings.serious())
	if c.Interactive {
		c.screen.note(textType)
	}
	code := exitOK
	invite := func() {
		if c.Interactive {
			c.screen.ask()
		}
	}
	invite()
	for {
		select {
		case line, ok := <-c.lines:
			if ok {
				c.screen.entered()
			}
			if !ok || line == "" || line == "q" {
				c.screen.endText()
				return code, nil
			}
			if !c.Interactive {
				c.screen.prompt(line)
			}
			turn, err := c.turn(ctx, line)
			if err != nil {
				c.screen.failure(err)
			}
			if !c.Interactive {
				code = max(code, turn) // a person has seen it
			}
			invite()
		case <-c.client.ready():
			if c.handleEvents() {
				invite()
			}
		case <-c.client.gone:
			return exitFailed, lang.Errorf(zh, textServerEnded)
		case <-c.Interrupts:
			return exitInterrupted, nil
		case <-ctx.Done():
			return exitInterrupted, nil
		}
	}
}
