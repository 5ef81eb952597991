package mcp

import (
	"context"
	"encoding/json"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Options is everything a [Manager] takes from its surroundings. The zero value
// of each field is usable: an empty environment, no roots, no logging.
type Options struct {
	// Scope and Folder say whose servers these are: the user's (Folder empty) or
	// those of one folder (absolute path).
	Scope  Scope
	Folder string
	// Cwd is where children run whose entry names no cwd; absolute.
	Cwd string
	// Roots returns the absolute paths that servers are told are open.
	Roots func() []string
	// Home is the user's home folder, for ${userHome}.
	Home string
	// LookupEnv and Environ read our own environment; nil means an empty one.
	LookupEnv func(string) (string, bool)
	Environ   func() []string
	// LoginPath returns the PATH of the user's login shell, for commands that are not on
	// ours; empty for none. Nil: nobody is asked.
	LoginPath func(ctx context.Context) string
	// Lang is the language of the texts of rows and of refused actions. What a model
	// reads of a failed call is English all the same.
	Lang lang.Lang
	// ClientVersion is what servers are told our version is.
	ClientVersion string
	// Logger is for the person with the bug; nil discards.
	Logger *slog.Logger
	// InProcess holds the servers an entry of type "inprocess" can name as its
	// command. Each connect attempt makes a fresh one.
	InProcess map[string]func() *sdk.Server
	// OnChange is called after the status of some server changed, never under a
	// lock, perhaps from several goroutines at once. It must not block.
	OnChange func()
	// OnLog is called with new entries of one server's log, in their order, never
	// under a lock. It must not block.
	OnLog func(name string, entries []LogEntry)
	// OnResource is called when a resource that was read with subscribe is different now.
	// It must not block.
	OnResource func(server, address string)
	// Elicit asks a person what a server wants to know; ElicitForm and ElicitURL say in
	// which ways somebody can be asked. A cancelled ctx takes the question back. Nil
	// declares none of it to servers.
	Elicit                func(ctx context.Context, e Elicitation) (ElicitAnswer, error)
	ElicitForm, ElicitURL bool
	// Sample asks the model for a server whose entry says "sampling", and a person before.
	// ErrRefused is a no. Nil declares nothing.
	Sample func(ctx context.Context, s Sampling) (Sampled, error)
	// Seen keeps what servers that start on demand were last seen to offer. Nil: nothing
	// is offered of one that has not been started.
	Seen SeenStore
	// Tokens keeps what logins gave. Nil: nobody can log in.
	Tokens TokenStore
}

// Outcome is what [Manager.Reconfigure] did, as sorted names.
type Outcome struct {
	// Started were new, or became allowed to run (enabled, approved, mended).
	Started []string
	// Stopped are gone from the configuration, or may no longer run.
	Stopped []string
	// Restarted run with another configuration than before.
	Restarted []string
	// Kept are untouched.
	Kept []string
	// Updated changed without touching a process: time-outs, the place in the
	// file, a row that does not run.
	Updated []string
}

// Changed reports whether anything but keeping happened.
func (o Outcome) Changed() bool {
	return len(o.Started)+len(o.Stopped)+len(o.Restarted)+len(o.Updated) > 0
}

// ActionKind says why an action on a server was not tried; the strings are the
// wire's.
type ActionKind string

// The kinds of refused actions.
const (
	KindUnknownServer ActionKind = "unknownServer"
	KindUntrusted     ActionKind = "untrusted"
	KindNeedsAuth     ActionKind = "needsAuth"
	KindConfigInvalid ActionKind = "configInvalid"
	KindStartBlocked  ActionKind = "startBlocked"
	KindTimeout       ActionKind = "timeout"
)

// ActionError is an action that was not tried, or whose end was not seen in time.
type ActionError struct {
	Kind ActionKind
	Name string
	// Message says what is wrong, Hint what a person can do about it.
	Message string
	Hint    string
}

func (e *ActionError) Error() string { return e.Message }

// CallResult is what a tool answered to a person's own call.
type CallResult struct {
	Content    []agent.Content
	Structured json.RawMessage // nil when there is none
	IsError    bool
}

// Snapshot is what a session takes from its servers in one look: the parts belong
// together. The slices are shared and never changed.
type Snapshot struct {
	// Tools are sorted by server name, then in the server's own order.
	Tools []agent.Tool
	// Instructions are "## <server>" sections, sorted; empty when there are none.
	Instructions string
	// Servers has one row per name, sorted.
	Servers []ServerStatus
}
