package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (d *Double) playOpenAI(s *stream, r *http.Request, reply Reply) {
	chunk := func(delta obj, finish any) {
		s.event(obj{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
			"choices": []any{obj{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(obj{"role": "assistant", "content": nil}, nil)
	if reply.Thinking != "" {
		chunk(obj{"reasoning_content": reply.Thinking}, nil)
	}
	for _, text := range reply.Text {
		chunk(obj{"content": text}, nil)
	}
	for i, c := range reply.Calls {
		chunk(obj{"tool_calls": []any{obj{"index": i, "id": c.ID, "type": "function", "function": obj{"name": c.Name, "arguments": ""}}}}, nil)
		for _, piece := range c.Args {
			chunk(obj{"tool_calls": []any{obj{"index": i, "function": obj{"arguments": piece}}}}, nil)
		}
	}
	if !d.hold(r, reply) || reply.Cut {
		return
	}
	stop := reply.Stop
	if stop == "" {
		stop = "stop"
		if len(reply.Calls) > 0 {
			stop = "tool_calls"
		}
	}
	chunk(obj{}, stop)
	s.event(obj{"id": "c1", "object": "chat.completion.chunk", "choices": []any{}, "usage": obj{
		"prompt_tokens": 15, "completion_tokens": 7, "total_tokens": 22,
		"prompt_tokens_details": obj{"cached_tokens": 5}, "completion_tokens_details": obj{"reasoning_tokens": 2},
	}})
	s.raw("[DONE]")
}

// openAIRequest has the fields of the API that we send; any other is refused.
type openAIRequest struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int    `json:"max_tokens"`
	MaxCompletionTokens int    `json:"max_completion_tokens"`
	CacheKey            string `json:"prompt_cache_key"`
	ReasoningEffort     string `json:"reasoning_effort"`
	Tools               []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Messages []openAIMessage `json:"messages"`
}

type openAIMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Reasoning  *string         `json:"reasoning_content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// checkOpenAI refuses what chat completions refuse.
func checkOpenAI(r *http.Request, body []byte) error {
	if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		return fmt.Errorf("%s %s is no endpoint", r.Method, r.URL.Path)
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return fmt.Errorf("the key is missing: %v", r.Header)
	}
	var q openAIRequest
	if err := strict(body, &q); err != nil {
		return err
	}
	if q.Model == "" || !q.Stream || len(q.Messages) == 0 {
		return errors.New("model, stream and messages are required")
	}
	seen := map[string]bool{}
	for _, t := range q.Tools {
		f := t.Function
		if err := checkFunction(t.Type, f.Name, f.Parameters, seen); err != nil {
			return err
		}
	}
	var open []string
	ids := map[string]bool{}
	for i, m := range q.Messages {
		at := fmt.Sprintf("messages.%d", i)
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("%s: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': %v", at, open)
		}
		switch m.Role {
		case "system":
			if i != 0 {
				return fmt.Errorf("%s: system message must be at the beginning", at)
			}
		case "user":
		case "assistant":
			for _, c := range m.ToolCalls {
				if c.ID == "" || len(c.ID) > 40 || ids[c.ID] || c.Type != "function" || !idPattern.MatchString(c.Function.Name) || !isObject(json.RawMessage(c.Function.Arguments)) {
					return fmt.Errorf("%s: bad tool call %+v", at, c)
				}
				ids[c.ID] = true
				open = append(open, c.ID)
			}
			if len(m.ToolCalls) > 0 && string(m.Content) == "null" {
				continue
			}
		case "tool":
			if !slices.Contains(open, m.ToolCallID) {
				return fmt.Errorf("%s: messages with role 'tool' must be a response to a preceding message with 'tool_calls'", at)
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
		default:
			return fmt.Errorf("%s: unknown role %q", at, m.Role)
		}
		if err := openAIContent(at, m); err != nil {
			return err
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("tool calls %v are not answered", open)
	}
	if last := q.Messages[len(q.Messages)-1].Role; last != "user" && last != "tool" {
		return fmt.Errorf("the conversation ends with %q", last)
	}
	return nil
}

// checkFunction refuses what both of OpenAI's protocols refuse of a tool; seen are the
// names before it, to which it is added.
func checkFunction(kind, name string, parameters json.RawMessage, seen map[string]bool) error {
	if kind != "function" || !idPattern.MatchString(name) || seen[name] || !isObject(parameters) || !strings.Contains(string(parameters), `"properties"`) {
		return fmt.Errorf("invalid schema for function %q: object schema missing properties, or a bad name", name)
	}
	if err := checkSchema(parameters, true); err != nil {
		return fmt.Errorf("invalid schema for function %q: %w", name, err)
	}
	seen[name] = true
	return nil
}

func openAIContent(at string, m openAIMessage) error {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("%s: empty content", at)
		}
		return nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL *struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if m.Role != "user" {
		return fmt.Errorf("%s: content of a %s message must be text", at, m.Role)
	}
	if err := strict(m.Content, &parts); err != nil || len(parts) == 0 {
		return fmt.Errorf("%s: bad content", at)
	}
	for _, p := range parts {
		switch {
		case p.Type == "text" && strings.TrimSpace(p.Text) != "":
		case p.Type == "image_url" && p.ImageURL != nil && strings.HasPrefix(p.ImageURL.URL, "data:image/"):
		default:
			return fmt.Errorf("%s: bad part of type %q", at, p.Type)
		}
	}
	return nil
}
