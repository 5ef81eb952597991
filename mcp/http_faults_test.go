package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// An event stream that ends again and again, with or without pings, harms no call and
// is not opened in a circle (go-sdk#1175, typescript-sdk#2682).
func TestEventStreamThatEndsAgainAndAgainHarmsNothing(t *testing.T) {
	for name, text := range map[string]string{
		"empty":        "",
		"pings":        "event: ping\ndata:\n\n",
		"no colon":     "ping\n\n",
		"no message":   "data: hello\n\n",
		"list changed": `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeWeb{session: "one", on: handlers{"GET": events(text)}}
				m := newPipeNet(t, f).manager(t)
				if errs := m.StartAll(t.Context(), webEntry); errs != nil {
					t.Fatal(errs)
				}
				for range 60 {
					time.Sleep(10 * time.Second) // of the bubble's time
					if got := call(t, m, "hello", `{}`); got != "hello" {
						t.Fatalf("answered %q", got)
					}
				}
				if got := row(t, m, "s"); got.State != StateConnected || f.count("initialize") != 1 {
					t.Errorf("row = %+v, after %d handshakes", got, f.count("initialize"))
				}
				if n := f.count("GET"); n < 8 || n > 25 {
					t.Errorf("the stream was opened %d times in ten minutes", n)
				}
				if n := f.count("tools/list"); n > 25 {
					t.Errorf("tools were listed %d times in ten minutes", n)
				}
			})
		})
	}
}

// A server without an event stream says so in many ways; calls work and it is asked
// once, or now and then where that may pass (typescript-sdk#1635).
func TestRefusedEventStreamHarmsNothing(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) bool {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>hello")
		return true
	}
	for name, c := range map[string]struct {
		get  func(http.ResponseWriter, *http.Request, json.RawMessage) bool
		most int
	}{
		"400": {status(400), 1}, "401": {status(401), 1}, "403": {status(403), 1}, "404": {status(404), 1}, "405": {status(405), 1}, "406": {status(406), 1},
		"a page": {page, 1}, "204": {status(204), 1}, "500": {status(500), 15}, "503": {status(503), 15},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeWeb{session: "one", on: handlers{"GET": c.get}}
				m := newPipeNet(t, f).manager(t)
				if errs := m.StartAll(t.Context(), webEntry); errs != nil {
					t.Fatal(errs)
				}
				time.Sleep(10 * time.Minute)
				call(t, m, "hello", `{}`)
				if got := row(t, m, "s"); got.State != StateConnected || f.count("initialize") != 1 || f.count("tools/list") != 1 {
					t.Errorf("row = %+v; %v", got, f.seen)
				}
				if n := f.count("GET"); n < 1 || n > c.most {
					t.Errorf("the stream was asked for %d times", n)
				}
			})
		})
	}
}

// An address where nobody listens is tried again by itself and found once it is there;
// the first error is told at once (cline#13005).
func TestClosedPortIsFoundOnceItIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeWeb{}
		p := newPipeNet(t, f)
		p.down()
		m := p.manager(t)
		begin := time.Now()
		errs := m.StartAll(t.Context(), webEntry)
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), "refused") || time.Since(begin) > time.Second {
			t.Errorf("errors = %v after %s", errs, time.Since(begin))
		}
		got := row(t, m, "s")
		if next := got.NextRetryAt.Sub(time.Now()); got.State != StateReconnecting || next <= 0 || next > 2*time.Second || got.Error.Code != CodeHTTP || got.Error.Hint == "" {
			t.Errorf("row = %+v, %+v", got, got.Error)
		}
		time.Sleep(10 * time.Second)
		p.up()
		got = awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected })
		if took := time.Since(begin); took > 30*time.Second || got.Error != nil || !got.NextRetryAt.IsZero() {
			t.Errorf("connected after %s: %+v", took, got)
		}
		call(t, m, "hello", `{}`)
	})
}

// An address that stays dead is given up in the end, not dialled for ever; a person's
// start tries at once, also while the next try is waited for.
func TestDeadAddressIsGivenUpAndStartTriesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipeNet(t, &fakeWeb{})
		p.down()
		m := p.manager(t)
		begin := time.Now()
		m.StartAll(t.Context(), webEntry)
		time.Sleep(20 * time.Second)
		before := p.dialed()
		if got, err := m.Start(t.Context(), "s"); err != nil || got.State != StateReconnecting || p.dialed() == before {
			t.Errorf("start while waiting: %+v, %v, %d dials", got, err, p.dialed()-before)
		}
		var got ServerStatus
		for got = row(t, m, "s"); got.State != StateFailed; got = row(t, m, "s") {
			if time.Sleep(time.Second); time.Since(begin) > 15*time.Minute {
				t.Fatalf("still %s after %s", got.State, time.Since(begin))
			}
		}
		if !strings.Contains(got.Error.Message, "refused") || !strings.Contains(got.Error.Hint, "10 tries") {
			t.Errorf("error = %+v", got.Error)
		}
		after := p.dialed()
		time.Sleep(time.Hour)
		if p.dialed() != after || after > 40 {
			t.Errorf("%d dials, then %d more", after, p.dialed()-after)
		}
		p.up()
		if got, err := m.Start(t.Context(), "s"); err != nil || got.State != StateConnected {
			t.Errorf("start: %+v, %v", got, err)
		}
	})
}

// A server that goes away under a session ends the calls under way at once and comes
// back by itself with its tools; stopping does not wait for it.
func TestServerThatGoesAwayFailsCallsAtOnceAndComesBack(t *testing.T) {
	for name, get := range map[string]func(http.ResponseWriter, *http.Request, json.RawMessage) bool{
		"with an event stream": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return true
		},
		"without one": status(405),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				arrived := make(chan struct{}, 1)
				f := &fakeWeb{on: handlers{"GET": get, "tools/call": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) bool {
					arrived <- struct{}{}
					<-r.Context().Done()
					return true
				}}}
				p := newPipeNet(t, f)
				m := p.manager(t)
				if errs := m.StartAll(t.Context(), webEntry); errs != nil {
					t.Fatal(errs)
				}
				cut := make(chan error, 1)
				go func() {
					_, err := m.CallTool(t.Context(), "s", "hello", nil, nil)
					cut <- err
				}()
				<-arrived
				begin := time.Now()
				p.down()
				if err := <-cut; err == nil || time.Since(begin) > 2*time.Second || !strings.Contains(err.Error(), "lost") && !strings.Contains(err.Error(), "refused") {
					t.Errorf("the call under way: %v after %s", err, time.Since(begin))
				}
				got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateReconnecting })
				if took := time.Since(begin); took > 3*time.Second || !strings.Contains(got.Error.Message, "refused") {
					t.Errorf("after %s: %+v, %+v", took, got, got.Error)
				}
				if _, err := m.CallTool(t.Context(), "s", "hello", nil, nil); err == nil || !strings.Contains(err.Error(), "reconnecting") {
					t.Errorf("a call meanwhile: %v", err)
				}
				if len(m.Tools(t.Context())) > 0 {
					t.Error("its tools are still on offer")
				}
				f.change(func() { delete(f.on, "tools/call"); f.tools = helloTool + `,{"name":"more","inputSchema":{}}` })
				p.up()
				got = awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected })
				if got.ToolCount != 2 {
					t.Errorf("row = %+v", got)
				}
				call(t, m, "hello", `{}`)
				p.down()
				if _, err := m.CallTool(t.Context(), "s", "hello", nil, nil); err == nil {
					t.Error("a call of a dead server was answered")
				}
				awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateReconnecting })
				begin = time.Now()
				if got, err := m.Stop(t.Context(), "s"); err != nil || got.State != StateStopped || time.Since(begin) > time.Second {
					t.Errorf("stop while waiting: %+v, %v after %s", got, err, time.Since(begin))
				}
			})
		})
	}
}

// restartable is a server whose sessions can be forgotten as by a restart. Its one tool
// is read or write, and counts how often it was carried out.
type restartable struct {
	handler atomic.Pointer[http.Handler]
	calls   atomic.Int32
	inits   atomic.Int32
}

func (r *restartable) restart(readOnly bool, tools ...string) {
	server := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
	for _, name := range tools {
		sdk.AddTool(server, &sdk.Tool{Name: name, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: readOnly}}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			r.calls.Add(1)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name}}}, nil, nil
		})
	}
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	r.handler.Store(&h)
}

func (r *restartable) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	if bytes.Contains(body, []byte(`"method":"initialize"`)) {
		r.inits.Add(1)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	(*r.handler.Load()).ServeHTTP(w, req)
}

func startRestartable(t *testing.T, readOnly bool, change ...func(*Options)) (*restartable, *Manager) {
	r := &restartable{}
	r.restart(readOnly, "look")
	s := httptest.NewServer(r)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	m := newTestManager(t, change...)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL, TrustAnnotations: true}}); errs != nil {
		t.Fatal(errs)
	}
	return r, m
}

// A session that the server forgot is renewed once for all calls; those that only read
// are repeated, once, and the tools are read anew. Nobody needs to notice (go-sdk#715,
// python-sdk#3556).
func TestForgottenSessionIsRenewedOnceForAllCalls(t *testing.T) {
	var mu sync.Mutex
	var states []State
	var watched atomic.Pointer[Manager]
	r, m := startRestartable(t, true, func(o *Options) {
		o.OnChange = func() {
			m := watched.Load()
			if m == nil {
				return
			}
			rows, _ := m.Status()
			mu.Lock()
			defer mu.Unlock()
			for _, r := range rows {
				states = append(states, r.State)
			}
		}
	})
	watched.Store(m)
	r.restart(true, "look", "more")
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			res, err := m.CallTool(testContext(t), "s", "look", nil, nil)
			if err != nil || textOf(res.Content) != "look" {
				t.Errorf("call: %+v, %v", res, err)
			}
		})
	}
	calls.Wait()
	if n := r.inits.Load(); n != 2 {
		t.Errorf("%d handshakes, want one before and one after", n)
	}
	if n := r.calls.Load(); n != 8 {
		t.Errorf("the tool was carried out %d times for 8 calls", n)
	}
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 2 })
	mu.Lock()
	defer mu.Unlock()
	if slices.ContainsFunc(states, func(s State) bool { return s != StateConnected }) {
		t.Errorf("states = %v", states)
	}
}

// A call that may change something is never repeated by itself: it says that it was not
// carried out, and works when it is made again.
func TestForgottenSessionNeverRepeatsAWrite(t *testing.T) {
	r, m := startRestartable(t, false)
	r.restart(false, "look")
	_, err := m.CallTool(testContext(t), "s", "look", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "was not carried out") || r.calls.Load() != 0 {
		t.Errorf("err = %v, carried out %d times", err, r.calls.Load())
	}
	if got := call(t, m, "look", `{}`); got != "look" || r.calls.Load() != 1 || r.inits.Load() != 2 {
		t.Errorf("again: %q, carried out %d times, %d handshakes", got, r.calls.Load(), r.inits.Load())
	}
}

// Servers made after the SDKs' examples answer 400 for a session they do not know.
func TestForgottenSessionIsUnderstoodInAllItsForms(t *testing.T) {
	rpc := func(code int, body string) func(http.ResponseWriter, *http.Request, json.RawMessage) bool {
		return func(w http.ResponseWriter, r *http.Request, id json.RawMessage) bool {
			if r.Header.Get("Mcp-Session-Id") != "one" {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "$ID", string(id)))
			return true
		}
	}
	for name, call := range map[string]func(http.ResponseWriter, *http.Request, json.RawMessage) bool{
		"404 with text":         nil,
		"404 with an error":     rpc(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`),
		"400 with an error":     rpc(400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":$ID}`),
		"400 with an error, id": rpc(400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeWeb{session: "one"}
			m := newTestManager(t)
			if errs := m.StartAll(testContext(t), serveFake(t, f)); errs != nil {
				t.Fatal(errs)
			}
			f.change(func() { f.session, f.on = "two", handlers{"tools/call": call} })
			if call == nil {
				f.change(func() { f.on = nil })
			}
			if _, err := m.CallTool(testContext(t), "s", "hello", nil, nil); err == nil || !strings.Contains(err.Error(), "not carried out") {
				t.Errorf("err = %v", err)
			}
			if res, err := m.CallTool(testContext(t), "s", "hello", nil, nil); err != nil || textOf(res.Content) != "hello" {
				t.Errorf("again: %+v, %v", res, err)
			}
			if n := f.count("initialize"); n != 2 {
				t.Errorf("%d handshakes", n)
			}
		})
	}
}

