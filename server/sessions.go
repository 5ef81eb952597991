package server

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/session/tool"
)

// sessionPage is how many sessions one answer lists.
const sessionPage = 50

// openSession is a session that this connection has open, with its view of the MCP
// servers.
type openSession struct {
	s       *Server
	session *session.Session

	mu     sync.Mutex
	reader *mcp.Reader // guarded by mu
	at     place       // guarded by mu: the folder the session is in

	files fileList // for mentions
	jobs  *tool.Jobs

	// announced says that the client knows the session; commands is what it was last told
	// they are, and belongs to the pusher.
	announced atomic.Bool
	commands  *wire.AvailableCommandsUpdate
	// commandsAt is when they were last looked for, commandsLater that it is seen to; the
	// pusher's, too.
	commandsAt    time.Time
	commandsLater bool
}

// root is the root of the folder the session is in, empty outside all.
func (o *openSession) root() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.at.root
}

// rewire gives the session the servers of the folder it is in now.
func (o *openSession) rewire(cwd string) {
	at := o.s.servers.folderOf(cwd)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reader != nil && at == o.at {
		return
	}
	if o.reader != nil {
		o.reader.Close()
	}
	o.at = at
	o.reader = mcp.NewReader(o.s.servers.user, at.manager)
}

// refresh is the before-prompt hook: the one writer of the session's MCP state.
func (o *openSession) refresh(ctx context.Context) {
	o.mu.Lock()
	reader := o.reader
	o.mu.Unlock()
	snap, changed := reader.RefreshIfDirty(ctx)
	if !changed {
		return
	}
	starting, failed := serverNotes(snap.Servers)
	o.session.ReplaceMCPTools(snap.Tools)
	o.session.SetMCPInstructions(snap.Instructions)
	o.session.SetMCPServers(starting, failed)
}

func serverNotes(rows []mcp.ServerStatus) (starting, failed []session.ServerNote) {
	for _, r := range rows {
		note := session.ServerNote{Name: r.Name}
		if r.Error != nil {
			note.Reason = r.Error.Message
		}
		switch r.State {
		case mcp.StateStarting:
			starting = append(starting, note)
		case mcp.StateFailed, mcp.StateNeedsAuth, mcp.StateReconnecting:
			if r.Kept { // its tools are there, and a call says what is wrong
				continue
			}
			failed = append(failed, note)
		}
	}
	return starting, failed
}

func (o *openSession) close() error {
	err := o.session.Close()
	o.release()
	return err
}

// release ends what a session that is closed had: commands in the background, and its view
// of the servers.
func (o *openSession) release() {
	o.jobs.Close()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reader.Close()
}

// rewireSessions tells the open sessions that folders or settings changed.
func (s *Server) rewireSessions() {
	s.sessionsMu.Lock()
	defer s.sessionsMu.Unlock()
	for _, o := range s.sessions {
		o.rewire(o.session.Cwd())
		o.session.RulesChanged()
	}
}

// cancelTurns ends every running turn; each prompt is then answered.
func (s *Server) cancelTurns() {
	s.sessionsMu.Lock()
	defer s.sessionsMu.Unlock()
	for _, o := range s.sessions {
		o.session.Cancel()
	}
}

// closeSessions closes all sessions, side by side; each bounds its own end.
func (s *Server) closeSessions() {
	s.sessionsMu.Lock()
	all := s.sessions
	s.sessions = map[string]*openSession{}
	s.sessionsMu.Unlock()
	var wg sync.WaitGroup
	for id, o := range all {
		wg.Go(func() {
			if err := o.close(); err != nil {
				s.log.Warn("closing a session", "session", id, "error", err)
			}
		})
	}
	wg.Wait()
}

func (s *Server) lookup(id string) (*openSession, error) {
	s.sessionsMu.Lock()
	defer s.sessionsMu.Unlock()
	if o, ok := s.sessions[id]; ok {
		return o, nil
	}
	return nil, refuse(wire.KindUnknownSession, id, lang.Errorf(zh, textNotOpen, id), hintLoad)
}

