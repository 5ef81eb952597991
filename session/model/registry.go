// Package model turns providers and model ids into [agent.Model]s. It is the one
// place that knows a provider; today that is "offline", which is no language
// model at all.
package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// OfflineID is the id of the model that needs no provider.
const OfflineID = "offline"

// ProviderConfig is one entry of "providers" in the user's settings, its
// variables already put in.
type ProviderConfig struct {
	// Type is "anthropic" or "openai" (and whatever speaks its protocol).
	Type    string
	BaseURL string
	APIKey  string
	// Models are the ids to offer, without the provider's name in front.
	Models []string
}

// Spec is a model as an editor lists it.
type Spec struct {
	// ID is "<provider>/<model>" or "offline".
	ID       string
	Provider string
	Name     string
	// ContextTokens is the size of the context window; 0 when unknown.
	ContextTokens int
	Available     bool
	// Reason says why the model is not available, for a person.
	Reason string
}

// Resolve returns the model of an id; an empty id is the offline one. An id that
// cannot be used is an [*agent.Error] of kind [agent.ErrNotFound] whose message
// names the way out.
func Resolve(id string, providers map[string]ProviderConfig) (agent.Model, error) {
	if id == "" || id == OfflineID {
		return NewOffline(), nil
	}
	provider, name, ok := strings.Cut(id, "/")
	var message string
	switch p, known := providers[provider]; {
	case !ok || name == "":
		message = fmt.Sprintf(textBadID, id)
	case !known:
		message = fmt.Sprintf(textNoProvider, id, provider)
	default:
		message = fmt.Sprintf(textNotBuilt, id, cmp.Or(p.Type, provider))
	}
	return nil, &agent.Error{Kind: agent.ErrNotFound, Message: message}
}

// List returns the offline model and then those that the providers name, by
// provider.
func List(providers map[string]ProviderConfig) []Spec {
	specs := []Spec{{ID: OfflineID, Provider: OfflineID, Name: textOfflineName, Available: true}}
	for _, provider := range slices.Sorted(maps.Keys(providers)) {
		p := providers[provider]
		for _, name := range p.Models {
			specs = append(specs, Spec{ID: provider + "/" + name, Provider: provider, Name: name,
				Reason: fmt.Sprintf(textNotBuiltShort, cmp.Or(p.Type, provider))})
		}
	}
	return specs
}

// What a person reads about models, in English.
const (
	textOfflineName   = "Offline planner (no language model)"
	textBadID         = "the model %q is not of the form <provider>/<model>: choose one of the list, or \"offline\""
	textNoProvider    = "the model %q needs the provider %q, which is not in \"providers\" of ~/.codebot/settings.json: add it there, or choose \"offline\""
	textNotBuilt      = "the model %q cannot be used: this build has no client for providers of type %q yet; choose \"offline\""
	textNotBuiltShort = "this build has no client for providers of type %q yet"
)
