// Package servertest is a fake editor: it drives codebot-ls through the real wire,
// in this process or as the real binary over real pipes, keeps what the server
// said, and waits for conditions instead of sleeping.
package servertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// Patience is how long the editor waits for anything before it calls it lost.
const Patience = 30 * time.Second

// Config of an editor. The zero value is an editor with the plug-in.
type Config struct {
	// Folders are absolute paths.
	Folders []string
	// Capabilities of the plug-in; nil means one that answers permissions.
	Capabilities *wire.ClientCapabilities
	// NoPlugin is an editor that declares nothing of ours.
	NoPlugin bool
	// Client changes what else the editor says it can; nil leaves it at nothing.
	Client func(*protocol.ClientCapabilities)
	Locale string
	// ProcessID as initialize gives it; 0 means null.
	ProcessID int
	// Permit answers permission questions with an option id; nil rejects. It may
	// block until ctx ends: the server takes a question back.
	Permit func(ctx context.Context, p wire.RequestPermissionParams) string
	// Elicit, Sample, Authorize and Problems answer what else the server asks a plug-in;
	// one without an answer has no such method. They may block until ctx ends.
	Elicit    func(ctx context.Context, p wire.MCPElicitParams) wire.MCPElicitResult
	Sample    func(ctx context.Context, p wire.MCPSampleParams) wire.MCPSampleResult
	Authorize func(ctx context.Context, p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult
	Problems  func(ctx context.Context, p wire.DiagnosticsParams) wire.DiagnosticsResult
	// Show answers window/showDocument with whether it was shown.
	Show func(uri string) bool
	// Applies takes workspace/applyEdit; nil declares that it is not taken.
	Applies *Applying
	// Message answers window/showMessageRequest with a title, empty for null.
	Message func(p protocol.ShowMessageRequestParams) string
}

// Editor is one connected editor. Its state is what the server said so far.
type Editor struct {
	t      testing.TB
	config Config
	conn   jsonrpc2.Conn
	in     io.Writer

	buffers buffers

	// Result of initialize.
	Initialized protocol.InitializeResult
	// Server is what the server declared of itself.
	Server wire.ServerCapabilities

	mu      sync.Mutex
	changed chan struct{} // closed and replaced with every message
	state   State
	log     []string // every message, for a failing test
}

// State is what an editor knows. It is handed to conditions under the editor's
// lock and must not be kept.
type State struct {
	Updates     map[string][]wire.SessionUpdateVariant // by session
	Rows        map[wire.MCPKey]wire.MCPServer
	Totals      wire.MCPTotals
	Revision    int
	Gaps        int // how often a revision did not follow the one before
	Status      *wire.StatusResult
	Logs        map[wire.MCPKey][]wire.MCPLogEntry
	Asked       []wire.RequestPermissionParams
	Resolved    []wire.PermissionResolvedParams
	Sessions    []wire.SessionDidChangeParams
	Messages    []protocol.ShowMessageRequestParams
	Diagnostics map[string][]protocol.Diagnostic // by path
	Versions    map[string]int32                 // of the texts that Diagnostics are about, by path
	Registered  []protocol.Registration
	Refreshed   map[string]int // how often the server asked to be asked again, by method
	Cancelled   int            // $/cancelRequest notifications of the server
	Resources   []wire.MCPDidChangeResourceParams
	Edits       []protocol.ApplyWorkspaceEditParams
	Other       []string
}

// Row returns the only row of that name.
func (s *State) Row(name string) (wire.MCPServer, bool) {
	for key, row := range s.Rows {
		if key.Name == name {
			return row, true
		}
	}
	return wire.MCPServer{}, false
}

// Connect speaks to a server over in (what it reads) and out (what it writes), and
// initializes it.
func Connect(t testing.TB, in io.Writer, out io.Reader, config Config) *Editor {
	t.Helper()
	e := Attach(t, in, out, config)
	e.Initialize()
	return e
}

// Attach is Connect without initialize.
func Attach(t testing.TB, in io.Writer, out io.Reader, config Config) *Editor {
	t.Helper()
	e := &Editor{t: t, in: in, config: config, changed: make(chan struct{})}
	e.state.Updates = map[string][]wire.SessionUpdateVariant{}
	e.state.Rows = map[wire.MCPKey]wire.MCPServer{}
	e.state.Logs = map[wire.MCPKey][]wire.MCPLogEntry{}
	e.state.Diagnostics = map[string][]protocol.Diagnostic{}
	e.state.Versions = map[string]int32{}
	e.state.Refreshed = map[string]int{}
	tap := func(outgoing bool, body []byte) {
		arrow := "server -> editor "
		if outgoing {
			arrow = "editor -> server "
		}
		e.mu.Lock()
		e.log = append(e.log, arrow+string(body))
		e.mu.Unlock()
	}
	stream := rpc.NewStream(out, in, tap)
	e.conn = jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(rpc.Codec{}))
	// Notifications are taken on the read loop, so that whatever precedes an answer
	// on the wire is known when the answer is; a question may wait beside it.
	e.conn.Go(context.Background(), protocol.CancelHandler(func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() {
			jsonrpc2.Async(ctx)
		}
		result, err := e.handle(ctx, req)
		if err != nil && !req.IsCall() {
			t.Errorf("%s: %v", req.Method(), err)
			err = nil // it would end the connection
		}
		return result, err
	}))
	t.Cleanup(func() {
		_ = stream.Close()
		if t.Failed() {
			e.mu.Lock()
			defer e.mu.Unlock()
			log := e.log
			if len(log) > 200 {
				log = log[len(log)-200:]
			}
			for _, line := range log {
				if len(line) > 1500 {
					line = line[:1500] + " ..."
				}
				t.Log(line)
			}
		}
	})
	return e
}

