// Package anthropic speaks Anthropic's Messages API
// (https://docs.anthropic.com/en/api/messages): streaming, thinking, tools and the
// prompt cache's marks.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// DefaultBaseURL is where a key goes that is configured without an address.
const DefaultBaseURL = "https://api.anthropic.com"

// DefaultModel is offered to who has a key and names no model.
const DefaultModel = "claude-sonnet-5-5"

// APIVersion is the version of the API whose shapes these are.
const APIVersion = "2023-06-01"

// Config is one model of one provider.
type Config struct {
	// ID is "<provider>/<model>"; Model is what the endpoint calls it.
	ID, Model string
	// BaseURL is empty for the provider's own. With or without "/v1" at its end.
	BaseURL string
	// Key may be empty, for a proxy that has its own.
	Key string
	// MaxTokens is the most that an answer may have; 0 when the name tells.
	MaxTokens int
	// References says that the address takes tools that are loaded where a result of a
	// search names them. Anthropic's own does, for the models that can.
	References bool
	// HTTP, FirstByte, Idle and Sleep are endpoint.Client's.
	HTTP            *http.Client
	FirstByte, Idle time.Duration
	Sleep           func(context.Context, time.Duration) error
}

// Model is one Claude, or what speaks its protocol.
type Model struct {
	id, name string
	traits   traits
	client   endpoint.Client

	tools    endpoint.Slice[agent.ToolSpec]
	system   endpoint.Slice[agent.SystemBlock]
	messages endpoint.Messages

	// What the endpoint has refused once is not tried again.
	noThinking    atomic.Bool // the parameter
	noOldThinking atomic.Bool // blocks of earlier answers
	noReferences  atomic.Bool // tools that are loaded where a result names them
	maxTokens     atomic.Int64
}

// isOwn reports whether a base URL is Anthropic's own.
func isOwn(base string) bool {
	u, err := url.Parse(base)
	return base == "" || err == nil && u.Hostname() == "api.anthropic.com"
}

// New makes a model; it does nothing yet.
func New(c Config) *Model {
	base := c.BaseURL
	if base == "" {
		base = DefaultBaseURL
	}
	m := &Model{id: c.ID, name: c.Model, traits: traitsOf(c.Model)}
	m.client = endpoint.Client{
		Model: c.ID, URL: strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1") + "/v1/messages",
		Header: http.Header{"Anthropic-Version": {APIVersion}},
		HTTP:   c.HTTP, FirstByte: c.FirstByte, Idle: c.Idle, Sleep: c.Sleep,
	}
	if c.Key != "" {
		m.client.Header.Set("X-Api-Key", c.Key)
		m.client.Secrets = []string{c.Key}
	}
	m.maxTokens.Store(int64(m.traits.maxTokens))
	if c.MaxTokens > 0 {
		m.maxTokens.Store(int64(c.MaxTokens))
	}
	m.noThinking.Store(!m.traits.adaptive)
	m.noReferences.Store(!c.References && (!isOwn(c.BaseURL) || !m.traits.references))
	return m
}

// ID implements [agent.Model].
func (m *Model) ID() string { return m.id }

// ContextTokens implements [agent.Model].
func (m *Model) ContextTokens() int { return m.traits.context }

// DefersFound reports whether tools that a search has found leave what is cached of
// earlier requests as it is.
func (m *Model) DefersFound() bool { return !m.noReferences.Load() }

// Stream implements [agent.Model].
func (m *Model) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	return m.client.Stream(ctx, endpoint.Exchange{
		Body:    func() []byte { return m.body(req) },
		Decoder: func(emit func(agent.Delta) error) endpoint.Decoder { return &decoder{emit: emit} },
		Adapt:   m.adapt,
		Lang:    lang.Of(req.Locale),
	}, emit)
}

// adapt drops what this endpoint or this model does not know.
func (m *Model) adapt(f endpoint.Failure) bool {
	if f.Status != http.StatusBadRequest {
		return false
	}
	text := strings.ToLower(f.Text)
	if strings.Contains(text, "max_tokens") {
		if n := smallerLimit(text, int(m.maxTokens.Load())); n > 0 {
			m.maxTokens.Store(int64(n))
			return true
		}
	}
	// Not the complaints of thinking blocks in the history.
	if (strings.Contains(text, "adaptive") || strings.HasPrefix(text, "thinking") ||
		strings.Contains(text, "not support thinking") || strings.Contains(text, "thinking is not supported")) && !m.noThinking.Load() {
		m.noThinking.Store(true)
		return true
	}
	if (strings.Contains(text, "defer_loading") || strings.Contains(text, "tool_reference") || strings.Contains(text, "tool reference")) && !m.noReferences.Swap(true) {
		m.messages.Forget()
		return true
	}
	// A signature is good only where it was made; a conversation may have moved.
	if strings.Contains(text, "signature") && !m.noOldThinking.Swap(true) {
		m.messages.Forget()
		return true
	}
	return false
}

// smallerLimit finds the largest number below n in a refusal such as
// "max_tokens: 32000 > 8192, which is the maximum allowed".
func smallerLimit(text string, n int) int {
	best := 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if v, err := strconv.Atoi(word); err == nil && v >= 256 && v < n {
			best = max(best, v)
		}
	}
	return best
}
