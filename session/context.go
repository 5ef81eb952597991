package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model"
)

// The parts of a request that can break a provider's cache, beside the keys of the
// system prompt's blocks.
const (
	BreakModel    = "model"
	BreakTools    = "tools"
	BreakMessages = "messages"
)

// ContextBlock is a block of the system prompt.
type ContextBlock struct {
	Key, Hash string
	Tokens    int
}

// ContextInfo is what a model request is made of. Tokens are guesses, corrected by
// what the provider counted of earlier requests.
type ContextInfo struct {
	Blocks                  []ContextBlock
	Tools, ToolTokens       int
	ToolHash                string
	Messages, MessageTokens int
	// Window of the model in tokens, 0 when unknown.
	Window int
	// Break is the first part, in the order of caching, that is not as the last
	// request had it; empty when all is, or nothing was sent yet.
	Break string
}

// sentRequest is what the last request was made of. Its slices are never changed.
type sentRequest struct {
	model   string
	prompt  agent.Prompt
	history []agent.Message
}

// Context tells what the next request is made of, as things stand.
func (s *Session) Context(ctx context.Context) ContextInfo {
	p := s.refreshed(ctx)
	s.mu.Lock()
	history, sent := s.history, s.sent
	s.mu.Unlock()
	w := s.meter.weigh(p, history)
	info := ContextInfo{
		Blocks: []ContextBlock{},
		Tools:  len(p.Tools), ToolTokens: s.meter.real(tokensOfTools(p.Tools)), ToolHash: hashOfTools(p.Tools),
		Messages: len(history), MessageTokens: s.meter.real(sum(w.messages)),
		Window: s.meter.window(p.Model), Break: sent.brokenBy(p, history),
	}
	for _, b := range p.System {
		info.Blocks = append(info.Blocks, ContextBlock{Key: b.Key, Hash: hashOf(b.Text), Tokens: s.meter.real(tokensOf(b.Text))})
	}
	return info
}

// send notes what is sent now.
func (s *Session) send(p agent.Prompt, history []agent.Message, guess int) {
	s.meter.send(guess)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = &sentRequest{model: p.Model.ID(), prompt: p, history: history}
}

// brokenBy is the first part of a request that does not go on from the last one.
func (r *sentRequest) brokenBy(p agent.Prompt, history []agent.Message) string {
	switch {
	case r == nil:
		return ""
	case r.model != p.Model.ID():
		return BreakModel
	case !slices.EqualFunc(cachedTools(r.prompt), cachedTools(p), sameSpec):
		return BreakTools
	}
	for _, key := range []string{keyIdentity, keyInstructions, keyDynamic} {
		if blockOf(r.prompt.System, key) != blockOf(p.System, key) {
			return key
		}
	}
	if !goesOn(r.history, history) {
		return BreakMessages
	}
	return ""
}

// cachedTools are the tools that stand before the conversation.
func cachedTools(p agent.Prompt) []agent.ToolSpec {
	if d, ok := p.Model.(model.Deferring); ok && d.DefersFound() {
		if n := slices.IndexFunc(p.Tools, func(t agent.ToolSpec) bool { return t.Found }); n >= 0 {
			return p.Tools[:n]
		}
	}
	return p.Tools
}

func blockOf(system []agent.SystemBlock, key string) string {
	for _, b := range system {
		if b.Key == key {
			return b.Text
		}
	}
	return ""
}

// goesOn reports whether now begins with what before has; the last message may have
// grown.
func goesOn(before, now []agent.Message) bool {
	if len(now) < len(before) {
		return false
	}
	for i, m := range before {
		blocks := now[i].Blocks
		if i == len(before)-1 && len(blocks) > len(m.Blocks) {
			blocks = blocks[:len(m.Blocks)]
		}
		if m.Role != now[i].Role || len(blocks) != len(m.Blocks) {
			return false
		}
		if len(blocks) > 0 && &blocks[0] == &m.Blocks[0] {
			continue
		}
		if !reflect.DeepEqual(blocks, m.Blocks) {
			return false
		}
	}
	return true
}

// hashOf is short: it tells changes apart, nobody builds trust on it.
func hashOf(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func hashOfTools(tools []agent.ToolSpec) string {
	texts := make([]string, 0, 3*len(tools))
	for _, t := range tools {
		texts = append(texts, t.Name, t.Description, string(t.Schema))
	}
	return hashOf(texts...)
}
