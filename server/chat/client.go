package chat

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// client is the editor's end of a connection to a server in this process. What the
// server sends is queued in order, without bound, so that the connection never
// waits for the terminal.
type client struct {
	conn jsonrpc2.Conn
	// gone is closed when the server has returned, served is what it returned.
	gone   chan struct{}
	served error // read after gone
	toServ *io.PipeWriter

	mu     sync.Mutex
	events []any // guarded by mu
	// signal has a value while events may hold something.
	signal chan struct{}
}

// message is a window/showMessage.
type message struct {
	kind protocol.MessageType
	text string
}

// dial starts serve at the other end of a pair of pipes. close ends it.
func dial(ctx context.Context, serve func(context.Context, io.Reader, io.Writer) error) (*client, error) {
	if serve == nil {
		return nil, errors.New("chat: no server to talk to")
	}
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	c := &client{gone: make(chan struct{}), toServ: toServer, signal: make(chan struct{}, 1)}
	// The server outlives an interrupted ctx: close ends it in order, so that it
	// can stop its children.
	serveCtx := context.WithoutCancel(ctx)
	go func() {
		defer close(c.gone)
		c.served = serve(serveCtx, serverIn, serverOut)
		serverOut.Close()
		serverIn.Close()
	}()
	c.conn = jsonrpc2.NewConn(rpc.NewStream(fromServer, toServer, nil), jsonrpc2.WithCodec(rpc.Codec{}))
	c.conn.Go(serveCtx, protocol.CancelHandler(c.handle))
	return c, nil
}

// call sends a request and waits for its answer; a cancelled ctx cancels it at the
// server too.
func (c *client) call(ctx context.Context, method string, params, result any) error {
	err := protocol.Call(ctx, c.conn, method, params, result)
	select {
	case <-c.gone:
		if c.served != nil {
			return lang.Errorf(zh, textServerEndedBy, c.served)
		}
	default:
	}
	return err
}

func (c *client) notify(ctx context.Context, method string, params any) error {
	return c.conn.Notify(ctx, method, params)
}

func (c *client) initialize(ctx context.Context, dir, version, locale string) error {
	experimental, err := protocol.Marshal(map[string]wire.ClientCapabilities{"codebot": {RequestPermission: true}})
	if err != nil {
		return err
	}
	params := &protocol.InitializeParams{
		ClientInfo:   protocol.ClientInfo{Name: "codebot-ls chat", Version: protocol.NewOptional(version)},
		Capabilities: protocol.ClientCapabilities{Experimental: experimental},
	}
	if locale != "" {
		params.Locale = &locale
	}
	params.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(dir), Name: filepath.Base(dir)}})
	if err := c.call(ctx, protocol.MethodInitialize, params, nil); err != nil {
		return err
	}
	return c.notify(ctx, protocol.MethodInitialized, &protocol.InitializedParams{})
}

// close ends the session in the order of the protocol and waits for the server.
func (c *client) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), exitTimeout)
	defer cancel()
	// A server that is gone already answers neither.
	if err := c.call(ctx, protocol.MethodShutdown, nil, nil); err == nil {
		_ = c.notify(ctx, protocol.MethodExit, nil)
	}
	c.toServ.Close()
	select {
	case <-c.gone:
	case <-ctx.Done():
		return lang.Errorf(zh, textServerStays, exitTimeout)
	}
	// Its output is closed, so the connection ends by itself.
	select {
	case <-c.conn.Done():
	case <-time.After(time.Second):
	}
	return c.served
}

// handle takes a message of the server. It runs on the read loop, so it only
// queues; a question leaves the loop and waits for its answer.
func (c *client) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	switch req.Method() {
	case wire.SessionUpdateNotification.Name:
		return nil, queue[wire.SessionUpdateParams](c, req)
	case wire.MCPDidChangeStatus.Name:
		return nil, queue[wire.MCPDidChangeStatusParams](c, req)
	case wire.DidChangeStatus.Name:
		return nil, queue[wire.StatusResult](c, req)
	case protocol.MethodTextDocumentPublishDiagnostics:
		return nil, queue[protocol.PublishDiagnosticsParams](c, req)
	case wire.RequestPermission.Name:
		q := &question{reply: make(chan wire.PermissionOutcome, 1)}
		err := rpc.DecodeParams(req.Method(), req.Params(), &q.RequestPermissionParams)
		if err == nil {
			c.put(q) // before the loop goes on, so that it keeps its place
		}
		leaveLoop(ctx)
		if err != nil {
			return nil, err
		}
		select {
		case outcome := <-q.reply:
			return wire.RequestPermissionResult{Outcome: outcome}, nil
		case <-ctx.Done():
			c.put(withdrawn{q})
			return nil, protocol.ErrRequestCancelled
		}
	case protocol.MethodWindowShowMessage:
		var p protocol.ShowMessageParams
		if err := rpc.DecodeParams(req.Method(), req.Params(), &p); err != nil {
			return nil, nil
		}
		c.put(message{p.Type, p.Message})
		return nil, nil
	}
	if !req.IsCall() {
		return nil, nil // a notification we have no use for
	}
	leaveLoop(ctx)
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%s is not for a terminal", req.Method())
}

// leaveLoop lets the read loop go on. Every call must do it, also one that is
// answered at once: the cancel handler watches the context of a call from a
// goroutine of its own, and jsonrpc2 uses the context of a call that ends on the
// loop again for the next message.
func leaveLoop(ctx context.Context) { jsonrpc2.Async(ctx) }

// queue decodes the params of a notification and queues them. One that cannot be
// decoded is dropped: an error would end the connection.
func queue[P any](c *client, req *jsonrpc2.Request) error {
	var p P
	if err := rpc.DecodeParams(req.Method(), req.Params(), &p); err != nil {
		c.put(message{protocol.MessageTypeWarning, err.Error()})
		return nil
	}
	c.put(p)
	return nil
}

func (c *client) put(e any) {
	c.mu.Lock()
	c.events = append(c.events, e)
	c.mu.Unlock()
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

// ready delivers a value when take has something to return.
func (c *client) ready() <-chan struct{} { return c.signal }

// take returns what has arrived since it was last called, in order.
func (c *client) take() []any {
	c.mu.Lock()
	defer c.mu.Unlock()
	events := c.events
	c.events = nil
	return events
}
