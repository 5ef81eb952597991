package server_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// Resources of a server are listed with their templates, read as text and as bytes, and
// followed: over a restart of the server too, and no longer once they are read without.
func TestResourcesAreListedReadAndFollowed(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"f": faulty(t, "offers"), "docs": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{})
	e.Await("the counts", func(s *servertest.State) bool {
		row, _ := s.Row("f")
		return row.ResourceCount == 2 && row.PromptCount == 2
	})
	listed := servertest.Call(e, wire.MCPResources, wire.MCPListParams{Server: "f"})
	if len(listed.Resources) != 2 || listed.Resources[0].Address != "note://one" || listed.Resources[0].Title != "The first" || *listed.Resources[0].Size != 9 ||
		len(listed.Templates) != 1 || listed.Templates[0].Template != "note://{name}" {
		t.Errorf("listed %+v", listed)
	}
	read := func(address string, subscribe bool) wire.EmbeddedResource {
		t.Helper()
		res := servertest.Call(e, wire.MCPReadResource, wire.MCPReadResourceParams{Server: "f", Address: address, Subscribe: subscribe})
		if len(res.Contents) != 1 || res.Contents[0].URI != address {
			t.Fatalf("%s holds %+v", address, res)
		}
		return res.Contents[0]
	}
	if c := read("note://one", true); c.Text == nil || !strings.HasPrefix(*c.Text, "note://one of ") || c.MimeType != "text/markdown" {
		t.Errorf("the text is %+v", c)
	}
	if c := read("note://picture", false); c.Blob == nil || *c.Blob != "iVBORw0=" || c.Text != nil {
		t.Errorf("the picture is %+v", c)
	}
	if _, err := servertest.Try(e, wire.MCPReadResource, wire.MCPReadResourceParams{Server: "f", Address: "other://x"}); err == nil || !strings.Contains(err.Error(), "Resource not found") {
		t.Errorf("an unknown address: %v", err)
	}
	if _, err := servertest.Try(e, wire.MCPReadResource, wire.MCPReadResourceParams{Server: "none", Address: "note://one"}); err == nil || !strings.Contains(err.Error(), `none`) {
		t.Errorf("an unknown server: %v", err)
	}
	touch := func() bool {
		t.Helper()
		res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "f", Tool: "touch", Arguments: []byte(`{"name":"note://one"}`)})
		return *res.Content[0].Text == "true"
	}
	told := func(n int) {
		t.Helper()
		e.Await("the change of the resource", func(s *servertest.State) bool {
			return len(s.Resources) == n && s.Resources[n-1] == wire.MCPDidChangeResourceParams{Server: "f", Address: "note://one"}
		})
	}
	if !touch() {
		t.Fatal("the resource is not followed")
	}
	told(1)
	servertest.Call(e, wire.MCPRestart, wire.MCPServerRef{Name: "f"})
	e.AwaitState("f", wire.MCPConnected)
	servertest.Poll(t, "the new process to be asked to tell", touch)
	told(2)
	read("note://one", false)
	if touch() {
		t.Error("it is still followed")
	}
}

