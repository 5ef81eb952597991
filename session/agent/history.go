package agent

import (
	"fmt"
	"slices"
	"strings"
)

// textInterrupted is the result of a call that no result is known of, such as
// after a crash.
const textInterrupted = "interrupted: no result was recorded, so what the call did is not known"

// Append returns history with m at its end, as providers with block lists want it:
// messages of one role in a row become one, and tool results stand in the order
// of their calls. history itself is not changed.
func Append(history []Message, m Message) []Message {
	n := len(history)
	if n == 0 || history[n-1].Role != m.Role {
		return append(slices.Clip(history), m)
	}
	out := slices.Clone(history)
	last := &out[n-1]
	last.Blocks = slices.Concat(last.Blocks, m.Blocks)
	if m.Role == RoleUser && n > 1 {
		last.Blocks = resultsFirst(history[n-2], last.Blocks)
	}
	return out
}

// resultsFirst puts tool results before all else, in the order of the calls they
// answer.
func resultsFirst(calls Message, blocks []Block) []Block {
	order := map[string]int{}
	for i, b := range calls.Blocks {
		if b.Kind == BlockToolUse {
			order[b.ID] = i
		}
	}
	rank := func(b Block) int {
		if b.Kind != BlockToolResult {
			return len(calls.Blocks) + 1
		}
		if i, ok := order[b.ID]; ok {
			return i
		}
		return len(calls.Blocks)
	}
	slices.SortStableFunc(blocks, func(a, b Block) int { return rank(a) - rank(b) })
	return blocks
}

// Repair makes any list of messages, such as a journal that a crash cut, one that
// a provider takes: roles alternate and begin with the user, every tool_use has
// exactly one tool_result right after it, in order, ids are unique, inputs are
// JSON objects, nothing is empty. What was valid stays as it is; Repair of its own
// result changes nothing.
func Repair(history []Message) []Message {
	var out []Message
	add := func(role Role, blocks []Block) { // Append, but all of out is ours to change
		n := len(out)
		if n == 0 || out[n-1].Role != role {
			out = append(out, Message{Role: role, Blocks: blocks})
			return
		}
		last := &out[n-1]
		last.Blocks = append(last.Blocks, blocks...)
		if role == RoleUser && n > 1 {
			last.Blocks = resultsFirst(out[n-2], last.Blocks)
		}
	}
	ids := map[string]bool{}
	var open []Block          // the calls of the last assistant message
	var renamed []renamedCall // how their results name them
	answered := map[string]bool{}

	closeOpen := func() {
		var missing []Block
		for _, b := range open {
			if !answered[b.ID] {
				missing = append(missing, Block{Kind: BlockToolResult, ID: b.ID, Result: []Content{Text(textInterrupted)}, IsError: true})
			}
		}
		if len(missing) > 0 {
			add(RoleUser, missing)
		}
		open, renamed = nil, nil
		clear(answered)
	}

	for _, m := range history {
		switch m.Role {
		case RoleAssistant:
			m, ok := cleanMessage(m)
			if !ok || len(out) == 0 {
				continue
			}
			closeOpen()
			blocks := slices.Clone(m.Blocks)
			for i := range blocks {
				if b := &blocks[i]; b.Kind == BlockToolUse {
					was := b.ID
					b.ID = uniqueID(ids, was)
					b.Input = storedInput(b.Input)
					renamed = append(renamed, renamedCall{was, b.ID})
					open = append(open, *b)
				}
			}
			add(RoleAssistant, blocks)
		case RoleUser:
			m, ok := cleanMessage(m)
			if !ok {
				continue
			}
			var results, rest []Block
			for _, b := range m.Blocks {
				if b.Kind != BlockToolResult {
					rest = append(rest, b)
					continue
				}
				i := slices.IndexFunc(renamed, func(r renamedCall) bool { return r.was == b.ID && !answered[r.is] })
				if i < 0 {
					continue // the answer to no call
				}
				b.ID = renamed[i].is
				answered[b.ID] = true
				results = append(results, b)
			}
			if len(results) > 0 {
				add(RoleUser, results)
			}
			if len(rest) > 0 {
				closeOpen()
				add(RoleUser, rest)
			}
		}
	}
	closeOpen()
	return out
}

type renamedCall struct{ was, is string }

// cleanMessage drops what providers refuse: empty texts, a user's stray tool_use,
// an assistant's stray tool_result, thinking that nothing follows. It reports
// false when nothing is left.
func cleanMessage(m Message) (Message, bool) {
	var blocks []Block
	for _, b := range m.Blocks {
		switch b.Kind {
		case BlockContent:
			if b.Content == nil || b.Content.Kind == ContentText && strings.TrimSpace(b.Content.Text) == "" {
				continue
			}
		case BlockThinking:
			if m.Role != RoleAssistant || b.Thinking == "" && b.Redacted == "" && b.Signature == "" && b.Encrypted == "" {
				continue
			}
		case BlockToolUse:
			if m.Role != RoleAssistant {
				continue
			}
		case BlockToolResult:
			if m.Role != RoleUser {
				continue
			}
			if len(b.Result) == 0 {
				b.Result = []Content{Text(textNoOutput)}
			}
		default:
			continue
		}
		blocks = append(blocks, b)
	}
	for n := len(blocks); n > 0 && blocks[n-1].Kind == BlockThinking; n-- {
		blocks = blocks[:n-1]
	}
	m.Blocks = blocks
	return m, len(blocks) > 0
}

func hasText(m Message) bool {
	return slices.ContainsFunc(m.Blocks, func(b Block) bool {
		return b.Kind == BlockContent && b.Content != nil && b.Content.Kind == ContentText && b.Content.Text != ""
	})
}

func textBlock(s string) Block {
	c := Text(s)
	return Block{Kind: BlockContent, Content: &c}
}

// uniqueID reserves id in taken, with a number at its end where it is taken.
func uniqueID(taken map[string]bool, id string) string {
	if id == "" {
		id = "call"
	}
	free := id
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", id, n)
	}
	taken[free] = true
	return free
}
