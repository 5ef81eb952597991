// Package modeltest has doubles of model providers on loopback. They play a script,
// also one in which they behave badly, and are strict: what the real endpoint would
// refuse, they refuse, and the test fails.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long a test waits for a request before it calls it lost.
const patience = 30 * time.Second

// Key is the key that the doubles want.
const Key = "sk-test-0123456789abcdef"

// Flavor is the protocol of a double: a provider's type, or its api.
type Flavor string

// The flavors.
const (
	Anthropic Flavor = "anthropic"
	OpenAI    Flavor = "openai"
	// Responses is OpenAI's other protocol; its provider has "api": "responses".
	Responses Flavor = "responses"
)

// Flavors are all of them.
func Flavors() []Flavor { return []Flavor{Anthropic, OpenAI, Responses} }

// Call is a tool call in a reply.
type Call struct {
	ID, Name string
	// Args are the pieces in which the arguments stream.
	Args []string
}

// Reply is one answer. The zero value is an empty one.
type Reply struct {
	// Status other than 0 and 200 is answered with Header and Body.
	Status int
	Header map[string]string
	Body   string
	// Raw are the data of events to send instead of what is below; Hold goes after
	// them, and then nothing.
	Raw []string

	Thinking, Signature string
	Text                []string
	Calls               []Call
	// Hold, when not nil, stops the reply after its last piece, before anything that
	// ends it, until it is closed or the client leaves.
	Hold <-chan struct{}
	// Cut ends the reply without what ends one.
	Cut bool
	// Stop is the reason in the flavor's own words; empty is the usual one.
	Stop string
}

// Say is a reply of text.
func Say(text ...string) Reply { return Reply{Text: text} }

// Use is a reply that calls one tool.
func Use(id, name, args string) Reply { return Reply{Calls: []Call{{id, name, []string{args}}}} }

// Request is one request as it came.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Decode reads the body.
func (r Request) Decode(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(r.Body, &v); err != nil {
		t.Fatalf("the body is not JSON: %v\n%s", err, r.Body)
	}
	return v
}

// Tools are the names of the tools that the request offers, in order.
func (r Request) Tools(t testing.TB) []string {
	t.Helper()
	var names []string
	list, _ := r.Decode(t)["tools"].([]any)
	for _, v := range list {
		tool := v.(map[string]any)
		if f, ok := tool["function"].(map[string]any); ok {
			tool = f
		}
		names = append(names, tool["name"].(string))
	}
	return names
}

// Double is a provider on loopback, until the end of the test.
type Double struct {
	t      testing.TB
	flavor Flavor
	srv    *httptest.Server

	listNeedsKey atomic.Bool

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced with every change
	script   []Reply       // guarded by mu
	improv   func(Request) Reply
	pages    map[string]string // guarded by mu
	requests []Request         // guarded by mu
	held     int               // guarded by mu: replies that wait
	gone     int               // guarded by mu: clients that left a waiting reply
}

// New starts a double that answers with the replies in order, and with an error
// when they are used up.
func New(t testing.TB, flavor Flavor, script ...Reply) *Double {
	t.Helper()
	d := &Double{t: t, flavor: flavor, script: script, changed: make(chan struct{})}
	d.srv = httptest.NewServer(d)
	t.Cleanup(func() {
		d.srv.CloseClientConnections()
		d.srv.Close()
	})
	return d
}

// BaseURL is what the settings name.
func (d *Double) BaseURL() string {
	if d.flavor == Anthropic {
		return d.srv.URL
	}
	return d.srv.URL + "/v1"
}

// Provider is the entry in the settings.
func (d *Double) Provider() map[string]any {
	if d.flavor == Responses {
		return map[string]any{"type": "openai", "api": "responses", "base_url": d.BaseURL(), "api_key": Key, "models": []string{"test-model"}}
	}
	return map[string]any{"type": string(d.flavor), "base_url": d.BaseURL(), "api_key": Key, "models": []string{"test-model"}}
}

// LockList lets nobody without the key see the list of models.
func (d *Double) LockList() { d.listNeedsKey.Store(true) }

// Then adds replies to the script.
func (d *Double) Then(script ...Reply) {
	d.tell(func() { d.script = append(d.script, script...) })
}

// Improvise makes the replies when the script is used up; it is called for one request
// at a time.
func (d *Double) Improvise(reply func(Request) Reply) {
	d.tell(func() { d.improv = reply })
}

