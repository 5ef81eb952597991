package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// localVariable turns the search for models on this machine off ("off"), or gives
// the base URLs to look at instead of the usual ones, with commas between them.
const localVariable = "CODEBOT_LOCAL_MODELS"

// localModels remembers what listens on this machine; that is the same for every
// connection of the process.
var localModels model.Prober

// wellKnownModels are where models on this machine are looked for.
var wellKnownModels = model.WellKnown()

// providers are the user's providers, their variables put in, and those that the
// environment and this machine bring along. One whose variables cannot be resolved
// comes without a key and says why.
func (s *Server) providers() map[string]model.ProviderConfig {
	all, _ := s.resolveProviders()
	return all
}

// resolveProviders is providers with where the key of each comes from.
func (s *Server) resolveProviders() (map[string]model.ProviderConfig, map[string]wire.KeySource) {
	settings, _ := s.servers.settingsAt("")
	from := map[string]wire.KeySource{}
	out := make(map[string]model.ProviderConfig, len(settings.Providers))
	for name, p := range settings.Providers {
		c := model.ProviderConfig{Type: p.Type, API: p.API, References: p.ToolReferences, Models: p.Models}
		var keyErr, urlErr, caErr error
		c.APIKey, from[name], keyErr = s.keyOf(name, p)
		c.BaseURL, urlErr = s.env.expand(p.BaseURL, s.userHome)
		if urlErr == nil && c.BaseURL == "" && p.BaseURL != "" || c.BaseURL != "" && !isHTTP(c.BaseURL) {
			// Never the provider's own address instead: the key is not for it.
			urlErr = lang.Errorf(zh, textNoAddress)
		}
		c.CAFile, caErr = s.env.expand(p.CAFile, s.userHome)
		if c.CAFile != "" && !filepath.IsAbs(c.CAFile) {
			c.CAFile = filepath.Join(s.userHome, c.CAFile)
		}
		if keyErr != nil || urlErr != nil || caErr != nil {
			c.APIKey, c.Problem = "", s.problemText(keyErr, urlErr, caErr)
		}
		out[name] = c
	}
	configured := out
	out = model.Implied(out, s.env.lookup)
	for name, c := range out {
		_, inSettings := configured[name]
		switch {
		case inSettings && c.APIKey != configured[name].APIKey:
			from[name] = wire.KeyEnvironment
		case inSettings:
		default:
			from[name] = wire.KeyNone
			if c.APIKey != "" {
				from[name] = wire.KeyEnvironment
			}
			// What a person entered goes before what happens to be in the environment.
			if key, source, err := s.keptKey(name); err == nil {
				c.APIKey, c.Origin, from[name] = key, model.FromEnvironment, source
				out[name] = c
			}
		}
	}
	for _, l := range s.wellKnown() {
		if _, taken := out[l.Name]; !taken {
			out[l.Name], from[l.Name] = l.Provider(), wire.KeyNone
		}
	}
	if len(settings.ModelInfo) > 0 {
		table := tableOf(settings.ModelInfo)
		for name, c := range out {
			c.Table = table
			out[name] = c
		}
	}
	return out, from
}

// tableOf is what the user's settings say of models.
func tableOf(infos map[string]workspace.ModelInfo) model.Table {
	table := make(model.Table, len(infos))
	for name, i := range infos {
		table[name] = model.Info{
			ContextTokens: i.ContextTokens, MaxTokens: i.MaxTokens,
			Price: model.Price{Input: i.PriceInput, Output: i.PriceOutput, CachedRead: i.PriceCachedRead, CachedWrite: i.PriceCachedWrite},
		}
	}
	return table
}

// fallback is the model of the user's "fallback_model", nil when there is none, or it is
// the one that is overloaded.
func (s *Server) fallback(overloaded agent.Model) agent.Model {
	settings, _ := s.servers.settingsAt("")
	if settings.FallbackModel == "" || settings.FallbackModel == overloaded.ID() {
		return nil
	}
	m, err := s.resolveModel(settings.FallbackModel)
	if err != nil {
		s.log.Warn("the fallback model cannot be used", "model", settings.FallbackModel, "error", err)
		return nil
	}
	return m
}

