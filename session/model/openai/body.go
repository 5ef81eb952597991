package openai

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// noteImages goes before the images of tool results, which the protocol takes in a
// user's message only.
const noteImages = "Images of the tool results above:"

// noteShownBelow is the text of a result that has only such images.
const noteShownBelow = "(an image, shown below)"

// body is the body of a request, put together from parts that were encoded when
// they were first seen.
func (m *Model) body(req *agent.Request) []byte {
	tools := m.tools.Get(req.Tools, encodeTools)
	system := m.system.Get(req.System, encodeSystem)
	messages := m.messages.Get(req.Messages, m.encodeMessage)

	n := 512 + len(tools) + len(system)
	for _, msg := range messages {
		n += len(msg) + 1
	}
	b := make([]byte, 0, n)
	b = append(b, `{"model":`...)
	b = endpoint.AppendString(b, m.name)
	b = append(b, `,"stream":true`...)
	if !m.noUsage.Load() {
		b = append(b, `,"stream_options":{"include_usage":true}`...)
	}
	if m.own && req.CacheKey != "" {
		b = append(b, `,"prompt_cache_key":`...)
		b = endpoint.AppendString(b, req.CacheKey)
	}
	if req.MaxTokens > 0 {
		name := `,"max_completion_tokens":`
		if m.oldLimit.Load() {
			name = `,"max_tokens":`
		}
		b = append(b, name...)
		b = strconv.AppendInt(b, int64(req.MaxTokens), 10)
	}
	if len(tools) > 0 {
		if m.noEffort.Load() {
			b = append(b, `,"reasoning_effort":"none"`...)
		}
		b = append(b, `,"tools":`...)
		b = append(b, tools...)
	}
	b = append(b, `,"messages":[`...)
	b = append(b, system...)
	for i, msg := range messages {
		if i > 0 || len(system) > 0 {
			b = append(b, ',')
		}
		b = append(b, msg...)
	}
	return append(b, "]}"...)
}

