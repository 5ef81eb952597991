package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// closeBound bounds [Manager.Close]: the stop ladder and the session's own end, for
// all servers at once.
const closeBound = 5 * time.Second

// Manager runs the servers of one scope: the user's, or one folder's. It lives from
// NewManager to Close and is safe for concurrent use. What it shows of a server
// comes from that server's connection and is kept nowhere else.
type Manager struct {
	opts  Options
	probe time.Duration // probeTime, shorter in tests
	// retryBase is recoveryBase, shorter in tests.
	retryBase time.Duration
	// roundTripper makes the network side of one HTTP session.
	roundTripper func() *http.Transport

	dirty atomic.Bool // for RefreshIfDirty of the manager itself

	readersMu sync.Mutex
	readers   map[*Reader]struct{} // guarded by readersMu

	running sync.WaitGroup // the connections' goroutines

	mu       sync.Mutex
	closed   bool
	entries  map[string]*entry
	revision uint64
	// changed is closed and replaced with each change of an entry, and with the end
	// of each connection.
	changed chan struct{}
	// tails are the newest connections by name, until they are done: also those of
	// servers that are gone, for the name may come back while the old one ends.
	tails map[string]*connection
	// legacy holds, by server name, the key of the entry that was found to need the
	// older handshake.
	legacy map[string]string
	// tokens by what they are kept under, so that the sessions of one server renew one
	// after the other.
	tokens map[string]*tokens
}

// entry is one row. It is guarded by Manager.mu; what it points to is immutable.
type entry struct {
	cfg  ServerConfig
	conn *connection // nil when nothing was started under this entry
	log  *serverLog
	// followed outlives the connections, so that a restart loses nobody's changes.
	followed followed
	pic      picture
	since    time.Time
	status   ServerStatus
}

// NewManager makes a manager that runs nothing yet.
func NewManager(o Options) *Manager {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Manager{
		opts: o, probe: probeTime, retryBase: recoveryBase, roundTripper: newRoundTripper,
		readers: make(map[*Reader]struct{}),
		entries: make(map[string]*entry),
		changed: make(chan struct{}),
		tails:   make(map[string]*connection),
		legacy:  make(map[string]string),
		tokens:  make(map[string]*tokens),
	}
}

// Reconfigure makes servers the set that runs: it stops what is gone, starts what
// is new, restarts what would start something else now and leaves the rest alone.
// An empty or nil set stops all. It waits for no connect and no stop, and ctx ending
// later undoes nothing. After Close it does nothing.
func (m *Manager) Reconfigure(ctx context.Context, servers map[string]ServerConfig) Outcome {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return Outcome{}
	}
	have := make(map[string]ServerConfig, len(m.entries))
	for name, e := range m.entries {
		have[name] = e.cfg
	}
	moves := reconcile(have, servers)
	for name, do := range moves {
		cfg, stays := servers[name]
		e := m.entries[name]
		if !stays {
			m.retire(e)
			delete(m.entries, name)
			m.bump()
			continue
		}
		if e == nil {
			e = &entry{log: &serverLog{name: name, onLog: m.opts.OnLog}}
			m.entries[name] = e
		}
		waited := e.cfg.waits() // it was not to start by itself before
		e.cfg = cfg
		switch do {
		case moveKeep:
		case moveStart, moveRestart:
			if cfg.waits() && e.conn == nil {
				m.rest(name, e)
				break
			}
			m.begin(name, e)
		case moveStop:
			m.retire(e)
			m.rest(name, e)
		case moveUpdate:
			if e.conn != nil {
				e.conn.update(cfg)
				e.pic = e.conn.redrawn(e.pic)
			}
			switch _, _, inert := inertState(name, cfg); {
			case inert:
				m.rest(name, e)
			case e.conn == nil && waited && !cfg.waits():
				m.begin(name, e)
			case e.pic.asleep:
				m.rest(name, e)
			default:
				m.show(name, e, e.pic) // it runs, or was stopped: that stays
			}
		}
	}
	m.mu.Unlock()

	out := outcomeOf(moves)
	if out.Changed() {
		m.opts.Logger.Info("mcp servers reconfigured", "scope", m.opts.Scope, "folder", m.opts.Folder,
			"started", out.Started, "stopped", out.Stopped, "restarted", out.Restarted, "updated", out.Updated)
		m.announce()
	}
	return out
}

