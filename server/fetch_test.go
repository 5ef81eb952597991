package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// The agent reads a page of this machine only with leave, which is asked for in those words
// and holds for that host; a page that leads elsewhere is told.
func TestTheAgentFetchesAPageWithLeave(t *testing.T) {
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "https://elsewhere.test/x", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<html><head><title>Notes</title></head><body><h1>Notes</h1><p>The <b>answer</b> is 42.</p><script>steal()</script></body></html>")
	}))
	defer pages.Close()
	use := func(id, path string) modeltest.Reply {
		return modeltest.Use(id, "fetch", fmt.Sprintf(`{"url":%q}`, pages.URL+path))
	}
	d := modeltest.New(t, modeltest.Anthropic, use("c1", "/notes"), modeltest.Say("done"), use("c2", "/away"), modeltest.Say("done"), modeltest.Use("c3", "fetch", `{"url":"file:///etc/passwd"}`), modeltest.Say("done"))
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.M{}))
	e := w.Start(servertest.Config{Permit: always("allow_session")})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	for range 2 {
		prompt(e, id, "go")
	}
	calls := e.Calls(id)
	if len(calls) != 2 || calls[0].Status != wire.ToolCompleted || calls[0].Kind != wire.ToolFetch || !strings.Contains(servertest.CallText(calls[0]), "The **answer** is 42.") || strings.Contains(servertest.CallText(calls[0]), "steal") {
		t.Fatalf("calls %+v: %s", calls, servertest.CallText(calls[0]))
	}
	if got := servertest.CallText(calls[1]); !strings.Contains(got, "leads to another host: fetch https://elsewhere.test/x") {
		t.Errorf("the redirect: %s", got)
	}
	e.Look(func(s *servertest.State) {
		if len(s.Asked) != 1 || !strings.Contains(s.Asked[0].ToolCall.Meta.Codebot.Reason, "this machine") {
			t.Errorf("asked %+v", s.Asked)
		}
	})
	prompt(e, id, "go")
	if calls := e.Calls(id); calls[2].Status != wire.ToolFailed || !strings.Contains(servertest.CallText(calls[2]), "no http or https address") {
		t.Errorf("a file: %s", servertest.CallText(calls[2]))
	}
}
