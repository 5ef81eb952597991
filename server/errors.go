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
	why  error
	data wire.ActionError // its Hint is in English
}

func (r *refusal) Error() string { return r.why.Error() }
func (r *refusal) Unwrap() error { return r.why }

func refuse(kind wire.ActionErrorKind, name string, why error, hint string) error {
	return &refusal{why: why, data: wire.ActionError{Kind: kind, Name: name, Hint: hint}}
}

// said is an error of which a person reads text.
type said struct {
	text string
	error
}

func (s said) Error() string { return s.text }
func (s said) Unwrap() error { return s.error }

// say gives a text for people in the language of the client.
func (s *Server) say(format string, args ...any) string {
	return s.lang.Sprintf(zh, format, args...)
}

// wireError gives an error of the packages below the code and the data that the
// protocol wants, and the words in the language of the client.
func (s *Server) wireError(err error) error {
	var (
		own    *refusal
		action *mcp.ActionError
		model  *agent.Error
	)
	switch {
	case errors.As(err, &own):
		data := own.data
		data.Hint = s.lang.Text(zh, data.Hint)
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(own.why), data)
	case errors.As(err, &action):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(action),
			wire.ActionError{Kind: wire.ActionErrorKind(action.Kind), Name: action.Name, Hint: action.Hint})
	case errors.As(err, &model):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(model), s.modelError(model))
	case errors.Is(err, session.ErrBusy):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(err),
			wire.ActionError{Kind: wire.KindSessionBusy, Hint: s.say(hintBusy)})
	case errors.Is(err, session.ErrInUse):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(err),
			wire.ActionError{Kind: wire.KindSessionBusy, Hint: s.say(hintInUse)})
	case errors.Is(err, session.ErrNoSession), errors.Is(err, session.ErrBadID), errors.Is(err, session.ErrClosed):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(err),
			wire.ActionError{Kind: wire.KindUnknownSession, Hint: s.say(hintNoSession)})
	case errors.Is(err, session.ErrUnknownMode):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(err),
			wire.ActionError{Kind: wire.KindUnknownMode, Hint: s.say(hintMode)})
	case errors.Is(err, session.ErrBadCursor), errors.Is(err, session.ErrEmptyPrompt), errors.Is(err, session.ErrIdle),
		errors.Is(err, session.ErrEmptyTitle), errors.Is(err, session.ErrNoMessage):
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, s.lang.Error(err))
	case errors.Is(err, workspace.ErrConsentChanged):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(err),
			wire.ActionError{Kind: wire.KindConsentChanged, Hint: s.say(hintConsent)})
	case errors.Is(err, workspace.ErrUnknownServer):
		return rpc.ActionError(wire.CodeActionFailed, s.lang.Error(err),
			wire.ActionError{Kind: wire.KindUnknownServer, Hint: s.say(hintProjectOnly)})
	}
	if text := s.lang.Error(err); text != err.Error() {
		return said{text, err}
	}
	return err
}

func (s *Server) modelError(e *agent.Error) wire.ModelError {
	m := wire.ModelError{Kind: wire.ModelErrorKind(e.Kind), Message: s.lang.Error(e), ProviderMessage: e.ProviderMessage}
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
