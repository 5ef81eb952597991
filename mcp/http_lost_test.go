package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

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
		if next := time.Until(got.NextRetryAt); got.State != StateReconnecting || next <= 0 || next > 2*time.Second || got.Error.Code != CodeHTTP || got.Error.Hint == "" {
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
				if len(m.Tools(t.Context())) != 1 || got.ToolCount != 0 {
					t.Errorf("meanwhile %d tools are on offer; row %+v", len(m.Tools(t.Context())), got)
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

// A call that only reads is repeated once when its connection is lost; others are not,
// for they may have been carried out.
func TestOnlyReadsAreRepeatedAfterALostConnection(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		var dropped atomic.Bool // the two requests come on two connections
		f := &fakeWeb{
			session: "one", tools: fmt.Sprintf(`{"name":"hello","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":%t}}`, readOnly),
			on: handlers{"tools/call": func(http.ResponseWriter, *http.Request, json.RawMessage) bool {
				if dropped.CompareAndSwap(false, true) {
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

// A server that takes connections and drops each request is degraded, asked now and
// then, and well again once it answers; calls say that they may have been carried out.
func TestServerThatDropsAllRequestsIsAskedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeWeb{session: "one"}
		m := newPipeNet(t, f).manager(t)
		if errs := m.StartAll(t.Context(), webEntry); errs != nil {
			t.Fatal(errs)
		}
		drop := func(http.ResponseWriter, *http.Request, json.RawMessage) bool { panic(http.ErrAbortHandler) }
		f.change(func() { f.on = handlers{"tools/list": drop, "tools/call": drop} })
		if _, err := m.CallTool(t.Context(), "s", "hello", nil, nil); err == nil || !strings.Contains(err.Error(), "may have been carried out") {
			t.Errorf("err = %v", err)
		}
		got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateDegraded })
		if got.ToolCount != 1 || got.Error.Code != CodeListFailed {
			t.Errorf("row = %+v, %+v", got, got.Error)
		}
		before := f.total()
		time.Sleep(10 * time.Minute)
		if n := f.total() - before; n > 40 {
			t.Errorf("%d requests in ten minutes", n)
		}
		f.change(func() { f.on = nil })
		time.Sleep(time.Minute + time.Second)
		if got := row(t, m, "s"); got.State != StateConnected || got.Error != nil || f.count("initialize") != 1 {
			t.Errorf("row = %+v, %+v", got, got.Error)
		}
		call(t, m, "hello", `{}`)
	})
}

// A gateway whose server is not up yet is asked again when it wants to be.
func TestServerThatIsNotUpYetIsAskedAgainWhenItSays(t *testing.T) {
	for name, code := range map[string]int{"429": 429, "502": 502, "503": 503, "504": 504} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				busy := status(code, "Retry-After: 40")
				f := &fakeWeb{on: handlers{"initialize": busy, "server/discover": busy}}
				m := newPipeNet(t, f).manager(t)
				m.StartAll(t.Context(), webEntry)
				got := row(t, m, "s")
				if wait := time.Until(got.NextRetryAt); got.State != StateReconnecting || wait < 40*time.Second || wait > time.Minute || !strings.Contains(got.Error.Message, "HTTP "+name) {
					t.Errorf("row = %+v, %+v", got, got.Error)
				}
				f.change(func() { f.on = nil })
				if time.Sleep(time.Minute); row(t, m, "s").State != StateConnected {
					t.Errorf("row = %+v", row(t, m, "s"))
				}
			})
		})
	}
}
