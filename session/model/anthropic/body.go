package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// mark asks the provider to cache everything up to and including the object it
// stands in.
const mark = `,"cache_control":{"type":"ephemeral"}`

// body is the body of a request, put together from parts that were encoded when
// they were first seen.
func (m *Model) body(req *agent.Request) []byte {
	tools := m.encodedTools(req)
	system := m.system.Get(req.System, encodeSystem)
	messages := m.messages.Get(req.Messages, m.encodeMessage)

	n := 512 + len(tools) + len(system)
	for _, msg := range messages {
		n += len(msg) + 1
	}
	b := make([]byte, 0, n)
	b = append(b, `{"model":`...)
	b = endpoint.AppendString(b, m.name)
	b = append(b, `,"max_tokens":`...)
	b = strconv.AppendInt(b, int64(m.limit(req)), 10)
	b = append(b, `,"stream":true`...)
	if !m.noThinking.Load() {
		b = append(b, `,"thinking":{"type":"adaptive","display":"summarized"}`...)
	}
	if len(tools) > 0 {
		b = append(b, `,"tools":`...)
		b = append(b, tools...)
	}
	if len(system) > 0 {
		b = append(b, `,"system":`...)
		b = append(b, system...)
	}
	b = append(b, `,"messages":[`...)
	for i, msg := range messages {
		if i > 0 {
			b = append(b, ',')
		}
		if i == len(messages)-1 && req.CacheLastMessage {
			// Every message ends in }]} and the first of these closes its last block.
			at := len(msg) - len("}]}")
			b = append(b, msg[:at]...)
			b = append(b, mark...)
			b = append(b, msg[at:]...)
			continue
		}
		b = append(b, msg...)
	}
	return append(b, "]}"...)
}

func (m *Model) limit(req *agent.Request) int {
	limit := int(m.maxTokens.Load())
	if req.MaxTokens > 0 {
		return min(limit, req.MaxTokens)
	}
	return limit
}

// deferred marks a tool whose definition the provider shows where a result names it, and
// not before all else: what it has cached stays good.
const deferred = `,"defer_loading":true`

// encodedTools are the tools of a request: those that were there from the beginning,
// encoded once, and behind them those that a search has found.
func (m *Model) encodedTools(req *agent.Request) []byte {
	if m.noReferences.Load() {
		return m.tools.Get(req.Tools, encodeTools)
	}
	n := slices.IndexFunc(req.Tools, func(t agent.ToolSpec) bool { return t.Found })
	if n < 0 {
		n = len(req.Tools)
	}
	named := references(req.Messages)
	base := m.tools.Get(req.Tools[:n], encodeTools)
	if n == len(req.Tools) && len(named) == 0 || len(base) == 0 {
		return base
	}
	b := slices.Clone(base[:len(base)-1])
	for _, t := range req.Tools[n:] {
		b = append(b, ',')
		// One that no result names any more, after a compaction, is one like the others.
		b = appendTool(b, t, slices.Contains(named, t.Name))
		named = slices.DeleteFunc(named, func(name string) bool { return name == t.Name })
	}
	for _, name := range named { // gone, but still named: without a definition the request is refused
		if !slices.ContainsFunc(req.Tools[:n], func(t agent.ToolSpec) bool { return t.Name == name }) {
			b = append(b, ',')
			b = appendTool(b, agent.ToolSpec{Name: name, Description: "No longer available."}, true)
		}
	}
	return append(b, ']')
}

// references are the names of the tools that results name, each once, in order.
func references(messages []agent.Message) []string {
	var names []string
	for _, m := range messages {
		for _, block := range m.Blocks {
			if block.Kind != agent.BlockToolResult || block.IsError {
				continue
			}
			for _, c := range block.Result {
				if c.Kind == agent.ContentTool && !slices.Contains(names, c.Name) {
					names = append(names, c.Name)
				}
			}
		}
	}
	return names
}

func encodeTools(tools []agent.ToolSpec) []byte {
	b := []byte{'['}
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTool(b, t, false)
	}
	return append(b, ']')
}

func appendTool(b []byte, t agent.ToolSpec, later bool) []byte {
	b = append(b, `{"name":`...)
	b = endpoint.AppendString(b, t.Name)
	if t.Description != "" {
		b = append(b, `,"description":`...)
		b = endpoint.AppendString(b, t.Description)
	}
	b = append(b, `,"input_schema":`...)
	b = append(b, schema(t.Schema)...)
	if later {
		b = append(b, deferred...)
	} else {
		b = appendMark(b, t.CacheMark)
	}
	return append(b, '}')
}

