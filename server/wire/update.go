package wire

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SessionUpdateParams is one thing that happened in a session.
type SessionUpdateParams struct {
	SessionID string        `json:"sessionId"`
	Update    SessionUpdate `json:"update"`
}

// SessionUpdate holds one variant of ACP's SessionUpdate union, told apart by the
// member "sessionUpdate". A variant this version does not know decodes as
// UnknownUpdate.
type SessionUpdate struct{ Value SessionUpdateVariant }

// SessionUpdateVariant is implemented by the variants of SessionUpdate.
type SessionUpdateVariant interface{ UpdateKind() string }

// The variants. UpdateKind tells the value of "sessionUpdate", which is written first.
type (
	// UserMessageChunk is a piece of what the user said: replayed, or, of a steer,
	// where the turn took it in.
	UserMessageChunk struct {
		Content ContentBlock `json:"content"`
		// MessageID is set by a replay: the message that the chunk is of.
		MessageID string `json:"messageId,omitzero"`
	}
	// AgentMessageChunk is a piece of the answer.
	AgentMessageChunk struct {
		Content ContentBlock `json:"content"`
		// MessageID is set by a replay: the message that the chunk is of.
		MessageID string `json:"messageId,omitzero"`
	}
	// AgentThoughtChunk is a piece of the model's reasoning.
	AgentThoughtChunk struct {
		Content ContentBlock `json:"content"`
		// MessageID is set by a replay: the message that the chunk is of.
		MessageID string `json:"messageId,omitzero"`
	}
	// ToolCallStart announces a tool call ("tool_call").
	ToolCallStart struct {
		ToolCall
	}
	// ToolCallProgress changes an announced tool call ("tool_call_update"): only
	// the members that are present change.
	ToolCallProgress struct {
		ToolCallUpdate
	}
	// PlanUpdate is the whole plan.
	PlanUpdate struct {
		Entries []PlanEntry `json:"entries"`
	}
	// CurrentModeUpdate says that the mode is now another.
	CurrentModeUpdate struct {
		CurrentModeID string `json:"currentModeId"`
	}
	// ConfigOptionUpdate carries the session's options, the model among them.
	ConfigOptionUpdate struct {
		ConfigOptions []SessionConfigOption `json:"configOptions"`
	}
	// AvailableCommandsUpdate lists the slash commands of the session.
	AvailableCommandsUpdate struct {
		AvailableCommands []AvailableCommand `json:"availableCommands"`
	}
	// SessionInfoUpdate says that the session has a new title.
	SessionInfoUpdate struct {
		Title     string `json:"title,omitzero"`
		UpdatedAt string `json:"updatedAt,omitzero"`
	}
	// UsageUpdate says how full the context window is, in tokens.
	UsageUpdate struct {
		Used int `json:"used"`
		Size int `json:"size"`
		// Cost of the session so far, where a price is known.
		Cost *Cost `json:"cost,omitzero"`
	}
	// UnknownUpdate is a variant of a newer protocol, kept as it came.
	UnknownUpdate struct {
		Name string
		Raw  jsontext.Value
	}
)

func (*UserMessageChunk) UpdateKind() string        { return "user_message_chunk" }
func (*AgentMessageChunk) UpdateKind() string       { return "agent_message_chunk" }
func (*AgentThoughtChunk) UpdateKind() string       { return "agent_thought_chunk" }
func (*ToolCallStart) UpdateKind() string           { return "tool_call" }
func (*ToolCallProgress) UpdateKind() string        { return "tool_call_update" }
func (*PlanUpdate) UpdateKind() string              { return "plan" }
func (*CurrentModeUpdate) UpdateKind() string       { return "current_mode_update" }
func (*ConfigOptionUpdate) UpdateKind() string      { return "config_option_update" }
func (*AvailableCommandsUpdate) UpdateKind() string { return "available_commands_update" }
func (*SessionInfoUpdate) UpdateKind() string       { return "session_info_update" }
func (*UsageUpdate) UpdateKind() string             { return "usage_update" }
func (u *UnknownUpdate) UpdateKind() string         { return u.Name }

// SessionUpdateVariants returns a zero value of every variant, in the order of the
// documentation: the generator's list.
func SessionUpdateVariants() []SessionUpdateVariant {
	return []SessionUpdateVariant{
		&UserMessageChunk{}, &AgentMessageChunk{}, &AgentThoughtChunk{}, &ToolCallStart{}, &ToolCallProgress{},
		&PlanUpdate{}, &CurrentModeUpdate{}, &ConfigOptionUpdate{}, &AvailableCommandsUpdate{}, &SessionInfoUpdate{}, &UsageUpdate{},
	}
}

// MarshalJSONTo writes the variant's members after "sessionUpdate".
func (u SessionUpdate) MarshalJSONTo(enc *jsontext.Encoder) error {
	switch v := u.Value.(type) {
	case nil:
		return errors.New("encoding a session update: it has no value")
	case *UnknownUpdate:
		return enc.WriteValue(v.Raw)
	default:
		members, err := json.Marshal(v)
		if err != nil {
			return err
		}
		tagged := append([]byte(`{"sessionUpdate":"`), v.UpdateKind()...)
		tagged = append(tagged, '"')
		if len(members) > len("{}") {
			tagged = append(tagged, ',')
		}
		return enc.WriteValue(append(tagged, members[1:]...))
	}
}

// UnmarshalJSONFrom reads whichever variant "sessionUpdate" names.
func (u *SessionUpdate) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var tag struct {
		Kind string `json:"sessionUpdate"`
	}
	if err := json.Unmarshal(raw, &tag); err != nil {
		return err
	}
	for _, v := range SessionUpdateVariants() {
		if v.UpdateKind() == tag.Kind {
			if err := json.Unmarshal(raw, v); err != nil {
				return err
			}
			u.Value = v
			return nil
		}
	}
	u.Value = &UnknownUpdate{Name: tag.Kind, Raw: raw.Clone()}
	return nil
}

// PlanEntry is one line of a plan.
type PlanEntry struct {
	Content  string            `json:"content"`
	Priority PlanEntryPriority `json:"priority"`
	Status   PlanEntryStatus   `json:"status"`
}

// PlanEntryPriority is high, medium or low.
type PlanEntryPriority string

// The priorities.
const (
	PlanHigh   PlanEntryPriority = "high"
	PlanMedium PlanEntryPriority = "medium"
	PlanLow    PlanEntryPriority = "low"
)

// PlanEntryStatus is pending, in_progress or completed.
type PlanEntryStatus string

// The statuses of a plan entry.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
)

// AvailableCommand is a slash command.
type AvailableCommand struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Input is present for a command that takes some.
	Input *CommandInput `json:"input,omitzero"`
}

// CommandInput is what may follow a command's name.
type CommandInput struct {
	Hint string `json:"hint"`
}

// SessionConfigOption is a selector of the session, in ACP's shape; Type is
// "select".
type SessionConfigOption struct {
	ID           string                      `json:"id"`
	Name         string                      `json:"name"`
	Category     string                      `json:"category,omitzero"`
	Type         string                      `json:"type" const:"select"`
	CurrentValue string                      `json:"currentValue"`
	Options      []SessionConfigSelectOption `json:"options"`
}

// SessionConfigSelectOption is one value of a selector.
type SessionConfigSelectOption struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// Cost is an amount of money.
type Cost struct {
	Amount float64 `json:"amount"`
	// Currency is its ISO 4217 code.
	Currency string `json:"currency"`
}
