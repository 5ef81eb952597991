package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpServer runs a good MCP server over HTTP, behind wrap.
func httpServer(t *testing.T, wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	s, _ := httpServerOf(t, nil, wrap)
	return s
}

// httpServerOf is httpServer with options of the transport and the server behind it.
func httpServerOf(t *testing.T, opts *sdk.StreamableHTTPOptions, wrap func(http.Handler) http.Handler) (*httptest.Server, *sdk.Server) {
	t.Helper()
	server := goodServer()
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, opts)
	if wrap != nil {
		h = wrap(h)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s, server
}

// goodServer is a server with one tool.
func goodServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
	addTool(server, "hello")
	return server
}

// addTool gives a server a tool that says its own name.
func addTool(server *sdk.Server, name string) {
	sdk.AddTool(server, &sdk.Tool{Name: name}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name}}}, nil, nil
	})
}

// headers of the entry go to its server, expanded, with each request.
func TestHTTPServerGetsItsHeaders(t *testing.T) {
	t.Setenv("WEB_TOKEN", "abc123456")
	var mu sync.Mutex
	missing := 0
	s := httpServer(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer abc123456" {
				mu.Lock()
				missing++
				mu.Unlock()
			}
			h.ServeHTTP(w, r)
		})
	})
	m := newTestManager(t)
	errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL, Headers: map[string]string{"Authorization": "Bearer ${WEB_TOKEN}"}}})
	if errs != nil {
		t.Fatal(errs)
	}
	if got := call(t, m, "hello", `{}`); got != "hello" {
		t.Errorf("answered %q", got)
	}
	if got := row(t, m, "s"); got.Transport != TransportHTTP || got.ToolCount != 1 {
		t.Errorf("row = %+v", got)
	}
	if err := m.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if missing > 0 {
		t.Errorf("%d requests came without the header", missing)
	}
}

// A redirect to somebody else is not followed, so no header leaves its origin.
func TestRedirectToAnotherOriginIsRefused(t *testing.T) {
	var mu sync.Mutex
	var leaked []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		leaked = append(leaked, r.Header.Get("X-Key"))
		mu.Unlock()
	}))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	m := newTestManager(t)
	errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL, Headers: map[string]string{"X-Key": "secret-key"}}})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "another origin") {
		t.Errorf("errors = %v", errs)
	}
	if got := row(t, m, "s"); got.State != StateFailed || got.Error.Code != CodeHTTP {
		t.Errorf("row = %+v, %+v", got, got.Error)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(leaked) > 0 {
		t.Errorf("the other origin was asked, with %q", leaked)
	}
}

// 401 is a state of its own, with the way out (gemini-cli#6639).
func TestUnauthorizedIsAStateOfItsOwn(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer s.Close()
	m := newTestManager(t)
	m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL}})
	got := row(t, m, "s")
	if got.State != StateNeedsAuth || got.Error.Code != string(KindNeedsAuth) || got.Error.Hint == "" {
		t.Errorf("row = %+v, %+v", got, got.Error)
	}
}

// The SDK waits without a bound for the headers of the event stream (go-sdk#633); here
// nobody does: the server is usable at once, and the stream works when it comes.
func TestEventStreamThatBeginsLateHoldsNothingUp(t *testing.T) {
	open, released := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var inner http.Handler
	s, server := httpServerOf(t, nil, func(h http.Handler) http.Handler {
		inner = h
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				defer once.Do(func() { close(released) })
				select {
				case <-open:
				case <-r.Context().Done():
					return
				}
			}
			inner.ServeHTTP(w, r)
		})
	})
	m := newTestManager(t)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL, ConnectTimeoutMs: 5000}}); errs != nil {
		t.Fatal(errs)
	}
	if got := row(t, m, "s"); got.State != StateConnected || got.ProtocolVersion != legacyVersion {
		t.Fatalf("row = %+v", got)
	}
	if got := call(t, m, "hello", `{}`); got != "hello" {
		t.Errorf("answered %q", got)
	}
	close(open)
	addTool(server, "late")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 2 })
	if _, err := m.Stop(testContext(t), "s"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-released:
	case <-testContext(t).Done():
		t.Error("the stream is still held")
	}
}

// An address where nothing listens fails at once, without the address's secrets.
func TestRefusedConnectionFailsAtOnce(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	t.Setenv("PATH_TOKEN", "very-secret")
	m := newTestManager(t)
	errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: url + "/${PATH_TOKEN}"}})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "refused") || strings.Contains(errs[0].Error(), "very-secret") {
		t.Errorf("errors = %v", errs)
	}
}
