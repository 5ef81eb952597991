package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// fakeWeb is an MCP server over HTTP, spoken by hand so that a test can break any part
// of it. Its answers are plain JSON.
type fakeWeb struct {
	// on takes over a method, "GET" for the event stream; false leaves it to the fake.
	on map[string]func(w http.ResponseWriter, r *http.Request, id json.RawMessage) bool
	// session is the id it gives and wants; empty for none.
	session string
	// tools is the JSON of its tools.
	tools string

	mu   sync.Mutex
	seen []string // guarded by mu; each method it got
}

const helloTool = `{"name":"hello","inputSchema":{"type":"object"}}`

func (f *fakeWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var msg struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &msg)
	} else {
		msg.Method = r.Method
	}
	f.mu.Lock()
	f.seen = append(f.seen, msg.Method)
	on, session, tools := f.on[msg.Method], f.session, f.tools
	f.mu.Unlock()
	switch {
	case on != nil && on(w, r, msg.ID):
	case msg.Method == "GET":
		w.WriteHeader(http.StatusMethodNotAllowed)
	case msg.Method == "DELETE" || len(msg.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	case msg.Method == "initialize":
		if session != "" {
			w.Header().Set("Mcp-Session-Id", session)
		}
		answer(w, msg.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"1"}}`)
	case session != "" && r.Header.Get("Mcp-Session-Id") != session && msg.Method != "server/discover":
		http.Error(w, "session not found", http.StatusNotFound)
	case msg.Method == "tools/list":
		if tools == "" {
			tools = helloTool
		}
		answer(w, msg.ID, `{"tools":[`+tools+`]}`)
	case msg.Method == "tools/call":
		answer(w, msg.ID, `{"content":[{"type":"text","text":"hello"}]}`)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, msg.ID)
	}
}

func answer(w http.ResponseWriter, id json.RawMessage, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// change changes the fake under its lock.
func (f *fakeWeb) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// count returns how often a method came.
func (f *fakeWeb) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, s := range f.seen {
		if s == method {
			n++
		}
	}
	return n
}

// total returns how many requests came.
func (f *fakeWeb) total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.seen)
}

// pipeNet is a network inside the process, so that fake time can pass in it.
type pipeNet struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	refuse bool       // guarded by mu
	dials  int        // guarded by mu
	open   []net.Conn // guarded by mu
}

// newPipeNet serves h; the server ends with the test, after its managers.
func newPipeNet(t *testing.T, h http.Handler) *pipeNet {
	p := &pipeNet{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(p)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-served
	})
	return p
}

func (p *pipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeNet) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipeNet) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipeNet) dial(ctx context.Context, network, address string) (net.Conn, error) {
	p.mu.Lock()
	p.dials++
	refuse := p.refuse
	p.mu.Unlock()
	if refuse {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	here, there := net.Pipe()
	select {
	case p.conns <- there:
	case <-p.closed:
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, there)
	return here, nil
}

// down cuts all connections and refuses new ones; up takes them again.
func (p *pipeNet) down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = true
	for _, c := range p.open {
		_ = c.Close()
	}
	p.open = nil
}

func (p *pipeNet) up() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = false
}

func (p *pipeNet) dialed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dials
}

// manager makes a manager whose servers are behind p.
func (p *pipeNet) manager(t *testing.T) *Manager {
	m := newTestManager(t)
	m.retryBase = recoveryBase
	m.roundTripper = func() *http.Transport { return &http.Transport{DialContext: p.dial} }
	return m
}

// webEntry is the entry of a server behind a pipeNet.
var webEntry = map[string]ServerConfig{"s": {URL: "http://web.test/mcp"}}

// serveFake runs a fake over a real loopback connection.
func serveFake(t *testing.T, f *fakeWeb) map[string]ServerConfig {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return map[string]ServerConfig{"s": {URL: s.URL}}
}

// events writes a whole event stream and ends it.
func events(text string) func(http.ResponseWriter, *http.Request, json.RawMessage) bool {
	return func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) bool {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "$ID", string(id)))
		return true
	}
}

// status answers with a status and a text.
func status(code int, headers ...string) func(http.ResponseWriter, *http.Request, json.RawMessage) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) bool {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		return true
	}
}

type handlers = map[string]func(http.ResponseWriter, *http.Request, json.RawMessage) bool
