package chat

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// scripted is a server over the real wire whose behaviour a test writes down.
type scripted struct {
	servers []wire.MCPServer
	// onReady runs after "initialized"; onPrompt is a turn.
	onReady  func(ctx context.Context, conn jsonrpc2.Conn)
	onPrompt func(ctx context.Context, conn jsonrpc2.Conn, prompt string) (wire.SessionPromptResult, error)

	mu        sync.Mutex
	methods   []string // guarded by mu
	cancelled chan struct{}
}

func (s *scripted) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.cancelled = make(chan struct{}, 1)
	exit := make(chan struct{})
	var once sync.Once
	conn := jsonrpc2.NewConn(rpc.NewStream(in, out, nil), jsonrpc2.WithCodec(rpc.Codec{}))
	conn.Go(ctx, protocol.CancelHandler(func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		s.mu.Lock()
		s.methods = append(s.methods, req.Method())
		s.mu.Unlock()
		if req.IsCall() {
			jsonrpc2.Async(ctx)
		}
		switch req.Method() {
		case protocol.MethodInitialize:
			return map[string]any{"capabilities": map[string]any{}}, nil
		case protocol.MethodInitialized:
			if s.onReady != nil {
				s.onReady(ctx, conn)
			}
			if err := conn.Notify(ctx, wire.DidChangeStatus.Name, wire.StatusResult{}); err != nil {
				return nil, err
			}
		case protocol.MethodExit:
			once.Do(func() { close(exit) })
		case wire.MCPStatus.Name:
			return wire.MCPStatusResult{Servers: s.servers}, nil
		case wire.SessionNew.Name:
			return wire.SessionNewResult{SessionID: "s1", Cwd: "/w", Model: "offline", Mode: "default"}, nil
		case wire.SessionCancel.Name:
			s.cancelled <- struct{}{}
		case wire.SessionPrompt.Name:
			var p wire.SessionPromptParams
			if err := rpc.DecodeParams(req.Method(), req.Params(), &p); err != nil {
				return nil, err
			}
			return s.onPrompt(ctx, conn, *p.Prompt[0].Text)
		}
		return nil, nil
	}))
	select {
	case <-exit:
	case <-conn.Done():
	}
	return nil
}

func (s *scripted) saw(method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.methods {
		if m == method {
			return true
		}
	}
	return false
}

func send(t *testing.T, conn jsonrpc2.Conn, u wire.SessionUpdateVariant) {
	t.Helper()
	p := wire.SessionUpdateParams{SessionID: "s1", Update: wire.SessionUpdate{Value: u}}
	if err := conn.Notify(context.Background(), wire.SessionUpdateNotification.Name, p); err != nil {
		t.Error(err)
	}
}

// askPermission asks as a server does and returns the chosen option.
func askPermission(t *testing.T, ctx context.Context, conn jsonrpc2.Conn) string {
	t.Helper()
	var r wire.RequestPermissionResult
	err := protocol.Call(ctx, conn, wire.RequestPermission.Name, wire.RequestPermissionParams{
		SessionID: "s1",
		ToolCall: wire.ToolCallUpdate{
			ToolCallID: "c1", Title: "Trigger a deployment", RawInput: []byte(`{"service":"w"}`),
			Meta: &wire.ToolCallMeta{Codebot: wire.ToolCallOrigin{Tool: "mcp__deploy__trigger"}},
		},
		Options: []wire.PermissionOption{
			{OptionID: "allow_once", Name: "Allow once", Kind: wire.PermissionAllowOnce},
			{OptionID: "allow_session", Name: "Allow for this session", Kind: wire.PermissionAllowAlways},
			{OptionID: "reject_once", Name: "Reject", Kind: wire.PermissionRejectOnce},
		},
	}, &r)
	if err != nil {
		t.Error(err)
	}
	return r.Outcome.OptionID
}

func ended(reason wire.StopReason) (wire.SessionPromptResult, error) {
	return wire.SessionPromptResult{StopReason: reason}, nil
}

// run chats and returns the exit code and what was printed.
func run(t *testing.T, s *scripted, o Options) (int, string) {
	t.Helper()
	var out strings.Builder
	o.Serve, o.Out, o.Dir = s.serve, &out, t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return Run(ctx, o), out.String()
}

