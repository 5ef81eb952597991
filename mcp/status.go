package mcp

import (
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// State is the state of one server.
type State string

// The states of a server.
const (
	StateDisabled     State = "disabled"
	StateUntrusted    State = "untrusted"
	StateStarting     State = "starting"
	StateConnected    State = "connected"
	StateDegraded     State = "degraded"
	StateNeedsAuth    State = "needs_auth"
	StateReconnecting State = "reconnecting"
	StateFailed       State = "failed"
	StateStopping     State = "stopping"
	StateStopped      State = "stopped"
)

// In is the state in a language, for people.
func (s State) In(l lang.Lang) string { return l.Text(zh, string(s)) }

// Usable reports whether the tools of a server in this state can be called.
func (s State) Usable() bool { return s == StateConnected || s == StateDegraded }

// Settled reports whether the state is one that does not change by itself soon.
func (s State) Settled() bool { return s != StateStarting && s != StateStopping }

// StatusError says why a server is not well. All texts are free of secrets and
// control characters.
type StatusError struct {
	// Code is an action kind of the protocol ("untrusted", "needsAuth",
	// "configInvalid", "startBlocked", "timeout") or "exited", "handshake",
	// "http", "listFailed".
	Code    string
	Message string
	Hint    string
	// ExitCode of a stdio server that ended; nil when it did not or a signal ended it.
	ExitCode *int
	// StderrTail is the end of what the server wrote to stderr, secrets redacted.
	StderrTail string
}

// Consent is what a person is shown before a project entry may act: everything
// unexpanded.
type Consent struct {
	Hash     string
	Argv     []string
	Cwd      string
	EnvNames []string
	URL      string
	// Variables are the names of all variables that starting it would read.
	Variables []string
	// Changed says that another version of the entry was approved, Changes in what
	// this one differs from it, as far as that is known.
	Changed bool
	Changes []FieldChange
}

// ServerStatus is one immutable picture of a server. State, tools and
// instructions of one picture belong together.
type ServerStatus struct {
	Name      string
	Scope     Scope
	State     State
	Source    string // absolute path of the settings file; empty for none
	Shadows   string
	Transport string // "stdio", "http", "sse", "inprocess"
	Autostart string // one of the values of ServerConfig.Autostart

	ToolCount, PromptCount, ResourceCount int
	// ToolTokens estimates what the tools cost in a prompt.
	ToolTokens      int
	ProtocolVersion string
	Pid             int
	Since           time.Time
	NextRetryAt     time.Time
	Error           *StatusError
	Consent         *Consent
	Instructions    string
	// Kept says that the agent is still offered the tools of before the server went away,
	// while it is come back to.
	Kept bool
	// Revision grows with each change of this server within its manager.
	Revision uint64
}

// Codes of a [StatusError] that are no kind of refused action.
const (
	CodeExited     = "exited"     // the process, or the session, ended by itself
	CodeHandshake  = "handshake"  // it did not speak MCP
	CodeHTTP       = "http"       // the HTTP exchange failed
	CodeListFailed = "listFailed" // tools/list failed
)
