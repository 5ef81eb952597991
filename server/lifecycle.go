package server

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/keystore"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// phase is where a connection is in LSP's life cycle.
type phase int

const (
	phaseNew phase = iota
	phaseRunning
	phaseShutdown
)

// lifecycle answers initialize, initialized, shutdown and exit itself and lets
// through what may come in between (LSP 3.18, "Server lifecycle").
type lifecycle struct {
	mu    sync.Mutex
	phase phase // guarded by mu
}

func (l *lifecycle) now() phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase
}

// exitCode is 0 when shutdown came first.
func (l *lifecycle) exitCode() int {
	if l.now() == phaseShutdown {
		return 0
	}
	return 1
}

func (l *lifecycle) handler(s *Server, next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		method := req.Method()
		if method == protocol.MethodExit {
			s.end(l.exitCode())
			return nil, nil
		}
		switch at := l.now(); {
		case method == protocol.MethodInitialize && req.IsCall():
			if at != phaseNew {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "initialize was already answered on this connection")
			}
			return l.initialize(s, req)
		case at == phaseNew:
			if req.IsCall() {
				return nil, jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s before initialize", method)
			}
			return nil, nil // dropped, as LSP says
		case at == phaseShutdown:
			if req.IsCall() {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s after shutdown", method)
			}
			return nil, nil
		case method == protocol.MethodShutdown && req.IsCall():
			l.mu.Lock()
			l.phase = phaseShutdown
			l.mu.Unlock()
			// The turns end now, so that their prompts are answered before exit comes.
			s.cancelTurns()
			return nil, nil
		}
		// The client speaks after the answer to initialize: from here on we may too.
		s.push.open()
		if method == protocol.MethodInitialized {
			s.start(s.registerWatchers)
			s.start(s.registerFeatures)
			return nil, nil
		}
		return next(ctx, req)
	}
}

func (l *lifecycle) initialize(s *Server, req *jsonrpc2.Request) (any, error) {
	var params protocol.InitializeParams
	if err := rpc.DecodeParams(req.Method(), req.Params(), &params); err != nil {
		return nil, err
	}
	if err := s.setUp(&params); err != nil {
		return nil, s.wireError(err)
	}
	l.mu.Lock()
	l.phase = phaseRunning
	l.mu.Unlock()
	return s.initializeResult()
}

// setUp builds what lives as long as the connection. It starts servers but waits
// for none.
func (s *Server) setUp(params *protocol.InitializeParams) error {
	s.setUpMu.Lock()
	defer s.setUpMu.Unlock()
	if s.down {
		return context.Canceled
	}
	s.client = readClient(params, s.env)
	s.lang = lang.Of(s.client.locale)
	home, err := workspace.Home(s.env.get)
	if err != nil {
		return err
	}
	userHome, err := workspace.UserHome(s.env.get)
	if err != nil {
		return err
	}
	folders := initialFolders(params)
	s.home, s.userHome = home, userHome
	s.keys = keystore.New(keystore.Options{
		Path: filepath.Join(home, "keys.json"), NoKeychain: s.env.get(keychainVariable) == "off", Environ: s.env.get,
	})
	s.store = session.NewStore(sessionsDir(home))
	s.audit.s = s
	s.grants = permission.NewGrantStore(home)
	s.push = newPusher(s)
	s.assist = newSettingsLang(s)
	s.servers = newServers(s, userHome, folders)
	s.ws = workspace.New(workspace.Options{
		Home: home, UserHome: userHome, Folders: folders, Lang: s.lang, Logger: s.log, OnChange: s.settingsChanged,
	})
	if s.opts.TrustWorkspace {
		for _, f := range folders {
			if err := s.ws.TrustFolderForSession(f); err != nil {
				s.log.Warn("trusting the folder", "folder", f, "error", err)
			}
		}
	}
	s.settingsChanged(s.ws.Snapshot())
	s.start(s.push.run)
	if pid := params.ProcessID; pid != nil {
		s.start(func(ctx context.Context) { s.watchParent(ctx, int(*pid)) })
	}
	return nil
}

