// Package model turns providers and model ids into [agent.Model]s. It is the one
// place that knows the providers: anthropic, openai and whatever speaks its
// protocol, and "offline", which is no language model at all.
package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model/anthropic"
	"github.com/codebot-ls/codebot-ls/session/model/endpoint"
	"github.com/codebot-ls/codebot-ls/session/model/openai"
)

// OfflineID is the id of the model that needs no provider.
const OfflineID = "offline"

// The types of providers.
const (
	TypeAnthropic = "anthropic"
	TypeOpenAI    = "openai"
)

// ProviderConfig is one entry of "providers" in the user's settings, its
// variables already put in, or a provider that stands in none; see [Implied].
// Two equal ones make models that behave alike.
type ProviderConfig struct {
	// Type is "anthropic" or "openai" (and whatever speaks its protocol).
	Type string
	// API is openai.APIChat or openai.APIResponses; empty when the address decides.
	API string
	// BaseURL is empty for the provider's own.
	BaseURL string
	// References says that an address of type "anthropic" takes tools that are loaded where
	// a result names them.
	References bool
	// CAFile is a PEM file of certificates to trust beside the system's; empty for none.
	CAFile string
	// Table is what the user knows of models. It is not changed once it is here.
	Table Table
	// APIKey goes to the base URL and nowhere else.
	APIKey string
	// Models are the ids to offer, without the provider's name in front.
	Models []string
	// Problem says, for a person, why the provider cannot be used; empty when
	// nothing is known to be wrong.
	Problem string
	// Origin says where it comes from; the zero value is the settings.
	Origin Origin
}

// Origin is where a provider comes from.
type Origin int

// The origins, in the order in which a default is looked for.
const (
	FromSettings Origin = iota
	// FromEnvironment is a provider whose key is in the environment.
	FromEnvironment
	// FromMachine is an endpoint that was found on this machine.
	FromMachine
	// FromNowhere is a well-known provider without a key, listed to say how it is
	// set up.
	FromNowhere
)

// Equal reports whether two configs are the same.
func (p ProviderConfig) Equal(q ProviderConfig) bool {
	return p.Type == q.Type && p.API == q.API && p.BaseURL == q.BaseURL && p.CAFile == q.CAFile && p.References == q.References && maps.Equal(p.Table, q.Table) && p.APIKey == q.APIKey && p.Problem == q.Problem &&
		p.Origin == q.Origin && slices.Equal(p.Models, q.Models)
}

// problem is why the provider cannot be used, as far as its config tells.
func (p ProviderConfig) problem() lang.Message {
	switch {
	case p.Problem != "":
		return lang.Plain(p.Problem)
	case p.Type != TypeAnthropic && p.Type != TypeOpenAI:
		return lang.Messagef(zh, textType, p.Type)
	case p.APIKey == "" && p.BaseURL == "":
		return lang.Messagef(zh, textNoKey, keyVariable(p.Type))
	}
	if _, err := endpoint.Trusting(p.CAFile); err != nil {
		return lang.Messagef(zh, textCAFile, err)
	}
	return lang.Message{}
}

// names are the models to offer. A provider at its own address that names none
// offers today's default.
func (p ProviderConfig) names() []string {
	if len(p.Models) > 0 || p.BaseURL != "" {
		return p.Models
	}
	switch p.Type {
	case TypeAnthropic:
		return []string{anthropic.DefaultModel}
	case TypeOpenAI:
		return []string{openai.DefaultModel}
	}
	return nil
}

// Spec is a model as an editor lists it.
type Spec struct {
	// ID is "<provider>/<model>" or "offline".
	ID       string
	Provider string
	Name     string
	// ContextTokens is the size of the context window; 0 when unknown.
	ContextTokens int
	// Price is the zero value when it is unknown.
	Price     Price
	Available bool
	// Reason says why the model is not available, for a person.
	Reason string
}

// Resolve returns the model of an id; an empty id is the offline one. It does no
// I/O. An id that names nothing is an [*agent.Error] of kind [agent.ErrNotFound],
// one whose provider cannot be used as it is configured of kind [agent.ErrAuth];
// the message names the way out.
func Resolve(id string, providers map[string]ProviderConfig) (agent.Model, error) {
	if id == "" || id == OfflineID {
		return NewOffline(), nil
	}
	provider, name, ok := strings.Cut(id, "/")
	if !ok || provider == "" || name == "" {
		return nil, unusable(agent.ErrNotFound, textBadID, id)
	}
	p, known := providers[provider]
	if !known {
		return nil, unusable(agent.ErrNotFound, textNoProvider, id, provider)
	}
	if why := p.problem(); !why.IsZero() {
		return nil, unusable(agent.ErrAuth, textUnusable, id, why)
	}
	return build(id, name, p), nil
}

