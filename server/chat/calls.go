package chat

import "github.com/codebot-ls/codebot-ls/server/wire"

// call is a tool call as the updates so far tell it.
type call struct {
	wire.ToolCallUpdate
	// shown says that its head was printed.
	shown bool
}

// name is what the model calls, or the title of a call that does not say.
func (c *call) name() string {
	if c.Meta != nil && c.Meta.Codebot.Tool != "" {
		return c.Meta.Codebot.Tool
	}
	return c.Title
}

// indent sets the calls of a sub-agent off from those of the agent.
func (c *call) indent() string {
	if c.Meta != nil && c.Meta.Codebot.Parent != "" {
		return "  "
	}
	return ""
}

// calls are the tool calls of one turn by id.
type calls map[string]*call

// merge adds an update: the members that are present replace those of before.
func (cs calls) merge(u wire.ToolCallUpdate) *call {
	c := cs[u.ToolCallID]
	if c == nil {
		c = &call{ToolCallUpdate: wire.ToolCallUpdate{ToolCallID: u.ToolCallID}}
		cs[u.ToolCallID] = c
	}
	c.Apply(u)
	return c
}
