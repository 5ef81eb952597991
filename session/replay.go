package session

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// ReplayOptions choose the part of a conversation to show again. The zero value
// is all of it.
type ReplayOptions struct {
	// Before is the index of the first message not shown; 0 means the end.
	Before int
	// Limit is how many messages are shown; 0 means all.
	Limit int
}

// Replay hands the conversation's messages out again as updates, in order, and
// returns the Before of the page that precedes this one, 0 when there is none.
// Tool calls come whole, with their final status; a call that has not ended yet
// is in progress.
func (s *Session) Replay(o ReplayOptions, emit func(Update)) (nextBefore int) {
	s.mu.Lock()
	history, running := s.transcript, s.turn != nil
	notes := make(map[string]callNote, len(s.notes))
	for id, n := range s.notes {
		notes[id] = n
	}
	children := map[string]*childLog{}
	for id, log := range s.children {
		children[id] = &childLog{messages: slices.Clip(log.messages), notes: maps.Clone(log.notes)}
	}
	s.mu.Unlock()

	end := len(history)
	if o.Before > 0 {
		end = min(o.Before, end)
	}
	start := 0
	if o.Limit > 0 {
		start = max(0, end-o.Limit)
	}
	results := resultsOf(history)
	for i, m := range history[start:end] {
		id := strconv.Itoa(start + i)
		for _, b := range m.Blocks {
			switch b.Kind {
			case agent.BlockContent:
				if m.Role == agent.RoleUser {
					emit(Update{Kind: UpdateUserMessage, MessageID: id, Content: *b.Content})
				} else if b.Content.Kind == agent.ContentText {
					emit(Update{Kind: UpdateAgentMessage, MessageID: id, Text: b.Content.Text})
				}
			case agent.BlockThinking:
				if b.Thinking != "" {
					emit(Update{Kind: UpdateAgentThought, MessageID: id, Text: b.Thinking})
				}
			case agent.BlockToolUse:
				emit(Update{Kind: UpdateToolCall, ToolCall: replayCall(b, notes, results, running)})
				replayChild(b.ID, children[b.ID], running, emit)
				if r, done := results[b.ID]; b.Name == todoName && done && !r.IsError {
					if plan, err := planOf(b.Input); err == nil {
						emit(Update{Kind: UpdatePlan, Plan: plan})
					}
				}
			}
		}
	}
	if o.Before == 0 {
		s.mu.Lock()
		damage := s.damage
		s.damage = ""
		s.mu.Unlock()
		if damage != "" {
			emit(Update{Kind: UpdateNotice, Text: damage})
		}
	}
	return start
}

// damageOf says what of a journal could not be read, empty when all of it could.
func damageOf(log Log, l lang.Lang) string {
	var parts []string
	if log.Torn {
		parts = append(parts, l.Text(zh, textTorn))
	}
	if log.Skipped > 0 {
		parts = append(parts, l.Sprintf(zh, textSkippedLines, log.Skipped))
	}
	return strings.Join(parts, "\n")
}

// resultsOf are the results of a conversation by the id of their call.
func resultsOf(history []agent.Message) map[string]agent.Block {
	results := map[string]agent.Block{}
	for _, m := range history {
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockToolResult {
				results[b.ID] = b
			}
		}
	}
	return results
}

func replayCall(b agent.Block, notes map[string]callNote, results map[string]agent.Block, running bool) ToolCall {
	n, ok := notes[b.ID]
	if !ok {
		n = callNote{ID: b.ID, Title: b.Name, Kind: ToolOther}
	}
	tc := n.toolCall(b.Name)
	tc.RawInput = b.Input
	r, ok := results[b.ID]
	switch {
	case !ok && running:
		tc.Status = ToolInProgress
	case !ok || r.IsError:
		tc.Status = ToolFailed
	default:
		tc.Status = ToolCompleted
	}
	tc.Content = r.Result
	return tc
}
