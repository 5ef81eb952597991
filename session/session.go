// Package session is an agent session: the prompt of each moment, the pool of
// tools, the mode, the permission flow and the journal around the agent's loop.
// It knows no MCP and no wire: remote tools come in as agent tools, and what
// happens goes out as its own [Update]s.
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Errors a caller tells apart.
var (
	// ErrBusy answers a second prompt while one runs.
	ErrBusy = lang.Errorf(zh, textBusy)
	// ErrClosed answers everything after Close.
	ErrClosed = lang.Errorf(zh, textClosed)
	// ErrUnknownMode answers a mode that does not exist.
	ErrUnknownMode = lang.Errorf(zh, textUnknownMode)
	// ErrIdle answers a steer when no turn runs that would take it in.
	ErrIdle = lang.Errorf(zh, textIdle)
	// ErrEmptyTitle answers a title without anything to see.
	ErrEmptyTitle = lang.Errorf(zh, textEmptyTitle)
	// ErrEmptyPrompt answers a prompt without content.
	ErrEmptyPrompt = lang.Errorf(zh, textEmptyPrompt)
)

// closeGrace bounds how long Close waits for tools that do not hear their cancel.
const closeGrace = 2 * time.Second

// Gate decides on tool calls; *permission.Engine is one. It must not call back
// into the session.
type Gate interface {
	Decide(permission.Request, permission.Mode) permission.Decision
	// Grant remembers the user's answer, one of the option ids of the protocol.
	Grant(r permission.Request, optionID string) error
}