// Answer makes a GET of the path answered with the body.
func (d *Double) Answer(path, body string) {
	d.tell(func() {
		if d.pages == nil {
			d.pages = map[string]string{}
		}
		d.pages[path] = body
	})
}

// Requests are the requests so far.
func (d *Double) Requests() []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Request(nil), d.requests...)
}

// Await waits until n requests have come and returns the last of them.
func (d *Double) Await(n int) Request {
	d.t.Helper()
	d.await(fmt.Sprintf("request %d", n), func() bool { return len(d.requests) >= n })
	return d.Requests()[n-1]
}

// AwaitHeld waits until n replies have stopped at their Hold.
func (d *Double) AwaitHeld(n int) {
	d.t.Helper()
	d.await(fmt.Sprintf("%d held replies", n), func() bool { return d.held >= n })
}

// AwaitGone waits until n clients have left a held reply.
func (d *Double) AwaitGone(n int) {
	d.t.Helper()
	d.await(fmt.Sprintf("%d clients to leave", n), func() bool { return d.gone >= n })
}

func (d *Double) tell(change func()) {
	d.mu.Lock()
	change()
	close(d.changed)
	d.changed = make(chan struct{})
	d.mu.Unlock()
}

func (d *Double) await(what string, met func() bool) {
	d.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		d.mu.Lock()
		ok, changed := met(), d.changed
		d.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			d.t.Fatalf("waited %v in vain for %s of the %s double", patience, what, d.flavor)
		}
	}
}

// ServeHTTP takes one request.
func (d *Double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
		if d.listNeedsKey.Load() && r.Header.Get("X-Api-Key") != Key && r.Header.Get("Authorization") != "Bearer "+Key {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"type":"authentication_error","message":"invalid api key"}}`)
			return
		}
		fmt.Fprint(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
		return
	}
	if r.Method == http.MethodGet { // what programs on one's machine answer beside
		d.mu.Lock()
		body, ok := d.pages[r.URL.Path]
		d.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
		return
	}
	var reply Reply
	ok := false
	d.tell(func() {
		d.requests = append(d.requests, Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
		switch {
		case len(d.script) > 0:
			reply, d.script, ok = d.script[0], d.script[1:], true
		case d.improv != nil:
			reply, ok = d.improv(d.requests[len(d.requests)-1]), true
		}
	})
	check := map[Flavor]func(*http.Request, []byte) error{Anthropic: checkAnthropic, OpenAI: checkOpenAI, Responses: checkResponses}
	if err := check[d.flavor](r, body); err != nil {
		d.t.Errorf("the strict %s double refuses: %v\n%s", d.flavor, err, body)
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","message":%q}}`, err.Error())
		return
	}
	if !ok {
		d.t.Errorf("the script of the %s double is used up; it was asked\n%s", d.flavor, body)
		w.WriteHeader(http.StatusNotImplemented)
		return
	}
	if reply.Status != 0 && reply.Status != http.StatusOK {
		for k, v := range reply.Header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(reply.Status)
		_, _ = io.WriteString(w, reply.Body)
		return
	}
	if reply.Body != "" {
		for k, v := range reply.Header {
			w.Header().Set(k, v)
		}
		_, _ = io.WriteString(w, reply.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := &stream{w: w}
	switch {
	case reply.Raw != nil:
		for _, data := range reply.Raw {
			s.raw(data)
		}
		d.hold(r, reply)
	case d.flavor == OpenAI:
		d.playOpenAI(s, r, reply)
	case d.flavor == Responses:
		d.playResponses(s, r, reply)
	default:
		d.playAnthropic(s, r, reply)
	}
}

// hold stops a reply, and reports false when the client left.
func (d *Double) hold(r *http.Request, reply Reply) bool {
	if reply.Hold == nil {
		return true
	}
	d.tell(func() { d.held++ })
	select {
	case <-reply.Hold:
		return true
	case <-r.Context().Done():
		d.tell(func() { d.gone++ })
		return false
	}
}

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func (s *stream) raw(data string) {
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	s.w.(http.Flusher).Flush()
}

func (s *stream) event(v map[string]any) {
	raw, _ := json.Marshal(v)
	if kind, ok := v["type"].(string); ok {
		fmt.Fprintf(s.w, "event: %s\n", kind)
	}
	s.raw(string(raw))
}
