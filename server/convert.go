package server

import (
	"encoding/base64"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// emit sends one update of a session. Updates come one at a time and in order.
func (s *Server) emit(id string, u session.Update) {
	if v := s.updateOf(u); v != nil {
		s.notify(wire.SessionUpdateNotification.Name, wire.SessionUpdateParams{SessionID: id, Update: wire.SessionUpdate{Value: v}})
	}
}

func (s *Server) updateOf(u session.Update) wire.SessionUpdateVariant {
	switch u.Kind {
	case session.UpdateUserMessage:
		block, ok := blockOf(u.Content)
		if !ok {
			return nil
		}
		return &wire.UserMessageChunk{Content: block, MessageID: u.MessageID}
	case session.UpdateAgentMessage:
		return &wire.AgentMessageChunk{Content: wire.TextBlock(u.Text), MessageID: u.MessageID}
	case session.UpdateAgentThought:
		return &wire.AgentThoughtChunk{Content: wire.TextBlock(u.Text), MessageID: u.MessageID}
	case session.UpdateRetry, session.UpdateNotice, session.UpdateFallback:
		// ACP has no update for it; as a thought it is seen and kept out of the answer.
		return &wire.AgentThoughtChunk{Content: wire.TextBlock(u.Text + "\n")}
	case session.UpdateToolCall:
		c := toolCallOf(u.ToolCall)
		return &wire.ToolCallStart{ToolCall: wire.ToolCall(c)}
	case session.UpdateToolCallChange:
		return &wire.ToolCallProgress{ToolCallUpdate: toolCallOf(u.ToolCall)}
	case session.UpdatePlan:
		plan := &wire.PlanUpdate{Entries: []wire.PlanEntry{}}
		for _, e := range u.Plan {
			plan.Entries = append(plan.Entries, wire.PlanEntry{
				Content: mcp.CleanLine(e.Content), Priority: wire.PlanEntryPriority(e.Priority), Status: wire.PlanEntryStatus(e.Status),
			})
		}
		return plan
	case session.UpdateMode:
		return &wire.CurrentModeUpdate{CurrentModeID: string(u.Mode)}
	case session.UpdateModel:
		return &wire.ConfigOptionUpdate{ConfigOptions: []wire.SessionConfigOption{s.modelOption(u.Model)}}
	case session.UpdateTitle:
		return &wire.SessionInfoUpdate{Title: mcp.CleanLine(u.Text)}
	case session.UpdateUsage:
		if u.ContextTokens <= 0 && u.Cost == 0 {
			return nil
		}
		used := u.Usage.InputTokens + u.Usage.CachedReadTokens + u.Usage.CachedWriteTokens + u.Usage.OutputTokens
		update := &wire.UsageUpdate{Used: used, Size: u.ContextTokens}
		if u.Cost > 0 {
			update.Cost = &wire.Cost{Amount: u.Cost, Currency: "USD"}
		}
		return update
	}
	return nil
}

func toolCallOf(c session.ToolCall) wire.ToolCallUpdate {
	u := wire.ToolCallUpdate{
		ToolCallID: c.ID, Title: mcp.CleanLine(c.Title), Kind: wire.ToolKind(c.Kind), Status: wire.ToolCallStatus(c.Status),
		Content: toolContents(c.Content), Locations: locationsOf(c.Locations),
		RawInput: jsontext.Value(c.RawInput), RawOutput: jsontext.Value(c.RawOutput),
	}
	if c.Tool != "" {
		u.Meta = &wire.ToolCallMeta{Codebot: wire.ToolCallOrigin{Tool: c.Tool, Server: c.Server, Original: c.Original, Parent: c.Parent}}
	}
	return u
}

func toolContents(contents []agent.Content) []wire.ToolCallContent {
	var out []wire.ToolCallContent
	for _, c := range contents {
		if c.Kind == agent.ContentDiff {
			out = append(out, wire.ToolCallContent{Type: wire.ToolDiff, Path: c.Path, OldText: c.Old, NewText: &c.New})
		} else if block, ok := blockOf(c); ok {
			out = append(out, wire.ToolCallContent{Type: wire.ToolContent, Content: &block})
		}
	}
	return out
}

func locationsOf(locations []agent.Location) []wire.ToolCallLocation {
	var out []wire.ToolCallLocation
	for _, l := range locations {
		out = append(out, wire.ToolCallLocation{Path: l.Path, Line: l.Line})
	}
	return out
}

func blocksOf(contents []agent.Content) []wire.ContentBlock {
	out := []wire.ContentBlock{}
	for _, c := range contents {
		if block, ok := blockOf(c); ok {
			out = append(out, block)
		}
	}
	return out
}

// blockOf makes a content block for people: texts are cleaned of what a screen must
// not get. A diff is none.
func blockOf(c agent.Content) (wire.ContentBlock, bool) {
	switch c.Kind {
	case agent.ContentText:
		return wire.TextBlock(mcp.Clean(c.Text)), true
	case agent.ContentImage:
		return wire.ContentBlock{Type: wire.BlockImage, Data: base64.StdEncoding.EncodeToString(c.Data), MimeType: c.MIME}, true
	case agent.ContentAudio:
		return wire.ContentBlock{Type: wire.BlockAudio, Data: base64.StdEncoding.EncodeToString(c.Data), MimeType: c.MIME}, true
	case agent.ContentResource:
		r := &wire.EmbeddedResource{URI: c.URI, MimeType: c.MIME}
		if c.Data != nil {
			blob := base64.StdEncoding.EncodeToString(c.Data)
			r.Blob = &blob
		} else {
			text := mcp.Clean(c.Text)
			r.Text = &text
		}
		return wire.ContentBlock{Type: wire.BlockResource, Resource: r}, true
	case agent.ContentLink:
		name := c.Name
		if name == "" {
			name = c.URI
		}
		return wire.ContentBlock{Type: wire.BlockResourceLink, URI: c.URI, Name: mcp.CleanLine(name), MimeType: c.MIME}, true
	}
	return wire.ContentBlock{}, false
}

// contentsOf reads a prompt.
func contentsOf(blocks []wire.ContentBlock) ([]agent.Content, error) {
	out := make([]agent.Content, 0, len(blocks))
	for i, b := range blocks {
		c, err := contentOf(b)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "prompt[%d]: %v", i, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func contentOf(b wire.ContentBlock) (agent.Content, error) {
	switch b.Type {
	case wire.BlockText:
		if b.Text == nil {
			return agent.Content{}, fmt.Errorf("a text block has no text")
		}
		return agent.Text(*b.Text), nil
	case wire.BlockImage:
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil {
			return agent.Content{}, fmt.Errorf("the data of an image is not base64: %w", err)
		}
		return agent.Content{Kind: agent.ContentImage, MIME: b.MimeType, Data: data, URI: b.URI}, nil
	case wire.BlockResourceLink:
		return agent.Content{Kind: agent.ContentLink, URI: b.URI, Name: b.Name, MIME: b.MimeType}, nil
	case wire.BlockResource:
		r := b.Resource
		switch {
		case r == nil:
			return agent.Content{}, fmt.Errorf("a resource block has no resource")
		case r.Text != nil:
			return agent.Content{Kind: agent.ContentResource, URI: r.URI, MIME: r.MimeType, Text: *r.Text}, nil
		case r.Blob != nil:
			data, err := base64.StdEncoding.DecodeString(*r.Blob)
			if err != nil {
				return agent.Content{}, fmt.Errorf("the blob of %s is not base64: %w", r.URI, err)
			}
			return agent.Content{Kind: agent.ContentResource, URI: r.URI, MIME: r.MimeType, Data: data}, nil
		}
		return agent.Content{}, fmt.Errorf("the resource %s has neither text nor blob", r.URI)
	}
	return agent.Content{}, fmt.Errorf("a block of type %q is not supported", b.Type)
}

func usageOf(u agent.Usage) *wire.Usage {
	if u == (agent.Usage{}) {
		return nil
	}
	out := &wire.Usage{
		TotalTokens: u.InputTokens + u.OutputTokens + u.CachedReadTokens + u.CachedWriteTokens,
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
	}
	optional := func(n int) *int {
		if n == 0 {
			return nil
		}
		return &n
	}
	out.ThoughtTokens, out.CachedReadTokens, out.CachedWriteTokens = optional(u.ThoughtTokens), optional(u.CachedReadTokens), optional(u.CachedWriteTokens)
	return out
}

func (s *Server) modeState(current permission.Mode) wire.SessionModeState {
	state := wire.SessionModeState{CurrentModeID: string(current)}
	for _, m := range session.Modes() {
		name, description := modeText(m)
		state.AvailableModes = append(state.AvailableModes, wire.SessionMode{ID: string(m), Name: s.lang.Text(zh, name), Description: s.lang.Text(zh, description)})
	}
	return state
}

func modeText(m permission.Mode) (name, description string) {
	switch m {
	case permission.ModeAcceptEdits:
		return textAcceptEdits, textAcceptEditsMeans
	case permission.ModePlan:
		return textPlan, textPlanMeans
	case permission.ModeAuto:
		return textAuto, textAutoMeans
	default:
		return textDefault, textDefaultMeans
	}
}
