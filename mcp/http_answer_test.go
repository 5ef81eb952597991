package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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
