package openai

import (
	"strconv"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// body is the body of a request, put together from parts that were encoded when
// they were first seen.
func (m *Responses) body(req *agent.Request) []byte {
	tools := m.tools.Get(req.Tools, encodeResponsesTools)
	system := m.system.Get(req.System, encodeInstructions)
	messages := m.messages.Get(req.Messages, m.encodeItems)

	n := 512 + len(tools) + len(system)
	for _, msg := range messages {
		n += len(msg) + 1
	}
	b := make([]byte, 0, n)
	b = append(b, `{"model":`...)
	b = endpoint.AppendString(b, m.name)
	b = append(b, `,"stream":true,"store":false`...)
	if !m.noThinking.Load() {
		b = append(b, `,"include":["reasoning.encrypted_content"]`...)
		if !m.noSummary.Load() {
			b = append(b, `,"reasoning":{"summary":"auto"}`...)
		}
	}
	if m.own && req.CacheKey != "" {
		b = append(b, `,"prompt_cache_key":`...)
		b = endpoint.AppendString(b, req.CacheKey)
	}
	if req.MaxTokens > 0 {
		b = append(b, `,"max_output_tokens":`...)
		b = strconv.AppendInt(b, int64(req.MaxTokens), 10)
	}
	if len(tools) > 0 {
		b = append(b, `,"tools":`...)
		b = append(b, tools...)
	}
	if len(system) > 0 {
		b = append(b, `,"instructions":`...)
		b = append(b, system...)
	}
	b = append(b, `,"input":[`...)
	for i, msg := range messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, msg...)
	}
	return append(b, "]}"...)
}

func encodeResponsesTools(tools []agent.ToolSpec) []byte {
	b := []byte{'['}
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"function","name":`...)
		b = endpoint.AppendString(b, t.Name)
		if t.Description != "" {
			b = append(b, `,"description":`...)
			b = endpoint.AppendString(b, t.Description)
		}
		b = append(b, `,"parameters":`...)
		b = append(b, parameters(t.Schema)...)
		// Strict is the default here, and few servers' schemas are.
		b = append(b, `,"strict":false}`...)
	}
	return append(b, ']')
}

func encodeInstructions(system []agent.SystemBlock) []byte {
	text := systemText(system)
	if text == "" {
		return nil
	}
	return endpoint.AppendString(nil, text)
}

// encodeItems encodes a message as the items it is in this protocol, with commas
// between them; none when there is nothing to say.
func (m *Responses) encodeItems(msg agent.Message) []byte {
	var b []byte
	comma := func() {
		if len(b) > 0 {
			b = append(b, ',')
		}
	}
	var said, images []agent.Content // in a row, for one item
	flush := func() {
		if len(images) > 0 {
			said = append(append([]agent.Content{agent.Text(noteImages)}, images...), said...)
		}
		part := appendSaid(nil, msg.Role, said)
		if said, images = nil, nil; len(part) > 0 {
			comma()
			b = append(b, part...)
		}
	}
	for _, block := range msg.Blocks {
		switch block.Kind {
		case agent.BlockContent:
			if block.Content != nil {
				said = append(said, *block.Content)
			}
		case agent.BlockThinking:
			if block.Encrypted == "" || m.noThinking.Load() { // another provider's, or was cut
				continue
			}
			flush()
			comma()
			b = append(b, `{"type":"reasoning","summary":[],"encrypted_content":`...)
			b = endpoint.AppendString(b, block.Encrypted)
			b = append(b, '}')
		case agent.BlockToolUse:
			flush()
			comma()
			b = append(b, `{"type":"function_call","call_id":`...)
			b = endpoint.AppendString(b, endpoint.CallID(block.ID))
			b = append(b, `,"name":`...)
			b = endpoint.AppendString(b, endpoint.Name(block.Name))
			b = append(b, `,"arguments":`...)
			b = endpoint.AppendString(b, string(endpoint.Object(block.Input)))
			b = append(b, '}')
		case agent.BlockToolResult:
			comma()
			var left []agent.Content
			b, left = m.appendOutput(b, block)
			images = append(images, left...)
		}
	}
	flush()
	return b
}

// appendOutput appends a result as an item and returns the images that have no place in
// it.
func (m *Responses) appendOutput(b []byte, block agent.Block) ([]byte, []agent.Content) {
	note, plain := "(an image)", m.plainImage.Load()
	if plain {
		note = noteShownBelow
	}
	text, images := splitResult(block, note)
	b = append(b, `{"type":"function_call_output","call_id":`...)
	b = endpoint.AppendString(b, endpoint.CallID(block.ID))
	b = append(b, `,"output":`...)
	if plain || len(images) == 0 {
		b = endpoint.AppendString(b, text)
		return append(b, '}'), images
	}
	b = append(b, '[')
	b = appendInputText(b, text)
	for _, c := range images {
		b = append(b, ',')
		b = appendInputImage(b, c)
	}
	return append(b, "]}"...), nil
}

// appendSaid appends what somebody said as an item, or nothing.
func appendSaid(b []byte, role agent.Role, content []agent.Content) []byte {
	before := len(b)
	b = append(b, `{"type":"message","role":"`+string(role)+`","content":[`...)
	start := len(b)
	for _, c := range content {
		image := endpoint.IsImage(c) && role == agent.RoleUser
		text := ""
		if !image {
			if text = endpoint.ContentText(c); text == "" {
				continue
			}
		}
		if len(b) > start {
			b = append(b, ',')
		}
		switch {
		case image:
			b = appendInputImage(b, c)
		case role == agent.RoleAssistant:
			b = append(b, `{"type":"output_text","text":`...)
			b = endpoint.AppendString(b, text)
			b = append(b, '}')
		default:
			b = appendInputText(b, text)
		}
	}
	if len(b) == start {
		return b[:before]
	}
	return append(b, "]}"...)
}

func appendInputText(b []byte, text string) []byte {
	b = append(b, `{"type":"input_text","text":`...)
	b = endpoint.AppendString(b, text)
	return append(b, '}')
}

func appendInputImage(b []byte, c agent.Content) []byte {
	b = append(b, `{"type":"input_image","image_url":"data:`...)
	b = append(b, c.MIME...)
	b = append(b, ";base64,"...)
	b = endpoint.AppendBase64(b, c.Data)
	return append(b, `"}`...)
}
