package mcp

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// clientName is who we say we are.
const clientName = "codebot"

// legacyVersion makes the SDK skip server/discover, on which older servers exit
// or stay silent for ever (go-sdk#1177).
const legacyVersion = "2025-11-25"

// probeTime bounds the first attempt, the one with server/discover. A server that
// needs longer than that to start is served by the second.
const probeTime = 3 * time.Second

// connect makes one attempt to get a session, bounded by the entry's time-out
// whatever the server and the SDK do. It leaves nothing behind when it fails.
func (c *connection) connect(ctx context.Context) (*live, *failure) {
	entry := *c.cfg.Load()
	timeout := entry.ConnectTimeout()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	cfg, unexpandable := c.expand(entry)
	if unexpandable != nil {
		return nil, unexpandable
	}
	key := entryKey(entry)
	version := ""
	if cfg.Transport() == TransportStdio && c.m.isLegacy(c.name, key) {
		version = legacyVersion
	}
	probing := version == "" && cfg.Transport() == TransportStdio
	attemptCtx, stopProbe := ctx, context.CancelFunc(func() {})
	if probing {
		attemptCtx, stopProbe = context.WithTimeout(ctx, min(c.m.probe, timeout/2))
	}
	lv, fail := c.attempt(attemptCtx, cfg, version)
	stopProbe()
	if lv != nil {
		return lv, nil
	}
	if probing && fail.again && ctx.Err() == nil {
		c.log.add("info", LogClient, textOldHandshake)
		if lv, fail = c.attempt(ctx, cfg, legacyVersion); lv != nil {
			c.m.rememberLegacy(c.name, key)
			return lv, nil
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && fail.timedOut {
		fail.Code = string(KindTimeout)
		fail.Message = c.say(textConnectTimeout, c.name, timeout)
		fail.Hint = c.say(textConnectHint)
	}
	return nil, &fail.failure
}

// attemptFailure is a failed attempt.
type attemptFailure struct {
	failure
	// again says that the older handshake may do better.
	again bool
	// timedOut says that the server had not answered when its time was over.
	timedOut bool
}

// expand resolves the entry for this attempt, and sets the log to take out what
// was resolved.
func (c *connection) expand(entry ServerConfig) (ServerConfig, *failure) {
	read := make(map[string]string)
	lookup := func(name string) (string, bool) {
		value, ok := c.m.lookupEnv(name)
		if ok {
			read[name] = value
		}
		return value, ok
	}
	cfg, err := entry.Expanded(Vars{Lookup: lookup, WorkspaceFolder: c.m.workspaceFolder(), UserHome: c.m.opts.Home})
	if err != nil {
		return cfg, &failure{StatusError: StatusError{Code: string(KindConfigInvalid), Message: c.m.opts.Lang.Error(err), Hint: c.say(textInvalidHint)}}
	}
	if cfg.OAuth.ClientSecret, err = c.m.clientSecret(cfg); err != nil {
		return cfg, &failure{StatusError: StatusError{Code: string(KindConfigInvalid), Message: c.m.opts.Lang.Error(err), Hint: c.say(textInvalidHint)}}
	}
	for _, name := range cfg.EnvFrom {
		lookup(name)
	}
	r := redactorOf(read, cfg)
	c.log.redact.Store(&r)
	return cfg, nil
}

// attempt tries one handshake over a fresh transport. Connect may ignore its
// context (go-sdk#633), so it runs beside and is left behind when time is over;
// what carries it is closed, which ends it.
func (c *connection) attempt(ctx context.Context, cfg ServerConfig, version string) (*live, *attemptFailure) {
	life, release := context.WithCancel(context.Background())
	w := &wiring{toolsChanged: make(chan struct{}, 1), othersChanged: make(chan struct{}, 1), missed: make(chan struct{}, 1), log: c.log, release: release}
	refused := make(chan struct{}, 1)
	transport, withheld, fail := c.transport(life, cfg, w, func() { signal(refused) })
	if fail != nil {
		release()
		return nil, fail
	}
	client := c.client(w)

	type outcome struct {
		session *sdk.ClientSession
		err     error
	}
	connected := make(chan outcome, 1)
	connectCtx := ctx
	if cfg.Transport() == TransportSSE {
		connectCtx = life // the session of this transport ends with Connect's context
	}
	go func() { // ends with the transport at the latest
		session, err := client.Connect(connectCtx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
		connected <- outcome{session, err}
	}()
	// A session that comes up late is closed by whoever still waits for it.
	abandon := func() {
		go func() { // ends with Connect
			if late := <-connected; late.session != nil {
				_ = late.session.Close()
			}
		}()
	}

	var fails *attemptFailure
	select {
	case got := <-connected:
		if got.err == nil {
			return newLive(got.session, client, w), nil
		}
		fails = c.whyNot(ctx, got.err, w)
	case <-refused:
		if version != "" {
			// Not about the handshake: wait for what becomes of it.
			select {
			case got := <-connected:
				if got.err == nil {
					return newLive(got.session, client, w), nil
				}
				fails = c.whyNot(ctx, got.err, w)
			case <-ctx.Done():
				abandon()
				fails = c.whyNot(ctx, ctx.Err(), w)
			}
			break
		}
		abandon()
		fails = &attemptFailure{again: true}
	case <-ctx.Done():
		abandon()
		fails = c.whyNot(ctx, ctx.Err(), w)
	}
	w.close(nil)
	if w.proc != nil {
		fails.StderrTail = c.tail(w.proc)
	}
	if len(withheld) > 0 && fails.Code == CodeExited && fails.Hint == "" {
		fails.Hint = withheldHint(withheld, fails.StderrTail).In(c.m.opts.Lang)
	}
	return nil, fails
}

// whyNot describes why a handshake failed.
func (c *connection) whyNot(ctx context.Context, err error, w *wiring) *attemptFailure {
	f, known := faultOf(err)
	if !known && w.link != nil { // the SDK's error may be of what came after
		f = w.link.unwanted.Load()
	}
	if f != nil {
		return &attemptFailure{failure: *c.httpFailure(f)}
	}
	if ctx.Err() != nil {
		fail := failed(StatusError{Code: CodeHandshake, Message: c.say(textHandshake, c.name, c.theirs(err))})
		fail.again, fail.timedOut = true, true
		return fail
	}
	_, answered := errors.AsType[*jsonrpc.Error](err)
	if w.proc != nil && !answered && w.proc.gone(pipeGrace) {
		f := c.exited(w.proc, textExitedStart, textSignalStart)
		return &attemptFailure{failure: *f, again: true}
	}
	code := CodeHandshake
	if w.link != nil {
		code = CodeHTTP
	}
	fail := failed(StatusError{Code: code, Message: c.say(textHandshake, c.name, c.theirs(err))})
	fail.again = !answered
	return fail
}

func failed(e StatusError) *attemptFailure { return &attemptFailure{failure: failure{StatusError: e}} }

// transport makes what the session runs on and notes it in w. withheld are the
// variables a child was not given.
func (c *connection) transport(life context.Context, cfg ServerConfig, w *wiring, refused func()) (t sdk.Transport, withheld []string, fail *attemptFailure) {
	switch cfg.Transport() {
	case TransportHTTP, TransportSSE:
		filter := &lineFilter{noise: func(level, text string) { c.log.add(level, LogServer, text) }, refused: func() {}, notice: w.notice}
		raw := c.m.roundTripper()
		link, err := newHTTPLink(life, cfg, raw, filter)
		if err != nil {
			return nil, nil, failed(StatusError{Code: string(KindConfigInvalid), Message: c.m.opts.Lang.Error(err), Hint: c.say(textInvalidHint)})
		}
		link.note = func(level, text string) { c.log.add(level, LogClient, text) }
		link.tokens = c.bearer(cfg, link.base)
		link.check = func() { signal(w.toolsChanged) }
		link.missed = func() { signal(w.missed) }
		w.link = link
		release := w.release
		w.release = func() { release(); raw.CloseIdleConnections() }
		return link.transport(), nil, nil
	case TransportInProcess:
		t, fail := c.inProcess(life, cfg, w)
		return t, nil, fail
	}
	return c.stdio(cfg, w, refused)
}

// bearer is where the tokens of an expanded entry come from; nil for nowhere.
func (c *connection) bearer(cfg ServerConfig, base *url.URL) bearer {
	if cfg.OAuth.machine() {
		return &machineTokens{address: base, oauth: cfg.OAuth, failed: func(err error) {
			c.log.add("warning", LogClient, c.say(textNoToken, c.theirs(err)))
		}}
	}
	if t := c.m.tokensOf(base); t != nil {
		return t
	}
	return nil
}

// inProcess starts a server of our own behind a pair of pipes.
func (c *connection) inProcess(life context.Context, cfg ServerConfig, w *wiring) (sdk.Transport, *attemptFailure) {
	build, ok := c.m.opts.InProcess[cfg.Command]
	if !ok {
		return nil, failed(StatusError{Code: string(KindConfigInvalid), Message: c.say(textNoInProcess, cfg.Command), Hint: c.say(textInvalidHint)})
	}
	here, there := net.Pipe()
	server := build()
	if _, err := server.Connect(life, &sdk.IOTransport{Reader: there, Writer: there}, nil); err != nil {
		return nil, failed(StatusError{Code: CodeHandshake, Message: c.say(textHandshake, c.name, c.theirs(err))})
	}
	// The server's side ends with the connection, like a process would.
	context.AfterFunc(life, func() { _ = there.Close() })
	filter := newLineFilter(here, func(level, text string) { c.log.add(level, LogServer, text) }, func() {}, w.notice)
	messages, _ := filterStream(filter, here) // ends with the pipe, which the SDK closes
	return &sdk.IOTransport{Reader: messages, Writer: here, MaxLineLength: -1}, nil
}

// stdio starts the child of an expanded entry.
func (c *connection) stdio(cfg ServerConfig, w *wiring, refused func()) (sdk.Transport, []string, *attemptFailure) {
	env, withheld := ChildEnv(c.m.environ(), cfg, runtime.GOOS)
	dir := cfg.Cwd
	if dir == "" {
		dir = c.m.opts.Cwd
	}
	blocked := func(message, hint string) *attemptFailure {
		if also := withheldHint(withheld, message); !also.IsZero() {
			hint = c.say(textTwoHints, hint, also)
		}
		return failed(StatusError{Code: string(KindStartBlocked), Message: c.log.clean(message), Hint: hint})
	}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, nil, blocked(c.say(textNoCwd, dir), c.say(textInvalidHint))
		}
	}
	path, err := lookCommand(cfg.Command, dir, env)
	if err != nil {
		if longer := c.withLoginPath(cfg, env); longer != nil {
			env = longer
			path, err = lookCommand(cfg.Command, dir, env)
		}
	}
	if err != nil {
		return nil, nil, blocked(c.m.opts.Lang.Error(err), c.say(textStartHint))
	}
	proc, err := startProcess(
		command{path: path, argv: append([]string{cfg.Command}, cfg.Args...), env: env, dir: dir},
		func(lines []string) { c.log.add("info", LogStderr, lines...) },
	)
	if err != nil {
		return nil, nil, blocked(c.say(textStarting, path, err), c.say(textStartHint))
	}
	w.proc = proc
	filter := newLineFilter(proc.stdout, func(level, text string) { c.log.add(level, LogStdout, text) }, refused, w.notice)
	messages, ended := filterStream(filter, proc.stdout)
	proc.read = ended
	return &sdk.IOTransport{Reader: messages, Writer: proc.stdin, MaxLineLength: -1}, withheld, nil
}

// withLoginPath is a child's environment with the PATH of the user's login shell behind
// its own, nil where that has nothing to add. An entry that sets a PATH, or whose command
// is a path, means what it says. The shell has a bound of its own.
func (c *connection) withLoginPath(cfg ServerConfig, env []string) []string {
	_, own := cfg.Env["PATH"]
	if own || strings.ContainsAny(cfg.Command, `/\`) || c.m.opts.LoginPath == nil {
		return nil
	}
	dirs := filepath.SplitList(envValue(env, "PATH"))
	had := len(dirs)
	for _, d := range filepath.SplitList(c.m.opts.LoginPath(c.ctx)) {
		if filepath.IsAbs(d) && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	if len(dirs) == had {
		return nil
	}
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	return append(env, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)))
}

// maxWithheld is how many names of variables a hint holds.
const maxWithheld = 12

// withheldHint names the variables a child was not given: first those that its last
// words mention, then those that sound like credentials, for these are what servers
// miss. Shells' own bookkeeping is left out.
func withheldHint(withheld []string, said string) lang.Message {
	rank := func(name string) int {
		switch {
		case len(name) > 2 && strings.Contains(said, name):
			return 0
		case soundsSecret(name):
			return 1
		}
		return 2
	}
	names := slices.DeleteFunc(slices.Clone(withheld), func(name string) bool {
		return slices.Contains([]string{"_", "PWD", "OLDPWD", "SHLVL", "PS1"}, name)
	})
	if len(names) == 0 {
		return lang.Message{}
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	if more := len(names) - maxWithheld; more > 0 {
		return lang.Messagef(zh, textWithheldMore, CleanLine(strings.Join(names[:maxWithheld], ", ")), more)
	}
	return lang.Messagef(zh, textWithheld, CleanLine(strings.Join(names, ", ")))
}

// client makes the SDK's client of one attempt. Its handlers only pass a token on:
// the SDK delivers notices one at a time, so a slow handler holds up all others.
// They serve transports without a filter; a filter is quicker, see wiring.notice.
func (c *connection) client(w *wiring) *sdk.Client {
	opts := &sdk.ClientOptions{
		Capabilities:               &sdk.ClientCapabilities{},
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { signal(w.toolsChanged) },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { signal(w.othersChanged) },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { signal(w.othersChanged) },
		ResourceUpdatedHandler: func(_ context.Context, req *sdk.ResourceUpdatedNotificationRequest) {
			if c.m.opts.OnResource != nil {
				c.m.opts.OnResource(c.name, req.Params.URI)
			}
		},
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			w.progress.deliver(req.Params)
		},
	}
	takeServerLogs(opts, c.log)
	c.answerServer(opts)
	if c.m.opts.Roots != nil {
		declareRoots(opts)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: clientName, Version: c.m.opts.ClientVersion}, opts)
	if c.m.opts.Roots != nil {
		w.setRoots(client, c.m.opts.Roots)
	}
	return client
}
