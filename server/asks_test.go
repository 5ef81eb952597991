package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// theyAsk makes the faulty server ask the client, and returns what it was answered.
func theyAsk(t *testing.T, e *servertest.Editor, request, params string) string {
	t.Helper()
	args, err := json.Marshal(servertest.M{"request": request, "params": json.RawMessage(params)})
	if err != nil {
		t.Fatal(err)
	}
	res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "f", Tool: "ask", Arguments: args})
	return *res.Content[0].Text
}

const (
	aForm    = `{"mode":"form","message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`
	aChoice  = `{"message":"Which?","requestedSchema":{"type":"object","properties":{"size":{"type":"string","enum":["s","m"],"enumNames":["Small","Medium"]}}}}`
	aPage    = `{"mode":"url","message":"Log in","url":"https://example.com/login","elicitationId":"1"}`
	aRequest = `{"messages":[{"role":"user","content":{"type":"text","text":"what is 1+1?"}}],"systemPrompt":"Be short.","maxTokens":50}`
)

// What a server asks of a person reaches the plug-in with its schema or its page, and the
// answer the server; closing the question cancels, and does not decline.
func TestServersAskThePersonThroughTheEditor(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"f": faulty(t, "offers")}))
	var got wire.MCPElicitParams
	answer := wire.MCPElicitResult{Action: wire.ElicitAccept, Content: []byte(`{"name":"Ada"}`)}
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Elicit: &wire.ElicitCapability{Form: true, URL: true}},
		Elicit: func(_ context.Context, p wire.MCPElicitParams) wire.MCPElicitResult {
			got = p
			return answer
		},
	})
	e.AwaitState("f", wire.MCPConnected)
	if said := theyAsk(t, e, "elicitation/create", aForm); !strings.Contains(said, `"accept"`) || !strings.Contains(said, `"Ada"`) {
		t.Errorf("the server was answered %s", said)
	}
	if got.Server != "f" || got.Mode != wire.ElicitForm || got.Message != "Your name?" || !strings.Contains(string(got.RequestedSchema), `"required"`) {
		t.Errorf("the editor was asked %+v", got)
	}
	answer = wire.MCPElicitResult{Action: wire.ElicitDecline}
	if said := theyAsk(t, e, "elicitation/create", aPage); !strings.Contains(said, `"decline"`) || got.Mode != wire.ElicitURL || got.URL != "https://example.com/login" {
		t.Errorf("the server was answered %s to %+v", said, got)
	}
	answer = wire.MCPElicitResult{Action: wire.ElicitCancel}
	if said := theyAsk(t, e, "elicitation/create", aForm); !strings.Contains(said, `"cancel"`) {
		t.Errorf("the server was answered %s", said)
	}
	got = wire.MCPElicitParams{}
	if said := theyAsk(t, e, "elicitation/create", strings.Replace(aPage, "https:", "javascript:", 1)); !strings.Contains(said, `"cancel"`) && !strings.Contains(said, "error") || got.URL != "" {
		t.Errorf("a page that is none: %s, the editor was asked %+v", said, got)
	}
}

// An editor that cannot show a form declares none, so a server knows before it asks; one
// that asks all the same is not left without an answer, and nobody is said to have refused.
func TestAnEditorThatCannotAskIsNotSaidToRefuse(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"f": faulty(t, "offers")}))
	e := w.Start(servertest.Config{Elicit: func(context.Context, wire.MCPElicitParams) wire.MCPElicitResult {
		t.Error("it was asked")
		return wire.MCPElicitResult{Action: wire.ElicitCancel}
	}})
	e.AwaitState("f", wire.MCPConnected)
	if said := theyAsk(t, e, "elicitation/create", aForm); strings.Contains(said, "decline") || strings.Contains(said, "accept") {
		t.Errorf("the server was answered %s", said)
	}
}

// An editor without the plug-in is asked with buttons, where buttons are enough.
func TestAChoiceIsAskedByButtonsWithoutThePlugin(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"f": faulty(t, "offers")}))
	var shown protocol.ShowMessageRequestParams
	e := w.Start(servertest.Config{NoPlugin: true, Message: func(p protocol.ShowMessageRequestParams) string {
		shown = p
		return "Medium"
	}})
	call := func(params string) string {
		t.Helper()
		return theyAsk(t, e, "elicitation/create", params)
	}
	servertest.Poll(t, "the server", func() bool {
		servers := servertest.Call(e, wire.MCPStatus, wire.Empty{}).Servers
		return len(servers) == 1 && servers[0].State == wire.MCPConnected
	})
	if said := call(aChoice); !strings.Contains(said, `"accept"`) || !strings.Contains(said, `"m"`) {
		t.Errorf("the server was answered %s", said)
	}
	if len(shown.Actions) != 3 || !strings.Contains(shown.Message, "Which?") || !strings.Contains(shown.Message, "f") {
		t.Errorf("shown: %+v", shown)
	}
	if said := call(aForm); !strings.Contains(said, `"cancel"`) {
		t.Errorf("a text nobody can type: %s", said)
	}
}

