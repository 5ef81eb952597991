package server_test

import (
	"errors"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

func code(t *testing.T, err error) int {
	t.Helper()
	var e *jsonrpc2.Error
	if !errors.As(err, &e) {
		t.Fatalf("want a coded error, got %v", err)
	}
	return int(e.Code)
}

// refusal decodes the data of an action error.
func refusal(t *testing.T, err error) wire.ActionError {
	t.Helper()
	var e *jsonrpc2.Error
	if !errors.As(err, &e) || int(e.Code) != wire.CodeActionFailed {
		t.Fatalf("want an action error, got %v", err)
	}
	var data wire.ActionError
	if err := protocol.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// Wrong states of the life cycle: ruff#16262, rust-analyzer#5696,
// language-server-protocol#195 and #684.
func TestWrongStatesAreAnsweredAsLSPSays(t *testing.T) {
	w := servertest.NewWorld(t)
	in, out := w.Serve()
	e := servertest.Attach(t, in, out, servertest.Config{Folders: []string{w.Folder}})
	if _, err := servertest.Try(e, wire.Status, wire.Empty{}); code(t, err) != -32002 {
		t.Errorf("before initialize: %v", err)
	}
	e.Notify("textDocument/didOpen", servertest.M{"broken": true})
	e.Notify("no/such/notification", nil)
	e.Initialize()
	if err := e.Raw(protocol.MethodInitialize, servertest.M{"capabilities": servertest.M{}}, nil); code(t, err) != -32600 {
		t.Errorf("second initialize: %v", err)
	}
	e.Notify("no/such/notification", nil)
	e.Notify("$/cancelRequest", servertest.M{"id": servertest.M{}})
	e.Notify("textDocument/didChange", servertest.M{"textDocument": 5})
	if err := e.Raw("no/such/request", nil, nil); code(t, err) != -32601 {
		t.Errorf("unknown request: %v", err)
	}
	if err := e.Raw(wire.SessionPrompt.Name, servertest.M{"sessionId": 5}, nil); code(t, err) != -32602 {
		t.Errorf("bad params: %v", err)
	}
	// All params optional: absent and null are {}.
	servertest.Call(e, wire.Status, wire.Empty{})
	if err := e.Raw(wire.Status.Name, nil, nil); err != nil {
		t.Errorf("absent params: %v", err)
	}
	if err := e.Raw(protocol.MethodShutdown, nil, nil); err != nil {
		t.Errorf("shutdown without params: %v", err)
	}
	if _, err := servertest.Try(e, wire.Status, wire.Empty{}); code(t, err) != -32600 {
		t.Errorf("after shutdown: %v", err)
	}
	e.Notify(protocol.MethodExit, nil)
}

// Exit codes by how the end comes (LSP 3.18 "Exit"; go-langserver#286).
func TestTheExitCodeSaysWhetherShutdownCameFirst(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*servertest.Editor, *servertest.Process)
		code int
	}{
		"shutdown, exit": {func(e *servertest.Editor, _ *servertest.Process) { e.Shutdown() }, 0},
		"exit alone":     {func(e *servertest.Editor, _ *servertest.Process) { e.Notify(protocol.MethodExit, nil) }, 1},
		"end of input":   {func(_ *servertest.Editor, p *servertest.Process) { _ = p.Stdin.Close() }, 1},
		"shutdown, end of input": {func(e *servertest.Editor, p *servertest.Process) {
			if err := e.Raw(protocol.MethodShutdown, nil, nil); err != nil {
				t.Error(err)
			}
			_ = p.Stdin.Close()
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e, p := servertest.NewWorld(t).Spawn(servertest.Config{})
			c.end(e, p)
			if got := p.Wait(t); got != c.code {
				t.Errorf("exit code %d, want %d; stderr:\n%s", got, c.code, p.Stderr())
			}
		})
	}
}

// What a client is told at initialize is what it can do.
func TestInitializeDeclaresWhatIsImplemented(t *testing.T) {
	w := servertest.NewWorld(t)
	e := w.Start(servertest.Config{})
	if e.Server.ProtocolVersion != wire.ProtocolVersion || !e.Server.PromptCapabilities.EmbeddedContext {
		t.Errorf("declared %+v", e.Server)
	}
	for _, m := range e.Server.Methods {
		if err := e.Raw(m, servertest.M{}, nil); err != nil && strings.Contains(err.Error(), "no method") {
			t.Errorf("%s is declared and not there", m)
		}
	}
	if e.Initialized.ServerInfo.Name != "codebot-ls" {
		t.Errorf("server info %+v", e.Initialized.ServerInfo)
	}
}

// A client without a plug-in gets messages for questions and one command for the
// rest; what gives consent is not reachable by it.
func TestAClientWithoutAPlugInIsServed(t *testing.T) {
	w := shop(t)
	w.Project(servertest.Servers(servertest.M{"mine": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{NoPlugin: true, Message: func(p protocol.ShowMessageRequestParams) string {
		if !strings.Contains(p.Message, "mcp__deploy__trigger") || !strings.Contains(p.Message, `{"service":"shop"}`) {
			t.Errorf("the question is %q", p.Message)
		}
		return p.Actions[0].Title
	}})
	command := func(method string, params, result any) error {
		return e.Raw(protocol.MethodWorkspaceExecuteCommand, servertest.M{"command": wire.CommandRequest, "arguments": []any{method, params}}, result)
	}
	servertest.Poll(t, "both servers to be connected", func() bool {
		var status wire.MCPStatusResult
		if err := command(wire.MCPStatus.Name, servertest.M{}, &status); err != nil {
			t.Fatal(err)
		}
		return status.Totals.Connected == 2
	})
	var made wire.SessionNewResult
	if err := command(wire.SessionNew.Name, servertest.M{}, &made); err != nil {
		t.Fatal(err)
	}
	var answer wire.SessionPromptResult
	err := command(wire.SessionPrompt.Name, wire.SessionPromptParams{
		SessionID: made.SessionID, Prompt: []wire.ContentBlock{wire.TextBlock("Deploy the current project")},
	}, &answer)
	if err != nil || answer.StopReason != wire.StopEndTurn {
		t.Fatalf("%+v %v", answer, err)
	}
	if calls := e.Calls(made.SessionID); len(calls) != 1 || calls[0].Status != wire.ToolCompleted {
		t.Errorf("calls %+v", calls)
	}
	e.Look(func(s *servertest.State) {
		if len(s.Messages) != 1 {
			t.Errorf("%d questions", len(s.Messages))
		}
		if s.Revision != 0 || s.Status != nil || len(s.Logs) != 0 {
			t.Error("a client that declared nothing got codebot notifications")
		}
	})
	if err := command(wire.MCPApprove.Name, servertest.M{"name": "mine", "hash": "x"}, nil); code(t, err) != -32601 {
		t.Errorf("approve by a command: %v", err)
	}
}

// A client that is asked nothing back rejects: no answer is a no.
func TestNoAnswerIsANo(t *testing.T) {
	w := shop(t)
	e := w.Start(servertest.Config{})
	ready(t, e)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "Deploy the current project")
	calls := e.Calls(id)
	if len(calls) != 1 || calls[0].Status != wire.ToolFailed {
		t.Errorf("calls %+v", calls)
	}
}