// AwaitEnd waits until the server's end of the connection is closed and everything that
// came over it is known.
func (e *Editor) AwaitEnd() {
	e.t.Helper()
	select {
	case <-e.conn.Done():
	case <-time.After(Patience):
		e.t.Fatalf("the connection did not end within %v", Patience)
	}
}

// Initialize does initialize and initialized.
func (e *Editor) Initialize() {
	e.t.Helper()
	params := &protocol.InitializeParams{}
	if e.config.ProcessID != 0 {
		pid := int32(e.config.ProcessID)
		params.ProcessID = &pid
	}
	if e.config.Locale != "" {
		params.Locale = &e.config.Locale
	}
	var folders []protocol.WorkspaceFolder
	for _, f := range e.config.Folders {
		folders = append(folders, protocol.WorkspaceFolder{URI: uri.File(f), Name: f})
	}
	params.WorkspaceFolders = protocol.NewNullable(folders)
	if !e.config.NoPlugin {
		caps := e.config.Capabilities
		if caps == nil {
			caps = &wire.ClientCapabilities{RequestPermission: true, SavesEdits: e.config.Applies != nil && e.config.Applies.Saves}
		}
		raw, err := protocol.Marshal(map[string]any{"codebot": caps})
		if err != nil {
			e.t.Fatal(err)
		}
		params.Capabilities.Experimental = raw
	}
	if e.config.Applies != nil {
		e.config.Applies.declare(&params.Capabilities)
	}
	if e.config.Client != nil {
		e.config.Client(&params.Capabilities)
	}
	if err := e.call(protocol.MethodInitialize, params, &e.Initialized); err != nil {
		e.t.Fatalf("initialize: %v", err)
	}
	var experimental struct {
		Codebot wire.ServerCapabilities `json:"codebot"`
	}
	if err := protocol.Unmarshal(e.Initialized.Capabilities.Experimental, &experimental); err != nil {
		e.t.Fatalf("the server's capabilities: %v", err)
	}
	e.Server = experimental.Codebot
	e.Notify(protocol.MethodInitialized, struct{}{})
}

// Call calls a codebot method and fails the test on an error.
func Call[P, R any](e *Editor, m wire.Request[P, R], params P) R {
	e.t.Helper()
	result, err := Try(e, m, params)
	if err != nil {
		e.t.Fatalf("%s: %v", m.Name, err)
	}
	return result
}

// Try calls a codebot method.
func Try[P, R any](e *Editor, m wire.Request[P, R], params P) (R, error) {
	var result R
	err := e.call(m.Name, params, &result)
	return result, err
}