// settingsChanged brings everything in line with the settings. It is called by the
// workspace for each change, and by whoever needs a change to hold now.
func (s *Server) settingsChanged(snap workspace.Snapshot) {
	// Before anything acts that the log could tell of.
	s.opts.Secrets.Learn(snap.Secrets()...)
	s.servers.apply(s.life, snap)
	s.rewireSessions()
	s.push.poke()
}

// readClient reads what initialize says of the client. One that does not say its
// locale has that of the process it started.
func readClient(params *protocol.InitializeParams, env environment) clientInfo {
	c := clientInfo{locale: "en"}
	if l := lang.OfEnvironment(env.get); l != lang.En {
		c.locale = string(l)
	}
	if params.Locale != nil && *params.Locale != "" {
		c.locale = *params.Locale
	}
	var experimental struct {
		Codebot *wire.ClientCapabilities `json:"codebot"`
	}
	// What is not an object of ours is another server's; then there is no plug-in.
	if err := json.Unmarshal(params.Capabilities.Experimental, &experimental); err == nil {
		c.codebot = experimental.Codebot
	}
	if w := params.Capabilities.Workspace; w != nil && w.DidChangeWatchedFiles != nil {
		dynamic := w.DidChangeWatchedFiles.DynamicRegistration
		c.watches = dynamic != nil && *dynamic
	}
	if w := params.Capabilities.Workspace; w != nil && w.ApplyEdit != nil && *w.ApplyEdit {
		c.applies = true
		c.versioned = w.WorkspaceEdit != nil && w.WorkspaceEdit.DocumentChanges != nil && *w.WorkspaceEdit.DocumentChanges
	}
	if w := params.Capabilities.Window; w != nil && w.ShowDocument != nil {
		c.showsPages = w.ShowDocument.Support
	}
	c.features = readFeatures(&params.Capabilities)
	return c
}

// initialFolders are the absolute paths of the folders open at the start, the
// first one first.
func initialFolders(params *protocol.InitializeParams) []string {
	var folders []string
	add := func(u string) {
		if path, ok := pathOf(u); ok && !slices.Contains(folders, path) {
			folders = append(folders, path)
		}
	}
	if list, ok := params.WorkspaceFolders.Get(); ok {
		for _, f := range list {
			add(string(f.URI))
		}
		return folders
	}
	// Clients from before workspace folders say it in one of these.
	//lint:ignore SA1019 deprecated, and still all that some clients send
	rootURI, rootPath := params.RootURI, params.RootPath
	if rootURI != nil {
		add(string(*rootURI))
	} else if root, ok := rootPath.Get(); ok && root != "" {
		if path, err := folderPath(root); err == nil {
			folders = append(folders, path)
		}
	}
	return folders
}

func (s *Server) initializeResult() (*protocol.InitializeResult, error) {
	codebot := wire.ServerCapabilities{
		ProtocolVersion:    wire.ProtocolVersion,
		Methods:            s.implemented(),
		PromptCapabilities: wire.PromptCapabilities{Image: true, EmbeddedContext: true},
	}
	experimental, err := protocol.Marshal(map[string]any{"codebot": codebot})
	if err != nil {
		return nil, err
	}
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	caps := protocol.ServerCapabilities{
		TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &incremental},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: protocol.Boolean(true),
		}},
		Experimental: experimental,
	}
	s.declareFeatures(&caps)
	if s.client.codebot == nil {
		caps.ExecuteCommandProvider = protocol.ExecuteCommandOptions{Commands: []string{wire.CommandRequest}}
	}
	return &protocol.InitializeResult{
		Capabilities: caps,
		ServerInfo:   protocol.ServerInfo{Name: "codebot-ls", Version: protocol.NewOptional(s.opts.Version)},
	}, nil
}
