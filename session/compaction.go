package session

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// A compaction makes the conversation that the model gets smaller; what a person sees
// stays whole. It is kept in the journal as what it did, not as what came out, and
// apply is a pure function: a loaded session sends the same bytes.
type compaction struct {
	// Edits make single blocks smaller. They come first.
	Edits []edit `json:"edits,omitempty"`
	// Cut is the number of messages whose place Summary takes, 0 for none.
	Cut     int    `json:"cut,omitzero"`
	Summary string `json:"summary,omitzero"`
	// Before and After are what the request weighs, in tokens.
	Before int `json:"before"`
	After  int `json:"after"`
}

// edit replaces what one block says.
type edit struct {
	Message int `json:"message"`
	Block   int `json:"block"`
	// Text of a content or a result, or Input of a call.
	Text  string          `json:"text,omitzero"`
	Input json.RawMessage `json:"input,omitempty"`
}

// What the model reads of a compaction.
const (
	summaryHead    = "[The earlier part of this conversation was left out to save space. In its place stands this summary, which the assistant wrote:]\n\n"
	summaryTail    = "\n\n[End of the summary. The conversation goes on below.]"
	resultLeftOut1 = "[An old result of "
	resultLeftOut2 = " was left out to save space. Call the tool again if it is needed.]"
	textLeftOut    = "\n[... left out to save space ...]\n"
)

// The bounds of a trimmed text, in characters.
const (
	longText = 4000
	keepHead = 1200
	keepTail = 800
)

// apply returns history after the compaction; history itself is not changed, and
// messages that the compaction leaves alone stay the same slices.
func (c compaction) apply(history []agent.Message) []agent.Message {
	out := slices.Clone(history)
	copied := map[int]bool{}
	for _, e := range c.Edits {
		if e.Message < 0 || e.Message >= len(out) || e.Block < 0 || e.Block >= len(out[e.Message].Blocks) {
			continue // a journal that somebody changed
		}
		m := &out[e.Message]
		if !copied[e.Message] {
			m.Blocks = slices.Clone(m.Blocks)
			copied[e.Message] = true
		}
		m.Blocks[e.Block] = e.apply(m.Blocks[e.Block])
	}
	if c.Summary == "" || c.Cut <= 0 || c.Cut > len(out) {
		return out
	}
	first := agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{textBlock(summaryHead + c.Summary + summaryTail)}}
	tail := out[c.Cut:]
	switch {
	case len(tail) == 0:
	case tail[0].Role == agent.RoleUser:
		first.Blocks = append(first.Blocks, saidIn(tail[0])...)
		tail = tail[1:]
	default:
		// The cut is within a turn: what the user asked for stays in the user's words.
		for i := c.Cut - 1; i >= 0; i-- {
			if begins(out[i]) {
				first.Blocks = append(first.Blocks, saidIn(out[i])...)
				break
			}
		}
	}
	return slices.Concat([]agent.Message{first}, tail)
}

func (e edit) apply(b agent.Block) agent.Block {
	switch b.Kind {
	case agent.BlockContent:
		if b.Content != nil {
			c := *b.Content
			c.Text = e.Text
			b.Content = &c
		}
	case agent.BlockToolResult:
		b.Result = []agent.Content{agent.Text(e.Text)}
	case agent.BlockToolUse:
		if len(e.Input) > 0 {
			b.Input = e.Input
		}
	}
	return b
}

func textBlock(s string) agent.Block {
	c := agent.Text(s)
	return agent.Block{Kind: agent.BlockContent, Content: &c}
}

// begins reports whether a message begins a turn: the user says something and no tool
// answers.
func begins(m agent.Message) bool {
	return m.Role == agent.RoleUser && !slices.ContainsFunc(m.Blocks, func(b agent.Block) bool { return b.Kind == agent.BlockToolResult })
}

