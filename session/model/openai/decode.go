package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// unnamedTool stands for the name that a call came without.
const unnamedTool = "unnamed_tool"

// decoder puts one streamed answer together.
type decoder struct {
	emit func(agent.Delta) error

	text, thinking strings.Builder
	calls          []*call
	finish         string
	refused, done  bool
	usage          agent.Usage
}

// call is a tool call and what has streamed of it.
type call struct {
	id, name  string
	index     int // -1 when the endpoint gave none
	ownID     bool
	args      strings.Builder
	announced bool
}

// chunk is one event of the stream, or the whole answer of an endpoint that does
// not stream.
type chunk struct {
	Choices []struct {
		Delta, Message *delta
		FinishReason   *string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt        int `json:"prompt_tokens"`
		Completion    int `json:"completion_tokens"`
		PromptDetails *struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails *struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
		CacheHit int `json:"prompt_cache_hit_tokens"` // DeepSeek's
	}
	Error  json.RawMessage
	Object string
}

type delta struct {
	Content json.RawMessage
	// Reasoning under its two names: DeepSeek, llama.cpp; OpenRouter, Ollama, vLLM.
	ReasoningContent *string `json:"reasoning_content"`
	Reasoning        *string
	Refusal          *string
	ToolCalls        []callDelta `json:"tool_calls"`
}

type callDelta struct {
	Index    *int
	ID       *string
	Function *struct {
		Name      *string
		Arguments json.RawMessage
	}
}

// Event implements [endpoint.Decoder].
func (d *decoder) Event(data []byte) (whole bool, err error) {
	if strings.TrimSpace(string(data)) == "[DONE]" {
		d.done = true
		return true, nil
	}
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return false, endpoint.ErrProtocol
	}
	if len(c.Error) > 0 && string(c.Error) != "null" || c.Object == "error" {
		if p, ok := endpoint.ParseError(data); ok {
			return false, &p
		}
	}
	if c.Choices == nil && c.Usage == nil && c.Object == "" {
		return false, endpoint.ErrProtocol
	}
	d.count(c)
	if len(c.Choices) == 0 {
		return false, nil
	}
	choice := c.Choices[0]
	part := choice.Delta
	if part == nil {
		part = choice.Message
	}
	if part != nil {
		if err := d.delta(part); err != nil {
			return false, err
		}
	}
	if choice.FinishReason != nil && *choice.FinishReason != "" {
		d.finish = *choice.FinishReason
	}
	if d.finish == "error" { // OpenRouter's, beside an error it may have left out
		return false, &endpoint.ProviderError{Type: "server_error"}
	}
	return false, nil
}

// End implements [endpoint.Decoder]: an answer that gave its reason to stop is
// whole even without [DONE], which some endpoints leave out.
func (d *decoder) End() bool { return d.done || d.finish != "" }

func (d *decoder) delta(p *delta) error {
	thought := p.ReasoningContent
	if thought == nil || *thought == "" {
		thought = p.Reasoning
	}
	if thought != nil && *thought != "" {
		d.thinking.WriteString(*thought)
		if err := d.emit(agent.Delta{Kind: agent.DeltaThinking, Text: *thought}); err != nil {
			return err
		}
	}
	text := contentText(p.Content)
	if p.Refusal != nil && *p.Refusal != "" {
		d.refused = true
		text += *p.Refusal
	}
	if text != "" {
		d.text.WriteString(text)
		if err := d.emit(agent.Delta{Kind: agent.DeltaText, Text: text}); err != nil {
			return err
		}
	}
	for _, c := range p.ToolCalls {
		if err := d.call(c); err != nil {
			return err
		}
	}
	return nil
}

// contentText reads content: a string, null, or a list of parts.
func contentText(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] == 'n' {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
	}
	return text
}

