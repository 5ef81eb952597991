package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// responsesDecoder puts one streamed answer together.
type responsesDecoder struct {
	emit func(agent.Delta) error

	items   []*item // in order of arrival
	done    bool
	refused bool
	cut     string // why the answer is incomplete, in the provider's word
	usage   agent.Usage
}

// item is one output item and what has streamed of it.
type item struct {
	index           int
	id, kind        string
	callID, name    string
	text, thinking  strings.Builder // arguments are text, too
	encrypted       string
	closed          bool
	shown, announce bool // something was emitted; the call was announced
	part            int  // of the thinking
}

// itemData is an output item of an event
// (https://platform.openai.com/docs/api-reference/responses-streaming).
type itemData struct {
	Type, ID, Name string
	CallID         string `json:"call_id"`
	Arguments      json.RawMessage
	Encrypted      string `json:"encrypted_content"`
	Summary        []struct{ Text string }
	Content        []struct{ Type, Text, Refusal string }
}

type responsesEvent struct {
	Type, Object string
	OutputIndex  *int   `json:"output_index"`
	SummaryIndex int    `json:"summary_index"`
	ItemID       string `json:"item_id"`
	Delta        json.RawMessage
	Arguments    json.RawMessage
	Item         *itemData
	Response     *responsesAnswer
	Error        json.RawMessage
	Message      string
}

// responsesAnswer is the whole answer, as the last event has it.
type responsesAnswer struct {
	Status     string
	Output     []itemData
	Error      *struct{ Code, Message string }
	Incomplete *struct{ Reason string } `json:"incomplete_details"`
	Usage      *struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		InputOf *struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		OutputOf *struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
}