// saidIn is what the user said in a message, without an earlier summary.
func saidIn(m agent.Message) []agent.Block {
	var blocks []agent.Block
	for _, b := range m.Blocks {
		if b.Kind == agent.BlockContent && !isSummary(b) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func isSummary(b agent.Block) bool {
	return b.Content != nil && strings.HasPrefix(b.Content.Text, summaryHead)
}

// cutAt decides from which message on the history is kept verbatim: as much of its
// end as weighs at most limit, from the beginning of a turn where that is not too
// little to go on from, else from an answer of the model, the last one at the worst.
// 0: there is nothing to cut.
func cutAt(history []agent.Message, weights []int, limit int) int {
	turn, ofTurn, answer := 0, 0, 0
	kept := 0
	for i := len(history) - 1; i >= 1; i-- {
		kept += weights[i]
		if kept > limit && answer > 0 {
			break
		}
		if history[i].Role == agent.RoleAssistant {
			answer = i
		} else if kept <= limit && begins(history[i]) {
			turn, ofTurn = i, kept
		}
	}
	if len(history) == 0 || kept+weights[0] <= limit {
		return 0
	}
	if turn > 0 && (ofTurn >= limit/4 || answer == 0) {
		return turn
	}
	return answer
}

// lastTurn is where the last turn begins, 0 where there is only one.
func lastTurn(history []agent.Message) int {
	for i := len(history) - 1; i > 0; i-- {
		if begins(history[i]) {
			return i
		}
	}
	return 0
}

// leaveOutResults replaces old tool results until need tokens are saved: first those
// of MCP tools, which can be asked for again and are as a rule the longest, each
// kind from the oldest on.
func leaveOutResults(history []agent.Message, need int) (edits []edit, saved int) {
	names := map[string]string{}
	for _, m := range history {
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockToolUse {
				names[b.ID] = b.Name
			}
		}
	}
	for _, remote := range []bool{true, false} {
		for i, m := range history {
			for j, b := range m.Blocks {
				if saved >= need {
					return edits, saved
				}
				if b.Kind != agent.BlockToolResult || permission.IsMCPTool(names[b.ID]) != remote {
					continue
				}
				text := resultLeftOut1 + names[b.ID] + resultLeftOut2
				gain := -tokensOf(text)
				for _, c := range b.Result {
					gain += tokensOfContent(c)
				}
				if gain > 0 {
					edits = append(edits, edit{Message: i, Block: j, Text: text})
					saved += gain
				}
			}
		}
	}
	return edits, saved
}

// trimTexts keeps only the beginning and the end of long texts, from the oldest on,
// until need tokens are saved.
func trimTexts(history []agent.Message, need int) (edits []edit, saved int) {
	for i, m := range history {
		for j, b := range m.Blocks {
			if saved >= need {
				return edits, saved
			}
			e, ok := trimmed(b)
			if !ok {
				continue
			}
			e.Message, e.Block = i, j
			gain := tokensOfBlocks([]agent.Block{b}) - tokensOfBlocks([]agent.Block{e.apply(b)})
			if gain > 0 {
				edits = append(edits, e)
				saved += gain
			}
		}
	}
	return edits, saved
}

func trimmed(b agent.Block) (edit, bool) {
	switch b.Kind {
	case agent.BlockContent:
		if b.Content == nil || isSummary(b) {
			return edit{}, false
		}
		text, ok := headTail(b.Content.Text)
		return edit{Text: text}, ok
	case agent.BlockToolResult:
		var texts []string
		for _, c := range b.Result {
			if c.Kind == agent.ContentText || c.Kind == agent.ContentResource {
				texts = append(texts, c.Text)
			}
		}
		text, ok := headTail(strings.Join(texts, "\n"))
		return edit{Text: text}, ok
	case agent.BlockToolUse:
		var fields map[string]json.RawMessage
		if json.Unmarshal(b.Input, &fields) != nil {
			return edit{}, false
		}
		shortened := false
		for name, raw := range fields {
			var s string
			if json.Unmarshal(raw, &s) != nil {
				continue
			}
			if short, ok := headTail(s); ok {
				fields[name], _ = json.Marshal(short) // a string always encodes
				shortened = true
			}
		}
		if !shortened {
			return edit{}, false
		}
		input, err := json.Marshal(fields)
		return edit{Input: input}, err == nil
	}
	return edit{}, false
}

// headTail is the beginning and the end of a text that is long; it reports false for
// one that is not.
func headTail(s string) (string, bool) {
	if len(s) <= longText || utf8.RuneCountInString(s) <= longText {
		return s, false
	}
	return ends(s, keepHead, keepTail), true
}

// ends is the first head and the last tail characters of s, which has more.
func ends(s string, head, tail int) string {
	runes := []rune(s)
	return string(runes[:head]) + textLeftOut + string(runes[len(runes)-tail:])
}
