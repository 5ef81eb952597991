package openai

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
)

// The protocols an OpenAI provider speaks.
const (
	// APIChat is chat completions, which everything compatible knows.
	APIChat = "chat_completions"
	// APIResponses is the Responses API
	// (https://platform.openai.com/docs/api-reference/responses): OpenAI's newest models
	// think beside tools only there.
	APIResponses = "responses"
)

// DefaultAPI is the protocol for an address without a word about it: OpenAI's own has
// the Responses API, of all others only chat completions are certain.
func DefaultAPI(baseURL string) string {
	if baseURL == "" || isOwn(baseURL) && !strings.HasSuffix(strings.TrimRight(baseURL, "/"), "/chat/completions") {
		return APIResponses
	}
	return APIChat
}

// Responses is one model behind a Responses endpoint. Nothing is stored there: each
// request carries the whole conversation, with the thinking in its encrypted form.
type Responses struct {
	id, name string
	context  int
	own      bool // OpenAI's own address
	client   endpoint.Client

	tools    endpoint.Slice[agent.ToolSpec]
	system   endpoint.Slice[agent.SystemBlock]
	messages endpoint.Messages

	// What the endpoint has refused once is not tried again.
	noSummary  atomic.Bool // of the thinking
	noThinking atomic.Bool // it does not think, so there is nothing to bring back
	plainImage atomic.Bool // images of results only in a user's message
}

// NewResponses makes a model; it does nothing yet. "/responses" is put behind the base
// URL.
func NewResponses(c Config) *Responses {
	return &Responses{id: c.ID, name: c.Model, context: contextOf(c.Model), own: isOwn(c.base()), client: c.client("/responses")}
}

// ID implements [agent.Model].
func (m *Responses) ID() string { return m.id }

// ContextTokens implements [agent.Model].
func (m *Responses) ContextTokens() int { return m.context }

// Stream implements [agent.Model].
func (m *Responses) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	return m.client.Stream(ctx, endpoint.Exchange{
		Body:    func() []byte { return m.body(req) },
		Decoder: func(emit func(agent.Delta) error) endpoint.Decoder { return &responsesDecoder{emit: emit} },
		Adapt:   m.adapt,
		Lang:    lang.Of(req.Locale),
	}, emit)
}

// adapt drops what this endpoint or this model does not know.
func (m *Responses) adapt(f endpoint.Failure) bool {
	text, ok := refusal(f)
	if !ok {
		return false
	}
	switch {
	case strings.Contains(text, "summar"): // also "must be verified to generate reasoning summaries"
		return !m.noSummary.Swap(true)
	case strings.Contains(text, "encrypted") || strings.Contains(text, "reasoning"):
		// A model that does not think, or the thinking of another account or model.
		if m.noThinking.Swap(true) {
			return false
		}
		m.messages.Forget()
		return true
	case strings.Contains(text, "output") && (strings.Contains(text, "string") || strings.Contains(text, "array")):
		if m.plainImage.Swap(true) {
			return false
		}
		m.messages.Forget()
		return true
	}
	return false
}
