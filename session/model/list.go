package model

import (
	"context"
	"net/http"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/anthropic"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
	"github.com/codebot-ls/codebot-ls/session/model/openai"
)

// Ask asks a provider for the ids of its models: whether it is there and takes the key.
// The error is an [*agent.Error] that says what is wrong, or ctx's. name is the
// provider's, for messages.
func Ask(ctx context.Context, name string, p ProviderConfig) ([]string, error) {
	if why := p.problem(); !why.IsZero() {
		return nil, unusable(agent.ErrAuth, textUnusable, name, why)
	}
	c := endpoint.Client{Model: name, Header: http.Header{}}
	if client, err := endpoint.Trusting(p.CAFile); err == nil {
		c.HTTP = client
	}
	base := strings.TrimRight(p.BaseURL, "/")
	if p.Type == TypeAnthropic {
		if base == "" {
			base = anthropic.DefaultBaseURL
		}
		c.URL = strings.TrimSuffix(base, "/v1") + "/v1/models?limit=1000"
		c.Header.Set("Anthropic-Version", anthropic.APIVersion)
		if p.APIKey != "" {
			c.Header.Set("X-Api-Key", p.APIKey)
		}
	} else {
		if base == "" {
			base = openai.DefaultBaseURL
		}
		c.URL = strings.TrimSuffix(strings.TrimSuffix(base, "/chat/completions"), "/responses") + "/models"
		if p.APIKey != "" {
			c.Header.Set("Authorization", "Bearer "+p.APIKey)
		}
	}
	if p.APIKey != "" {
		c.Secrets = []string{p.APIKey}
	}
	return c.Models(ctx)
}

// Address is where a provider is.
func (p ProviderConfig) Address() string {
	switch {
	case p.BaseURL != "":
		return p.BaseURL
	case p.Type == TypeAnthropic:
		return anthropic.DefaultBaseURL
	}
	return openai.DefaultBaseURL
}
