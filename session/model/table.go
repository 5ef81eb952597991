package model

import (
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Info is what is known of a model. Zero means unknown.
type Info struct {
	// ContextTokens is the size of the window, MaxTokens the most it answers with.
	ContextTokens, MaxTokens int
	Price                    Price
}

// Price is in US dollars for a million tokens. The zero value is an unknown one, and
// what reads or writes the cache costs what reading does where it is not said.
type Price struct {
	Input, Output, CachedRead, CachedWrite float64
}

// Known reports whether a price is one.
func (p Price) Known() bool { return p != Price{} }

// Cost is what a usage costs, in US dollars.
func (p Price) Cost(u agent.Usage) float64 {
	or := func(n float64) float64 {
		if n == 0 {
			return p.Input
		}
		return n
	}
	return (float64(u.InputTokens)*p.Input + float64(u.OutputTokens)*p.Output +
		float64(u.CachedReadTokens)*or(p.CachedRead) + float64(u.CachedWriteTokens)*or(p.CachedWrite)) / 1e6
}

// Priced is a model whose price is known, or not: then ok is false.
type Priced interface {
	Price() (p Price, ok bool)
}

// Deferring is a model that may load tools where a result of a search names them, so that
// they change nothing that stands before.
type Deferring interface {
	DefersFound() bool
}

// known are the prices of the providers' own addresses, by the beginning of a model's
// name, the longest first (https://platform.claude.com/docs/en/about-claude/pricing,
// https://developers.openai.com/api/docs/pricing, November 2026). Those that depend on
// the size of the request are left out, or are those of the smaller ones.
var known = []struct {
	prefix string
	price  Price
}{
	{"claude-fable-5-1", Price{10, 50, 0.25, 12.5}}, {"claude-fable-5", Price{10, 50, 1, 12.5}},
	{"claude-opus-5-5", Price{4, 20, 0.2, 5}}, {"claude-opus-5", Price{5, 25, 0.5, 6.25}},
	{"claude-opus-4-8", Price{5, 25, 0.5, 6.25}}, {"claude-opus-4-7", Price{5, 25, 0.5, 6.25}},
	{"claude-opus-4-6", Price{5, 25, 0.5, 6.25}}, {"claude-opus-4-5", Price{5, 25, 0.5, 6.25}},
	{"claude-opus-4", Price{15, 75, 1.5, 18.75}},
	{"claude-sonnet-5", Price{2, 10, 0.2, 2.5}}, {"claude-sonnet-4", Price{3, 15, 0.3, 3.75}},
	{"claude-haiku-4-5", Price{1, 5, 0.1, 1.25}},
	{"gpt-6.1-terra", Price{1, 5, 0.05, 1.25}}, {"gpt-5.6-terra", Price{2, 12, 0.2, 0}},
	{"gpt-5-mini", Price{0.25, 2, 0.025, 0}}, {"gpt-5-nano", Price{0.05, 0.4, 0.005, 0}},
	{"gpt-4.1-mini", Price{0.4, 1.6, 0.1, 0}}, {"gpt-4.1-nano", Price{0.1, 0.4, 0.025, 0}}, {"gpt-4.1", Price{2, 8, 0.5, 0}},
	{"gpt-4o-mini", Price{0.15, 0.6, 0.075, 0}}, {"gpt-4o", Price{2.5, 10, 1.25, 0}},
}

// Table is what the user knows of models, by id or by a model's own name, to which a
// "*" at the end may stand for any rest.
type Table map[string]Info

// of is what the table says of a model: the most exact entry, by id before by name.
func (t Table) of(id, name string) Info {
	for _, exact := range []string{id, name} {
		if info, ok := t[exact]; ok {
			return info
		}
	}
	best, found := "", Info{}
	for pattern, info := range t {
		prefix, ok := strings.CutSuffix(pattern, "*")
		if ok && (strings.HasPrefix(id, prefix) || strings.HasPrefix(name, prefix)) && (best == "" || len(pattern) > len(best) || len(pattern) == len(best) && pattern < best) {
			best, found = pattern, info
		}
	}
	return found
}

// info is what is known of a model of this provider: the user's word, then ours.
func (p ProviderConfig) info(id, name string) Info {
	info := p.Table.of(id, name)
	// A router or a proxy has prices of its own.
	if !info.Price.Known() && p.BaseURL == "" {
		for _, k := range known {
			if strings.HasPrefix(name, k.prefix) {
				info.Price = k.price
				break
			}
		}
	}
	return info
}