// A server that forgets each session at once is not asked in a circle.
func TestSessionForgottenOverAndOverIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeWeb{session: "one", on: handlers{"tools/list": status(404)}}
		m := newPipeNet(t, f).manager(t)
		begin := time.Now()
		m.Reconfigure(t.Context(), webEntry)
		var got ServerStatus
		for got = row(t, m, "s"); got.State != StateFailed; got = row(t, m, "s") {
			if time.Sleep(time.Second); time.Since(begin) > 15*time.Minute {
				t.Fatalf("still %s", got.State)
			}
		}
		if n := f.count("initialize"); n > triesAddress+1 || n < 3 || !strings.Contains(got.Error.Message, "404") {
			t.Errorf("%d handshakes; %+v", n, got.Error)
		}
		seen := f.total()
		if time.Sleep(time.Hour); f.total() != seen {
			t.Errorf("%d requests after it was given up", f.total()-seen)
		}
	})
}

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
		"403":               {page(403, "text/plain", "ask \x1b[31mBob"), "access was refused: HTTP 403 Forbidden: ask [31mBob"},
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

// A failing answer, of whatever kind, costs one call and not the session.
func TestFailedAnswerCostsOneCall(t *testing.T) {
	body := func(kind, text string) func(http.ResponseWriter, *http.Request, json.RawMessage) bool {
		return func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) bool {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "$ID", string(id)))
			return true
		}
	}
	big := strings.Repeat("x", maxLine)
	for name, c := range map[string]struct {
		on   func(http.ResponseWriter, *http.Request, json.RawMessage) bool
		want string
	}{
		"400":            {status(400), "HTTP 400"},
		"403":            {status(403), "access was refused"},
		"406":            {status(406), "HTTP 406"},
		"413":            {status(413), "HTTP 413"},
		"429":            {status(429, "Retry-After: 7"), "HTTP 429 Too Many Requests"},
		"500":            {status(500), "HTTP 500"},
		"502":            {status(502), "HTTP 502"},
		"503":            {status(503), "HTTP 503"},
		"504":            {status(504), "HTTP 504"},
		"a page":         {body("text/html", "<html>maintenance"), "web page"},
		"no JSON":        {body("application/json", "oops"), "no answer to this request"},
		"null":           {body("application/json", "null"), "no answer to this request"},
		"another's":      {body("application/json", `{"jsonrpc":"2.0","id":4711,"result":{}}`), "no answer to this request"},
		"empty stream":   {events(""), "before the answer came"},
		"another stream": {events(`data: {"jsonrpc":"2.0","id":4711,"result":{}}` + "\n\n"), "before the answer came"},
		"17 MiB":         {body("application/json", `{"jsonrpc":"2.0","id":$ID,"result":{"x":"`+big+`"}}`), "16 MiB"},
		"17 MiB stream":  {events(`data: {"jsonrpc":"2.0","id":$ID,"result":{"x":"` + big + `"}}` + "\n\n"), "16 MiB"},
		"cut": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) bool {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"jsonrpc":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "before the answer came"},
		"dropped": {func(http.ResponseWriter, *http.Request, json.RawMessage) bool { panic(http.ErrAbortHandler) }, "may have been carried out"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeWeb{session: "one"}
			m := newTestManager(t)
			if errs := m.StartAll(testContext(t), serveFake(t, f)); errs != nil {
				t.Fatal(errs)
			}
			f.change(func() { f.on = handlers{"tools/call": c.on} })
			if _, err := m.CallTool(testContext(t), "s", "hello", nil, nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("err = %.300v", err)
			}
			f.change(func() { f.on = nil })
			call(t, m, "hello", `{}`)
			if n := f.count("initialize"); n != 1 || row(t, m, "s").State != StateConnected {
				t.Errorf("%d handshakes, %+v", n, row(t, m, "s"))
			}
		})
	}
}