func TestOneShotPromptShowsTheWholeTurn(t *testing.T) {
	s := &scripted{
		servers: []wire.MCPServer{{Name: "docs", State: wire.MCPConnected, ToolCount: 2}},
		onPrompt: func(_ context.Context, conn jsonrpc2.Conn, prompt string) (wire.SessionPromptResult, error) {
			send(t, conn, &wire.AgentMessageChunk{Content: wire.TextBlock("You said: " + prompt)})
			send(t, conn, &wire.ToolCallStart{ToolCall: wire.ToolCall{
				ToolCallID: "c1", Title: "Search", Status: wire.ToolPending, RawInput: []byte(`{"query":"x"}`),
				Meta: &wire.ToolCallMeta{Codebot: wire.ToolCallOrigin{Tool: "mcp__docs__search"}},
			}})
			send(t, conn, &wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{ToolCallID: "c1", Status: wire.ToolInProgress}})
			found := wire.TextBlock("found \x1b[2Jit")
			send(t, conn, &wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{
				ToolCallID: "c1", Status: wire.ToolCompleted, Content: []wire.ToolCallContent{{Type: wire.ToolContent, Content: &found}},
			}})
			send(t, conn, &wire.AgentMessageChunk{Content: wire.TextBlock("Done")})
			send(t, conn, &wire.AgentMessageChunk{Content: wire.TextBlock(" now.")})
			return ended(wire.StopEndTurn)
		},
	}
	code, out := run(t, s, Options{Prompt: "hello", NoWait: true})
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"docs  connected  2 tools", "You said: hello\n* mcp__docs__search {\"query\":\"x\"}\n", "  completed\n    found it\n", "Done now.\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("an escape sequence of a server reached the terminal:\n%q", out)
	}
	if !s.saw(protocol.MethodShutdown) || !s.saw(protocol.MethodExit) {
		t.Errorf("the server was not ended in order: %v", s.methods)
	}
}

// The calls of a sub-agent stand to the right, and a result that comes after the head of
// another call says whose it is.
func TestTheCallsOfASubAgentAreSetOff(t *testing.T) {
	s := &scripted{
		onPrompt: func(_ context.Context, conn jsonrpc2.Conn, _ string) (wire.SessionPromptResult, error) {
			begin := func(id, tool, parent string) {
				send(t, conn, &wire.ToolCallStart{ToolCall: wire.ToolCall{
					ToolCallID: id, Title: tool, Status: wire.ToolPending, Meta: &wire.ToolCallMeta{Codebot: wire.ToolCallOrigin{Tool: tool, Parent: parent}},
				}})
				send(t, conn, &wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{ToolCallID: id, Status: wire.ToolInProgress}})
			}
			end := func(id string) {
				send(t, conn, &wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{ToolCallID: id, Status: wire.ToolCompleted}})
			}
			begin("t", "task", "")
			begin("t/r", "read", "t")
			end("t/r")
			end("t")
			return ended(wire.StopEndTurn)
		},
	}
	_, out := run(t, s, Options{Prompt: "hello", NoWait: true})
	if want := "* task\n  * read\n    completed\n  completed task\n"; !strings.Contains(out, want) {
		t.Errorf("the screen lacks %q:\n%s", want, out)
	}
}