// Start calls a codebot method and returns at once; wait gives what came of it.
// Cancelling ctx sends $/cancelRequest.
func Start[P, R any](ctx context.Context, e *Editor, m wire.Request[P, R], params P) (wait func() (R, error)) {
	var (
		result R
		err    error
	)
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = protocol.Call(ctx, e.conn, m.Name, params, &result)
	}()
	return func() (R, error) {
		e.t.Helper()
		select {
		case <-done:
		case <-time.After(Patience):
			e.t.Fatalf("%s was not answered within %v", m.Name, Patience)
		}
		return result, err
	}
}

// Raw calls any method.
func (e *Editor) Raw(method string, params, result any) error { return e.call(method, params, result) }

func (e *Editor) call(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	_, err := e.conn.Call(ctx, method, params, result)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s was not answered within %v", method, Patience)
	}
	return err
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(context.Background(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// Shutdown ends the connection in the way of LSP.
func (e *Editor) Shutdown() {
	e.t.Helper()
	if err := e.call(protocol.MethodShutdown, nil, nil); err != nil {
		e.t.Fatalf("shutdown: %v", err)
	}
	e.Notify(protocol.MethodExit, nil)
}

// Await waits until cond holds; what names it for the failure.
func (e *Editor) Await(what string, cond func(*State) bool) {
	e.t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	for {
		e.mu.Lock()
		met, changed := cond(&e.state), e.changed
		e.mu.Unlock()
		if met {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			e.t.Fatalf("waited %v in vain for: %s", Patience, what)
		}
	}
}

// AwaitState waits until the server of that name is in one of the states and
// returns its row.
func (e *Editor) AwaitState(name string, states ...wire.MCPState) wire.MCPServer {
	e.t.Helper()
	var row wire.MCPServer
	e.Await(fmt.Sprintf("%s to be %v", name, states), func(s *State) bool {
		r, ok := s.Row(name)
		row = r
		for _, state := range states {
			if ok && r.State == state {
				return true
			}
		}
		return false
	})
	return row
}

// Look hands the state out.
func (e *Editor) Look(look func(*State)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	look(&e.state)
}

// MessageLog is every message that has passed so far, with its direction.
func (e *Editor) MessageLog() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.log...)
}

// Text is all the agent has said in a session.
func (e *Editor) Text(session string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, u := range e.state.Updates[session] {
		if c, ok := u.(*wire.AgentMessageChunk); ok && c.Content.Text != nil {
			b.WriteString(*c.Content.Text)
		}
	}
	return b.String()
}

// Calls are the tool calls of a session with all their changes applied, in order.
func (e *Editor) Calls(session string) []wire.ToolCallUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	var calls []wire.ToolCallUpdate
	for _, u := range e.state.Updates[session] {
		switch v := u.(type) {
		case *wire.ToolCallStart:
			calls = append(calls, wire.ToolCallUpdate(v.ToolCall))
		case *wire.ToolCallProgress:
			for i := range calls {
				if calls[i].ToolCallID == v.ToolCallID {
					calls[i].Apply(v.ToolCallUpdate)
				}
			}
		}
	}
	return calls
}

// CallText is the text content of a tool call.
func CallText(c wire.ToolCallUpdate) string {
	var b strings.Builder
	for _, content := range c.Content {
		if content.Content != nil && content.Content.Text != nil {
			b.WriteString(*content.Content.Text)
		}
	}
	return b.String()
}

func (e *Editor) tell(change func(*State)) {
	e.mu.Lock()
	change(&e.state)
	close(e.changed)
	e.changed = make(chan struct{})
	e.mu.Unlock()
}