// Options makes a session. Model and Gate are required.
type Options struct {
	// ID of the session; empty makes a new one. See [NewID].
	ID string
	// Cwd is the session's folder, absolute.
	Cwd string
	// Home is the user's ~/.codebot, for the user's own AGENTS.md; empty for none.
	Home string
	// Model that answers, until SetModel.
	Model agent.Model
	// Fallback answers in place of a model that is overloaded, for the rest of the turn;
	// it is called when that happens and returns nil for none. May be nil.
	Fallback func(overloaded agent.Model) agent.Model
	// Mode at the start; empty means default.
	Mode permission.Mode
	// BuiltIns are our own tools, in the order the model sees them.
	BuiltIns []agent.Tool
	Gate     Gate
	// Ask puts a call to the user and answers with an option id. A cancelled ctx
	// withdraws the question. nil refuses what would be asked.
	Ask func(ctx context.Context, a Ask) (optionID string, err error)
	// Audit is told each decision on a call, when it is made; calls may run side by side.
	// Nil notes none.
	Audit func(Verdict)
	// Emit receives every update in order, one at a time; it must neither call
	// back into the session nor block for long. nil drops them.
	Emit func(Update)
	// SubAgentTools makes the tools of a sub-agent that works in a folder: in the session's
	// own (inPlace), where its edits are a part of the turn, or in a worktree. end is called
	// when it has ended. Nil: there are no sub-agents.
	SubAgentTools func(cwd string, inPlace bool) (tools []agent.Tool, end func())
	// Worktrees is the folder of the worktrees of sub-agents, absolute; Environ what git
	// gets, as "NAME=value".
	Worktrees string
	Environ   []string
	// Store keeps the journal; nil keeps none.
	Store *Store
	// UserInstructions are appended to the instructions block.
	UserInstructions string
	// Locale of the user ("en", "zh-cn"): the language of questions, and of models that
	// write texts of their own.
	Locale string
	// Now is the clock; nil means time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Session is one conversation in one folder. It is safe for concurrent use; one
// turn runs at a time. It ends with Close.
type Session struct {
	o       Options
	id      string
	root    string // cwd with symlinks resolved, for the gate
	created time.Time
	journal *Journal // nil when nothing is kept
	up      *child   // of a sub-agent: what it works for
	schemas agent.SchemaCache

	// background has the goroutines of tools and models, some of which may outlive
	// their turn.
	background sync.WaitGroup

	// asking is held while a question is put to the user: sub-agents ask side by side.
	asking chan struct{}

	meter meter
	// hookMu keeps two calls of the before-prompt hook apart.
	hookMu sync.Mutex

	// mu guards all below; nothing slow happens under it.
	mu    sync.Mutex
	model agent.Model
	mode  permission.Mode
	title string
	// history is the conversation as the model gets it, transcript as a person sees it:
	// without the compactions.
	history, transcript []agent.Message
	// said are all messages as they were written, of which transcript is made; base and
	// baseAt are as in a Log.
	said, base []agent.Message
	baseAt     int
	edits      []fileEdit           // that can be taken back
	notes      map[string]callNote  // by tool call id
	children   map[string]*childLog // of the sub-agents, by the id of their task's call
	turn       *Turn
	closed     bool
	damage     string // of the journal, to be told with the first replay
	before     func(context.Context)
	lookup     func(string) agent.Tool // of the last model request
	prompt     promptState
	everMCP    map[string]bool // names of MCP tools offered at any time
	sent       *sentRequest    // nil before the first
	cost       float64         // in US dollars, of the requests whose price is known
	// unsummarised counts the automatic summaries that failed in a row.
	unsummarised int

	// changeMu keeps a change of mode or model, its journal line and its update
	// together; emitMu keeps updates in order.
	changeMu, emitMu sync.Mutex
}

// New starts a session and its journal.
func New(o Options) (*Session, error) {
	s, err := newSession(o)
	if err != nil {
		return nil, err
	}
	if o.Store != nil {
		s.journal, err = o.Store.Create(Header{ID: s.id, Cwd: o.Cwd, Model: o.Model.ID(), Mode: s.mode, Created: s.created})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Load goes on with the session of a journal from [Store.Open], which it owns from
// here on, also when it fails. Cwd and ID of the options are the journal's; Mode,
// when empty, too.
func Load(j *Journal, o Options) (*Session, error) {
	log := j.Log()
	o.ID, o.Cwd = log.Header.ID, log.Header.Cwd
	if o.Mode == "" {
		o.Mode = log.Mode
	}
	s, err := newSession(o)
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	s.journal, s.created, s.title = j, log.Header.Created, log.Title
	s.transcript = agent.Repair(log.Messages)
	s.history = log.history()
	s.said, s.base, s.baseAt = slices.Clip(log.Messages), log.base, log.baseAt
	s.notes, s.children, s.edits, s.cost = log.notes, log.children, log.edits, log.Cost
	s.prompt.found = slices.Clip(log.found)
	s.damage = damageOf(log, lang.Of(o.Locale))
	var changes []entry
	if s.model.ID() != log.Model {
		changes = append(changes, entry{Type: entryModel, Model: s.model.ID()})
	}
	if s.mode != log.Mode {
		changes = append(changes, entry{Type: entryMode, Mode: s.mode})
	}
	for _, e := range changes {
		if err := j.append(e); err != nil {
			return nil, errors.Join(err, j.Close())
		}
	}
	return s, nil
}

func newSession(o Options) (*Session, error) {
	switch {
	case o.Model == nil:
		return nil, errors.New("new session: no model")
	case o.Gate == nil:
		return nil, errors.New("new session: no permission gate")
	case !filepath.IsAbs(o.Cwd):
		return nil, lang.Errorf(zh, textRelative, o.Cwd)
	}
	if o.Mode == "" {
		o.Mode = permission.ModeDefault
	}
	if !slices.Contains(Modes(), o.Mode) {
		return nil, lang.Errorf(zh, textNew, ErrUnknownMode, o.Mode)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Emit == nil {
		o.Emit = func(Update) {}
	}
	if o.ID == "" {
		o.ID = NewID(o.Now())
	} else if !ValidID(o.ID) {
		return nil, lang.Errorf(zh, textNew, ErrBadID, o.ID)
	}
	s := &Session{
		o: o, id: o.ID, root: o.Cwd, created: o.Now(),
		model: o.Model, mode: o.Mode, notes: map[string]callNote{}, children: map[string]*childLog{}, everMCP: map[string]bool{},
		asking: make(chan struct{}, 1),
	}
	if r, err := filepath.EvalSymlinks(o.Cwd); err == nil {
		s.root = r
	}
	s.prompt.identity = identityBlock(o.Cwd, o.Now())
	s.prompt.instructions = instructionsBlock(o.Cwd, o.Home, o.UserInstructions)
	return s, nil
}

// Modes are all modes, in the order a person is shown them.
func Modes() []permission.Mode {
	return []permission.Mode{permission.ModeDefault, permission.ModeAcceptEdits, permission.ModePlan, permission.ModeAuto}
}

// ID of the session.
func (s *Session) ID() string { return s.id }

// Cwd is the session's folder.
func (s *Session) Cwd() string { return s.o.Cwd }

// Mode is the mode that the next decision uses.
func (s *Session) Mode() permission.Mode {
	if s.up != nil { // what the user changes holds at once
		return s.up.parent.Mode()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// Model is the model that the next request goes to.
func (s *Session) Model() agent.Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

// Title is the first line of the first prompt, empty before it, or what Rename made
// it.
func (s *Session) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.title
}

// Busy reports whether a turn runs.
func (s *Session) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil
}

// SetMode changes the mode for the decisions and the model requests from now on,
// also in a running turn.
func (s *Session) SetMode(m permission.Mode) error {
	if !slices.Contains(Modes(), m) {
		return fmt.Errorf("%w %q", ErrUnknownMode, m)
	}
	return s.change(entry{Type: entryMode, Mode: m}, Update{Kind: UpdateMode, Mode: m},
		func() bool { return s.mode != m },
		func() { s.mode = m })
}

// SetModel changes the model for the requests from now on, also in a running turn.
// A new value of the same id is taken too: its settings may have changed.
func (s *Session) SetModel(m agent.Model) error {
	return s.change(entry{Type: entryModel, Model: m.ID()}, Update{Kind: UpdateModel, Model: m.ID()},
		func() bool { return s.model.ID() != m.ID() },
		func() { s.model = m })
}

// Rename gives the session another title.
func (s *Session) Rename(title string) error {
	if title = cleanTitle(title); title == "" {
		return ErrEmptyTitle
	}
	return s.change(entry{Type: entryTitle, Title: title}, Update{Kind: UpdateTitle, Text: title},
		func() bool { return s.title != title },
		func() { s.title = title })
}

// change keeps e when it is news, then applies the change and tells of it. news
// and apply are called with mu held.
func (s *Session) change(e entry, u Update, news func() bool, apply func()) error {
	s.changeMu.Lock()
	defer s.changeMu.Unlock()
	s.mu.Lock()
	closed, write := s.closed, news()
	s.mu.Unlock()
	if closed {
		return ErrClosed
	}
	if write {
		if err := s.keep(e); err != nil {
			return err
		}
	}
	s.mu.Lock()
	apply()
	s.prompt.stale = true
	s.mu.Unlock()
	s.emit(u)
	return nil
}

// Close cancels the turn, waits for its end and for what it left behind (not
// longer than closeGrace), and lets go of the journal. Later calls do nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	turn := s.turn
	s.mu.Unlock()
	return errors.Join(s.settle(turn), s.journal.Close())
}

// Delete closes the session and removes it for good. While a turn runs it does
// nothing but answer ErrBusy.
func (s *Session) Delete() error {
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return ErrClosed
	case s.turn != nil:
		s.mu.Unlock()
		return ErrBusy
	}
	s.closed = true
	s.mu.Unlock()
	if err := s.settle(nil); err != nil {
		s.o.Logger.Warn("deleting a session", "session", s.id, "error", err)
	}
	return s.journal.remove()
}

// settle cancels the turn and waits for its end and for what it left behind, not
// longer than closeGrace.
func (s *Session) settle(turn *Turn) error {
	idle := make(chan struct{})
	if turn != nil {
		turn.cancel()
	}
	go func() { // ends when the last straggler does
		defer close(idle)
		if turn != nil {
			<-turn.done
		}
		s.background.Wait()
	}()
	var err error
	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	select {
	case <-idle:
	case <-grace.C:
		err = fmt.Errorf("close session %s: a tool did not stop within %v", s.id, closeGrace)
	}
	return err
}

// keep writes an entry to the journal, if there is one.
func (s *Session) keep(e entry) error {
	if s.up != nil {
		return s.up.keep(e)
	}
	if s.journal == nil {
		return nil
	}
	return s.journal.append(e)
}

// emit hands an update over. It is also called from the goroutines of tools, where
// a panic of the receiver would end the process.
func (s *Session) emit(u Update) {
	s.emitMu.Lock()
	defer s.emitMu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			s.o.Logger.Error("receiver of updates panicked", "session", s.id, "update", u.Kind, "panic", fmt.Sprint(v))
		}
	}()
	s.o.Emit(u)
}
