package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/mcp/toolschema"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Caller calls tools of one server; a connection is one. tool is the server's own
// name for the tool. args are sent byte for byte, so big integers keep their
// digits. progress, which may be nil, is called in order with what the server
// reports, before CallTool returns. A tool that this side knows to be gone is
// [ErrToolGone].
type Caller interface {
	CallTool(ctx context.Context, tool string, args json.RawMessage, progress func(string)) (*sdk.CallToolResult, error)
}

// ErrToolGone is a [Caller]'s answer for a tool that was listed once and no
// longer is, or whose server is no longer there.
var ErrToolGone = errors.New("the tool is no longer available")

// The marks of a description. They are information for the model and for people;
// permissions read the annotations.
const (
	markReadOnly    = "(readOnly)"
	markDestructive = "(destructive)"
)

// MCPTool is a tool of an MCP server as a tool of the agent. It is immutable and
// safe for concurrent use as far as its Caller is.
type MCPTool struct {
	caller   Caller
	server   string
	original string

	name        string
	label       string
	description string
	fitted      toolschema.Fitted
	theirs      any // the schema as the server gave it
	annotations sdk.ToolAnnotations
	judgement   judgement
	identity    string
	lang        lang.Lang // of the reason in judgement
	off         bool
}

var (
	_ agent.Tool            = (*MCPTool)(nil)
	_ agent.Labeler         = (*MCPTool)(nil)
	_ agent.ConcurrencySafe = (*MCPTool)(nil)
	_ permission.Describer  = (*MCPTool)(nil)
)

// NewMCPTool wraps a tool that the server named server lists. cfg is the server's
// entry as it stands in the file, unexpanded: grants are bound to it, and must
// outlive a token that was renewed. tool is not kept.
func NewMCPTool(c Caller, server string, cfg ServerConfig, tool *sdk.Tool) *MCPTool {
	t := &MCPTool{
		caller:      c,
		server:      server,
		original:    tool.Name,
		name:        ToolName(server, tool.Name),
		label:       labelOf(tool),
		description: describe(tool),
		fitted:      toolschema.Fit(tool.InputSchema),
		theirs:      tool.InputSchema,
		judgement:   judge(cfg, tool),
	}
	if tool.Annotations != nil {
		t.annotations = *tool.Annotations
	}
	t.identity = identityOf(server, cfg, tool)
	return t
}

// Name returns the name the model calls; see [ToolName].
func (t *MCPTool) Name() string { return t.name }

// Description returns the server's description, cleaned, with a mark for what its
// annotations say.
func (t *MCPTool) Description() string { return t.description }

// Schema returns the schema of the arguments as model APIs take it; see
// [toolschema.Fit].
func (t *MCPTool) Schema() json.RawMessage { return t.fitted.Schema }

// TheirSchema returns the schema as the server gave it, for a person's own call, which
// goes to the server as it is; an object schema where it gave none.
func (t *MCPTool) TheirSchema() json.RawMessage {
	if _, ok := t.theirs.(map[string]any); ok {
		if data, err := toolschema.Encode(t.theirs); err == nil {
			return data
		}
	}
	return t.fitted.Schema
}

// Notes say what of the schema was changed for the model, in English.
func (t *MCPTool) Notes() []string { return t.fitted.Notes }

// Label returns the tool's title for people, else its name.
func (t *MCPTool) Label() string { return t.label }

// Server returns the name of the server.
func (t *MCPTool) Server() string { return t.server }

// Original returns the server's own name for the tool.
func (t *MCPTool) Original() string { return t.original }

// Off reports whether the entry's "tools" keep it from the agent.
func (t *MCPTool) Off() bool { return t.off }

// Annotations returns what the server says of the tool, which is a claim and no
// more; the zero value when it says nothing.
func (t *MCPTool) Annotations() sdk.ToolAnnotations { return t.annotations }

// ConcurrencySafe reports whether calls may run beside others: only those of a
// tool that is trusted to only read.
func (t *MCPTool) ConcurrencySafe(json.RawMessage) bool { return t.judgement.trustedRead }

// PermissionMetadata returns what the host makes of the tool for the gate.
func (t *MCPTool) PermissionMetadata() permission.Metadata {
	return permission.Metadata{
		Capability:  t.judgement.capability,
		Reason:      t.lang.Text(zh, t.judgement.reason),
		KeyPrefix:   "mcp",
		SummaryHint: t.label,
	}
}

// PermissionRequest describes a call to the gate. Only the user's rules look at the
// arguments: what a server does with them cannot be known.
func (t *MCPTool) PermissionRequest(args []byte) permission.Request {
	return permission.Request{
		Args:        t.fitted.Theirs(args),
		Kind:        permission.KindMCP,
		Tool:        t.name,
		Server:      t.server,
		Original:    t.original,
		Identity:    t.identity,
		Destructive: t.judgement.destructive,
		TrustedRead: t.judgement.trustedRead,
		Metadata:    t.PermissionMetadata(),
	}
}