// begin starts a connection under e's entry, after the one before it has ended.
// m.mu is held.
func (m *Manager) begin(name string, e *entry) {
	m.retire(e)
	ctx, cancel := context.WithCancel(context.Background()) // a server outlives whoever asked for it
	c := &connection{
		m: m, name: name, log: e.log, followed: &e.followed, ctx: ctx, cancel: cancel,
		done: make(chan struct{}), poke: make(chan struct{}, 1),
	}
	cfg := e.cfg
	c.cfg.Store(&cfg)
	if before := m.tails[name]; before != nil {
		c.prev = before.done
	}
	m.tails[name] = c
	e.conn = c
	m.show(name, e, picture{state: StateStarting})
	m.running.Go(func() {
		c.run()
		m.ended(c)
	})
}

// ended forgets a connection that is done. One that ended by itself just when it
// was to stop has stopped.
func (m *Manager) ended(c *connection) {
	m.mu.Lock()
	if m.tails[c.name] == c {
		delete(m.tails, c.name)
		m.wake()
	}
	e := m.entries[c.name]
	late := e != nil && e.conn == c && e.pic.state == StateStopping
	if late {
		m.show(c.name, e, picture{state: StateStopped})
	}
	m.mu.Unlock()
	if late {
		m.announce()
	}
}

// retire lets go of what runs under e; it ends by itself. m.mu is held.
func (m *Manager) retire(e *entry) {
	if e.conn != nil {
		e.conn.cancel()
		e.conn = nil
	}
}

// say gives a text for people in the manager's language.
func (m *Manager) say(format string, args ...any) string {
	return m.opts.Lang.Sprintf(zh, format, args...)
}

// rest shows an entry that does not run. m.mu is held.
func (m *Manager) rest(name string, e *entry) {
	state, problem, inert := inertState(name, e.cfg)
	pic := picture{state: state}
	if !inert { // it waits until it is needed
		pic = m.asleep(name, e.cfg)
	}
	if problem != nil {
		pic.err = &StatusError{Code: string(KindConfigInvalid), Message: m.opts.Lang.Error(problem), Hint: m.say(textInvalidHint)}
	}
	m.show(name, e, pic)
}

// publish takes a picture from a connection, unless another has taken its place.
func (m *Manager) publish(c *connection, p picture) {
	m.mu.Lock()
	e := m.entries[c.name]
	if e == nil || e.conn != c {
		m.mu.Unlock()
		return
	}
	if e.pic.state == StateStopping && p.state != StateStopped {
		// Somebody asked for the end; what was under way does not take it back.
		m.mu.Unlock()
		return // ended says the rest
	}
	m.show(c.name, e, c.redrawn(p))
	m.mu.Unlock()
	m.opts.Logger.Debug("mcp server changed", "server", c.name, "state", p.state, "tools", len(p.tools))
	m.announce()
}

// show makes p what e shows. m.mu is held; announce follows once it is not.
func (m *Manager) show(name string, e *entry, p picture) {
	if e.since.IsZero() || e.pic.state != p.state {
		e.since = time.Now()
	}
	e.pic = p
	m.bump()
	e.status = ServerStatus{
		Name: name, Scope: m.opts.Scope, State: p.state,
		Source: e.cfg.Origin.File, Shadows: e.cfg.Origin.Shadows, Transport: e.cfg.Transport(),
		ToolCount: len(p.tools), PromptCount: len(p.offers.prompts), ResourceCount: len(p.offers.resources),
		ToolTokens: p.tokens, ProtocolVersion: p.protocol, Pid: p.pid,
		Autostart: cmp.Or(e.cfg.Autostart, AutostartAlways),
		Since:     e.since, NextRetryAt: p.retryAt, Error: p.err, Instructions: p.instructions, Revision: m.revision,
	}
	if p.kept { // none of them can be called now
		e.status.ToolCount, e.status.ToolTokens, e.status.Kept = 0, 0, true
	}
	if p.state == StateUntrusted {
		consent := ConsentOf(e.cfg, m.opts.Folder)
		e.status.Consent = &consent
	}
}

// bump counts a change and wakes whoever waits for one. It marks the readers too: who sees
// the change, by whatever way, and then sends a prompt has it in that prompt. m.mu is held.
func (m *Manager) bump() {
	m.revision++
	m.MarkDirty()
	m.wake()
}

// wake lets whoever waits for something look again. m.mu is held.
func (m *Manager) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// announce tells the owner that something changed, after it was bumped. No lock is held.
func (m *Manager) announce() {
	if m.opts.OnChange != nil {
		m.opts.OnChange()
	}
}

