package mcp

import (
	"bytes"
	"context"
	"encoding/json"
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
