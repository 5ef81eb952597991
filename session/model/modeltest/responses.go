package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (d *Double) playResponses(s *stream, r *http.Request, reply Reply) {
	n := 0
	event := func(kind string, more obj) {
		more["type"], more["sequence_number"] = kind, n
		n++
		s.event(more)
	}
	event("response.created", obj{"response": obj{"id": "resp_1", "object": "response", "status": "in_progress", "output": []any{}}})
	var output []any
	last := func() {}
	item := func(start, end obj, stream func(at obj)) {
		last()
		index := len(output)
		start["id"] = fmt.Sprintf("item_%d", index)
		end["id"] = start["id"]
		output = append(output, end)
		event("response.output_item.added", obj{"output_index": index, "item": start})
		stream(obj{"output_index": index, "item_id": start["id"]})
		last = func() { event("response.output_item.done", obj{"output_index": index, "item": end}) }
	}
	with := func(at obj, k string, v any) obj {
		out := obj{k: v}
		for k, v := range at {
			out[k] = v
		}
		return out
	}
	if reply.Thinking != "" {
		item(obj{"type": "reasoning", "summary": []any{}},
			obj{"type": "reasoning", "summary": []any{obj{"type": "summary_text", "text": reply.Thinking}}, "encrypted_content": "sealed " + reply.Signature},
			func(at obj) {
				event("response.reasoning_summary_part.added", with(at, "summary_index", 0))
				event("response.reasoning_summary_text.delta", with(with(at, "summary_index", 0), "delta", reply.Thinking))
			})
	}
	if len(reply.Text) > 0 {
		item(obj{"type": "message", "role": "assistant", "status": "in_progress", "content": []any{}},
			obj{"type": "message", "role": "assistant", "status": "completed", "content": []any{obj{"type": "output_text", "text": strings.Join(reply.Text, ""), "annotations": []any{}}}},
			func(at obj) {
				for _, text := range reply.Text {
					event("response.output_text.delta", with(with(at, "content_index", 0), "delta", text))
				}
			})
	}
	for _, c := range reply.Calls {
		item(obj{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": ""},
			obj{"type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": strings.Join(c.Args, ""), "status": "completed"},
			func(at obj) {
				for _, piece := range c.Args {
					event("response.function_call_arguments.delta", with(at, "delta", piece))
				}
			})
	}
	if !d.hold(r, reply) || reply.Cut {
		return
	}
	last()
	response := obj{"id": "resp_1", "object": "response", "status": "completed", "output": output, "usage": obj{
		"input_tokens": 15, "input_tokens_details": obj{"cached_tokens": 5}, "output_tokens": 7, "output_tokens_details": obj{"reasoning_tokens": 2}, "total_tokens": 22,
	}}
	if reply.Stop != "" {
		response["status"], response["incomplete_details"] = "incomplete", obj{"reason": reply.Stop}
		event("response.incomplete", obj{"response": response})
		return
	}
	event("response.completed", obj{"response": response})
}

// responsesRequest has the fields of the API that we send; any other is refused.
type responsesRequest struct {
	Model        string   `json:"model"`
	Stream       bool     `json:"stream"`
	Store        *bool    `json:"store"`
	Include      []string `json:"include"`
	Instructions string   `json:"instructions"`
	MaxTokens    int      `json:"max_output_tokens"`
	CacheKey     string   `json:"prompt_cache_key"`
	Reasoning    *struct {
		Summary string `json:"summary"`
	} `json:"reasoning"`
	Tools []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"tools"`
	Input []responsesItem `json:"input"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   []responsesPart `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Summary   *[]any          `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

type responsesPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

// checkResponses refuses what the Responses API refuses.
func checkResponses(r *http.Request, body []byte) error {
	if r.URL.Path != "/v1/responses" || r.Method != http.MethodPost {
		return fmt.Errorf("%s %s is no endpoint", r.Method, r.URL.Path)
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return fmt.Errorf("the key is missing: %v", r.Header)
	}
	var q responsesRequest
	if err := strict(body, &q); err != nil {
		return err
	}
	if q.Model == "" || !q.Stream || len(q.Input) == 0 {
		return errors.New("model, stream and input are required")
	}
	if q.Store == nil || *q.Store {
		return errors.New("the conversation would be stored")
	}
	seen := map[string]bool{}
	for _, t := range q.Tools {
		if err := checkFunction(t.Type, t.Name, t.Parameters, seen); err != nil {
			return err
		}
		if t.Strict == nil || *t.Strict {
			return fmt.Errorf("invalid schema for function %q: strict wants every property to be required", t.Name)
		}
	}
	calls, answered := map[string]bool{}, map[string]bool{}
	thought := false
	for i, it := range q.Input {
		at := fmt.Sprintf("input[%d]", i)
		if thought && it.Type != "function_call" && it.Type != "reasoning" && (it.Type != "message" || it.Role != "assistant") {
			return fmt.Errorf("%s: item of type 'reasoning' was provided without its required following item", at)
		}
		thought = it.Type == "reasoning"
		switch it.Type {
		case "message":
			if it.Role != "user" && it.Role != "assistant" || len(it.Content) == 0 {
				return fmt.Errorf("%s: bad message of %q", at, it.Role)
			}
			for id := range calls {
				if it.Role == "user" && !answered[id] {
					return fmt.Errorf("%s: no tool output found for function call %s", at, id)
				}
			}
			for _, p := range it.Content {
				if err := responsesContent(at, it.Role, p); err != nil {
					return err
				}
			}
		case "reasoning":
			if it.Summary == nil || it.Encrypted == "" || !strings.HasPrefix(it.Encrypted, "sealed ") {
				return fmt.Errorf("%s: the encrypted content could not be verified: %q", at, it.Encrypted)
			}
		case "function_call":
			if it.CallID == "" || len(it.CallID) > 64 || calls[it.CallID] || !idPattern.MatchString(it.Name) || it.Arguments == nil || !isObject(json.RawMessage(*it.Arguments)) {
				return fmt.Errorf("%s: bad function call %q %q", at, it.CallID, it.Name)
			}
			calls[it.CallID] = true
		case "function_call_output":
			if !calls[it.CallID] || answered[it.CallID] {
				return fmt.Errorf("%s: no tool call found for function call output with call_id %s", at, it.CallID)
			}
			answered[it.CallID] = true
			if err := responsesOutput(at, it.Output); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s: unknown type %q", at, it.Type)
		}
	}
	for id := range calls {
		if !answered[id] {
			return fmt.Errorf("no tool output found for function call %s", id)
		}
	}
	if last := q.Input[len(q.Input)-1]; last.Type != "function_call_output" && last.Role != "user" {
		return fmt.Errorf("the conversation ends with %q", last.Type)
	}
	return nil
}

func responsesContent(at, role string, p responsesPart) error {
	kinds := []string{"input_text", "input_image"}
	if role == "assistant" {
		kinds = []string{"output_text"}
	}
	if !slices.Contains(kinds, p.Type) {
		return fmt.Errorf("%s: invalid value %q, supported values are %v", at, p.Type, kinds)
	}
	if p.Type == "input_image" && !strings.HasPrefix(p.ImageURL, "data:image/") || p.Type != "input_image" && strings.TrimSpace(p.Text) == "" {
		return fmt.Errorf("%s: empty %s", at, p.Type)
	}
	return nil
}

func responsesOutput(at string, raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("%s: empty output", at)
		}
		return nil
	}
	var parts []responsesPart
	if err := strict(raw, &parts); err != nil || len(parts) == 0 {
		return fmt.Errorf("%s: bad output", at)
	}
	for _, p := range parts {
		if err := responsesContent(at, "user", p); err != nil {
			return err
		}
	}
	return nil
}