// A call that only reads is repeated once when its connection is lost; others are not,
// for they may have been carried out.
func TestOnlyReadsAreRepeatedAfterALostConnection(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		dropped := false
		f := &fakeWeb{
			session: "one", tools: fmt.Sprintf(`{"name":"hello","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":%t}}`, readOnly),
			on: handlers{"tools/call": func(http.ResponseWriter, *http.Request, json.RawMessage) bool {
				if !dropped {
					dropped = true
					panic(http.ErrAbortHandler)
				}
				return false
			}},
		}
		m := newTestManager(t)
		servers := serveFake(t, f)
		trusted := servers["s"]
		trusted.TrustAnnotations = true
		if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": trusted}); errs != nil {
			t.Fatal(errs)
		}
		_, err := m.CallTool(testContext(t), "s", "hello", nil, nil)
		if (err == nil) != readOnly {
			t.Errorf("read-only %t: err = %v", readOnly, err)
		}
		if n := f.count("tools/call"); readOnly && n != 2 || !readOnly && n != 1 {
			t.Errorf("read-only %t: it was sent %d times", readOnly, n)
		}
	}
}

// Answers of the careless that can be read are read.
func TestCarelessAnswersAreRead(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"hello"}]}}`
	notice := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"beside"}}`
	for name, c := range map[string]struct{ kind, text string }{
		"a batch":              {"application/json", "[" + notice + "," + good + "]"},
		"an id as text":        {"application/json", strings.Replace(good, "$ID", `"$ID"`, 1)},
		"a stream without end": {"text/event-stream", "data: " + notice + "\n\ndata: " + good},
		"lines and comments":   {"text/event-stream; charset=utf-8", ": hi\r\nretry\r\ndata: {\r\ndata: " + good[1:] + "\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeWeb{on: handlers{"tools/call": func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) bool {
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, strings.ReplaceAll(c.text, "$ID", string(id)))
				return true
			}}}
			m := newTestManager(t)
			if errs := m.StartAll(testContext(t), serveFake(t, f)); errs != nil {
				t.Fatal(errs)
			}
			if got := call(t, m, "hello", `{}`); got != "hello" {
				t.Errorf("answered %q", got)
			}
			if strings.Contains(c.text, "beside") && !strings.Contains(logText(t, m, LogServer), "beside") {
				t.Error("what came beside the answer is not in the log")
			}
		})
	}
}

