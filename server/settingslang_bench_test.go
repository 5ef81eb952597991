package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// An editor that takes no registrations asks us for lenses and hints of every document
// after every key: an answer with nothing must cost nothing. The bound is for the whole
// way through two pipes and the chain of handlers, so it is wider than the work.
func TestOtherDocumentsCostNothing(t *testing.T) {
	w := servertest.NewWorld(t)
	e := w.Start(servertest.Config{Client: modern})
	ask := func(path string) time.Duration {
		params := &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}}
		best := time.Hour
		for range 50 {
			start := time.Now()
			for range 10 {
				if err := e.Raw(protocol.MethodTextDocumentCodeLens, params, nil); err != nil {
					t.Fatal(err)
				}
			}
			best = min(best, time.Since(start)/10)
		}
		return best
	}
	// What the way alone costs is that of a request that is answered at once.
	empty := time.Hour
	for range 50 {
		start := time.Now()
		for range 10 {
			if err := e.Raw("no/such/request", nil, nil); err == nil {
				t.Fatal("no/such/request was answered")
			}
		}
		empty = min(empty, time.Since(start)/10)
	}
	if got := ask("/work/main.go"); got > empty+50*time.Microsecond {
		t.Errorf("a document that is no settings file costs %v, an unknown method %v", got, empty)
	}
}

// BenchmarkCodeLens is the whole way of a request about a settings file of 50 servers.
func BenchmarkCodeLens(b *testing.B) {
	w := servertest.NewWorld(b)
	var text strings.Builder
	text.WriteString("{\n  \"mcp_servers\": {\n")
	for i := range 50 {
		fmt.Fprintf(&text, "    \"server-%d\": {\"command\": \"sh\", \"args\": [\"-c\", \"${HOME}\"], \"disabled\": true},\n", i)
	}
	text.WriteString("  }\n}\n")
	path := w.User(text.String())
	e := w.Start(servertest.Config{Client: modern})
	e.Notify(protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: uri.File(path), LanguageID: "jsonc", Version: 1, Text: text.String(),
	}})
	params := &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(workspace.SettingsFile(w.Home))}}
	for b.Loop() {
		var lenses []protocol.CodeLens
		if err := e.Raw(protocol.MethodTextDocumentCodeLens, params, &lenses); err != nil || len(lenses) != 100 {
			b.Fatal(len(lenses), err)
		}
	}
}
