package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// ask puts a tool call to the person. When ctx ends first, the question is taken
// back in the editor and nobody waits for it.
func (o *openSession) ask(ctx context.Context, a session.Ask) (string, error) {
	var (
		option string
		err    error
	)
	if c := o.s.client.codebot; c != nil && c.RequestPermission {
		option, err = o.askPlugin(ctx, a)
	} else {
		option, err = o.askMessage(ctx, a)
	}
	outcome := wire.PermissionOutcome{Outcome: wire.OutcomeSelected, OptionID: option}
	if err != nil || option == "" {
		outcome = wire.PermissionOutcome{Outcome: wire.OutcomeCancelled}
	}
	notifyPlugin(o.s, wire.PermissionResolved, wire.PermissionResolvedParams{
		SessionID: o.session.ID(), ToolCallID: a.ToolCallID, Outcome: outcome,
	})
	return option, err
}

func (o *openSession) askPlugin(ctx context.Context, a session.Ask) (string, error) {
	params := wire.RequestPermissionParams{
		SessionID: o.session.ID(),
		ToolCall: wire.ToolCallUpdate{
			ToolCallID: a.ToolCallID, Title: mcp.CleanLine(a.Title), Kind: wire.ToolKind(a.Kind), Status: wire.ToolPending,
			Content: toolContents(a.Description.Preview), Locations: locationsOf(a.Description.Locations),
			RawInput: jsontext.Value(a.RawInput),
			Meta:     &wire.ToolCallMeta{Codebot: wire.ToolCallOrigin{Tool: a.Request.Tool, Server: a.Request.Server, Original: a.Request.Original, Reason: mcp.CleanLine(a.Reason), Parent: a.Parent}},
		},
	}
	for _, opt := range a.Options {
		params.Options = append(params.Options, wire.PermissionOption{
			OptionID: opt.ID, Name: opt.Name, Kind: wire.PermissionOptionKind(opt.Kind),
		})
	}
	var answer wire.RequestPermissionResult
	if err := protocol.Call(ctx, o.s.conn, wire.RequestPermission.Name, params, &answer); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		o.s.log.Warn("the editor did not answer a permission question", "error", err)
		return permission.OptionRejectOnce, nil
	}
	if answer.Outcome.Outcome != wire.OutcomeSelected {
		return "", nil // put away: a no
	}
	if !slices.ContainsFunc(a.Options, func(o permission.Option) bool { return o.ID == answer.Outcome.OptionID }) {
		return permission.OptionRejectOnce, nil
	}
	return answer.Outcome.OptionID, nil
}

// askMessage asks a client without a plug-in by a message with buttons. No answer is
// a no.
func (o *openSession) askMessage(ctx context.Context, a session.Ask) (string, error) {
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeWarning, Message: o.s.questionText(a)}
	for _, opt := range a.Options {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: opt.Name})
	}
	var answer *protocol.MessageActionItem
	if err := protocol.Call(ctx, o.s.conn, protocol.MethodWindowShowMessageRequest, params, &answer); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		o.s.log.Warn("the editor did not answer a message request", "error", err)
		return permission.OptionRejectOnce, nil
	}
	if answer != nil {
		for _, opt := range a.Options {
			if opt.Name == answer.Title {
				return opt.ID, nil
			}
		}
	}
	return permission.OptionRejectOnce, nil
}

// maxShownInput is how much of a call's arguments a message shows, in bytes.
const maxShownInput = 400

func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

func (s *Server) questionText(a session.Ask) string {
	var b strings.Builder
	b.WriteString(s.say(textQuestion, mcp.CleanLine(a.Request.Tool)))
	if a.Title != "" && a.Title != a.Request.Tool {
		b.WriteString(s.say(textQuestionTitle, mcp.CleanLine(a.Title)))
	}
	if args := mcp.CleanLine(string(a.RawInput)); args != "" && args != "{}" {
		fmt.Fprintf(&b, " %s", shorten(args, maxShownInput))
	}
	if a.Reason != "" {
		b.WriteString(s.say(textQuestionReason, mcp.CleanLine(a.Reason)))
	}
	return b.String()
}
