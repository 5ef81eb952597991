package mcp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// 401 means a login, or another token than the one the entry has, in the server's words
// if it has any; nobody is asked again and again (gemini-cli#6639, mcphub#1045).
func TestUnauthorizedSaysWhetherATokenWasRefused(t *testing.T) {
	for name, c := range map[string]struct {
		headers   map[string]string
		challenge string
		want      string
	}{
		"no token":                  {nil, "", "wants a login"},
		"no token, a challenge":     {nil, `Bearer resource_metadata="https://x.test"`, "wants a login"},
		"a bad token":               {map[string]string{"authorization": "Bearer very-secret-token"}, "", "refused the token"},
		"a bad token, a challenge":  {map[string]string{"Authorization": "Bearer very-secret-token"}, `Bearer error="invalid_token", error_description="The token very-secret-token expired"`, "401 Unauthorized: The token [redacted] expired"},
		"a key by another name":     {map[string]string{"X-Api-Key": "very-secret-token"}, "", "refused the token"},
		"a header that is no token": {map[string]string{"X-Team": "blue"}, "", "wants a login"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deny := status(401, "WWW-Authenticate: "+c.challenge)
				f := &fakeWeb{on: handlers{"initialize": deny, "server/discover": deny}}
				m := newPipeNet(t, f).manager(t)
				m.StartAll(t.Context(), map[string]ServerConfig{"s": {URL: "http://web.test", Headers: c.headers}})
				got := row(t, m, "s")
				if got.State != StateNeedsAuth || got.Error.Code != string(KindNeedsAuth) || !strings.Contains(got.Error.Message, c.want) || got.Error.Hint == "" {
					t.Errorf("row = %+v, %+v", got, got.Error)
				}
				if time.Sleep(time.Hour); f.total() > 2 {
					t.Errorf("%d requests", f.total())
				}
				_, err := m.CallTool(t.Context(), "s", "hello", nil, nil)
				if action, ok := err.(*ActionError); !ok || action.Kind != KindNeedsAuth {
					t.Errorf("a call: %v", err)
				}
			})
		})
	}
}

// A token that ends under a session is shown as such, and the calls say so.
func TestTokenThatEndsUnderASessionNeedsALogin(t *testing.T) {
	f := &fakeWeb{session: "one"}
	m := newTestManager(t)
	if errs := m.StartAll(testContext(t), serveFake(t, f)); errs != nil {
		t.Fatal(errs)
	}
	f.change(func() { f.on = handlers{"tools/call": status(401), "initialize": status(401)} })
	if _, err := m.CallTool(testContext(t), "s", "hello", nil, nil); err == nil || !strings.Contains(err.Error(), "wants a login") {
		t.Errorf("err = %v", err)
	}
	got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateNeedsAuth })
	if got.ToolCount != 0 || !got.NextRetryAt.IsZero() {
		t.Errorf("row = %+v", got)
	}
}

// What is no MCP endpoint says what it is, at once (go-sdk#142).
func TestAddressThatIsNoEndpointSaysSoAtOnce(t *testing.T) {
	page := func(code int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"a web page":        {page(200, "text/html; charset=utf-8", "<html><body>Welcome"), "web page"},
		"a missing page":    {page(404, "text/html", "<html>"), "HTTP 404 Not Found"},
		"plain text":        {page(200, "text/plain", "hi"), "text/plain"},
		"403":               {page(403, "text/plain", "ask \x1b[31mBob"), "access was refused: HTTP 403 Forbidden: ask Bob"},
		"405":               {page(405, "text/plain", ""), "HTTP 405"},
		"500":               {page(500, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no database"}}`), "HTTP 500 Internal Server Error: no database"},
		"JSON, not JSONRPC": {page(200, "application/json", `{"hello":1}`), "no answer to this request"},
		"broken JSON":       {page(200, "application/json", `{"jsonrpc":`), "no answer to this request"},
		"nothing":           {page(202, "", ""), "HTTP 202"},
		"an empty stream":   {page(200, "text/event-stream", ""), "before the answer came"},
		"a moved page": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		}, "redirects to /there"},
		"a circle": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusTemporaryRedirect) }, "in a circle"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(c.handler)
			defer s.Close()
			m := newTestManager(t)
			begin := time.Now()
			m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL}})
			got := row(t, m, "s")
			if got.State != StateFailed || got.Error.Code != CodeHTTP && got.Error.Code != CodeHandshake || !strings.Contains(got.Error.Message, c.want) || time.Since(begin) > 5*time.Second {
				t.Errorf("after %s: %+v, %+v", time.Since(begin), got, got.Error)
			}
			if strings.Contains(got.Error.Message, "<html") {
				t.Errorf("the page is shown: %s", got.Error.Message)
			}
		})
	}
}

// A redirect to the same origin is followed with the request and its headers; one from
// https to http is another origin.
func TestRedirectWithinTheOriginIsFollowed(t *testing.T) {
	f := &fakeWeb{session: "one"}
	var mu sync.Mutex
	bare := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			http.Redirect(w, r, "/mcp/", http.StatusTemporaryRedirect)
			return
		}
		if r.Header.Get("X-Key") != "secret-key" {
			mu.Lock()
			bare++
			mu.Unlock()
		}
		f.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	m := newTestManager(t)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL + "/mcp", Headers: map[string]string{"X-Key": "secret-key"}}}); errs != nil {
		t.Fatal(errs)
	}
	call(t, m, "hello", `{}`)
	if err := m.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if bare > 0 {
		t.Errorf("%d requests came without the header", bare)
	}
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://a.test/x", "https://A.test:443/y", true}, {"http://a.test", "http://a.test:80", true},
		{"https://a.test", "http://a.test", false}, {"https://a.test", "https://a.test:8443", false},
		{"https://a.test", "https://b.a.test", false}, {"http://[::1]:9", "http://[::1]:9/x", true},
	} {
		a, errA := http.NewRequest("GET", c.a, nil)
		b, errB := http.NewRequest("GET", c.b, nil)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := sameOrigin(a.URL, b.URL); got != c.same {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

// The older transport works, is mended alike, and sends nothing to another origin that
// its server names.
func TestOlderTransport(t *testing.T) {
	server := goodServer()
	s := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	m := newTestManager(t)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {Type: TransportSSE, URL: s.URL}}); errs != nil {
		t.Fatal(errs)
	}
	call(t, m, "hello", `{}`)
	addTool(server, "two")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 2 })
	s.CloseClientConnections()
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateReconnecting })
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected })
	call(t, m, "two", `{}`)

	var leaked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
	defer other.Close()
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/steal\n\n", other.URL)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer bad.Close()
	m.StartAll(testContext(t), map[string]ServerConfig{"s": {Type: TransportSSE, URL: bad.URL}})
	if got := row(t, m, "s"); got.State != StateFailed || !strings.Contains(got.Error.Message, "another origin") || leaked.Load() > 0 {
		t.Errorf("row = %+v, %+v; the other origin was asked %d times", got, got.Error, leaked.Load())
	}
	bad.CloseClientConnections()
}