// holdsModelKey reports whether the user's settings take a provider's key from this
// variable: what the agent runs must not see it, whatever its name.
func (s *Server) holdsModelKey(name string) bool {
	settings, _ := s.servers.settingsAt("")
	for _, p := range settings.Providers {
		if slices.Contains(mcp.Variables(mcp.ServerConfig{Env: map[string]string{"key": p.APIKey}}), name) {
			return true
		}
	}
	return false
}

func isHTTP(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

func (s *Server) problemText(keyErr, urlErr, caErr error) string {
	var parts []string
	if keyErr != nil {
		parts = append(parts, s.say(textOfField, "api_key", keyErr))
	}
	if urlErr != nil {
		parts = append(parts, s.say(textOfField, "base_url", urlErr))
	}
	if caErr != nil {
		parts = append(parts, s.say(textOfField, "ca_file", caErr))
	}
	return strings.Join(parts, s.say(textAnd))
}

// wellKnown are the endpoints to look for on this machine.
func (s *Server) wellKnown() []model.Local {
	switch value := s.env.get(localVariable); value {
	case "":
		return wellKnownModels
	case "off":
		return nil
	default:
		var all []model.Local
		for i, address := range strings.Split(value, ",") {
			name := "local"
			if i > 0 {
				name = fmt.Sprintf("local%d", i+1)
			}
			all = append(all, model.Local{Name: name, BaseURL: strings.TrimSpace(address)})
		}
		return all
	}
}

// targets are the endpoints whose models have to be asked for: those on this
// machine, of the settings and well-known.
func (s *Server) targets(providers map[string]model.ProviderConfig) []model.Target {
	var targets []model.Target
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		p := providers[name]
		if p.Type == model.TypeOpenAI && p.BaseURL != "" && p.Problem == "" && p.Origin == model.FromSettings {
			targets = append(targets, model.Target{BaseURL: p.BaseURL, Key: p.APIKey})
		}
	}
	for _, l := range s.wellKnown() {
		if providers[l.Name].Origin == model.FromMachine {
			targets = append(targets, l.Target())
		}
	}
	return targets
}

// visible drops the well-known endpoints that are not there: who has none does not
// want to read of three.
func visible(providers map[string]model.ProviderConfig, found map[string]model.Found) map[string]model.ProviderConfig {
	out := maps.Clone(providers)
	maps.DeleteFunc(out, func(_ string, p model.ProviderConfig) bool {
		f, ok := found[p.BaseURL]
		return p.Origin == model.FromMachine && (!ok || !f.Problem.IsZero())
	})
	return out
}

// defaultModel is the model of who chose none. Endpoints on this machine are asked
// only when nothing that is configured will do.
func (s *Server) defaultModel(ctx context.Context) string {
	providers := s.providers()
	targets := s.targets(providers)
	known := localModels.Known(targets)
	// Without FromMachine: a probe's old answer must not decide before a fresh one.
	configured := maps.Clone(providers)
	maps.DeleteFunc(configured, func(_ string, p model.ProviderConfig) bool { return p.Origin == model.FromMachine })
	if id := model.Default(configured, known); id != model.OfflineID {
		return id
	}
	found := localModels.Probe(ctx, targets)
	return model.Default(visible(providers, found), found)
}

// resolveModel returns the model of an id, which may be empty. One that names
// nothing is refused as unknownModel, with the way out. One whose provider cannot
// be used now comes all the same and says so when it is asked: settings change.
func (s *Server) resolveModel(id string) (agent.Model, error) {
	if id == "" {
		id = s.defaultModel(s.life)
	}
	if id == model.OfflineID {
		return model.NewOffline(), nil
	}
	m := &liveModel{s: s, id: id}
	_, err := m.current()
	m.learnWindow(false)
	if failure, ok := errors.AsType[*agent.Error](err); ok && failure.Kind == agent.ErrNotFound {
		return nil, refuse(wire.KindUnknownModel, id, failure, hintModel)
	}
	return m, nil
}

// liveModel is the model of an id as the settings have it at the moment of each
// request: a key that was corrected works in the running session.
type liveModel struct {
	s  *Server
	id string

	mu     sync.Mutex
	config model.ProviderConfig // guarded by mu: what model was made of
	model  agent.Model          // guarded by mu
}