func encodeTools(tools []agent.ToolSpec) []byte {
	b := []byte{'['}
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"function","function":{"name":`...)
		b = endpoint.AppendString(b, t.Name)
		if t.Description != "" {
			b = append(b, `,"description":`...)
			b = endpoint.AppendString(b, t.Description)
		}
		b = append(b, `,"parameters":`...)
		b = append(b, parameters(t.Schema)...)
		b = append(b, "}}"...)
	}
	return append(b, ']')
}

// parameters is a tool's schema with the properties that the endpoint insists on
// ("object schema missing properties").
func parameters(raw []byte) []byte {
	s := endpoint.Object(raw)
	switch {
	case string(s) == "{}":
		return []byte(`{"type":"object","properties":{}}`)
	case !bytes.Contains(s, []byte(`"properties"`)):
		return append([]byte(`{"properties":{},`), s[1:]...)
	}
	return s
}

// encodeSystem makes one message of the blocks: the templates of many local models
// take only one, at the beginning.
func encodeSystem(system []agent.SystemBlock) []byte {
	text := systemText(system)
	if text == "" {
		return nil
	}
	b := []byte(`{"role":"system","content":`)
	b = endpoint.AppendString(b, text)
	return append(b, '}')
}

// systemText is the text of all blocks that have one.
func systemText(system []agent.SystemBlock) string {
	var texts []string
	for _, s := range system {
		if strings.TrimSpace(s.Text) != "" {
			texts = append(texts, s.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// encodeMessage encodes a message as the messages it is in this protocol, with
// commas between them; none when there is nothing to say.
func (m *Model) encodeMessage(msg agent.Message) []byte {
	if msg.Role == agent.RoleAssistant {
		return m.encodeAssistant(msg)
	}
	var b []byte
	var content, images []agent.Content
	for _, block := range msg.Blocks {
		switch {
		case block.Kind == agent.BlockToolResult:
			if len(b) > 0 {
				b = append(b, ',')
			}
			var shown []agent.Content
			b, shown = appendResult(b, block)
			images = append(images, shown...)
		case block.Kind == agent.BlockContent && block.Content != nil:
			content = append(content, *block.Content)
		}
	}
	if len(images) > 0 {
		content = append(append([]agent.Content{agent.Text(noteImages)}, images...), content...)
	}
	return appendUser(b, content)
}

// appendResult appends a result as a message and returns its images.
func appendResult(b []byte, block agent.Block) ([]byte, []agent.Content) {
	text, images := splitResult(block, noteShownBelow)
	b = append(b, `{"role":"tool","tool_call_id":`...)
	b = endpoint.AppendString(b, endpoint.CallID(block.ID))
	b = append(b, `,"content":`...)
	b = endpoint.AppendString(b, text)
	return append(b, '}'), images
}

// splitResult returns the text of a result and its images; noteImage is the text of one
// that has only these.
func splitResult(block agent.Block, noteImage string) (text string, images []agent.Content) {
	texts, images := splitContent(block.Result)
	text = strings.Join(texts, "\n")
	switch {
	case text == "" && len(images) > 0:
		text = noteImage
	case text == "":
		text = endpoint.NoteNoOutput
	}
	if block.IsError { // the protocols have no field for it
		text = "Error: " + text
	}
	return text, images
}

// splitContent returns the texts of the content, without empty ones, and its images.
func splitContent(content []agent.Content) (texts []string, images []agent.Content) {
	for _, c := range content {
		if endpoint.IsImage(c) {
			images = append(images, c)
		} else if text := endpoint.ContentText(c); text != "" {
			texts = append(texts, text)
		}
	}
	return texts, images
}

// appendUser appends a user's message: a plain string unless it has images, for
// not every endpoint takes a list.
func appendUser(b []byte, content []agent.Content) []byte {
	texts, images := splitContent(content)
	if len(texts) == 0 && len(images) == 0 {
		return b
	}
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = append(b, `{"role":"user","content":`...)
	if len(images) == 0 {
		b = endpoint.AppendString(b, strings.Join(texts, "\n\n"))
		return append(b, '}')
	}
	b = append(b, '[')
	first := true
	for _, c := range content {
		isImage, text := endpoint.IsImage(c), ""
		if !isImage {
			if text = endpoint.ContentText(c); text == "" {
				continue
			}
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		if isImage {
			b = append(b, `{"type":"image_url","image_url":{"url":"data:`...)
			b = append(b, c.MIME...)
			b = append(b, ";base64,"...)
			b = endpoint.AppendBase64(b, c.Data)
			b = append(b, `"}}`...)
			continue
		}
		b = append(b, `{"type":"text","text":`...)
		b = endpoint.AppendString(b, text)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

func (m *Model) encodeAssistant(msg agent.Message) []byte {
	var texts, thoughts []string
	var calls []agent.Block
	for _, block := range msg.Blocks {
		switch block.Kind {
		case agent.BlockContent:
			if block.Content != nil {
				if text := endpoint.ContentText(*block.Content); text != "" {
					texts = append(texts, text)
				}
			}
		case agent.BlockThinking:
			thoughts = append(thoughts, block.Thinking)
		case agent.BlockToolUse:
			calls = append(calls, block)
		}
	}
	if len(texts) == 0 && len(calls) == 0 {
		return nil
	}
	b := []byte(`{"role":"assistant","content":`)
	if len(texts) > 0 {
		b = endpoint.AppendString(b, strings.Join(texts, "\n\n"))
	} else {
		b = append(b, "null"...)
	}
	if m.echoThinking.Load() {
		b = append(b, `,"reasoning_content":`...)
		b = endpoint.AppendString(b, strings.Join(thoughts, "\n\n"))
	}
	if len(calls) > 0 {
		b = append(b, `,"tool_calls":[`...)
		for i, c := range calls {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, `{"id":`...)
			b = endpoint.AppendString(b, endpoint.CallID(c.ID))
			b = append(b, `,"type":"function","function":{"name":`...)
			b = endpoint.AppendString(b, endpoint.Name(c.Name))
			b = append(b, `,"arguments":`...)
			b = endpoint.AppendString(b, string(endpoint.Object(c.Input)))
			b = append(b, "}}"...)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}
