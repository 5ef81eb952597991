// Package server is one editor's connection: the LSP methods, the codebot methods,
// and the wiring of settings, MCP servers, sessions and the editor. It is the only
// place that knows LSP types and JSON-RPC.
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/loginshell"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/keystore"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/session/secret"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// stopGrace bounds the end of a connection: the turns, the children, the reply
// that is still on its way.
const stopGrace = 6 * time.Second

// endGrace is how long the messages before the end of the input may still take.
const endGrace = 500 * time.Millisecond

// Options of one connection. In and Out are required.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Version of this build, as initialize and MCP servers are told.
	Version string
	// Environ is the environment of the process, "NAME=value".
	Environ []string
	// Secrets is told of the keys and headers that stand in settings files, so that the
	// log and the trace keep them back; nil when nobody keeps any.
	Secrets *secret.Live
	// Logger is for the person with the bug; nil discards.
	Logger *slog.Logger
	// Tap sees every message; nil sees none.
	Tap rpc.Tap
	// TrustWorkspace approves what the folders' settings hold at the start, until
	// the connection ends: for a terminal whose user asked for it.
	TrustWorkspace bool
	// ExtraServers are run beside the user's own, which win over them.
	ExtraServers map[string]mcp.ServerConfig
}

// Server is the server's side of one connection, from the first byte to the last;
// it corresponds to one accept, not to one listen. Serve makes it and ends it.
type Server struct {
	opts Options
	env  environment
	// shell is asked for programs that are not on our PATH.
	shell loginshell.Shell
	log   *slog.Logger
	conn  jsonrpc2.Conn
	order rpc.Order

	// life is the lifetime of everything the connection starts; stop ends it.
	life context.Context
	stop context.CancelFunc
	// tasks are the goroutines of the connection.
	tasks sync.WaitGroup
	// ended carries the exit code of whoever ends the connection first.
	ended chan int

	lifecycle lifecycle
	routes    map[string]method
	lsp       jsonrpc2.Handler

	// setUpMu keeps the end of the connection out of a setUp that runs, and a setUp
	// out of a connection that has ended.
	setUpMu sync.Mutex
	down    bool // guarded by setUpMu

	// Set by initialize, read only afterwards.
	client   clientInfo
	lang     lang.Lang // of every text a person reads
	userHome string
	keys     *keystore.Store
	logins   logins
	audit    auditLog
	home     string // ~/.codebot
	ws       *workspace.Workspace
	servers  *servers
	push     *pusher
	assist   *settingsLang
	store    *session.Store
	grants   *permission.GrantStore

	stream *rpc.Stream
	docs   workspace.Documents

	sessionsMu sync.Mutex
	sessions   map[string]*openSession // guarded by sessionsMu
	turns      atomic.Int64            // how many turns run
}

// clientInfo is what initialize said of the client.
type clientInfo struct {
	codebot *wire.ClientCapabilities // nil: a client without a plug-in
	// showsPages says that it has window/showDocument.
	showsPages bool
	locale     string
	// watches says that the client takes a registration of file watchers.
	watches bool
	// applies says that it takes workspace/applyEdit, versioned that an edit may name the
	// version of the document that it is for.
	applies, versioned bool
	features           clientFeatures
}

// Serve runs one connection until the client says exit, the input ends, ctx is
// cancelled or the process that started us is gone, and returns the exit code: 0
// when shutdown came first, else 1. When it returns no child is left.
func Serve(ctx context.Context, o Options) int {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Secrets == nil {
		o.Secrets = &secret.Live{}
	}
	s := &Server{opts: o, env: newEnvironment(o.Environ), shell: loginshell.Shell{Environ: o.Environ}, log: o.Logger, ended: make(chan int, 1), sessions: map[string]*openSession{}}
	s.life, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer s.stop()

	stream := rpc.NewStream(o.In, o.Out, o.Tap)
	s.stream = stream
	s.conn = jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(rpc.Codec{}))
	s.routes = s.routeTable()
	s.lsp = protocol.ServerHandler(&editorEvents{s: s}, nil)
	// The connection's context is not the lifetime: cancelling that must leave the
	// last answers on their way.
	handling, drop := context.WithCancel(context.WithoutCancel(ctx))
	defer drop()
	s.conn.Go(handling, rpc.Guard(s.log, protocol.CancelHandler(s.order.Handler(rpc.Guard(s.log, s.lifecycle.handler(s, s.route))))))

	var code int
	select {
	case code = <-s.ended:
	case <-s.conn.Done():
		if err := s.conn.Err(); err != nil && !errors.Is(err, io.EOF) {
			s.log.Warn("the connection ended", "error", err)
		}
		code = s.lifecycle.exitCode()
	case <-stream.Ended():
		code = s.lastWords()
	case <-ctx.Done():
		code = s.lifecycle.exitCode()
	}
	drop()
	s.teardown(stream)
	return code
}

// lastWords ends what runs when the input is over: nobody is there to answer a
// question or to see what a turn does. What was read before, an exit perhaps, still
// has its say.
func (s *Server) lastWords() int {
	s.cancelTurns()
	wait := time.NewTimer(endGrace)
	defer wait.Stop()
	select {
	case code := <-s.ended:
		return code
	case <-s.conn.Done():
	case <-wait.C:
	}
	return s.lifecycle.exitCode()
}

// end ends the connection with an exit code; the first call counts.
func (s *Server) end(code int) {
	select {
	case s.ended <- code:
	default:
	}
}

// teardown ends everything that was started, children first, within stopGrace.
func (s *Server) teardown(stream *rpc.Stream) {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	s.setUpMu.Lock()
	s.down = true
	s.setUpMu.Unlock()
	s.closeSessions()
	s.stop()
	if s.servers != nil {
		if err := s.servers.close(ctx); err != nil {
			s.log.Warn("stopping MCP servers", "error", err)
		}
	}
	if s.ws != nil {
		s.ws.Close()
	}
	// Conn.Close waits for handlers and for answers to our own calls, whose contexts
	// have just been cancelled; an output that nobody reads may hold it all the same.
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = stream.Close()
		_ = s.conn.Close()
		s.tasks.Wait()
	}()
	select {
	case <-closed:
	case <-ctx.Done():
		s.log.Warn("the connection did not end in time")
	}
}

// start runs task as a goroutine of the connection; life ends it.
func (s *Server) start(task func(ctx context.Context)) {
	s.tasks.Go(func() { task(s.life) })
}

// notify sends a notification; that a connection is gone is known elsewhere.
func (s *Server) notify(method string, params any) {
	if err := s.conn.Notify(s.life, method, params); err != nil && s.life.Err() == nil {
		s.log.Debug("notification not sent", "method", method, "error", err)
	}
}

// notifyPlugin sends a codebot notification to a client that has declared it wants
// them.
func notifyPlugin[P any](s *Server, n wire.Notification[P], params P) {
	if s.client.codebot != nil {
		s.notify(n.Name, params)
	}
}