func TestQuestionsAreAnswered(t *testing.T) {
	for _, test := range []struct {
		name   string
		o      Options
		in     string
		want   string
		screen string
	}{
		{name: "yes flag", o: Options{Yes: true}, want: "allow_once", screen: "answer: allow_once (--yes)"},
		{name: "nobody there", o: Options{}, in: "y\n", want: "reject_once", screen: "answer: reject_once (nobody to ask; --yes allows)"},
		{name: "a person says y", o: Options{Interactive: true}, in: "y\n", want: "allow_once", screen: "1  Allow once"},
		{name: "a number", o: Options{Interactive: true}, in: "2\n", want: "allow_session", screen: "answer: allow_session"},
		{name: "nonsense, then n", o: Options{Interactive: true}, in: "what?\nn\n", want: "reject_once", screen: "answer with a number from 1 to 3"},
		{name: "the terminal hangs up", o: Options{Interactive: true}, in: "", want: "reject_once", screen: "answer: reject_once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got string
			s := &scripted{onPrompt: func(ctx context.Context, conn jsonrpc2.Conn, _ string) (wire.SessionPromptResult, error) {
				got = askPermission(t, ctx, conn)
				return ended(wire.StopEndTurn)
			}}
			o := test.o
			o.Prompt, o.NoWait, o.In = "deploy", true, strings.NewReader(test.in)
			code, out := run(t, s, o)
			if code != 0 || got != test.want {
				t.Errorf("exit code %d, the server got %q, want %q", code, got, test.want)
			}
			for _, want := range []string{test.screen, `* mcp__deploy__trigger {"service":"w"}`} {
				if !strings.Contains(out, want) {
					t.Errorf("the screen lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

// Lines that are piped in are prompts; none of them may answer a question by chance.
func TestPipedLinesArePromptsOneByOne(t *testing.T) {
	var prompts []string
	s := &scripted{onPrompt: func(_ context.Context, _ jsonrpc2.Conn, prompt string) (wire.SessionPromptResult, error) {
		prompts = append(prompts, prompt)
		return ended(wire.StopEndTurn)
	}}
	code, out := run(t, s, Options{In: strings.NewReader("one\n two \nq\nthree\n")})
	if code != 0 || strings.Join(prompts, "|") != "one|two" {
		t.Errorf("exit code %d, prompts %q:\n%s", code, prompts, out)
	}
}

func TestOneShotWaitsUntilServersHaveSettled(t *testing.T) {
	s := &scripted{
		servers: []wire.MCPServer{{Name: "docs", State: wire.MCPStarting}},
		onReady: func(ctx context.Context, conn jsonrpc2.Conn) {
			err := conn.Notify(ctx, wire.MCPDidChangeStatus.Name, wire.MCPDidChangeStatusParams{
				Revision: 1, Totals: wire.MCPTotals{Connected: 1, Tools: 2},
				Servers: []wire.MCPServer{{Name: "docs", State: wire.MCPConnected, ToolCount: 2}},
			})
			if err != nil {
				t.Error(err)
			}
		},
		onPrompt: func(context.Context, jsonrpc2.Conn, string) (wire.SessionPromptResult, error) {
			return ended(wire.StopEndTurn)
		},
	}
	code, out := run(t, s, Options{Prompt: "hello"})
	if code != 0 || !strings.Contains(out, "Total: 1 connected, 0 failed, 2 tools") || strings.Contains(out, "still starting") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestOneShotSaysWhoIsMissing(t *testing.T) {
	s := &scripted{
		servers: []wire.MCPServer{{Name: "slow", State: wire.MCPStarting}, {Name: "docs", State: wire.MCPConnected}},
		onPrompt: func(context.Context, jsonrpc2.Conn, string) (wire.SessionPromptResult, error) {
			return ended(wire.StopEndTurn)
		},
	}
	code, out := run(t, s, Options{Prompt: "hello", SettleTime: time.Millisecond})
	if code != 0 || !strings.Contains(out, "still starting after 1ms, going on without: slow") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestInterruptCancelsTheTurn(t *testing.T) {
	interrupts := make(chan os.Signal, 1)
	s := &scripted{}
	s.onPrompt = func(context.Context, jsonrpc2.Conn, string) (wire.SessionPromptResult, error) {
		interrupts <- os.Interrupt
		<-s.cancelled
		return ended(wire.StopCancelled)
	}
	code, out := run(t, s, Options{Prompt: "hello", NoWait: true, Interrupts: interrupts})
	if code != 130 || !strings.Contains(out, "cancelled") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// PROTOCOL: a question of a cancelled turn is withdrawn with $/cancelRequest.
func TestWithdrawnQuestionIsNoLongerAsked(t *testing.T) {
	in, typed := io.Pipe()
	defer typed.Close()
	s := &scripted{onPrompt: func(ctx context.Context, conn jsonrpc2.Conn, _ string) (wire.SessionPromptResult, error) {
		asking, withdraw := context.WithCancel(ctx)
		withdraw()
		err := protocol.Call(asking, conn, wire.RequestPermission.Name, wire.RequestPermissionParams{SessionID: "s1"}, nil)
		if err == nil {
			t.Error("the question was answered")
		}
		return ended(wire.StopEndTurn)
	}}
	code, out := run(t, s, Options{Prompt: "hello", NoWait: true, Interactive: true, In: in})
	if code != 0 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestFailedPromptNamesTheWayOut(t *testing.T) {
	s := &scripted{onPrompt: func(context.Context, jsonrpc2.Conn, string) (wire.SessionPromptResult, error) {
		return wire.SessionPromptResult{}, rpc.ActionError(wire.CodeActionFailed, "unknown model a/b",
			wire.ActionError{Kind: wire.KindUnknownModel, Hint: "codebot/models lists them"})
	}}
	code, out := run(t, s, Options{Prompt: "hello", NoWait: true})
	if code != 1 || !strings.Contains(out, "error: unknown model a/b: codebot/models lists them") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestServerThatEndsIsNotWaitedFor(t *testing.T) {
	var out strings.Builder
	code := Run(context.Background(), Options{
		Serve: func(context.Context, io.Reader, io.Writer) error { return io.ErrUnexpectedEOF },
		Out:   &out, Dir: t.TempDir(), Prompt: "hello",
	})
	if code == 0 || !strings.Contains(out.String(), "error:") {
		t.Errorf("exit code %d:\n%s", code, &out)
	}
}