// StartAll is Reconfigure, then waits until the first attempt of each server has
// settled. Each server that failed gives one error, "name: cause", sorted by name; a
// ctx that ends ends the waiting only, and gives its error for each that has not
// settled. Servers that must not run are no failure, unless their entry is wrong.
func (m *Manager) StartAll(ctx context.Context, servers map[string]ServerConfig) []error {
	m.Reconfigure(ctx, servers)
	waitErr := m.Settle(ctx)
	rows, _ := m.Status()
	var errs []error
	for _, r := range rows {
		switch {
		case r.State == StateFailed || r.State == StateNeedsAuth || r.State == StateReconnecting && r.Error != nil:
			errs = append(errs, fmt.Errorf("%s: %w", r.Name, errors.New(r.Error.Message)))
		case r.State == StateStarting && waitErr != nil:
			errs = append(errs, fmt.Errorf("%s: %w", r.Name, waitErr))
		}
	}
	return errs
}

// Settle waits until no server is starting; its error is ctx's.
func (m *Manager) Settle(ctx context.Context) error {
	return m.await(ctx, func() bool {
		for _, e := range m.entries {
			if e.pic.state == StateStarting {
				return false
			}
		}
		return true
	})
}

// await waits until ok, which is called with m.mu held.
func (m *Manager) await(ctx context.Context, ok func() bool) error {
	for {
		m.mu.Lock()
		met, changed := ok(), m.changed
		m.mu.Unlock()
		if met {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Status returns a row for each server, sorted by name, and the revision they
// belong to. It asks no server.
func (m *Manager) Status() ([]ServerStatus, uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := make([]ServerStatus, 0, len(m.entries))
	for _, name := range slices.Sorted(maps.Keys(m.entries)) {
		rows = append(rows, m.entries[name].status)
	}
	return rows, m.revision
}

// view is what a reader sees of one server, all of one moment.
type view struct {
	status ServerStatus
	tools  []agent.Tool
	listed []*MCPTool
	offers offers
	// mayAct says that the entry is the user's, or approved; asleep that the tools are
	// those last seen, kept that they are those of before it went away.
	mayAct, asleep, kept bool
}

// views returns the view of each server by name.
func (m *Manager) views() map[string]view {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[string]view, len(m.entries))
	for name, e := range m.entries {
		v := view{status: e.status, mayAct: e.cfg.Origin.Approved || m.opts.Scope != ScopeProject, asleep: e.pic.asleep, kept: e.pic.kept}
		switch {
		case e.pic.kept:
			v.tools = e.pic.tools
		case e.pic.state.Usable() || e.pic.asleep:
			v.tools, v.listed, v.offers = e.pic.tools, e.pic.listed, e.pic.offers
		}
		all[name] = v
	}
	return all
}

// Tools returns the tools of all usable servers, sorted by server name, then in the
// server's own order. It asks no server.
func (m *Manager) Tools(ctx context.Context) []agent.Tool { return toolsOf(m.views()) }

// Listed is Tools with those that the entries' "tools" keep from the agent.
func (m *Manager) Listed() []*MCPTool {
	views := m.views()
	var tools []*MCPTool
	for _, name := range slices.Sorted(maps.Keys(views)) {
		tools = append(tools, views[name].listed...)
	}
	return tools
}

// Instructions returns one "## <server>" section for each usable server that gave
// instructions, sorted by name.
func (m *Manager) Instructions() []string { return sectionsOf(m.views()) }

func toolsOf(views map[string]view) []agent.Tool {
	var tools []agent.Tool
	for _, name := range slices.Sorted(maps.Keys(views)) {
		tools = append(tools, views[name].tools...)
	}
	return tools
}

// MarkDirty makes the next RefreshIfDirty, of the manager and of each of its
// readers, answer.
func (m *Manager) MarkDirty() {
	m.dirty.Store(true)
	m.readersMu.Lock()
	defer m.readersMu.Unlock()
	for r := range m.readers {
		r.dirty.Store(true)
	}
}

// RefreshIfDirty returns the tools when something changed since the last call, and
// false when nothing did. It never waits for a server: a connection lists by itself
// and marks the manager dirty once the list is there.
func (m *Manager) RefreshIfDirty(ctx context.Context) ([]agent.Tool, bool) {
	// The flag is cleared before looking: a change in between may be seen now and
	// answered once more, never lost.
	if !m.dirty.CompareAndSwap(true, false) {
		return nil, false
	}
	return m.Tools(ctx), true
}

// CallTool is a person's own call of a server's tool, by the server's own name for
// it. Errors are an [*ActionError] when there is no such server or it is not
// connected.
func (m *Manager) CallTool(ctx context.Context, server, tool string, args json.RawMessage, progress func(string)) (*CallResult, error) {
	if err := m.wakeFor(ctx, server, AutostartNever); err != nil {
		return nil, err
	}
	c, lv, err := m.ask(ctx, server)
	if err != nil {
		return nil, err
	}
	res, err := c.callOnce(ctx, lv, tool, args, progress)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		if f, ok := errors.AsType[*callFault](err); ok && f.login {
			return nil, &ActionError{Kind: KindNeedsAuth, Name: server, Message: m.opts.Lang.Error(f), Hint: m.opts.Lang.Text(zh, f.hint)}
		}
		return nil, CallError(tool, err)
	}
	// IsError stands beside the content here, so the content is left as it came.
	plain := *res
	plain.IsError = false
	shown := ResultOf(&plain)
	return &CallResult{Content: shown.Content, Structured: shown.Raw, IsError: res.IsError}, nil
}

// ask returns a server's connection and its session, for a request that a person makes.
// Errors are an [*ActionError] when there is no such server or it is not connected.
func (m *Manager) ask(ctx context.Context, server string) (*connection, *live, error) {
	if err := m.wakeFor(ctx, server, AutostartOnDemand); err != nil {
		return nil, nil, err
	}
	m.mu.Lock()
	e, err := m.find(server)
	if err != nil {
		m.mu.Unlock()
		return nil, nil, err
	}
	c := e.conn
	blocked := m.blocked(server, e)
	m.mu.Unlock()
	if blocked != nil {
		return nil, nil, blocked
	}
	var lv *live
	if c != nil {
		if lv, err = c.session(ctx, nil); ctx.Err() != nil {
			return nil, nil, err
		}
	}
	if lv == nil {
		m.mu.Lock()
		state, why := e.pic.state, e.pic.err // as it is now, not before the wait
		m.mu.Unlock()
		kind := KindStartBlocked
		if state == StateNeedsAuth {
			kind = KindNeedsAuth
		}
		refused := &ActionError{Kind: kind, Name: server, Message: m.say(textNotConnected, server, state), Hint: m.say(textNotConnectedHint)}
		if why != nil {
			refused.Message += ": " + why.Message
			refused.Hint = cmp.Or(why.Hint, refused.Hint)
		}
		return nil, nil, refused
	}
	return c, lv, nil
}

// Logs returns the newest entries of a server's log, oldest first; all that are kept
// when limit is not positive.
func (m *Manager) Logs(name string, limit int) ([]LogEntry, error) {
	m.mu.Lock()
	e, err := m.find(name)
	m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return e.log.ring.last(limit), nil
}

// RootsChanged tells the servers that Options.Roots answers differently now.
func (m *Manager) RootsChanged() {
	if m.opts.Roots == nil {
		return
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	var lives []*live
	for _, e := range m.entries {
		if e.conn != nil {
			if lv := e.conn.current(); lv != nil {
				lives = append(lives, lv)
			}
		}
	}
	// One that does not read holds up neither us nor the others.
	for _, lv := range lives {
		m.running.Go(func() { lv.setRoots(lv.client, m.opts.Roots) })
	}
	m.mu.Unlock()
}

// Close stops all servers, in parallel, and waits until they and their descendants
// are gone: five seconds at most, less when ctx ends. It may be called again.
// Afterwards the manager shows nothing and starts nothing.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	first := !m.closed
	m.closed = true
	for name, e := range m.entries {
		m.retire(e)
		delete(m.entries, name)
	}
	if first {
		m.bump()
	}
	m.mu.Unlock()
	if first {
		m.announce()
	}
	ctx, cancel := context.WithTimeout(ctx, closeBound)
	defer cancel()
	gone := make(chan struct{})
	go func() { // ends with the last connection
		m.running.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Errorf("stopping mcp servers: %s not gone yet: %w", strings.Join(slices.Sorted(maps.Keys(m.tails)), ", "), ctx.Err())
}

func (m *Manager) lookupEnv(name string) (string, bool) {
	if m.opts.LookupEnv == nil {
		return "", false
	}
	return m.opts.LookupEnv(name)
}

func (m *Manager) environ() []string {
	if m.opts.Environ == nil {
		return nil
	}
	return m.opts.Environ()
}

// workspaceFolder is what ${workspaceFolder} stands for: the folder itself, for the
// user's servers the folder they run in.
func (m *Manager) workspaceFolder() string {
	if m.opts.Folder != "" {
		return m.opts.Folder
	}
	return m.opts.Cwd
}

func (m *Manager) isLegacy(name, key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.legacy[name] == key
}

func (m *Manager) rememberLegacy(name, key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.legacy[name] = key
}

// sameTools reports whether two lists define the same tools in the same order.
func sameTools(a, b []*sdk.Tool) bool { return reflect.DeepEqual(a, b) }