// Event implements [endpoint.Decoder].
func (d *responsesDecoder) Event(data []byte) (whole bool, err error) {
	if strings.TrimSpace(string(data)) == "[DONE]" {
		return d.done, nil
	}
	var e responsesEvent
	if json.Unmarshal(data, &e) != nil {
		return false, endpoint.ErrProtocol
	}
	if e.Type == "error" || len(e.Error) > 0 && string(e.Error) != "null" && e.Object != "response" {
		if p, ok := endpoint.ParseError(data); ok {
			return false, &p
		}
		return false, &endpoint.ProviderError{Type: "server_error", Message: e.Message}
	}
	if e.Object == "response" { // an endpoint that does not stream
		var answer responsesAnswer
		if json.Unmarshal(data, &answer) != nil {
			return false, endpoint.ErrProtocol
		}
		return d.end(&answer)
	}
	if !strings.HasPrefix(e.Type, "response.") && e.Type != "keepalive" {
		return false, endpoint.ErrProtocol
	}
	switch e.Type {
	case "response.output_item.added":
		if e.Item == nil {
			return false, endpoint.ErrProtocol
		}
		return false, d.begin(e)
	case "response.output_text.delta", "response.refusal.delta":
		d.refused = d.refused || e.Type == "response.refusal.delta"
		return false, d.show(d.find(e, "message"), agent.DeltaText, contentText(e.Delta))
	case "response.reasoning_summary_part.added":
		if i := d.find(e, "reasoning"); e.SummaryIndex > i.part && i.thinking.Len() > 0 {
			i.part = e.SummaryIndex
			return false, d.show(i, agent.DeltaThinking, "\n\n")
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return false, d.show(d.find(e, "reasoning"), agent.DeltaThinking, contentText(e.Delta))
	case "response.function_call_arguments.delta":
		d.find(e, "function_call").text.WriteString(argumentText(e.Delta))
	case "response.function_call_arguments.done":
		if args := argumentText(e.Arguments); args != "" {
			i := d.find(e, "function_call")
			i.text.Reset()
			i.text.WriteString(args)
		}
	case "response.output_item.done":
		if e.Item != nil {
			return false, d.close(d.find(e, e.Item.Type), e.Item)
		}
	case "response.completed", "response.incomplete", "response.failed":
		return d.end(e.Response)
	}
	return false, nil // what the API may add
}

// begin takes the start of an item.
func (d *responsesDecoder) begin(e responsesEvent) error {
	i := &item{index: -1, id: e.Item.ID, kind: e.Item.Type, callID: e.Item.CallID, name: e.Item.Name}
	if e.OutputIndex != nil {
		i.index = *e.OutputIndex
	}
	d.items = append(d.items, i)
	return d.announce(i)
}

func (d *responsesDecoder) announce(i *item) error {
	if i.kind != "function_call" || i.announce || i.name == "" {
		return nil
	}
	if i.callID == "" {
		i.callID = i.id
	}
	if i.callID == "" {
		i.callID = "call_" + strconv.Itoa(len(d.items))
	}
	i.announce = true
	return d.emit(agent.Delta{Kind: agent.DeltaToolUse, ID: i.callID, Name: i.name})
}

// find returns the item that an event is about; one whose start was left out is made.
func (d *responsesDecoder) find(e responsesEvent, kind string) *item {
	id := e.ItemID
	if id == "" && e.Item != nil {
		id = e.Item.ID
	}
	for n := len(d.items) - 1; n >= 0; n-- {
		i := d.items[n]
		switch {
		case i.kind != kind:
		case e.OutputIndex != nil && i.index >= 0:
			if i.index == *e.OutputIndex {
				return i
			}
		case id != "" && i.id != "":
			if i.id == id {
				return i
			}
		case !i.closed:
			return i
		}
	}
	i := &item{index: -1, id: id, kind: kind}
	if e.OutputIndex != nil {
		i.index = *e.OutputIndex
	}
	d.items = append(d.items, i)
	return i
}

func (d *responsesDecoder) show(i *item, kind agent.DeltaKind, text string) error {
	if text == "" {
		return nil
	}
	i.shown = true
	if kind == agent.DeltaThinking {
		i.thinking.WriteString(text)
	} else {
		i.text.WriteString(text)
	}
	return d.emit(agent.Delta{Kind: kind, Text: text})
}

// close takes an item as it is in the end, and shows what had not streamed.
func (d *responsesDecoder) close(i *item, v *itemData) error {
	i.closed = true
	switch i.kind {
	case "function_call":
		if v.CallID != "" && !i.announce {
			i.callID = v.CallID
		}
		if v.Name != "" {
			i.name = v.Name
		}
		if args := argumentText(v.Arguments); args != "" {
			i.text.Reset()
			i.text.WriteString(args)
		}
		return d.announce(i)
	case "reasoning":
		i.encrypted = v.Encrypted
		if i.shown {
			return nil
		}
		var parts []string
		for _, p := range v.Summary {
			parts = append(parts, p.Text)
		}
		for _, p := range v.Content {
			parts = append(parts, p.Text)
		}
		return d.show(i, agent.DeltaThinking, strings.Join(parts, "\n\n"))
	case "message":
		if i.shown {
			return nil
		}
		text := ""
		for _, p := range v.Content {
			text += p.Text + p.Refusal
			d.refused = d.refused || p.Refusal != ""
		}
		return d.show(i, agent.DeltaText, text)
	}
	return nil
}

// end takes the last event.
func (d *responsesDecoder) end(r *responsesAnswer) (whole bool, err error) {
	if r == nil {
		return false, endpoint.ErrProtocol
	}
	if u := r.Usage; u != nil {
		d.usage = agent.Usage{InputTokens: u.Input, OutputTokens: u.Output}
		if u.InputOf != nil {
			d.usage.CachedReadTokens = u.InputOf.Cached
			d.usage.InputTokens = max(0, u.Input-u.InputOf.Cached)
		}
		if u.OutputOf != nil {
			d.usage.ThoughtTokens = u.OutputOf.Reasoning
		}
	}
	if r.Error != nil {
		return false, &endpoint.ProviderError{Type: r.Error.Code, Code: r.Error.Code, Message: r.Error.Message}
	}
	if r.Status == "failed" {
		return false, &endpoint.ProviderError{Type: "server_error"}
	}
	if r.Incomplete != nil {
		d.cut = r.Incomplete.Reason
	}
	if len(d.items) == 0 { // nothing streamed: the answer has it all
		for n, v := range r.Output {
			i := &item{index: n, id: v.ID, kind: v.Type, callID: v.CallID, name: v.Name}
			d.items = append(d.items, i)
			if err := d.close(i, &v); err != nil {
				return false, err
			}
		}
	}
	d.done = true
	return true, nil
}

// End implements [endpoint.Decoder]: without its last event no answer is whole.
func (d *responsesDecoder) End() bool { return d.done }

// Response implements [endpoint.Decoder]. Of what was cut it has the text that was
// shown, and neither thinking nor calls that were not whole.
func (d *responsesDecoder) Response() agent.Response {
	r := agent.Response{Message: agent.Message{Role: agent.RoleAssistant}, Usage: d.usage}
	add := func(b agent.Block) { r.Message.Blocks = append(r.Message.Blocks, b) }
	calls := false
	for _, i := range d.items {
		switch i.kind {
		case "message":
			if i.text.Len() > 0 {
				content := agent.Text(i.text.String())
				add(agent.Block{Kind: agent.BlockContent, Content: &content})
			}
		case "reasoning":
			if i.closed && (i.thinking.Len() > 0 || i.encrypted != "") {
				add(agent.Block{Kind: agent.BlockThinking, Thinking: i.thinking.String(), Encrypted: i.encrypted})
			}
		case "function_call":
			if !i.closed && !d.done {
				continue
			}
			name, args := i.name, i.text.String()
			if name == "" {
				name = unnamedTool
			}
			if strings.TrimSpace(args) == "" {
				args = "{}"
			}
			calls = true
			add(agent.Block{Kind: agent.BlockToolUse, ID: i.callID, Name: name, Input: json.RawMessage(args)})
		}
	}
	switch {
	case d.refused || d.cut == "content_filter":
		r.StopReason = agent.StopRefusal
	case d.cut != "":
		r.StopReason = agent.StopMaxTokens
	case calls:
		r.StopReason = agent.StopToolUse
	default:
		r.StopReason = agent.StopEndTurn
	}
	return r
}
