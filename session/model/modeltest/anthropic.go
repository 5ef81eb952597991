package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

type obj = map[string]any

func (d *Double) playAnthropic(s *stream, r *http.Request, reply Reply) {
	s.event(obj{"type": "message_start", "message": obj{
		"id": "msg_1", "type": "message", "role": "assistant", "content": []any{},
		"usage": obj{"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3, "output_tokens": 1},
	}})
	s.event(obj{"type": "ping"})
	index := 0
	last := func() bool { return true } // closes the block, unless the reply is to stop in it
	block := func(start obj, deltas ...obj) bool {
		if !last() {
			return false
		}
		i := index
		index++
		s.event(obj{"type": "content_block_start", "index": i, "content_block": start})
		for _, delta := range deltas {
			s.event(obj{"type": "content_block_delta", "index": i, "delta": delta})
		}
		last = func() bool {
			s.event(obj{"type": "content_block_stop", "index": i})
			return true
		}
		return true
	}
	if reply.Thinking != "" {
		block(obj{"type": "thinking", "thinking": "", "signature": ""},
			obj{"type": "thinking_delta", "thinking": reply.Thinking}, obj{"type": "signature_delta", "signature": reply.Signature})
	}
	if len(reply.Text) > 0 {
		var deltas []obj
		for _, text := range reply.Text {
			deltas = append(deltas, obj{"type": "text_delta", "text": text})
		}
		block(obj{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range reply.Calls {
		var deltas []obj
		for _, piece := range c.Args {
			deltas = append(deltas, obj{"type": "input_json_delta", "partial_json": piece})
		}
		block(obj{"type": "tool_use", "id": c.ID, "name": c.Name, "input": obj{}}, deltas...)
	}
	if !d.hold(r, reply) || reply.Cut {
		return
	}
	last()
	stop := reply.Stop
	if stop == "" {
		stop = "end_turn"
		if len(reply.Calls) > 0 {
			stop = "tool_use"
		}
	}
	s.event(obj{"type": "message_delta", "delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": obj{"output_tokens": 7}})
	s.event(obj{"type": "message_stop"})
}

// anthropicRequest has the fields of the API that we send; any other is refused.
type anthropicRequest struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	Stream    bool   `json:"stream"`
	Thinking  *struct {
		Type    string `json:"type"`
		Display string `json:"display"`
	} `json:"thinking"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
		Mark        *cacheMark      `json:"cache_control"`
		Defer       bool            `json:"defer_loading"`
	} `json:"tools"`
	System []struct {
		Type string     `json:"type"`
		Text string     `json:"text"`
		Mark *cacheMark `json:"cache_control"`
	} `json:"system"`
	Messages []struct {
		Role    string           `json:"role"`
		Content []anthropicBlock `json:"content"`
	} `json:"messages"`
}

type cacheMark struct {
	Type string `json:"type"`
}

type anthropicBlock struct {
	Type      string           `json:"type"`
	Text      *string          `json:"text"`
	Thinking  *string          `json:"thinking"`
	Signature string           `json:"signature"`
	Data      string           `json:"data"`
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Input     json.RawMessage  `json:"input"`
	ToolUseID string           `json:"tool_use_id"`
	ToolName  string           `json:"tool_name"`
	Content   []anthropicBlock `json:"content"`
	IsError   bool             `json:"is_error"`
	Source    *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
	Mark *cacheMark `json:"cache_control"`
}

var idPattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkAnthropic refuses what the Messages API refuses.
func checkAnthropic(r *http.Request, body []byte) error {
	if r.URL.Path != "/v1/messages" || r.Method != http.MethodPost {
		return fmt.Errorf("%s %s is no endpoint", r.Method, r.URL.Path)
	}
	if r.Header.Get("X-Api-Key") != Key || r.Header.Get("Anthropic-Version") == "" {
		return fmt.Errorf("key or version is missing: %v", r.Header)
	}
	var q anthropicRequest
	if err := strict(body, &q); err != nil {
		return err
	}
	if q.Model == "" || q.MaxTokens <= 0 || !q.Stream || len(q.Messages) == 0 {
		return errors.New("model, max_tokens, stream and messages are required")
	}
	marks, loaded := 0, false
	deferred := map[string]bool{}
	seen := map[string]bool{}
	for _, t := range q.Tools {
		if !idPattern.MatchString(t.Name) || seen[t.Name] || !isObject(t.InputSchema) || !strings.Contains(string(t.InputSchema), `"type"`) {
			return fmt.Errorf("bad tool %q", t.Name)
		}
		if err := checkSchema(t.InputSchema, false); err != nil {
			return fmt.Errorf("tools.%s.custom.input_schema: %w", t.Name, err)
		}
		seen[t.Name] = true
		marks += count(t.Mark)
		if t.Defer && t.Mark != nil {
			return fmt.Errorf("tool %q cannot have both defer_loading and cache_control", t.Name)
		}
		deferred[t.Name] = t.Defer
		loaded = loaded || !t.Defer
	}
	if len(q.Tools) > 0 && !loaded {
		return errors.New("all tools have defer_loading set: at least one must be non-deferred")
	}
	for i, s := range q.System {
		if s.Type != "text" || strings.TrimSpace(s.Text) == "" {
			return fmt.Errorf("system.%d: text content blocks must be non-empty", i)
		}
		marks += count(s.Mark)
	}
	ids := map[string]bool{}
	var open []string
	for i, m := range q.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("messages.%d: roles must alternate, got %q", i, m.Role)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("messages.%d: content is empty", i)
		}
		var now []string
		for j, b := range m.Content {
			at := fmt.Sprintf("messages.%d.content.%d", i, j)
			marks += count(b.Mark)
			switch {
			case b.Type == "tool_use" && m.Role == "assistant":
				if !idPattern.MatchString(b.ID) || ids[b.ID] || !idPattern.MatchString(b.Name) || !isObject(b.Input) {
					return fmt.Errorf("%s: bad tool_use %q %q %s", at, b.ID, b.Name, b.Input)
				}
				ids[b.ID] = true
				now = append(now, b.ID)
			case b.Type == "tool_result" && m.Role == "user":
				if !slices.Contains(open, b.ToolUseID) {
					return fmt.Errorf("%s: tool_result %q answers no tool_use of the message before", at, b.ToolUseID)
				}
				open = slices.DeleteFunc(slices.Clone(open), func(id string) bool { return id == b.ToolUseID })
				if len(b.Content) == 0 {
					return fmt.Errorf("%s: empty tool_result", at)
				}
				for _, c := range b.Content {
					if c.Type == "tool_reference" && !b.IsError {
						if later, known := deferred[c.ToolName]; !known || !later {
							return fmt.Errorf("%s: tool reference %q not found in available tools", at, c.ToolName)
						}
						continue
					}
					if err := plain(at, c); err != nil {
						return err
					}
					if b.IsError && c.Type != "text" {
						return fmt.Errorf("%s: all content must be type text if is_error is true", at)
					}
				}
			case b.Type == "thinking" && m.Role == "assistant":
				if b.Thinking == nil || b.Signature == "" || b.Mark != nil {
					return fmt.Errorf("%s: invalid thinking block", at)
				}
			case b.Type == "redacted_thinking" && m.Role == "assistant" && b.Data != "":
			default:
				if m.Role == "user" && len(open) > 0 {
					return fmt.Errorf("%s: tool_use ids %v were found without tool_result blocks immediately after", at, open)
				}
				if err := plain(at, b); err != nil {
					return err
				}
			}
		}
		if len(open) > 0 {
			return fmt.Errorf("messages.%d: tool_use ids %v were found without tool_result blocks immediately after", i, open)
		}
		open = now
		if m.Role == "assistant" && m.Content[len(m.Content)-1].Type == "thinking" {
			return fmt.Errorf("messages.%d: the final block cannot be thinking", i)
		}
	}
	if q.Messages[len(q.Messages)-1].Role != "user" || len(open) > 0 {
		return errors.New("the conversation must end with a user message")
	}
	if marks > 4 {
		return fmt.Errorf("%d cache marks: at most 4 are allowed", marks)
	}
	return nil
}

// plain checks a block of text or an image.
func plain(at string, b anthropicBlock) error {
	switch {
	case b.Type == "text" && b.Text != nil && strings.TrimSpace(*b.Text) != "":
		return nil
	case b.Type == "image" && b.Source != nil && b.Source.Type == "base64" && strings.HasPrefix(b.Source.MediaType, "image/") && len(b.Source.Data) > 0:
		return nil
	}
	return fmt.Errorf("%s: bad block of type %q (text content blocks must be non-empty)", at, b.Type)
}

func count(m *cacheMark) int {
	if m == nil {
		return 0
	}
	return 1
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}

func strict(body []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}
