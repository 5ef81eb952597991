package agent

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Limits of a turn, where Options leaves them zero.
const (
	DefaultMaxRequests = 100
	DefaultMaxParallel = 8
	// DefaultResultLimit is in bytes of text, per tool result.
	DefaultResultLimit = 30_000
)

// cancelGrace is how long a cancelled turn waits for a model or tool that heard
// the cancel to hand over what it had. One that ignores its context is left
// behind: the person who pressed stop is not made to wait for it.
const cancelGrace = 150 * time.Millisecond

// Prompt is everything of a model request but its messages, as it stands at the
// moment of one request. Its slices are never changed once handed over.
type Prompt struct {
	Model  Model
	System []SystemBlock
	Tools  []ToolSpec
	// Lookup finds an offered tool by name, nil when there is none.
	Lookup    func(name string) Tool
	MaxTokens int
	Locale    string
	// CacheKey as in Request.
	CacheKey string
}

// Ruling is the gate's word on one call.
type Ruling struct {
	Allow bool
	// Reason is what the model reads when Allow is false.
	Reason string
}

// Options is what a turn needs from its owner. BeforeRequest is required.
type Options struct {
	// BeforeRequest is called before every model request and answers the prompt of
	// that moment. An error ends the turn.
	BeforeRequest func(ctx context.Context) (Prompt, error)
	// Gate decides on one call whose arguments have been checked; nil allows all.
	// It may block (a person is asked); it is called for one call at a time, in
	// call order. A cancelled ctx ends the wait whether or not Gate returns. An
	// error refuses the call.
	Gate func(ctx context.Context, c Call) (Ruling, error)
	// Emit receives the events in order, one at a time. It must not call back into
	// the turn and should not block for long: nothing moves meanwhile. nil drops them.
	Emit func(Event)
	// Commit makes a message durable before anything of its consequence is seen:
	// the assistant's message before its tools run, each tool result (a user
	// message with that one block) before its EventToolEnd. Messages are to be
	// joined with [Append]. An error ends the turn.
	Commit func(Message) error
	// Spill keeps the whole text of a result that was too long and says where;
	// nil keeps nothing.
	Spill func(toolCallID, text string) (path string, err error)
	// WasOffered reports whether a tool of that name was offered earlier than this
	// turn; such a one "is no longer available" rather than unknown. May be nil.
	WasOffered func(name string) bool
	// Fallback is the model to ask in place of one that is overloaded and has shown
	// nothing of its answer, nil for none. It then answers for the rest of the turn; may
	// be nil.
	Fallback func(overloaded Model) Model
	// Fit is called before each request and answers with a history to send instead, or
	// ok false: it is to be sent as it is. With tooLong the model has just refused it
	// as too long; the request is then sent once more, if there is another history.
	// What Fit answers is valid, ends as the one given does, and is durable already;
	// usage is what it cost to make. An error ends the turn. nil: it always fits.
	Fit func(ctx context.Context, p Prompt, history []Message, tooLong bool) (fitted []Message, usage Usage, ok bool, err error)
	// Steered reports whether the user has said something that waits for Steer: calls
	// that have not started then are answered without running. nil: nobody does.
	Steered func() bool
	// Steer hands over what the user has said since it was last called, as blocks of a
	// user's message; none when nothing. It is called before each model request and,
	// with last, when the turn ends unless there is something: what is said after that
	// comes too late for the turn. nil: nobody does.
	Steer func(last bool) []Block
	// Go runs f in a goroutine of the turn's owner. Tools and the model run in it,
	// for one that ignores its cancelled context outlives the turn; the owner waits
	// for it. nil uses plain goroutines.
	Go func(f func())
	// Schemas caches compiled schemas between turns; nil means one per turn.
	Schemas *SchemaCache
	// MaxRequests to the model; the turn then ends with StopMaxTurns.
	MaxRequests int
	// MaxParallel is how many concurrency-safe calls run at once.
	MaxParallel int
	// ResultLimit is the length in bytes up to which a result's text goes to the
	// model whole.
	ResultLimit int
	// Logger gets what no reader of events needs, such as a tool's panic; nil
	// discards.
	Logger *slog.Logger
}

// Outcome is how a turn ended.
type Outcome struct {
	// History is the whole conversation, valid as the beginning of a next request:
	// every tool_use has its tool_result.
	History []Message
	Stop    StopReason
	// Usage is the sum over the turn's requests.
	Usage    Usage
	Requests int
}

// ErrNoPrompt is returned when the history does not end in a user message.
var ErrNoPrompt = errors.New("agent: the history ends without a user message to answer")

// Run runs one turn: it asks the model, runs the tools it calls, and goes on until
// the model stops by itself, a limit is reached or ctx ends. A cancelled turn is
// no error: Stop is StopCancelled. On an error (an *Error of the model, or one of
// BeforeRequest or Commit) the Outcome's History is valid and holds what was
// shown. history is not changed.
func Run(ctx context.Context, history []Message, o Options) (Outcome, error) {
	return newTurn(ctx, history, o).run()
}
