package model

import (
	"context"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/anthropic"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
	"github.com/codebot-ls/codebot-ls/session/model/openai"
)

// build makes the client of a model. A file of certificates that cannot be read has been
// told of before.
func build(id, name string, p ProviderConfig) *informed {
	info := p.info(id, name)
	client, err := endpoint.Trusting(p.CAFile)
	if err != nil {
		client = nil
	}
	if p.Type == TypeAnthropic {
		return &informed{anthropic.New(anthropic.Config{ID: id, Model: name, BaseURL: p.BaseURL, Key: p.APIKey, MaxTokens: info.MaxTokens, References: p.References, HTTP: client}), info}
	}
	c := openai.Config{ID: id, Model: name, BaseURL: p.BaseURL, Key: p.APIKey, HTTP: client}
	api := p.API
	if api == "" {
		api = openai.DefaultAPI(p.BaseURL)
	}
	if api == openai.APIResponses {
		return &informed{openai.NewResponses(c), info}
	}
	return &informed{openai.New(c), info}
}

// informed is a model with what is known of it.
type informed struct {
	agent.Model
	info Info
}

// ContextTokens implements [agent.Model].
func (m *informed) ContextTokens() int {
	if m.info.ContextTokens > 0 {
		return m.info.ContextTokens
	}
	return m.Model.ContextTokens()
}

// DefersFound implements [Deferring].
func (m *informed) DefersFound() bool {
	d, ok := m.Model.(Deferring)
	return ok && d.DefersFound()
}

// Price implements [Priced].
func (m *informed) Price() (Price, bool) { return m.info.Price, m.info.Price.Known() }

// Stream implements [agent.Model].
func (m *informed) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	if n := m.info.MaxTokens; n > 0 && (req.MaxTokens == 0 || req.MaxTokens > n) {
		limited := *req
		limited.MaxTokens = n
		req = &limited
	}
	return m.Model.Stream(ctx, req, emit)
}