func (e *Editor) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	decode := func(v any) error { return rpc.DecodeParams(req.Method(), req.Params(), v) }
	switch req.Method() {
	case wire.SessionUpdateNotification.Name:
		var p wire.SessionUpdateParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Updates[p.SessionID] = append(s.Updates[p.SessionID], p.Update.Value) })
	case wire.MCPDidChangeStatus.Name:
		var p wire.MCPDidChangeStatusParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) {
			if p.Revision != s.Revision+1 {
				s.Gaps++
			}
			s.Revision, s.Totals = p.Revision, p.Totals
			for _, key := range p.Removed {
				delete(s.Rows, key)
			}
			for _, row := range p.Servers {
				s.Rows[wire.MCPKey{Name: row.Name, Folder: row.Folder}] = row
			}
		})
	case wire.DidChangeStatus.Name:
		var p wire.StatusResult
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Status = &p })
	case wire.MCPLog.Name:
		var p wire.MCPLogParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) {
			key := wire.MCPKey{Name: p.Name, Folder: p.Folder}
			s.Logs[key] = append(s.Logs[key], p.Entries...)
		})
	case wire.PermissionResolved.Name:
		var p wire.PermissionResolvedParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Resolved = append(s.Resolved, p) })
	case wire.SessionDidChange.Name:
		var p wire.SessionDidChangeParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Sessions = append(s.Sessions, p) })
	case wire.RequestPermission.Name:
		var p wire.RequestPermissionParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Asked = append(s.Asked, p) })
		answer := ""
		if e.config.Permit != nil {
			answer = e.config.Permit(ctx, p)
		}
		if ctx.Err() != nil {
			e.tell(func(s *State) { s.Cancelled++ })
			return nil, protocol.ErrRequestCancelled
		}
		if answer == "" {
			return wire.RequestPermissionResult{Outcome: wire.PermissionOutcome{Outcome: wire.OutcomeCancelled}}, nil
		}
		return wire.RequestPermissionResult{Outcome: wire.PermissionOutcome{Outcome: wire.OutcomeSelected, OptionID: answer}}, nil
	case wire.MCPDidChangeResource.Name:
		var p wire.MCPDidChangeResourceParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Resources = append(s.Resources, p) })
	case wire.MCPElicit.Name:
		return answer(ctx, e, req, e.config.Elicit)
	case wire.MCPSample.Name:
		return answer(ctx, e, req, e.config.Sample)
	case wire.MCPAuthorize.Name:
		return answer(ctx, e, req, e.config.Authorize)
	case wire.Diagnostics.Name:
		return answer(ctx, e, req, e.config.Problems)
	case protocol.MethodWorkspaceApplyEdit:
		return e.applyEdit(ctx, req)
	case protocol.MethodWindowShowMessageRequest:
		var p protocol.ShowMessageRequestParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Messages = append(s.Messages, p) })
		if e.config.Message != nil {
			if title := e.config.Message(p); title != "" {
				return &protocol.MessageActionItem{Title: title}, nil
			}
		}
		return nil, nil
	case protocol.MethodWindowShowDocument:
		var p struct { // the library's URI would be put in order, a page's must not
			URI string `json:"uri"`
		}
		if err := decode(&p); err != nil {
			return nil, err
		}
		return protocol.ShowDocumentResult{Success: e.config.Show != nil && e.config.Show(p.URI)}, nil
	case protocol.MethodTextDocumentPublishDiagnostics:
		var p protocol.PublishDiagnosticsParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) {
			s.Diagnostics[p.URI.FsPath()] = p.Diagnostics
			delete(s.Versions, p.URI.FsPath())
			if version, ok := p.Version.Get(); ok {
				s.Versions[p.URI.FsPath()] = version
			}
		})
	case protocol.MethodWorkspaceCodeLensRefresh, protocol.MethodWorkspaceInlayHintRefresh:
		method := strings.Clone(req.Method())
		e.tell(func(s *State) { s.Refreshed[method]++ })
		return nil, nil
	case protocol.MethodClientRegisterCapability:
		var p protocol.RegistrationParams
		if err := decode(&p); err != nil {
			return nil, err
		}
		e.tell(func(s *State) { s.Registered = append(s.Registered, p.Registrations...) })
		return nil, nil
	default:
		method := strings.Clone(req.Method())
		e.tell(func(s *State) { s.Other = append(s.Other, method) })
		if req.IsCall() {
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "the fake editor has no %s", method)
		}
	}
	return nil, nil
}

// answer lets a test answer what the server asks.
func answer[P, R any](ctx context.Context, e *Editor, req *jsonrpc2.Request, by func(context.Context, P) R) (any, error) {
	var p P
	if err := rpc.DecodeParams(req.Method(), req.Params(), &p); err != nil {
		return nil, err
	}
	if by == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "the fake editor has no %s", req.Method())
	}
	result := by(ctx, p)
	if ctx.Err() != nil {
		e.tell(func(s *State) { s.Cancelled++ })
		return nil, protocol.ErrRequestCancelled
	}
	return result, nil
}

// Send sends a body as it is.
func (e *Editor) Send(body string) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.t.Fatal(err)
	}
}
