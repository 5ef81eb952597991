package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// decoder puts one streamed answer together.
type decoder struct {
	emit func(agent.Delta) error

	blocks []*block // in order of arrival
	stop   string
	usage  agent.Usage
}

// block is one content block and what has streamed of it.
type block struct {
	index int
	kind  string
	// text is the text, the thinking or the arguments.
	text      strings.Builder
	signature string
	data      string // of redacted_thinking
	id, name  string
	input     json.RawMessage // as it stood in the start event
	closed    bool
}

// event has the fields of all events of the stream
// (https://docs.anthropic.com/en/api/messages-streaming).
type event struct {
	Type    string
	Index   int
	Message *struct {
		Usage usage
	}
	ContentBlock *struct {
		Type, Text, Thinking, Signature, Data, ID, Name string
		Input                                           json.RawMessage
	} `json:"content_block"`
	Delta *struct {
		Type, Text, Thinking, Signature string
		PartialJSON                     string  `json:"partial_json"`
		StopReason                      *string `json:"stop_reason"`
	}
	Usage *usage
	Error *struct{ Type, Message string }
}

type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
}

// Event implements [endpoint.Decoder].
func (d *decoder) Event(data []byte) (whole bool, err error) {
	var e event
	if json.Unmarshal(data, &e) != nil || e.Type == "" && e.Error == nil {
		return false, endpoint.ErrProtocol
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			d.count(e.Message.Usage)
		}
	case "content_block_start":
		return false, d.start(e)
	case "content_block_delta":
		return false, d.delta(e)
	case "content_block_stop":
		if b := d.find(e.Index); b != nil {
			b.closed = true
		}
	case "message_delta":
		if e.Delta != nil && e.Delta.StopReason != nil {
			d.stop = *e.Delta.StopReason
		}
		if e.Usage != nil {
			d.count(*e.Usage)
		}
	case "message_stop":
		return true, nil
	}
	if e.Error != nil { // also in an event without a type, as some proxies send it
		return false, &endpoint.ProviderError{Type: e.Error.Type, Message: e.Error.Message}
	}
	return false, nil // ping, and what the API may add
}

// End implements [endpoint.Decoder]: without message_stop no answer is whole.
func (d *decoder) End() bool { return false }

func (d *decoder) start(e event) error {
	c := e.ContentBlock
	if c == nil {
		return endpoint.ErrProtocol
	}
	b := &block{index: e.Index, kind: c.Type, signature: c.Signature, data: c.Data, id: c.ID, name: c.Name, input: c.Input}
	d.blocks = append(d.blocks, b)
	switch c.Type {
	case "text":
		b.text.WriteString(c.Text)
		return d.show(agent.DeltaText, c.Text)
	case "thinking":
		b.text.WriteString(c.Thinking)
		return d.show(agent.DeltaThinking, c.Thinking)
	case "tool_use":
		return d.emit(agent.Delta{Kind: agent.DeltaToolUse, ID: c.ID, Name: c.Name})
	}
	return nil
}

func (d *decoder) delta(e event) error {
	b := d.find(e.Index)
	if b == nil || e.Delta == nil {
		return endpoint.ErrProtocol
	}
	switch e.Delta.Type {
	case "text_delta":
		b.text.WriteString(e.Delta.Text)
		return d.show(agent.DeltaText, e.Delta.Text)
	case "thinking_delta":
		b.text.WriteString(e.Delta.Thinking)
		return d.show(agent.DeltaThinking, e.Delta.Thinking)
	case "signature_delta":
		b.signature += e.Delta.Signature
	case "input_json_delta":
		b.text.WriteString(e.Delta.PartialJSON)
	}
	return nil
}

func (d *decoder) show(kind agent.DeltaKind, text string) error {
	if text == "" {
		return nil
	}
	return d.emit(agent.Delta{Kind: kind, Text: text})
}

// find returns the last block of an index.
func (d *decoder) find(index int) *block {
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if d.blocks[i].index == index {
			return d.blocks[i]
		}
	}
	return nil
}

// count takes a usage, whose numbers are of the whole answer so far; an event that
// leaves one out does not take it back.
func (d *decoder) count(u usage) {
	set := func(to *int, n int) {
		if n > 0 {
			*to = n
		}
	}
	set(&d.usage.InputTokens, u.Input)
	set(&d.usage.OutputTokens, u.Output)
	set(&d.usage.CachedReadTokens, u.CacheRead)
	set(&d.usage.CachedWriteTokens, u.CacheWrite)
}

// Response implements [endpoint.Decoder]. Of what was cut it has the text that was
// shown, and neither thinking nor calls, which are worth nothing in part.
func (d *decoder) Response() agent.Response {
	r := agent.Response{Message: agent.Message{Role: agent.RoleAssistant}, Usage: d.usage}
	add := func(b agent.Block) { r.Message.Blocks = append(r.Message.Blocks, b) }
	calls := false
	for _, b := range d.blocks {
		text := b.text.String()
		switch b.kind {
		case "text":
			if text != "" {
				content := agent.Text(text)
				add(agent.Block{Kind: agent.BlockContent, Content: &content})
			}
		case "thinking":
			if b.closed && (text != "" || b.signature != "") {
				add(agent.Block{Kind: agent.BlockThinking, Thinking: text, Signature: b.signature})
			}
		case "redacted_thinking":
			if b.closed && b.data != "" {
				add(agent.Block{Kind: agent.BlockThinking, Redacted: b.data})
			}
		case "tool_use":
			if !b.closed {
				continue
			}
			calls = true
			add(agent.Block{Kind: agent.BlockToolUse, ID: b.id, Name: b.name, Input: arguments(text, b.input)})
		}
	}
	r.StopReason = stopReason(d.stop, calls)
	return r
}

// arguments are a call's, as they came: the loop tells the model what is wrong with
// them. Some proxies send them whole with the start of the block.
func arguments(streamed string, started json.RawMessage) json.RawMessage {
	if strings.TrimSpace(streamed) != "" {
		return json.RawMessage(streamed)
	}
	if len(started) > 0 && started[0] == '{' {
		return started
	}
	return json.RawMessage("{}")
}

func stopReason(s string, calls bool) agent.StopReason {
	switch s {
	case "max_tokens", "model_context_window_exceeded":
		return agent.StopMaxTokens
	case "refusal":
		return agent.StopRefusal
	}
	if calls {
		return agent.StopToolUse
	}
	return agent.StopEndTurn
}