// Execute calls the tool at its server. What the server answers is the result; a
// failure that it reports is a result with IsError whose text begins with "tool
// error: ". A call that got no answer is an error as of [CallError].
func (t *MCPTool) Execute(ctx context.Context, args json.RawMessage, report func(agent.Progress)) (agent.Result, error) {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" {
		args = json.RawMessage("{}")
	}
	res, err := t.caller.CallTool(ctx, t.original, t.fitted.Theirs(args), func(text string) {
		report(agent.Progress{Text: Clean(text)})
	})
	switch {
	case err == nil:
		return ResultOf(res), nil
	case errors.Is(err, ErrToolGone):
		return agent.Result{}, &callError{said: lang.Messagef(zh, textGone, t.name), err: err}
	case ctx.Err() != nil:
		return agent.Result{}, context.Cause(ctx)
	}
	return agent.Result{}, CallError(t.original, err)
}

// CallError puts the failure of a call of tool (the server's own name) into the
// words the model reads: "MCP error: <message>", with "unknown tool '<tool>'" as
// the message when the server does not have it. It unwraps to err.
func CallError(tool string, err error) error {
	var message any = plainly{err}
	if answer, ok := errors.AsType[*jsonrpc.Error](err); ok {
		message = plainly{lang.Errorf(nil, "%v", ourAnswer(answer.Message))}
		if saysUnknown(tool, answer) {
			message = lang.Messagef(zh, textUnknownTool, Clean(tool))
		}
	}
	return &callError{said: lang.Messagef(zh, textMCPErrorOf, message), err: err}
}

// callError has a text that is not the one of its cause: in English, as Error gives
// it, for the model, in every language for a person.
type callError struct {
	said lang.Message
	err  error
}

func (e *callError) Error() string         { return e.said.String() }
func (e *callError) Unwrap() error         { return e.err }
func (e *callError) In(l lang.Lang) string { return e.said.In(l) }

// plainly is the text of an error without what a screen must not get, and without
// the words that CallError puts before it.
type plainly struct{ err error }

func (p plainly) In(l lang.Lang) string {
	return Clean(strings.TrimPrefix(l.Error(p.err), textMCPError))
}
func (p plainly) String() string { return p.In(lang.En) }

// ourAnswer is the message of an answer to a call. Where the server gave none, it is
// ours.
func ourAnswer(message string) lang.Message {
	if message == fmt.Sprintf(textTooLarge, maxLine>>20) {
		return lang.Messagef(zh, textTooLarge, maxLine>>20)
	}
	return lang.MessageOf(zh, message)
}

// saysUnknown reports whether a server's answer means that it has no such tool.
// There is no code of its own for it: the SDKs send "invalid params", older ones
// "method not found", each in words of its own.
func saysUnknown(tool string, answer *jsonrpc.Error) bool {
	if answer.Code != jsonrpc.CodeInvalidParams && answer.Code != jsonrpc.CodeMethodNotFound {
		return false
	}
	// Quotes say nothing here, and the name may hold anything.
	plain := strings.NewReplacer(`"`, "", "'", "", "`", "").Replace
	said := strings.ToLower(plain(answer.Message))
	name := strings.ToLower(plain(tool))
	for _, s := range []string{
		"unknown tool", "tool not found", "no such tool", "no tool named " + name,
		"tool " + name + " not found", "tool " + name + " is not found", "tool " + name + " was not found",
		"tool not found: " + name, "tool " + name + " does not exist",
	} {
		if strings.Contains(said, s) {
			return true
		}
	}
	return false
}

// labelOf returns the title of a tool in the order that the protocol's schema
// gives (Tool.title, annotations.title, name), on one line.
func labelOf(tool *sdk.Tool) string {
	titles := []string{tool.Title}
	if tool.Annotations != nil {
		titles = append(titles, tool.Annotations.Title)
	}
	for _, s := range titles {
		if s = CleanLine(s); s != "" {
			return s
		}
	}
	return CleanLine(tool.Name)
}

// describe returns the description with the mark its annotations call for. A tool
// that says both is marked as the worse of the two.
func describe(tool *sdk.Tool) string {
	text := strings.TrimSpace(Clean(tool.Description))
	mark := ""
	if a := tool.Annotations; a != nil {
		switch {
		case isTrue(a.DestructiveHint):
			mark = markDestructive
		case a.ReadOnlyHint:
			mark = markReadOnly
		}
	}
	if mark == "" || strings.Contains(text, mark) {
		return text
	}
	return strings.TrimSpace(text + " " + mark)
}

// identityOf returns what a grant for the tool is bound to: which server it is,
// what it runs, where, and how it defines the tool. A change of any of these
// needs a new yes.
func identityOf(server string, cfg ServerConfig, tool *sdk.Tool) string {
	d := newDigest("codebot mcp tool 1")
	d.field("server", server)
	if cfg.Origin.Scope == ScopeProject {
		// The same relative command is another program in another folder.
		d.field("folder", filepath.Dir(cfg.Origin.File))
	}
	d.entry(cfg)
	d.field("tool", tool.Name)
	d.field("title", tool.Title)
	d.field("description", tool.Description)
	for _, part := range []struct {
		name  string
		value any
	}{{"schema", tool.InputSchema}, {"annotations", tool.Annotations}} {
		if data, err := toolschema.Encode(part.value); err == nil {
			d.field(part.name, string(data))
		}
	}
	return d.sum()
}

// Tokens estimates what the tool costs in a prompt.
func (t *MCPTool) Tokens() int { return estimateTokens(t) }