// A server asks the model only where the entry says so, and the person, who sees what it
// would send; "for this session" is asked once, and a project cannot turn it on.
func TestAServerAsksTheModelOnlyWithLeave(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Say("2"), modeltest.Say("2"))
	w := servertest.NewWorld(t)
	f := faulty(t, "offers")
	f["sampling"] = true
	w.User(with(d, servertest.Servers(servertest.M{"f": f, "silent": faulty(t, "offers")})))
	asked := 0
	var got wire.MCPSampleParams
	answer := wire.SampleReject
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Sample: true},
		Sample: func(_ context.Context, p wire.MCPSampleParams) wire.MCPSampleResult {
			asked++
			got = p
			return wire.MCPSampleResult{Action: answer}
		},
	})
	e.AwaitState("f", wire.MCPConnected)
	if said := theyAsk(t, e, "sampling/createMessage", aRequest); !strings.Contains(said, "did not allow") {
		t.Errorf("rejected, the server was answered %s", said)
	}
	if got.Server != "f" || got.Model != "test/test-model" || got.SystemPrompt != "Be short." || len(got.Messages) != 1 || *got.Messages[0].Content.Text != "what is 1+1?" || got.MaxTokens != 50 {
		t.Errorf("the person was shown %+v", got)
	}
	answer = wire.SampleAllowSession
	for range 2 {
		if said := theyAsk(t, e, "sampling/createMessage", aRequest); !strings.Contains(said, `"text":"2"`) || !strings.Contains(said, "test/test-model") {
			t.Errorf("allowed, the server was answered %s", said)
		}
	}
	if asked != 2 {
		t.Errorf("the person was asked %d times, want 2", asked)
	}
	if body := string(d.Await(1).Body); !strings.Contains(body, "Be short.") || !strings.Contains(body, "what is 1+1?") || strings.Contains(body, "mcp__") {
		t.Errorf("the model got %s", body)
	}
	// Leave was given to this server; one that is started otherwise under its name has none.
	pid := e.AwaitState("f", wire.MCPConnected).Pid
	f["env"] = servertest.M{"ANOTHER": "1"}
	answer = wire.SampleReject
	w.User(with(d, servertest.Servers(servertest.M{"f": f, "silent": faulty(t, "offers")})))
	e.Await("the server with another environment", func(s *servertest.State) bool {
		row, _ := s.Row("f")
		return row.State == wire.MCPConnected && row.Pid != pid
	})
	if said := theyAsk(t, e, "sampling/createMessage", aRequest); !strings.Contains(said, "did not allow") || asked != 3 {
		t.Errorf("after an edit of its entry the server was answered %s, asked %d", said, asked)
	}
	asked = 2
	args, _ := json.Marshal(servertest.M{"request": "sampling/createMessage", "params": json.RawMessage(aRequest)})
	res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "silent", Tool: "ask", Arguments: args})
	if said := *res.Content[0].Text; !strings.Contains(said, "code") || asked != 2 {
		t.Errorf("a server without leave in its entry was answered %s, asked %d", said, asked)
	}
}

// A server that asks the model in a loop does not use up what somebody pays for.
func TestALoopOfModelRequestsIsStopped(t *testing.T) {
	replies := make([]modeltest.Reply, 20)
	for i := range replies {
		replies[i] = modeltest.Say("2")
	}
	d := modeltest.New(t, modeltest.OpenAI, replies...)
	w := servertest.NewWorld(t)
	f := faulty(t, "offers")
	f["sampling"] = true
	w.User(with(d, servertest.Servers(servertest.M{"f": f})))
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Sample: true},
		Sample: func(context.Context, wire.MCPSampleParams) wire.MCPSampleResult {
			return wire.MCPSampleResult{Action: wire.SampleAllowSession}
		},
	})
	e.AwaitState("f", wire.MCPConnected)
	answered := 0
	for range 15 {
		if said := theyAsk(t, e, "sampling/createMessage", aRequest); strings.Contains(said, `"text":"2"`) {
			answered++
		} else if !strings.Contains(said, "too many requests") {
			t.Fatalf("the server was answered %s", said)
		}
	}
	if answered != 10 {
		t.Errorf("%d requests of 15 were answered, want 10", answered)
	}
}
