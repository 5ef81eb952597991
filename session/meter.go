package session

import (
	"sync"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Guesses at what a model reads, in tokens.
const (
	bytesPerToken = 4    // of ASCII; any other character counts as one token
	tokensOfBlock = 4    // what stands around a block
	tokensOfImage = 1600 // of one as large as providers take without shrinking it
)

// tokensOf guesses how many tokens a text is. No two models agree; it is meant to be
// rather too high than too low for code, and to see that a Chinese text is no
// quarter of its bytes.
func tokensOf[T ~string | ~[]byte](s T) int {
	ascii, other := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] < utf8.RuneSelf:
			ascii++
		case utf8.RuneStart(s[i]):
			other++
		}
	}
	return (ascii+bytesPerToken-1)/bytesPerToken + other
}

func tokensOfContent(c agent.Content) int {
	switch c.Kind {
	case agent.ContentDiff:
		return 0 // for people
	case agent.ContentImage:
		return tokensOfImage
	}
	return tokensOf(c.Text) + tokensOf(c.URI) + tokensOf(c.Name)
}

func tokensOfBlocks(blocks []agent.Block) int {
	n := 0
	for _, b := range blocks {
		n += tokensOfBlock + tokensOf(b.Thinking) + tokensOf(b.Redacted) + tokensOf(b.Signature) + tokensOf(b.Encrypted) + tokensOf(b.Name) + tokensOf(b.Input)
		if b.Content != nil {
			n += tokensOfContent(*b.Content)
		}
		for _, c := range b.Result {
			n += tokensOfContent(c)
		}
	}
	return n
}

func tokensOfSystem(blocks []agent.SystemBlock) int {
	n := 0
	for _, b := range blocks {
		n += tokensOf(b.Text)
	}
	return n
}

func tokensOfTools(tools []agent.ToolSpec) int {
	n := 0
	for _, t := range tools {
		n += tokensOfBlock + tokensOf(t.Name) + tokensOf(t.Description) + tokensOf(t.Schema)
	}
	return n
}

// meter weighs requests. It remembers what messages and tools weigh, which are never
// changed once they are in a request, and learns from what the provider counted. The
// zero value is ready; it is safe for concurrent use.
type meter struct {
	mu       sync.Mutex // guards all below
	messages map[messageKey]int
	tools    struct {
		first  *agent.ToolSpec
		n      int
		tokens int
	}
	// sent is the guess of the last request, factor how far the provider's count was
	// from the guess: 0 before the first count.
	sent   int
	factor float64
	// refused are, by model, the sizes at which a request was too long.
	refused map[string]int
}

type messageKey struct {
	first *agent.Block
	n     int
}

// weight is what a request weighs, by guess.
type weight struct {
	fixed    int   // system prompt and tools
	messages []int // each message
}

func (w weight) total() int { return w.fixed + sum(w.messages) }

func sum(ns []int) int {
	total := 0
	for _, n := range ns {
		total += n
	}
	return total
}

func (m *meter) weigh(p agent.Prompt, history []agent.Message) weight {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.messages) > 2*len(history)+64 {
		clear(m.messages) // most are of before a compaction
	}
	if m.messages == nil {
		m.messages = map[messageKey]int{}
	}
	w := weight{fixed: tokensOfSystem(p.System) + m.ofTools(p.Tools), messages: make([]int, len(history))}
	for i, msg := range history {
		if len(msg.Blocks) == 0 {
			continue
		}
		key := messageKey{&msg.Blocks[0], len(msg.Blocks)}
		n, ok := m.messages[key]
		if !ok {
			n = tokensOfBlocks(msg.Blocks)
			m.messages[key] = n
		}
		w.messages[i] = n
	}
	return w
}

// ofTools is tokensOfTools for tools that may have been seen before. mu is held.
func (m *meter) ofTools(tools []agent.ToolSpec) int {
	if len(tools) == 0 {
		return 0
	}
	if t := &m.tools; t.first != &tools[0] || t.n != len(tools) {
		t.first, t.n, t.tokens = &tools[0], len(tools), tokensOfTools(tools)
	}
	return m.tools.tokens
}

// send notes the guess of the request that is sent now.
func (m *meter) send(guess int) {
	m.mu.Lock()
	m.sent = guess
	m.mu.Unlock()
}

// counted notes what the provider counted of the request sent last.
func (m *meter) counted(u agent.Usage) {
	n := u.InputTokens + u.CachedReadTokens + u.CachedWriteTokens
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > 0 && m.sent > 0 {
		// An endpoint that leaves the cached part out must not make us blind.
		m.factor = min(max(float64(n)/float64(m.sent), 0.5), 3)
	}
}

// real turns a guess into tokens as the provider counts them, guess the other way.
func (m *meter) real(guess int) int { return int(float64(guess) * m.scale()) }

func (m *meter) guess(real int) int { return int(float64(real) / m.scale()) }

func (m *meter) scale() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.factor == 0 {
		return 1
	}
	return m.factor
}

// window is the size of a model's window: what it says itself, or what a refusal has
// taught when that is less; 0 when unknown.
func (m *meter) window(model agent.Model) int {
	n := model.ContextTokens()
	m.mu.Lock()
	defer m.mu.Unlock()
	if learned := m.refused[model.ID()]; learned > 0 && (n == 0 || learned < n) {
		return learned
	}
	return n
}

// tooLong notes that the model refused a request of so many tokens.
func (m *meter) tooLong(model agent.Model, tokens int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refused == nil {
		m.refused = map[string]int{}
	}
	m.refused[model.ID()] = tokens
}