// current returns the model of the settings of now, the same one while they are the
// same: it remembers what it has encoded.
func (m *liveModel) current() (agent.Model, error) {
	providers := m.s.providers()
	provider, _, _ := strings.Cut(m.id, "/")
	config := providers[provider]
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.model != nil && config.Equal(m.config) {
		return m.model, nil
	}
	made, err := model.Resolve(m.id, providers)
	if err != nil {
		return nil, err
	}
	m.model, m.config = made, config
	return made, nil
}

// ID implements [agent.Model].
func (m *liveModel) ID() string { return m.id }

// ContextTokens implements [agent.Model].
func (m *liveModel) ContextTokens() int {
	current, err := m.current()
	if err != nil {
		return 0
	}
	if n := current.ContextTokens(); n > 0 {
		return n
	}
	m.mu.Lock()
	base := m.config.BaseURL
	m.mu.Unlock()
	_, name, _ := strings.Cut(m.id, "/")
	return localModels.Window(base, name)
}

// learnWindow asks a program on this machine, in the background, how large a window it
// gave the model, where nobody has said so.
func (m *liveModel) learnWindow(answered bool) {
	current, err := m.current()
	if err != nil || current.ContextTokens() > 0 {
		return
	}
	m.mu.Lock()
	config := m.config
	m.mu.Unlock()
	if !model.IsLocal(config) || m.s.life.Err() != nil {
		return
	}
	_, name, _ := strings.Cut(m.id, "/")
	m.s.start(func(ctx context.Context) {
		localModels.LearnWindow(ctx, model.Target{BaseURL: config.BaseURL, Key: config.APIKey}, name, answered)
	})
}

// DefersFound implements [model.Deferring].
func (m *liveModel) DefersFound() bool {
	current, err := m.current()
	d, ok := current.(model.Deferring)
	return err == nil && ok && d.DefersFound()
}

// Price implements [model.Priced].
func (m *liveModel) Price() (model.Price, bool) {
	current, err := m.current()
	if err != nil {
		return model.Price{}, false
	}
	if p, ok := current.(model.Priced); ok {
		return p.Price()
	}
	return model.Price{}, false
}

// Stream implements [agent.Model].
func (m *liveModel) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	current, err := m.current()
	if err != nil {
		return agent.Response{}, err
	}
	resp, err := current.Stream(ctx, req, emit)
	if err == nil {
		m.learnWindow(true)
	}
	return resp, err
}

func (s *Server) models(ctx context.Context, _ wire.Empty) (wire.ModelsResult, error) {
	providers := s.providers()
	found := localModels.Probe(ctx, s.targets(providers))
	result := wire.ModelsResult{Current: s.firstSettings().Model, Models: []wire.Model{}}
	if result.Current == "" {
		result.Current = model.Default(visible(providers, found), found)
	}
	for _, spec := range model.List(s.lang, visible(providers, found), found) {
		row := wire.Model{
			ID: spec.ID, Provider: spec.Provider, Name: mcp.CleanLine(spec.Name), ContextTokens: spec.ContextTokens,
			Available: spec.Available, Reason: spec.Reason,
		}
		if row.ContextTokens == 0 {
			row.ContextTokens = localModels.Window(providers[spec.Provider].BaseURL, spec.Name)
		}
		if p := spec.Price; p.Known() {
			row.Price = &wire.ModelPrice{Input: p.Input, Output: p.Output, CachedRead: p.CachedRead, CachedWrite: p.CachedWrite}
		}
		result.Models = append(result.Models, row)
	}
	return result, nil
}

// modelOption is the session's model as ACP's selector. It asks nobody: what was
// found on this machine before is what it offers.
func (s *Server) modelOption(current string) wire.SessionConfigOption {
	option := wire.SessionConfigOption{ID: "model", Name: s.say(textModel), Category: "model", Type: "select", CurrentValue: current}
	providers := s.providers()
	found := localModels.Known(s.targets(providers))
	for _, spec := range model.List(s.lang, visible(providers, found), found) {
		if spec.Available {
			option.Options = append(option.Options, wire.SessionConfigSelectOption{Value: spec.ID, Name: mcp.CleanLine(spec.Name)})
		}
	}
	return option
}