// call takes a piece of a tool call.
func (d *decoder) call(p callDelta) error {
	id, name, args := value(p.ID), "", ""
	if p.Function != nil {
		name, args = value(p.Function.Name), argumentText(p.Function.Arguments)
	}
	c := d.find(p.Index, id, name)
	if c == nil {
		c = &call{id: id, index: -1}
		if p.Index != nil {
			c.index = *p.Index
		}
		if id == "" {
			c.id, c.ownID = "call_"+strconv.Itoa(len(d.calls)+1), true
		}
		d.calls = append(d.calls, c)
	}
	if c.ownID && id != "" && !c.announced {
		c.id, c.ownID = id, false
	}
	switch {
	case c.name == "":
		c.name = name
	case name != c.name && c.args.Len() == 0:
		c.name += name // a name in pieces; one that is repeated stays
	}
	c.args.WriteString(args)
	// A name may still grow until the arguments begin, so it is told with them, or
	// by the loop when the answer is whole.
	if !c.announced && c.name != "" && (c.args.Len() > 0 || c.index >= 0 && p.Index != nil && id != "") {
		c.announced = true
		return d.emit(agent.Delta{Kind: agent.DeltaToolUse, ID: c.id, Name: c.name})
	}
	return nil
}

// find returns the call that a piece belongs to, nil for a new one. The protocol
// says that the index tells, but some endpoints leave it out, give every call the
// same, or change it within a call (vercel/ai#6687, charmbracelet/crush#3153).
func (d *decoder) find(index *int, id, name string) *call {
	if len(d.calls) == 0 {
		return nil
	}
	last := d.calls[len(d.calls)-1]
	begins := func(c *call) bool { // the piece cannot belong to c, which is whole
		return name != "" && c.args.Len() > 0 && json.Valid([]byte(c.args.String()))
	}
	if id != "" {
		for i := len(d.calls) - 1; i >= 0; i-- {
			c := d.calls[i]
			if c.id != id {
				continue
			}
			if (index == nil || *index != c.index) && begins(c) {
				return nil // an id used twice
			}
			return c
		}
	}
	if index != nil {
		for i := len(d.calls) - 1; i >= 0; i-- {
			c := d.calls[i]
			if c.index != *index {
				continue
			}
			if id != "" && !c.ownID {
				return nil // another id: another call, whatever its index
			}
			return c
		}
	}
	switch {
	case id != "" && !last.ownID:
		return nil
	case index != nil && last.index >= 0 && (name != "" || id != ""):
		return nil
	case name != "" && name != last.name && last.name != "" && last.args.Len() > 0:
		return nil
	case begins(last):
		return nil
	}
	return last
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// argumentText reads a piece of arguments: a string, or the object itself, as some
// endpoints send it.
func argumentText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return string(raw)
}

func (d *decoder) count(c chunk) {
	u := c.Usage
	if u == nil {
		return
	}
	cached := u.CacheHit
	if u.PromptDetails != nil {
		cached = max(cached, u.PromptDetails.Cached)
	}
	d.usage = agent.Usage{
		InputTokens: max(0, u.Prompt-cached), OutputTokens: u.Completion, CachedReadTokens: cached,
	}
	if u.CompletionDetails != nil {
		d.usage.ThoughtTokens = u.CompletionDetails.Reasoning
	}
}

// Response implements [endpoint.Decoder]. Of an answer that was cut it has the text
// that was shown, and the calls but the last, which may not be whole.
func (d *decoder) Response() agent.Response {
	r := agent.Response{Message: agent.Message{Role: agent.RoleAssistant}, Usage: d.usage}
	add := func(b agent.Block) { r.Message.Blocks = append(r.Message.Blocks, b) }
	if d.thinking.Len() > 0 {
		add(agent.Block{Kind: agent.BlockThinking, Thinking: d.thinking.String()})
	}
	if d.text.Len() > 0 {
		content := agent.Text(d.text.String())
		add(agent.Block{Kind: agent.BlockContent, Content: &content})
	}
	calls := d.calls
	if !d.End() && len(calls) > 0 {
		calls = calls[:len(calls)-1]
	}
	for _, c := range calls {
		name, args := c.name, c.args.String()
		if name == "" {
			name = unnamedTool
		}
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		add(agent.Block{Kind: agent.BlockToolUse, ID: c.id, Name: name, Input: json.RawMessage(args)})
	}
	switch {
	case d.refused || d.finish == "content_filter":
		r.StopReason = agent.StopRefusal
	case d.finish == "length":
		r.StopReason = agent.StopMaxTokens
	case len(calls) > 0: // some endpoints say "stop" all the same
		r.StopReason = agent.StopToolUse
	default:
		r.StopReason = agent.StopEndTurn
	}
	return r
}
