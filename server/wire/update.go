package wire

import (
	"fmt"

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
type SessionUpdateVariant interface{ sessionUpdate() string }

// The variants, by the value of "sessionUpdate" (the const tag).
type (
	// UserMessageChunk replays a piece of a prompt.
	UserMessageChunk struct {
		SessionUpdate string       `json:"sessionUpdate" const:"user_message_chunk"`
		Content       ContentBlock `json:"content"`
	}
	// AgentMessageChunk is a piece of the answer.
	AgentMessageChunk struct {
		SessionUpdate string       `json:"sessionUpdate" const:"agent_message_chunk"`
		Content       ContentBlock `json:"content"`
	}
	// AgentThoughtChunk is a piece of the model's reasoning.
	AgentThoughtChunk struct {
		SessionUpdate string       `json:"sessionUpdate" const:"agent_thought_chunk"`
		Content       ContentBlock `json:"content"`
	}
	// ToolCallStart announces a tool call ("tool_call").
	ToolCallStart struct {
		SessionUpdate string `json:"sessionUpdate" const:"tool_call"`
		ToolCall
	}
	// ToolCallProgress changes an announced tool call ("tool_call_update"): only
	// the members that are present change.
	ToolCallProgress struct {
		SessionUpdate string `json:"sessionUpdate" const:"tool_call_update"`
		ToolCallUpdate
	}
	// PlanUpdate is the whole plan.
	PlanUpdate struct {
		SessionUpdate string      `json:"sessionUpdate" const:"plan"`
		Entries       []PlanEntry `json:"entries"`
	}
	// CurrentModeUpdate says that the mode is now another.
	CurrentModeUpdate struct {
		SessionUpdate string `json:"sessionUpdate" const:"current_mode_update"`
		CurrentModeID string `json:"currentModeId"`
	}
	// ConfigOptionUpdate carries the session's options, the model among them.
	ConfigOptionUpdate struct {
		SessionUpdate string                `json:"sessionUpdate" const:"config_option_update"`
		ConfigOptions []SessionConfigOption `json:"configOptions"`
	}
	// AvailableCommandsUpdate lists the slash commands of the session.
	AvailableCommandsUpdate struct {
		SessionUpdate     string             `json:"sessionUpdate" const:"available_commands_update"`
		AvailableCommands []AvailableCommand `json:"availableCommands"`
	}
	// UsageUpdate says how full the context window is, in tokens.
	UsageUpdate struct {
		SessionUpdate string `json:"sessionUpdate" const:"usage_update"`
		Used          int    `json:"used"`
		Size          int    `json:"size"`
	}
	// UnknownUpdate is a variant of a newer protocol, kept as it came.
	UnknownUpdate struct {
		Kind string
		Raw  jsontext.Value
	}
)

func (*UserMessageChunk) sessionUpdate() string        { return "user_message_chunk" }
func (*AgentMessageChunk) sessionUpdate() string       { return "agent_message_chunk" }
func (*AgentThoughtChunk) sessionUpdate() string       { return "agent_thought_chunk" }
func (*ToolCallStart) sessionUpdate() string           { return "tool_call" }
func (*ToolCallProgress) sessionUpdate() string        { return "tool_call_update" }
func (*PlanUpdate) sessionUpdate() string              { return "plan" }
func (*CurrentModeUpdate) sessionUpdate() string       { return "current_mode_update" }
func (*ConfigOptionUpdate) sessionUpdate() string      { return "config_option_update" }
func (*AvailableCommandsUpdate) sessionUpdate() string { return "available_commands_update" }
func (*UsageUpdate) sessionUpdate() string             { return "usage_update" }
func (u *UnknownUpdate) sessionUpdate() string         { return u.Kind }

// SessionUpdateVariants returns a zero value of every variant, in the order of the
// documentation: the generator's list.
func SessionUpdateVariants() []SessionUpdateVariant {
	return []SessionUpdateVariant{
		&UserMessageChunk{}, &AgentMessageChunk{}, &AgentThoughtChunk{}, &ToolCallStart{}, &ToolCallProgress{},
		&PlanUpdate{}, &CurrentModeUpdate{}, &ConfigOptionUpdate{}, &AvailableCommandsUpdate{}, &UsageUpdate{},
	}
}

// MarshalJSONTo writes the variant with its "sessionUpdate" member.
func (u SessionUpdate) MarshalJSONTo(enc *jsontext.Encoder) error {
	// The discriminator is set on a copy: an update may be encoded for several
	// connections at once.
	switch v := u.Value.(type) {
	case nil:
		return fmt.Errorf("encoding a session update: it has no value")
	case *UnknownUpdate:
		return enc.WriteValue(v.Raw)
	case *UserMessageChunk:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *AgentMessageChunk:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *AgentThoughtChunk:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *ToolCallStart:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *ToolCallProgress:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *PlanUpdate:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *CurrentModeUpdate:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *ConfigOptionUpdate:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *AvailableCommandsUpdate:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	case *UsageUpdate:
		c := *v
		c.SessionUpdate = v.sessionUpdate()
		return json.MarshalEncode(enc, &c)
	default:
		return fmt.Errorf("encoding a session update: unknown variant %T", u.Value)
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
		if v.sessionUpdate() == tag.Kind {
			if err := json.Unmarshal(raw, v); err != nil {
				return err
			}
			u.Value = v
			return nil
		}
	}
	u.Value = &UnknownUpdate{Kind: tag.Kind, Raw: raw.Clone()}
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