// Prompts are listed under the name of their slash command, filled, and their arguments
// completed; a missing argument is the server's own words.
func TestPromptsAreFilledAndTheirArgumentsCompleted(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"f": faulty(t, "offers"), "docs": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{})
	e.AwaitState("docs", wire.MCPConnected)
	e.Await("the counts", func(s *servertest.State) bool { row, _ := s.Row("f"); return row.PromptCount == 2 })
	var commands []string
	for _, p := range servertest.Call(e, wire.MCPPrompts, wire.MCPListParams{}).Prompts {
		if p.Server == "f" {
			commands = append(commands, p.Command)
		}
		if p.Name == "review" && (len(p.Arguments) != 2 || !p.Arguments[0].Required || p.Arguments[1].Required) {
			t.Errorf("its arguments: %+v", p.Arguments)
		}
	}
	if !slices.Equal(commands, []string{"mcp__f__review", "mcp__f__plain"}) {
		t.Errorf("commands %v", commands)
	}
	got := servertest.Call(e, wire.MCPGetPrompt, wire.MCPGetPromptParams{Server: "f", Name: "review", Arguments: map[string]string{"path": "a.go", "tone": "kind"}})
	if len(got.Messages) != 2 || *got.Messages[0].Content.Text != "review a.go, kind" || got.Messages[1].Role != "assistant" {
		t.Errorf("filled: %+v", got)
	}
	if _, err := servertest.Try(e, wire.MCPGetPrompt, wire.MCPGetPromptParams{Server: "f", Name: "review"}); err == nil || !strings.Contains(err.Error(), "path is missing") {
		t.Errorf("without an argument: %v", err)
	}
	of := wire.MCPCompleteParams{Server: "f", Prompt: "review", Argument: "path", Value: "se", Given: map[string]string{"tone": "my-"}}
	if res := servertest.Call(e, wire.MCPComplete, of); !slices.Equal(res.Values, []string{"my-server.go", "my-session.go"}) || res.HasMore {
		t.Errorf("completed to %+v", res)
	}
	of = wire.MCPCompleteParams{Server: "docs", Template: "x://{y}", Argument: "y"}
	if res := servertest.Call(e, wire.MCPComplete, of); len(res.Values) != 0 {
		t.Errorf("a server without completions gave %v", res.Values)
	}
	if _, err := servertest.Try(e, wire.MCPComplete, wire.MCPCompleteParams{Server: "f", Argument: "path"}); err == nil {
		t.Error("neither a prompt nor a template is refused")
	}
}

// The agent finds resources and reads them; reading is asked for, by the name of the
// server, unless its annotations are trusted.
func TestTheAgentReadsResources(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		d := modeltest.New(t, modeltest.OpenAI,
			modeltest.Use("c1", "list_mcp_resources", `{}`), modeltest.Use("c2", "read_mcp_resource", `{"server":"f","uri":"note://one"}`), modeltest.Say("done"))
		w := servertest.NewWorld(t)
		f := faulty(t, "offers")
		f["trust_annotations"] = trusted
		w.User(with(d, servertest.Servers(servertest.M{"f": f})))
		e := w.Start(servertest.Config{Permit: always("allow_once")})
		e.Await("the counts", func(s *servertest.State) bool { row, _ := s.Row("f"); return row.ResourceCount == 2 })
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		prompt(e, id, "go")
		calls := e.Calls(id)
		if len(calls) != 2 || !strings.Contains(servertest.CallText(calls[0]), "f | note://one | one | text/markdown") {
			t.Fatalf("listed %+v", calls)
		}
		if last := string(d.Await(3).Body); !strings.Contains(last, "note://one of ") {
			t.Errorf("the model did not get the text: %s", last)
		}
		e.Look(func(s *servertest.State) {
			if asked := len(s.Asked); trusted != (asked == 0) || asked > 1 {
				t.Errorf("trusted %v: asked %d times", trusted, asked)
			}
		})
	}
}

// The agent sees what the editor's language servers say; an editor that cannot tell has
// no such tool.
func TestTheAgentSeesTheEditorsProblems(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Use("c1", "diagnostics", `{"path":"a.go"}`), modeltest.Say("done"))
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	file := w.Write("a.go", "package a\n")
	var asked string
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Diagnostics: true},
		Problems: func(_ context.Context, p wire.DiagnosticsParams) wire.DiagnosticsResult {
			asked = p.URI
			return wire.DiagnosticsResult{Documents: []wire.DocumentDiagnostics{{URI: p.URI, Diagnostics: []wire.Diagnostic{
				{Line: 3, Column: 7, Severity: wire.SeverityError, Message: "undefined: x", Source: "gopls", Code: "E1"},
			}}}}
		},
	})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "go")
	if !strings.HasSuffix(asked, "/a.go") || !strings.HasPrefix(asked, "file://") {
		t.Errorf("asked about %s, not %s", asked, file)
	}
	if last := string(d.Await(2).Body); !strings.Contains(last, "a.go:3:7: error: undefined: x [gopls E1]") {
		t.Errorf("the model got %s", last)
	}

	d = modeltest.New(t, modeltest.OpenAI, modeltest.Say("done"))
	w = servertest.NewWorld(t)
	w.User(with(d, nil))
	e = w.Start(servertest.Config{})
	prompt(e, servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID, "go")
	if tools := d.Await(1).Tools(t); slices.Contains(tools, "diagnostics") {
		t.Errorf("offered %v", tools)
	}
}
