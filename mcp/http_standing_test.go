package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// A server without tools that announces new ones all the same keeps nobody busy.
func TestServerWithoutToolsThatAnnouncesSomeIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := 0
		f := &fakeWeb{on: handlers{
			"GET": events(`data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n"),
			"initialize": func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) bool {
				answer(w, id, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
				return true
			},
		}}
		m := newPipeNet(t, f).manager(t)
		m.opts.OnChange = func() { changes++ }
		if errs := m.StartAll(t.Context(), webEntry); errs != nil {
			t.Fatal(errs)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if got := row(t, m, "s"); got.State != StateConnected || f.count("tools/list") > 0 || changes > 3 {
			t.Errorf("row = %+v; %d lists, %d changes", got, f.count("tools/list"), changes)
		}
	})
}

// A stream that a proxy cuts every half minute is opened again at once each time, and
// what may have been missed meanwhile is looked for once a minute at most.
func TestEventStreamThatAProxyCutsIsOpenedAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeWeb{session: "one", on: handlers{"GET": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) bool {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(30 * time.Second):
			case <-r.Context().Done():
			}
			return true
		}}}
		m := newPipeNet(t, f).manager(t)
		if errs := m.StartAll(t.Context(), webEntry); errs != nil {
			t.Fatal(errs)
		}
		f.change(func() { f.tools = helloTool + `,{"name":"more","inputSchema":{"type":"object"}}` })
		time.Sleep(10 * time.Minute)
		if n := f.count("GET"); n < 19 || n > 21 {
			t.Errorf("the stream was opened %d times in ten minutes", n)
		}
		if n := f.count("tools/list"); n < 2 || n > 12 || row(t, m, "s").ToolCount != 2 {
			t.Errorf("tools were listed %d times; %+v", n, row(t, m, "s"))
		}
	})
}
