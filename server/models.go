package server

import (
	"context"
	"errors"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model"
)

// providers are the user's providers, their variables put in. One whose variables
// cannot be resolved comes without a key and says so when it is used.
func (s *Server) providers() map[string]model.ProviderConfig {
	settings, _ := s.servers.settingsAt("")
	out := make(map[string]model.ProviderConfig, len(settings.Providers))
	for name, p := range settings.Providers {
		c := model.ProviderConfig{Type: p.Type, BaseURL: p.BaseURL, Models: p.Models}
		var err error
		if c.APIKey, err = s.env.expand(p.APIKey, s.userHome); err != nil {
			s.log.Warn("the key of a provider", "provider", name, "error", err)
		}
		if c.BaseURL, err = s.env.expand(p.BaseURL, s.userHome); err != nil {
			s.log.Warn("the base URL of a provider", "provider", name, "error", err)
		}
		out[name] = c
	}
	return out
}

// resolveModel returns the model of an id, which may be empty. One that cannot be
// used is refused as unknownModel, with the way out.
func (s *Server) resolveModel(id string) (agent.Model, error) {
	m, err := model.Resolve(id, s.providers())
	var failure *agent.Error
	if errors.As(err, &failure) {
		return nil, refuse(wire.KindUnknownModel, id, failure.Message, "codebot/models lists the models and why one cannot be used.")
	}
	return m, err
}

func (s *Server) models(context.Context, wire.Empty) (wire.ModelsResult, error) {
	result := wire.ModelsResult{Current: model.OfflineID, Models: []wire.Model{}}
	if id := s.firstSettings().Model; id != "" {
		result.Current = id
	}
	for _, spec := range model.List(s.providers()) {
		result.Models = append(result.Models, wire.Model{
			ID: spec.ID, Provider: spec.Provider, Name: spec.Name, ContextTokens: spec.ContextTokens,
			Available: spec.Available, Reason: spec.Reason,
		})
	}
	return result, nil
}

// modelOption is the session's model as ACP's selector.
func (s *Server) modelOption(current string) wire.SessionConfigOption {
	option := wire.SessionConfigOption{ID: "model", Name: "Model", Category: "model", Type: "select", CurrentValue: current}
	for _, spec := range model.List(s.providers()) {
		if spec.Available {
			option.Options = append(option.Options, wire.SessionConfigSelectOption{Value: spec.ID, Name: mcp.CleanLine(spec.Name)})
		}
	}
	return option
}
