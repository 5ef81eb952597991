package server

import (
	"errors"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// refusal is an action that was not tried.
type refusal struct {
	message string
	data    wire.ActionError
}

func (r *refusal) Error() string { return r.message }

func refuse(kind wire.ActionErrorKind, name, message, hint string) error {
	return &refusal{message: message, data: wire.ActionError{Kind: kind, Name: name, Hint: hint}}
}

// wireError gives an error of the packages below the code and the data that the
// protocol wants; any other comes back as it is.
func wireError(err error) error {
	var (
		own    *refusal
		action *mcp.ActionError
		model  *agent.Error
	)
	switch {
	case errors.As(err, &own):
		return rpc.ActionError(wire.CodeActionFailed, own.message, own.data)
	case errors.As(err, &action):
		return rpc.ActionError(wire.CodeActionFailed, action.Message,
			wire.ActionError{Kind: wire.ActionErrorKind(action.Kind), Name: action.Name, Hint: action.Hint})
	case errors.As(err, &model):
		return rpc.ActionError(wire.CodeActionFailed, model.Message, modelError(model))
	case errors.Is(err, session.ErrBusy):
		return rpc.ActionError(wire.CodeActionFailed, err.Error(),
			wire.ActionError{Kind: wire.KindSessionBusy, Hint: "Wait for the answer, or cancel the turn."})
	case errors.Is(err, session.ErrInUse):
		return rpc.ActionError(wire.CodeActionFailed, err.Error(),
			wire.ActionError{Kind: wire.KindSessionBusy, Hint: "Close the session in the other window first."})
	case errors.Is(err, session.ErrNoSession), errors.Is(err, session.ErrBadID), errors.Is(err, session.ErrClosed):
		return rpc.ActionError(wire.CodeActionFailed, err.Error(),
			wire.ActionError{Kind: wire.KindUnknownSession, Hint: "List the sessions, or start a new one."})
	case errors.Is(err, session.ErrUnknownMode):
		return rpc.ActionError(wire.CodeActionFailed, err.Error(),
			wire.ActionError{Kind: wire.KindUnknownMode, Hint: "The modes are default, accept_edits, plan and auto."})
	case errors.Is(err, session.ErrBadCursor), errors.Is(err, session.ErrEmptyPrompt):
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	case errors.Is(err, workspace.ErrConsentChanged):
		return rpc.ActionError(wire.CodeActionFailed, err.Error(),
			wire.ActionError{Kind: wire.KindConsentChanged, Hint: "Show the server's consent again and approve that hash."})
	case errors.Is(err, workspace.ErrUnknownServer):
		return rpc.ActionError(wire.CodeActionFailed, err.Error(),
			wire.ActionError{Kind: wire.KindUnknownServer, Hint: "Only an entry of a project's settings file is approved."})
	}
	return err
}

func modelError(e *agent.Error) wire.ModelError {
	m := wire.ModelError{Kind: wire.ModelErrorKind(e.Kind), Message: e.Message, ProviderMessage: e.ProviderMessage}
	if !e.RetryAt.IsZero() {
		m.RetryAt = e.RetryAt.UTC().Format(time.RFC3339)
	}
	switch e.Kind {
	case agent.ErrAuth:
		m.Action = wire.ActionEnterKey
	case agent.ErrNotFound, agent.ErrQuota:
		m.Action = wire.ActionChooseModel
	case agent.ErrTooLong:
		m.Action = wire.ActionCompact
	case agent.ErrUnreachable:
		m.Action = wire.ActionOpenSettings
	default:
		m.Action = wire.ActionRetry
	}
	return m
}