// The stream of an answer that is cut goes on after its last event, with what the
// server wants to wait (SEP-1699); one that cannot be resumed is one failed call.
func TestCutAnswerIsResumedAfterItsLastEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked string
		var callID json.RawMessage
		f := &fakeWeb{session: "one"}
		f.on = handlers{
			"tools/call": func(w http.ResponseWriter, r *http.Request, id json.RawMessage) bool {
				callID = id
				return events("id: 7\nretry: 3000\ndata:\n\n")(w, r, id)
			},
			"GET": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) bool {
				last := r.Header.Get("Last-Event-ID")
				if last == "" {
					return false
				}
				asked += last + " " + r.Header.Get("Mcp-Session-Id") + ";"
				if last == "7" {
					return events("id: 8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"half\"}}\n\n")(w, r, nil)
				}
				return events(`data: {"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"late"}]}}`+"\n\n")(w, r, callID)
			},
		}
		m := newPipeNet(t, f).manager(t)
		if errs := m.StartAll(t.Context(), webEntry); errs != nil {
			t.Fatal(errs)
		}
		begin := time.Now()
		if got := call(t, m, "hello", `{}`); got != "late" || asked != "7 one;8 one;" {
			t.Errorf("answered %q; asked for %q", got, asked)
		}
		if took := time.Since(begin); took < 6*time.Second || took > 12*time.Second {
			t.Errorf("it took %s", took)
		}
		f.change(func() { f.on["GET"] = status(405) })
		if _, err := m.CallTool(t.Context(), "s", "hello", nil, nil); err == nil || !strings.Contains(err.Error(), "before the answer came") {
			t.Errorf("err = %v", err)
		}
		f.change(func() { f.on = nil })
		call(t, m, "hello", `{}`)
	})
}

