package agent

import (
	"encoding/json"
	"time"
)

// EventKind says which fields of an Event are set.
type EventKind string

// The kinds of events of a turn. A tool call passes through EventToolCall,
// EventToolReady (only when its arguments streamed after the announcement),
// EventToolStart (only when it was allowed to run), EventToolProgress (any number)
// and always, exactly once, EventToolEnd.
const (
	EventText     EventKind = "text"
	EventThinking EventKind = "thinking"
	// EventToolCall announces a call. Call.Args is nil while they still stream.
	EventToolCall EventKind = "tool_call"
	// EventToolReady brings the arguments of an announced call.
	EventToolReady    EventKind = "tool_ready"
	EventToolStart    EventKind = "tool_start"
	EventToolProgress EventKind = "tool_progress"
	EventToolEnd      EventKind = "tool_end"
	// EventSteered says that the turn took in what the user added: Blocks.
	EventSteered EventKind = "steered"
	// EventUsage follows each answer of the model: Usage is that request's,
	// Total the turn's so far.
	EventUsage EventKind = "usage"
	// EventFallback says that another model answers from here on, for the rest of the turn.
	EventFallback EventKind = "fallback"
	// EventRetry says that a request will be sent again after RetryAfter; Text is why.
	EventRetry EventKind = "retry"
)

// Event is one thing that happened in a turn, for whoever shows it.
type Event struct {
	Kind EventKind
	// Text of text, thinking, retry and tool_progress.
	Text string
	// Call of the tool events.
	Call Call
	// Blocks of steered.
	Blocks []Block
	// Result of tool_end, as the model will read it; Rejected says that the gate
	// or the user did not let the call run.
	Result   Result
	Rejected bool

	// Model is whose Usage it is, the new one of fallback.
	Model        Model
	Usage, Total Usage
	RetryAfter   time.Duration
}

// Call is one tool call as the loop sees it.
type Call struct {
	// ID is unique within the conversation; a provider's reused id got a suffix.
	ID   string
	Name string
	// Tool is nil when no tool of that name is offered.
	Tool Tool
	// Args is valid JSON, nil only in an announcement.
	Args json.RawMessage
}