func unusable(kind agent.ErrorKind, format string, args ...any) *agent.Error {
	err := lang.Errorf(zh, format, args...)
	return &agent.Error{Kind: kind, Message: err.Error(), Err: err}
}

// List returns the offline model and then those of the providers, in the order of
// [Order], with texts in the language. found is what a [Prober] knows of endpoints on
// this machine, by base URL.
func List(l lang.Lang, providers map[string]ProviderConfig, found map[string]Found) []Spec {
	specs := []Spec{{ID: OfflineID, Provider: OfflineID, Name: l.Text(zh, textOfflineName), Available: true}}
	for _, provider := range Order(providers) {
		p := providers[provider]
		why := p.problem()
		names := slices.Clone(p.names())
		if f, probed := found[p.BaseURL]; probed && p.BaseURL != "" {
			if why.IsZero() {
				why = f.Problem
			}
			for _, name := range f.Models {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		if len(names) == 0 {
			if why.IsZero() {
				why = lang.Messagef(zh, textNoModels, provider)
			}
			specs = append(specs, Spec{ID: provider + "/", Provider: provider, Name: provider, Reason: why.In(l)})
			continue
		}
		for _, name := range names {
			s := Spec{ID: provider + "/" + name, Provider: provider, Name: name, Available: why.IsZero(), Reason: why.In(l)}
			if p.Type == TypeAnthropic || p.Type == TypeOpenAI {
				m := build(s.ID, name, p)
				s.ContextTokens = m.ContextTokens()
				s.Price, _ = m.Price()
			}
			specs = append(specs, s)
		}
	}
	return specs
}

// Order are the names of the providers: those of the settings first, then the
// environment's, the machine's and the rest, each by name.
func Order(providers map[string]ProviderConfig) []string {
	return slices.SortedFunc(maps.Keys(providers), func(a, b string) int {
		return cmp.Or(cmp.Compare(providers[a].Origin, providers[b].Origin), cmp.Compare(a, b))
	})
}

// IsLocal reports whether a provider runs on this machine.
func IsLocal(p ProviderConfig) bool { return p.BaseURL != "" && endpoint.IsLoopback(p.BaseURL) }

// Default returns the id of the model for who chose none: the first of [List] that
// can be used, the offline one when there is no other.
func Default(providers map[string]ProviderConfig, found map[string]Found) string {
	for _, s := range List(lang.En, providers, found)[1:] {
		if s.Available {
			return s.ID
		}
	}
	return OfflineID
}

// keyVariable is the environment variable that holds a key of a type's own
// provider.
func keyVariable(kind string) string {
	if kind == TypeAnthropic {
		return "ANTHROPIC_API_KEY"
	}
	return "OPENAI_API_KEY"
}

// Implied adds the providers that need no entry in the settings: those whose key is
// in the environment, which goes to the provider's own address only, whatever other
// variables say; and, to say how they are set up, those without one. An entry of
// the settings without base URL and key takes the key of the environment, too.
func Implied(settings map[string]ProviderConfig, lookup func(name string) (string, bool)) map[string]ProviderConfig {
	all := make(map[string]ProviderConfig, len(settings)+2)
	configured := map[string]bool{}
	key := func(kind string) string {
		k, _ := lookup(keyVariable(kind))
		return strings.TrimSpace(k)
	}
	for name, p := range settings {
		if p.BaseURL == "" && p.APIKey == "" && p.Problem == "" && (p.Type == TypeAnthropic || p.Type == TypeOpenAI) {
			p.APIKey = key(p.Type)
		}
		if p.BaseURL == "" {
			configured[p.Type] = true
		}
		all[name] = p
	}
	for _, kind := range []string{TypeAnthropic, TypeOpenAI} {
		if _, taken := all[kind]; taken || configured[kind] {
			continue
		}
		p := ProviderConfig{Type: kind, APIKey: key(kind), Origin: FromEnvironment}
		if p.APIKey == "" {
			p.Origin = FromNowhere
		}
		all[kind] = p
	}
	return all
}
