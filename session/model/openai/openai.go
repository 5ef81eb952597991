// Package openai speaks the chat completions protocol
// (https://platform.openai.com/docs/api-reference/chat): OpenAI's own endpoint and
// the many that are compatible with it, more or less: Ollama, llama.cpp, vLLM,
// LM Studio, OpenRouter, DeepSeek. What one of them does not take is learned from
// its refusal.
package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// DefaultBaseURL is where a key goes that is configured without an address.
const DefaultBaseURL = "https://api.openai.com/v1"

// DefaultModel is offered to who has a key and names no model.
const DefaultModel = "gpt-5.6-terra"

// Config is one model of one provider.
type Config struct {
	// ID is "<provider>/<model>"; Model is what the endpoint calls it.
	ID, Model string
	// BaseURL is empty for the provider's own; "/chat/completions" is put behind it.
	BaseURL string
	// Key may be empty: endpoints on one's own machine want none.
	Key string
	// HTTP, FirstByte, Idle and Sleep are endpoint.Client's.
	HTTP            *http.Client
	FirstByte, Idle time.Duration
	Sleep           func(context.Context, time.Duration) error
}

// Model is one model behind a chat completions endpoint.
type Model struct {
	id, name string
	context  int
	own      bool // OpenAI's own address
	client   endpoint.Client

	tools    endpoint.Slice[agent.ToolSpec]
	system   endpoint.Slice[agent.SystemBlock]
	messages endpoint.Messages

	// What the endpoint wants otherwise than most do, learned from its refusals.
	noUsage      atomic.Bool // it does not know stream_options
	oldLimit     atomic.Bool // max_tokens instead of max_completion_tokens
	noEffort     atomic.Bool // tools only without reasoning (OpenAI's from gpt-5.4 on)
	echoThinking atomic.Bool // thinking has to come back (DeepSeek)
}

// New makes a model; it does nothing yet.
func New(c Config) *Model {
	base := c.base()
	m := &Model{id: c.ID, name: c.Model, context: contextOf(c.Model), own: isOwn(base), client: c.client("/chat/completions")}
	m.oldLimit.Store(!m.own)
	return m
}

// base is the base URL, the provider's own by default.
func (c Config) base() string {
	if c.BaseURL == "" {
		return DefaultBaseURL
	}
	return c.BaseURL
}

// client makes the client of the endpoint with this path behind the base URL, which may
// already end in it.
func (c Config) client(path string) endpoint.Client {
	client := endpoint.Client{
		Model: c.ID, URL: strings.TrimSuffix(strings.TrimRight(c.base(), "/"), path) + path,
		Header: http.Header{}, HTTP: c.HTTP, FirstByte: c.FirstByte, Idle: c.Idle, Sleep: c.Sleep,
	}
	if c.Key != "" {
		client.Header.Set("Authorization", "Bearer "+c.Key)
		client.Secrets = []string{c.Key}
	}
	return client
}

// refusal is the text of a refusal of the request itself, in lower case; ok is false for
// any other failure.
func refusal(f endpoint.Failure) (text string, ok bool) {
	if f.Status != http.StatusBadRequest && f.Status != http.StatusUnprocessableEntity {
		return "", false
	}
	return strings.ToLower(f.Text), true
}

// isOwn reports whether a base URL is OpenAI's own.
func isOwn(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Hostname() == "api.openai.com"
}

// contextOf is the size of the window of a model, 0 when its name does not tell.
func contextOf(name string) int {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	for _, known := range []struct {
		prefix string
		tokens int
	}{
		{"gpt-5.6", 1_050_000}, {"gpt-5-chat", 128_000}, {"gpt-5", 400_000},
		{"gpt-4.1", 1_047_576}, {"gpt-4o", 128_000}, {"o3", 200_000}, {"o4-mini", 200_000},
	} {
		if strings.HasPrefix(name, known.prefix) {
			return known.tokens
		}
	}
	return 0
}

// ID implements [agent.Model].
func (m *Model) ID() string { return m.id }

// ContextTokens implements [agent.Model].
func (m *Model) ContextTokens() int { return m.context }

// Stream implements [agent.Model].
func (m *Model) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	return m.client.Stream(ctx, endpoint.Exchange{
		Body:    func() []byte { return m.body(req) },
		Decoder: func(emit func(agent.Delta) error) endpoint.Decoder { return &decoder{emit: emit} },
		Adapt:   m.adapt,
		Lang:    lang.Of(req.Locale),
	}, emit)
}

// adapt drops or adds what this endpoint wants otherwise.
func (m *Model) adapt(f endpoint.Failure) bool {
	text, ok := refusal(f)
	if !ok {
		return false
	}
	switch {
	case strings.Contains(text, "stream_options") || strings.Contains(text, "include_usage"):
		return !m.noUsage.Swap(true)
	case strings.Contains(text, "reasoning_content"):
		// "must be passed back": earendil-works/pi#3636.
		if m.echoThinking.Swap(true) {
			return false
		}
		m.messages.Forget()
		return true
	case strings.Contains(text, "reasoning_effort"):
		// "Function tools with reasoning_effort are not supported ... or set
		// reasoning_effort to 'none'": openai/openai-openapi#541, also for requests
		// that name none.
		return !m.noEffort.Swap(true)
	case strings.Contains(text, "max_completion_tokens"):
		return m.oldLimit.CompareAndSwap(false, true) || m.oldLimit.CompareAndSwap(true, false)
	}
	return false
}
