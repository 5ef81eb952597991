package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// callerFunc is a Caller made of a function.
type callerFunc func(ctx context.Context, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error)

func (f callerFunc) CallTool(ctx context.Context, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error) {
	return f(ctx, tool, args, progress)
}

// failing is a Caller whose calls fail with err.
func failing(err error) Caller {
	return callerFunc(func(context.Context, string, json.RawMessage, func(string)) (*sdk.CallToolResult, error) {
		return nil, err
	})
}

func ignore(agent.Progress) {}

func TestToolKeepsTheServersNameBesideItsOwn(t *testing.T) {
	tool := NewMCPTool(nil, "my docs", ServerConfig{}, &sdk.Tool{Name: "user/update"})
	if tool.Name() != ToolName("my docs", "user/update") || tool.Server() != "my docs" || tool.Original() != "user/update" {
		t.Errorf("%q of %q at %q", tool.Name(), tool.Original(), tool.Server())
	}
	if !permission.IsMCPTool(tool.Name()) {
		t.Errorf("%q does not read as the name of an MCP tool", tool.Name())
	}
}

// Tool.title, annotations.title, name: the order of the protocol's schema
// (2025-06-18, Tool).
func TestLabelIsTheTitleOrTheName(t *testing.T) {
	notes := &sdk.ToolAnnotations{Title: "Noted"}
	for want, tool := range map[string]sdk.Tool{
		"Titled": {Name: "n", Title: "Titled", Annotations: notes},
		"Noted":  {Name: "n", Title: " \u200b", Annotations: notes},
		"n":      {Name: "n"},
		"a b":    {Name: "n", Title: "a\nb\x1b[8m"},
	} {
		if got := NewMCPTool(nil, "s", ServerConfig{}, &tool).Label(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDescriptionIsMarkedOnce(t *testing.T) {
	readOnly := &sdk.ToolAnnotations{ReadOnlyHint: true}
	destructive := &sdk.ToolAnnotations{DestructiveHint: yes()}
	for _, tc := range []struct {
		tool sdk.Tool
		want string
	}{
		{sdk.Tool{Description: "Reads.", Annotations: readOnly}, "Reads. (readOnly)"},
		{sdk.Tool{Description: "Reads. (readOnly)", Annotations: readOnly}, "Reads. (readOnly)"},
		{sdk.Tool{Description: "Drops.", Annotations: destructive}, "Drops. (destructive)"},
		{sdk.Tool{Description: "Both.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: yes()}}, "Both. (destructive)"},
		{sdk.Tool{Description: "Silent.", Annotations: &sdk.ToolAnnotations{}}, "Silent."},
		{sdk.Tool{Description: "Silent."}, "Silent."},
		{sdk.Tool{Annotations: readOnly}, "(readOnly)"},
		{sdk.Tool{Description: "Hid\U000E0068den\x1b]0;t\x07 "}, "Hidden]0;t"},
	} {
		if got := NewMCPTool(nil, "s", ServerConfig{}, &tc.tool).Description(); got != tc.want {
			t.Errorf("%q became %q, want %q", tc.tool.Description, got, tc.want)
		}
	}
}

// Big integers lost digits on their way through map[string]any, and calls without
// arguments failed as invalid.
func TestArgumentsReachTheServerAsTheyAre(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":12345678901234567890,"x":1.10}`: `{"id":12345678901234567890,"x":1.10}`,
		``:                                     `{}`,
		`null`:                                 `{}`,
		" \n":                                  `{}`,
	} {
		var gotTool, got string
		tool := NewMCPTool(callerFunc(func(_ context.Context, tool string, args json.RawMessage, _ func(string)) (*sdk.CallToolResult, error) {
			gotTool, got = tool, string(args)
			return &sdk.CallToolResult{}, nil
		}), "s", ServerConfig{}, &sdk.Tool{Name: "a.b"})
		if _, err := tool.Execute(t.Context(), json.RawMessage(in), ignore); err != nil {
			t.Fatal(err)
		}
		if got != want || gotTool != "a.b" {
			t.Errorf("%q reached %q as %q, want %q", in, gotTool, got, want)
		}
	}
}

func TestProgressIsCleanedAndPassedOn(t *testing.T) {
	tool := NewMCPTool(callerFunc(func(_ context.Context, _ string, _ json.RawMessage, progress func(string)) (*sdk.CallToolResult, error) {
		progress("half\x1b[2J")
		return &sdk.CallToolResult{}, nil
	}), "s", ServerConfig{}, &sdk.Tool{Name: "t"})
	var got []string
	if _, err := tool.Execute(t.Context(), nil, func(p agent.Progress) { got = append(got, p.Text) }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != "half" {
		t.Errorf("got %q", got)
	}
}

func TestFailedCallsSpeakToTheModel(t *testing.T) {
	params := func(text string) error {
		return fmt.Errorf(`calling "tools/call": %w`, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text})
	}
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"transport":                {errors.New("connection closed"), "MCP error: connection closed"},
		"an answer":                {params("query is missing"), "MCP error: query is missing"},
		"gone, in the Go SDK":      {params(`unknown tool "search.x"`), "MCP error: unknown tool 'search.x'"},
		"gone, in TypeScript's":    {params("MCP error -32602: Tool search.x not found"), "MCP error: unknown tool 'search.x'"},
		"gone, in the demo's":      {params("MCP error: unknown tool 'search.x'"), "MCP error: unknown tool 'search.x'"},
		"something else not found": {params("file not found by the tool"), "MCP error: file not found by the tool"},
		"twice the same words":     {params("MCP error: boom"), "MCP error: boom"},
		"a failure of another code": {&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "unknown tool chain"},
			"MCP error: unknown tool chain"},
		"escapes":            {errors.New("bad\x1b[2J\u202e"), "MCP error: bad"},
		"gone on this side":  {fmt.Errorf("docs: %w", ErrToolGone), ToolName("docs", "search.x") + " is no longer available"},
		"a call's time-out":  {fmt.Errorf("call: %w", context.DeadlineExceeded), "MCP error: call: context deadline exceeded"},
		"an empty complaint": {errors.New(""), "MCP error: "},
	} {
		t.Run(name, func(t *testing.T) {
			tool := NewMCPTool(failing(tc.err), "docs", ServerConfig{}, &sdk.Tool{Name: "search.x"})
			res, err := tool.Execute(t.Context(), nil, ignore)
			if err == nil || err.Error() != tc.want {
				t.Fatalf("got %+v, %v; want %q", res, err, tc.want)
			}
			if !errors.Is(err, tc.err) && !errors.Is(err, errors.Unwrap(tc.err)) {
				t.Errorf("%v lost its cause", err)
			}
		})
	}
}

// A call that was cancelled is no failure of the server.
func TestCancelledCallSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool := NewMCPTool(failing(errors.New("connection closed")), "s", ServerConfig{}, &sdk.Tool{Name: "t"})
	if _, err := tool.Execute(ctx, nil, ignore); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestGateLearnsWhatTheToolIs(t *testing.T) {
	trusted := ServerConfig{Command: "x", TrustAnnotations: true}
	read := &sdk.Tool{Name: "a.b", Title: "Look", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}
	tool := NewMCPTool(nil, "s", trusted, read)
	got := tool.PermissionRequest(nil)
	if got.Kind != permission.KindMCP || got.Tool != tool.Name() || got.Server != "s" || got.Original != "a.b" ||
		!got.TrustedRead || got.Destructive || got.Identity == "" ||
		got.Metadata != (permission.Metadata{Capability: permission.CapabilityRead, KeyPrefix: "mcp", SummaryHint: "Look"}) {
		t.Errorf("got %+v", got)
	}
	if !tool.ConcurrencySafe(nil) || !tool.Annotations().ReadOnlyHint {
		t.Error("a trusted read may run beside others")
	}
	doubted := NewMCPTool(nil, "s", ServerConfig{Command: "x"}, read)
	if doubted.ConcurrencySafe(nil) || doubted.PermissionRequest(nil).TrustedRead {
		t.Error("without trust it is no read")
	}
	drop := NewMCPTool(nil, "s", trusted, &sdk.Tool{Name: "d", Annotations: &sdk.ToolAnnotations{DestructiveHint: yes()}})
	if r := drop.PermissionRequest(nil); !r.Destructive || r.TrustedRead || drop.ConcurrencySafe(nil) {
		t.Errorf("got %+v", r)
	}
}

// A grant must not survive a change of the server or of the tool behind a name
// ("rug pull").
func TestGrantsAreBoundToServerAndDefinition(t *testing.T) {
	type given struct {
		server string
		cfg    ServerConfig
		tool   sdk.Tool
	}
	base := func() given {
		return given{"s", ServerConfig{Command: "x", Origin: Origin{Scope: ScopeProject, File: "/ws/.codebot/settings.json", Line: 3}},
			sdk.Tool{Name: "t", Description: "d", InputSchema: map[string]any{"type": "object", "a": 1, "b": 2}}}
	}
	identity := func(g given) string {
		return NewMCPTool(nil, g.server, g.cfg, &g.tool).PermissionRequest(nil).Identity
	}
	want := identity(base())
	for range 20 { // maps are walked in another order each time
		if identity(base()) != want {
			t.Fatal("the same tool has another identity")
		}
	}
	for name, change := range map[string]func(*given){
		"server":      func(g *given) { g.server = "z" },
		"command":     func(g *given) { g.cfg.Command = "y" },
		"env":         func(g *given) { g.cfg.Env = map[string]string{"LD_PRELOAD": "x"} },
		"url":         func(g *given) { g.cfg.URL = "http://h/" },
		"folder":      func(g *given) { g.cfg.Origin.File = "/evil/.codebot/settings.json" },
		"scope":       func(g *given) { g.cfg.Origin.Scope = ScopeUser },
		"name":        func(g *given) { g.tool.Name = "u" },
		"title":       func(g *given) { g.tool.Title = "T" },
		"description": func(g *given) { g.tool.Description = "do evil" },
		"schema":      func(g *given) { g.tool.InputSchema = map[string]any{"type": "object"} },
		"annotations": func(g *given) { g.tool.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: true} },
	} {
		g := base()
		change(&g)
		if identity(g) == want {
			t.Errorf("%s: the grant still holds", name)
		}
	}
	same := base()
	same.cfg.Origin.Line, same.cfg.CallTimeoutMs, same.tool.Icons = 9, 5, []sdk.Icon{{Source: "x"}}
	if identity(same) != want {
		t.Error("a line, a time-out or an icon ended the grant")
	}
}
