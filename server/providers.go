package server

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/keystore"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// keychainVariable turns the system's keychain off ("off"): keys are then in the file.
const keychainVariable = "CODEBOT_KEYCHAIN"

// keychainPrefix begins an "api_key" that names a kept key.
const keychainPrefix = "keychain:"

// keyOf is the key of a provider of the settings and where it comes from. One that names
// none gets what is kept under the provider's name, if anything is.
func (s *Server) keyOf(name string, p workspace.Provider) (key string, from wire.KeySource, err error) {
	if reference, ok := strings.CutPrefix(p.APIKey, keychainPrefix); ok {
		key, from, err = s.keptKey(reference)
		if errors.Is(err, keystore.ErrNotFound) {
			err = lang.Errorf(zh, textNoKeptKey, reference)
		}
		return key, from, err
	}
	if p.APIKey == "" {
		key, from, err = s.keptKey(name)
		if errors.Is(err, keystore.ErrNotFound) {
			return "", wire.KeyNone, nil
		}
		return key, from, err
	}
	from = wire.KeySettings
	if strings.Contains(p.APIKey, "${") {
		from = wire.KeyEnvironment
	}
	key, err = s.env.expand(p.APIKey, s.userHome)
	return key, from, err
}

// keptKey is what is kept under a name. Who reads it must not tell it.
func (s *Server) keptKey(name string) (string, wire.KeySource, error) {
	key, from, err := s.keys.Get(name)
	if err != nil {
		return "", wire.KeyNone, err
	}
	s.opts.Secrets.Learn(key)
	return key, wire.KeySource(from), nil
}

func (s *Server) providersList(ctx context.Context, _ wire.Empty) (wire.ProvidersListResult, error) {
	all, from := s.resolveProviders()
	settings, _ := s.servers.settingsAt("")
	rpc.Release(ctx)
	found := localModels.Probe(ctx, s.targets(all))
	shown := visible(all, found)
	result := wire.ProvidersListResult{Providers: []wire.Provider{}}
	reasons := map[string]string{}
	usable := map[string]bool{}
	for _, spec := range model.List(s.lang, shown, found) {
		usable[spec.Provider] = usable[spec.Provider] || spec.Available
		reasons[spec.Provider] = spec.Reason
	}
	for _, name := range model.Order(shown) {
		p := shown[name]
		_, configured := settings.Providers[name]
		row := wire.Provider{
			Name: name, Type: p.Type, BaseURL: mcp.CleanLine(p.Address()), KeyFrom: from[name], Configured: configured,
			Available: usable[name], Local: model.IsLocal(p),
		}
		if !row.Available {
			row.Reason = reasons[name]
		}
		result.Providers = append(result.Providers, row)
	}
	return result, nil
}

// provider is the provider of a name that a request gives.
func (s *Server) provider(name string) (model.ProviderConfig, error) {
	all, _ := s.resolveProviders()
	p, known := all[name]
	if !known {
		names := strings.Join(slices.Sorted(maps.Keys(all)), ", ")
		return p, jsonrpc2.NewError(jsonrpc2.InvalidParams, s.say(textNoProvider, mcp.CleanLine(name), names))
	}
	return p, nil
}

func (s *Server) providersSetKey(ctx context.Context, p wire.ProvidersSetKeyParams) (wire.ProvidersSetKeyResult, error) {
	key := strings.TrimSpace(p.Key)
	if key == "" || strings.ContainsAny(key, "\r\n\x00") {
		return wire.ProvidersSetKeyResult{}, jsonrpc2.NewError(jsonrpc2.InvalidParams, s.say(textBadKey))
	}
	if _, err := s.provider(p.Provider); err != nil {
		return wire.ProvidersSetKeyResult{}, err
	}
	// Before anything could go wrong with it that the log would tell.
	s.opts.Secrets.Learn(key)
	rpc.Release(ctx)
	from, err := s.keys.Set(s.keptAs(p.Provider), key)
	if err != nil {
		return wire.ProvidersSetKeyResult{}, lang.Errorf(zh, textKeyNotKept, err)
	}
	s.push.poke()
	return wire.ProvidersSetKeyResult{KeyFrom: wire.KeySource(from)}, nil
}

// keptAs is the name that the key of a provider is kept under.
func (s *Server) keptAs(provider string) string {
	settings, _ := s.servers.settingsAt("")
	if reference, ok := strings.CutPrefix(settings.Providers[provider].APIKey, keychainPrefix); ok {
		return reference
	}
	return provider
}

func (s *Server) providersRemoveKey(ctx context.Context, p wire.ProviderRef) (wire.Empty, error) {
	if _, err := s.provider(p.Provider); err != nil {
		return wire.Empty{}, err
	}
	rpc.Release(ctx)
	if err := s.keys.Delete(s.keptAs(p.Provider)); err != nil {
		return wire.Empty{}, lang.Errorf(zh, textKeyNotKept, err)
	}
	s.push.poke()
	return wire.Empty{}, nil
}

func (s *Server) providersTest(ctx context.Context, p wire.ProviderRef) (wire.ProvidersTestResult, error) {
	config, err := s.provider(p.Provider)
	if err != nil {
		return wire.ProvidersTestResult{}, err
	}
	rpc.Release(ctx)
	result := wire.ProvidersTestResult{Models: []string{}}
	models, err := model.Ask(ctx, p.Provider, config)
	if failure, ok := errors.AsType[*agent.Error](err); ok {
		data := s.modelError(failure)
		result.Error = &data
		return result, nil
	}
	if err != nil {
		return wire.ProvidersTestResult{}, err
	}
	result.OK = true
	for _, id := range models {
		result.Models = append(result.Models, mcp.CleanLine(id))
	}
	return result, nil
}