// A call that is given up while its answer arrives does not end the session.
func TestCallGivenUpMidAnswerLeavesTheSession(t *testing.T) {
	for _, kind := range []string{"application/json", "text/event-stream"} {
		t.Run(kind, func(t *testing.T) {
			begun, gone := make(chan struct{}), make(chan struct{})
			f := &fakeWeb{session: "one", on: handlers{"tools/call": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) bool {
				w.Header().Set("Content-Type", kind)
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`)
				_ = http.NewResponseController(w).Flush()
				close(begun)
				<-r.Context().Done()
				close(gone)
				return true
			}}}
			m := newTestManager(t)
			if errs := m.StartAll(testContext(t), serveFake(t, f)); errs != nil {
				t.Fatal(errs)
			}
			ctx, cancel := context.WithCancel(testContext(t))
			go func() {
				<-begun
				cancel()
			}()
			if _, err := m.CallTool(ctx, "s", "hello", nil, nil); err != context.Canceled {
				t.Errorf("err = %v", err)
			}
			<-gone
			f.change(func() { f.on = nil })
			call(t, m, "hello", `{}`)
			if n := f.count("initialize"); n != 1 {
				t.Errorf("%d handshakes", n)
			}
		})
	}
}

// One bad tool does not cost the others, as JSON and as a stream (msgvault#626).
func TestBadToolsAreDroppedOverHTTPToo(t *testing.T) {
	tools := helloTool + `,{"name":"b","inputSchema":{},"annotations":{"readOnlyHint":"true"}},{"name":5},null`
	for name, on := range map[string]handlers{
		"JSON":   nil,
		"stream": {"tools/list": events(`data: {"jsonrpc":"2.0","id":$ID,"result":{"tools":[` + tools + `]}}` + "\n\n")},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestManager(t)
			if errs := m.StartAll(testContext(t), serveFake(t, &fakeWeb{tools: tools, on: on})); errs != nil {
				t.Fatal(errs)
			}
			if got := row(t, m, "s"); got.State != StateConnected || got.ToolCount != 1 {
				t.Errorf("row = %+v, %+v", got, got.Error)
			}
			if log := logText(t, m, LogServer); !strings.Contains(log, `tool "b" was left out`) || !strings.Contains(log, "tool 5 was left out") {
				t.Errorf("log = %s", log)
			}
		})
	}
}

// list_changed arrives over the event stream of the SDK's own server, also after the
// stream was cut.
func TestListChangedArrivesOverHTTP(t *testing.T) {
	s, server := httpServerOf(t, nil, nil)
	m := newTestManager(t)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL}}); errs != nil {
		t.Fatal(errs)
	}
	addTool(server, "two")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 2 })
	s.CloseClientConnections()
	addTool(server, "three") // nobody hears of this one
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 3 })
	addTool(server, "four")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 4 })
	if got := call(t, m, "four", `{}`); got != "four" {
		t.Errorf("answered %q", got)
	}
}

// On 2026-07-28 the SDK does not open a dropped listen stream again, and changes are
// lost in silence. Here it is opened, and what came between is noticed.
func TestDroppedListenStreamLosesNoChange(t *testing.T) {
	s, server := httpServerOf(t, &sdk.StreamableHTTPOptions{Stateless: true}, nil)
	m := newTestManager(t)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {URL: s.URL}}); errs != nil {
		t.Fatal(errs)
	}
	if got := row(t, m, "s"); got.ProtocolVersion <= legacyVersion {
		t.Fatalf("protocol version %s", got.ProtocolVersion)
	}
	addTool(server, "two")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 2 })
	s.CloseClientConnections()
	addTool(server, "three")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 3 })
	call(t, m, "three", `{}`)
}

// A server of 2026-07-28 that refuses to be listened to is asked for its tools now and
// then.
func TestRefusedListenStreamIsReplacedByPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		discover := func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) bool {
			answer(w, id, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"new","version":"1"}}`)
			return true
		}
		f := &fakeWeb{on: handlers{"server/discover": discover}}
		m := newPipeNet(t, f).manager(t)
		if errs := m.StartAll(t.Context(), webEntry); errs != nil {
			t.Fatal(errs)
		}
		if got := row(t, m, "s"); got.ProtocolVersion != "2026-07-28" || got.State != StateConnected {
			t.Fatalf("row = %+v, %v", got, f.seen)
		}
		f.change(func() { f.tools = helloTool + `,{"name":"more","inputSchema":{"type":"object"}}` })
		time.Sleep(10 * time.Minute)
		if got := row(t, m, "s"); got.ToolCount != 2 {
			t.Errorf("row = %+v", got)
		}
		if n := f.count("tools/list"); n < 5 || n > 12 || f.count("subscriptions/listen") != 1 {
			t.Errorf("%d lists and %d requests to listen in ten minutes", n, f.count("subscriptions/listen"))
		}
	})
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