// schema is a tool's schema, which the API wants to have a type.
func schema(raw []byte) []byte {
	s := endpoint.Object(raw)
	if string(s) == "{}" {
		return []byte(`{"type":"object"}`)
	}
	return s
}

func encodeSystem(system []agent.SystemBlock) []byte {
	b := []byte{'['}
	for _, s := range system {
		if strings.TrimSpace(s.Text) == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"text","text":`...)
		b = endpoint.AppendString(b, s.Text)
		b = appendMark(b, s.CacheMark)
		b = append(b, '}')
	}
	if len(b) == 1 {
		return nil
	}
	return append(b, ']')
}

func appendMark(b []byte, marked bool) []byte {
	if marked {
		b = append(b, mark...)
	}
	return b
}

// encodeMessage encodes a message with at least one block, or nothing.
func (m *Model) encodeMessage(msg agent.Message) []byte {
	b := []byte(`{"role":"` + string(msg.Role) + `","content":[`)
	start := len(b)
	for _, block := range msg.Blocks {
		if block.Kind == agent.BlockThinking && m.noOldThinking.Load() {
			continue
		}
		before := len(b)
		if before > start {
			b = append(b, ',')
		}
		n := len(b)
		if b = m.appendBlock(b, block); len(b) == n {
			b = b[:before]
		}
	}
	if len(b) == start {
		return nil
	}
	return append(b, "]}"...)
}

// appendBlock appends a block, or nothing for one the API would refuse.
func (m *Model) appendBlock(b []byte, block agent.Block) []byte {
	switch block.Kind {
	case agent.BlockContent:
		if block.Content != nil {
			b = appendContent(b, *block.Content)
		}
	case agent.BlockThinking:
		switch {
		case block.Redacted != "":
			b = append(b, `{"type":"redacted_thinking","data":`...)
			b = endpoint.AppendString(b, block.Redacted)
			b = append(b, '}')
		case block.Signature != "": // without one it is another provider's, or was cut
			b = append(b, `{"type":"thinking","thinking":`...)
			b = endpoint.AppendString(b, block.Thinking)
			b = append(b, `,"signature":`...)
			b = endpoint.AppendString(b, block.Signature)
			b = append(b, '}')
		}
	case agent.BlockToolUse:
		b = append(b, `{"type":"tool_use","id":`...)
		b = endpoint.AppendString(b, endpoint.CallID(block.ID))
		b = append(b, `,"name":`...)
		b = endpoint.AppendString(b, endpoint.Name(block.Name))
		b = append(b, `,"input":`...)
		b = append(b, endpoint.Object(block.Input)...)
		b = append(b, '}')
	case agent.BlockToolResult:
		b = m.appendResult(b, block)
	}
	return b
}

func (m *Model) appendResult(b []byte, block agent.Block) []byte {
	b = append(b, `{"type":"tool_result","tool_use_id":`...)
	b = endpoint.AppendString(b, endpoint.CallID(block.ID))
	b = append(b, `,"content":[`...)
	start := len(b)
	named := !block.IsError && !m.noReferences.Load() && slices.ContainsFunc(block.Result, func(c agent.Content) bool { return c.Kind == agent.ContentTool })
	for _, c := range block.Result {
		before := len(b)
		if named { // the definitions say all that the text says
			if c.Kind == agent.ContentTool {
				if before > start {
					b = append(b, ',')
				}
				b = append(b, `{"type":"tool_reference","tool_name":`...)
				b = endpoint.AppendString(b, c.Name)
				b = append(b, '}')
			}
			continue
		}
		if before > start {
			b = append(b, ',')
		}
		if block.IsError && endpoint.IsImage(c) { // the API takes nothing but text with is_error
			b = appendText(b, endpoint.NoteImage(c))
			continue
		}
		n := len(b)
		if b = appendContent(b, c); len(b) == n {
			b = b[:before]
		}
	}
	if len(b) == start {
		b = appendText(b, endpoint.NoteNoOutput)
	}
	b = append(b, ']')
	if block.IsError {
		b = append(b, `,"is_error":true`...)
	}
	return append(b, '}')
}

func appendContent(b []byte, c agent.Content) []byte {
	if endpoint.IsImage(c) {
		b = append(b, `{"type":"image","source":{"type":"base64","media_type":`...)
		b = endpoint.AppendString(b, c.MIME)
		b = append(b, `,"data":"`...)
		b = endpoint.AppendBase64(b, c.Data)
		return append(b, `"}}`...)
	}
	if text := endpoint.ContentText(c); text != "" {
		return appendText(b, text)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	b = append(b, `{"type":"text","text":`...)
	b = endpoint.AppendString(b, text)
	return append(b, '}')
}