func (s *Server) sessionNew(ctx context.Context, p wire.SessionNewParams) (wire.SessionNewResult, error) {
	cwd, err := s.sessionCwd(p.Cwd)
	if err != nil {
		return wire.SessionNewResult{}, err
	}
	settings, _ := s.servers.settingsAt(s.servers.folderOf(cwd).root)
	modelID := p.Model
	if modelID == "" {
		modelID = settings.Model
	}
	model, err := s.resolveModel(modelID)
	if err != nil {
		return wire.SessionNewResult{}, err
	}
	mode := permission.Mode(p.Mode)
	if mode == "" {
		mode = settings.Permissions.Mode
	}
	o := &openSession{s: s}
	o.rewire(cwd)
	options := s.sessionOptions(o, cwd)
	options.Model, options.Mode = model, mode
	o.session, err = session.New(options)
	if err != nil {
		o.reader.Close()
		return wire.SessionNewResult{}, err
	}
	s.adopt(o)
	s.announce(ctx, o)
	return s.opened(o), nil
}

// opened describes a session that is new.
func (s *Server) opened(o *openSession) wire.SessionNewResult {
	return wire.SessionNewResult{
		SessionID: o.session.ID(), Cwd: o.session.Cwd(), Model: o.session.Model().ID(),
		Mode: string(o.session.Mode()), Modes: s.modeState(o.session.Mode()),
	}
}

// sessionCwd reads the folder of a new session: the one asked for, the first open
// one, else home.
func (s *Server) sessionCwd(asked string) (string, error) {
	if asked == "" {
		for _, p := range s.servers.places() {
			if p.root != "" {
				return p.root, nil
			}
		}
		return s.userHome, nil
	}
	cwd, err := folderPath(asked)
	if err != nil {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "cwd: %v", err)
	}
	if info, err := os.Stat(cwd); err != nil {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "cwd: %v", err)
	} else if !info.IsDir() {
		return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "cwd: %s is not a folder", cwd)
	}
	return cwd, nil
}

// sessionOptions are what a new and a loaded session have in common.
func (s *Server) sessionOptions(o *openSession, cwd string) session.Options {
	engine := s.engine(o.root)
	o.jobs = tool.NewJobs()
	env := func(root string, jobs *tool.Jobs) tool.Env {
		return tool.Env{
			Root: root, Jobs: jobs, Overlay: s.docs.Overlay, OpenFiles: s.docs.Paths, Environ: s.env.list, Lang: s.lang,
			Secret: s.holdsModelKey, Proxy: http.ProxyFromEnvironment,
			Edited: func(path string, before *string, after string) error { return o.session.NoteEdit(path, before, after) },
			Apply:  s.applyEdit, Unsaved: s.unsaved,
			Hide: func(path string) bool { return engine.Hides(permission.Resolve(root), path) },
		}
	}
	return session.Options{
		Cwd: cwd, Home: s.home, Gate: engine, Store: s.store, Locale: s.client.locale, Logger: s.log,
		BuiltIns: tool.New(env(cwd, o.jobs)),
		SubAgentTools: func(root string, inPlace bool) ([]agent.Tool, func()) {
			jobs := tool.NewJobs() // they end with the sub-agent
			e := env(root, jobs)
			if !inPlace { // what is done in a worktree is taken back with it
				e.Edited = nil
			}
			return tool.New(e), jobs.Close
		},
		Worktrees: s.env.dataFolder(s.userHome, "worktrees"), Environ: s.env.list,
		Fallback: s.fallback,
		Ask:      o.ask, Audit: s.audit.note,
		Emit: func(u session.Update) {
			s.emit(o.session.ID(), u)
			if u.Kind == session.UpdateTitle {
				s.sessionWritten(o, u.Text)
			}
		},
	}
}

// adopt makes a session one of this connection's.
func (s *Server) adopt(o *openSession) {
	o.session.AddTools(o.agentTools()...)
	o.session.SetBeforePrompt(o.refresh)
	s.sessionsMu.Lock()
	s.sessions[o.session.ID()] = o
	s.sessionsMu.Unlock()
	// Folders may have changed since the session got its servers.
	o.rewire(o.session.Cwd())
}

func (s *Server) sessionList(_ context.Context, p wire.SessionListParams) (wire.SessionListResult, error) {
	page, err := s.store.List(session.ListOptions{Cursor: p.Cursor, Limit: sessionPage})
	if err != nil {
		return wire.SessionListResult{}, err
	}
	result := wire.SessionListResult{Sessions: make([]wire.SessionInfo, 0, len(page.Sessions)), NextCursor: page.Next}
	for _, info := range page.Sessions {
		result.Sessions = append(result.Sessions, sessionInfoOf(info))
	}
	return result, nil
}

