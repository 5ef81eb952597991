package session

import (
	"encoding/json"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// UpdateKind says which fields of an Update are set.
type UpdateKind string

// The kinds of updates.
const (
	// UpdateUserMessage (Content) is sent by a replay, and of a steer when the turn
	// takes it in.
	UpdateUserMessage  UpdateKind = "user_message"
	UpdateAgentMessage UpdateKind = "agent_message" // Text
	UpdateAgentThought UpdateKind = "agent_thought" // Text
	// UpdateToolCall is the first that is heard of a call; ToolCall is whole.
	UpdateToolCall UpdateKind = "tool_call"
	// UpdateToolCallChange: of ToolCall only the ID and what changed is set.
	UpdateToolCallChange UpdateKind = "tool_call_change"
	UpdateMode           UpdateKind = "mode"
	UpdateModel          UpdateKind = "model"
	UpdateUsage          UpdateKind = "usage" // Usage, Total, ContextTokens
	UpdateRetry          UpdateKind = "retry" // Text, RetryAfter
	UpdateTitle          UpdateKind = "title" // Text
	// UpdatePlan (Plan) is the whole plan of the agent; it replaces the one before.
	UpdatePlan UpdateKind = "plan"
	// UpdateFallback (Model, Text) says that another model answers for the rest of the
	// turn; Text is what a person reads of it.
	UpdateFallback UpdateKind = "fallback"
	// UpdateNotice (Text) tells a person what we did by ourselves.
	UpdateNotice UpdateKind = "notice"
)

// Update is one thing a client shows. It is ours, not the wire's.
type Update struct {
	Kind UpdateKind
	Text string
	// MessageID is set by a replay on what is a part of a message; see [Store.Fork].
	MessageID string
	// Content of a user's message.
	Content  agent.Content
	ToolCall ToolCall
	Mode     permission.Mode
	Model    string
	// Usage of the last request and Total of the turn; ContextTokens is the size
	// of the model's window, 0 when unknown.
	Usage, Total agent.Usage
	// Cost is what the session has cost so far, in US dollars; 0 where no price is known.
	Cost          float64
	Plan          []PlanEntry
	ContextTokens int
	RetryAfter    time.Duration
}

// ToolKind is ACP's kind of a tool call, by what the call can do.
type ToolKind string

// The kinds of tool calls.
const (
	ToolRead    ToolKind = "read"
	ToolFetch   ToolKind = "fetch"
	ToolEdit    ToolKind = "edit"
	ToolExecute ToolKind = "execute"
	ToolOther   ToolKind = "other"
)

// ToolStatus is ACP's status of a tool call.
type ToolStatus string

// The statuses of tool calls. A rejected call is failed.
const (
	ToolPending    ToolStatus = "pending"
	ToolInProgress ToolStatus = "in_progress"
	ToolCompleted  ToolStatus = "completed"
	ToolFailed     ToolStatus = "failed"
)

// ToolCall is a tool call as a client shows it. In a change, empty fields mean
// unchanged; Content, when set, replaces what was there.
type ToolCall struct {
	ID    string
	Title string
	// Tool is the exposed name; Server and Original are set for an MCP tool.
	Tool, Server, Original string
	// Parent is the id of the task's call whose sub-agent made this one.
	Parent              string
	Kind                ToolKind
	Status              ToolStatus
	Content             []agent.Content
	Locations           []agent.Location
	RawInput, RawOutput json.RawMessage
	// Rejected says that the gate or the user did not let it run.
	Rejected bool
}

// toolKind is the kind of a call by its capability, or, where a tool claims none,
// by its row in the mode table.
func toolKind(r permission.Request) ToolKind {
	switch r.Capability {
	case permission.CapabilityRead:
		return ToolRead
	case permission.CapabilityNetwork:
		return ToolFetch
	case permission.CapabilityWrite:
		return ToolEdit
	case permission.CapabilityExec:
		return ToolExecute
	case permission.CapabilityUnknown:
		return ToolOther
	}
	switch r.Kind {
	case permission.KindRead:
		return ToolRead
	case permission.KindFetch:
		return ToolFetch
	case permission.KindEdit:
		return ToolEdit
	case permission.KindBash:
		return ToolExecute
	}
	return ToolOther
}