func (s *Server) sessionLoad(ctx context.Context, p wire.SessionLoadParams) (wire.SessionLoadResult, error) {
	before := 0
	if p.Before != "" {
		n, err := strconv.Atoi(p.Before)
		if err != nil || n <= 0 {
			return wire.SessionLoadResult{}, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "before: %q is no answer of an earlier load", p.Before)
		}
		before = n
	}
	o, err := s.lookup(p.SessionID)
	if err != nil {
		if o, err = s.open(p.SessionID); err != nil {
			return wire.SessionLoadResult{}, err
		}
	}
	s.announce(ctx, o)
	next := o.session.Replay(session.ReplayOptions{Before: before, Limit: p.Limit}, func(u session.Update) {
		s.emit(o.session.ID(), u)
	})
	result := wire.SessionLoadResult{
		Model: o.session.Model().ID(), Mode: string(o.session.Mode()), Modes: s.modeState(o.session.Mode()),
	}
	if next > 0 {
		result.NextBefore = strconv.Itoa(next)
	}
	return result, nil
}

// open opens a kept session.
func (s *Server) open(id string) (*openSession, error) {
	journal, err := s.store.Open(id)
	if err != nil {
		return nil, err
	}
	return s.openJournal(journal)
}

// openJournal goes on with the session of a journal, which it owns from here on.
func (s *Server) openJournal(journal *session.Journal) (*openSession, error) {
	kept := journal.Log()
	id := kept.Header.ID
	model, err := s.resolveModel(kept.Model)
	if err != nil {
		// Its model is gone: the conversation is not. Go on with today's.
		s.log.Warn("the model of a session cannot be used", "session", id, "model", kept.Model, "error", err)
		settings, _ := s.servers.settingsAt(s.servers.folderOf(kept.Header.Cwd).root)
		if model, err = s.resolveModel(settings.Model); err != nil {
			return nil, errors.Join(err, journal.Close())
		}
	}
	o := &openSession{s: s}
	o.rewire(kept.Header.Cwd)
	options := s.sessionOptions(o, kept.Header.Cwd)
	options.Model = model
	o.session, err = session.Load(journal, options)
	if err != nil {
		o.reader.Close()
		return nil, err
	}
	s.adopt(o)
	return o, nil
}

func (s *Server) sessionPrompt(ctx context.Context, p wire.SessionPromptParams) (wire.SessionPromptResult, error) {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return wire.SessionPromptResult{}, err
	}
	content, err := contentsOf(p.Prompt)
	if err != nil {
		return wire.SessionPromptResult{}, err
	}
	expand, own, input, err := o.commandOf(content)
	if err != nil {
		return wire.SessionPromptResult{}, err
	}
	if own != nil {
		rest, done, err := s.runBuiltin(ctx, o, own, input)
		if err != nil || done {
			return wire.SessionPromptResult{StopReason: wire.StopEndTurn}, err
		}
		content[0] = agent.Text(rest)
	}
	content = o.mentioned(content)
	turn, err := o.session.Begin(content)
	if err != nil {
		return wire.SessionPromptResult{}, err
	}
	if expand != nil || fetches(content) {
		turn.Fill(func(ctx context.Context, content []agent.Content) ([]agent.Content, error) {
			if expand != nil {
				said, err := expand(ctx)
				if err != nil {
					return nil, err
				}
				content = append(said, content[1:]...)
			}
			return o.fetch(ctx, content)
		})
	}
	s.turns.Add(1)
	s.push.poke()
	rpc.Release(ctx)
	result, err := turn.Run(ctx)
	s.turns.Add(-1)
	s.push.poke()
	s.sessionWritten(o, o.session.Title())
	if ctx.Err() != nil {
		return wire.SessionPromptResult{}, ctx.Err()
	}
	if err != nil {
		return wire.SessionPromptResult{}, err
	}
	return wire.SessionPromptResult{
		StopReason: wire.StopReason(result.StopReason), Usage: usageOf(result.Usage), MessageID: strconv.Itoa(result.Message),
	}, nil
}

func (s *Server) sessionCancel(_ context.Context, p wire.SessionCancelParams) error {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return err
	}
	o.session.Cancel()
	return nil
}

func (s *Server) sessionSetMode(_ context.Context, p wire.SessionSetModeParams) (wire.Empty, error) {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return wire.Empty{}, err
	}
	return wire.Empty{}, o.session.SetMode(permission.Mode(p.ModeID))
}

func (s *Server) sessionSetModel(_ context.Context, p wire.SessionSetModelParams) (wire.Empty, error) {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return wire.Empty{}, err
	}
	model, err := s.resolveModel(p.ModelID)
	if err != nil {
		return wire.Empty{}, err
	}
	return wire.Empty{}, o.session.SetModel(model)
}
