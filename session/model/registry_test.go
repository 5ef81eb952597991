package model

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextAboutModelsIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "registry_texts.go")
}

func TestAnIDThatNamesNothingSaysTheWayOut(t *testing.T) {
	providers := map[string]ProviderConfig{
		"local": {Type: "openai", BaseURL: "http://127.0.0.1:1/v1", APIKey: "sk-hush-hush"},
		"keyed": {Type: "anthropic"}, "broken": {Type: "openai", APIKey: "sk-hush-hush", Problem: "MY_KEY is not set"}, "odd": {Type: "gopher", BaseURL: "http://x"},
	}
	for _, id := range []string{"", "offline"} {
		if m, err := Resolve(id, providers); err != nil || m.ID() != OfflineID {
			t.Errorf("%q: %v, %v", id, m, err)
		}
	}
	if m, err := Resolve("local/a/b:c d", providers); err != nil || m.ID() != "local/a/b:c d" {
		t.Errorf("a model's name may hold anything: %v, %v", m, err)
	}
	for id, want := range map[string]struct {
		kind agent.ErrorKind
		says string
	}{
		"gpt":       {agent.ErrNotFound, "<provider>/<model>"},
		"local/":    {agent.ErrNotFound, "<provider>/<model>"},
		"nowhere/x": {agent.ErrNotFound, `the provider "nowhere"`},
		"keyed/x":   {agent.ErrAuth, "ANTHROPIC_API_KEY"},
		"broken/x":  {agent.ErrAuth, "MY_KEY is not set"},
		"odd/x":     {agent.ErrAuth, `"gopher"`},
	} {
		_, err := Resolve(id, providers)
		e, ok := errors.AsType[*agent.Error](err)
		if !ok || e.Kind != want.kind || !strings.Contains(e.Message, want.says) || strings.Contains(e.Message, "hush") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestListIsInAFixedOrderAndSaysWhyNot(t *testing.T) {
	providers := map[string]ProviderConfig{
		"b": {Type: "openai", BaseURL: "https://b.test", Models: []string{"y", "x"}}, "a": {Type: "anthropic", Models: []string{"z"}},
		"none": {Type: "openai", BaseURL: "http://127.0.0.1:9/v1"}, "here": {Type: "openai", BaseURL: "http://127.0.0.1:8/v1", Models: []string{"q"}},
		"openai": {Type: "openai", APIKey: "k", Origin: FromEnvironment},
	}
	found := map[string]Found{
		"http://127.0.0.1:9/v1": {Problem: lang.Plain("nothing answers")}, "http://127.0.0.1:8/v1": {Models: []string{"p", "q"}},
	}
	var lines []string
	for _, s := range List(lang.En, providers, found) {
		lines = append(lines, s.ID+" "+map[bool]string{true: "yes", false: "no"}[s.Available])
		if s.Available == (s.Reason != "") {
			t.Errorf("available and a reason do not agree: %+v", s)
		}
	}
	want := []string{"offline yes", "a/z no", "b/y yes", "b/x yes", "here/q yes", "here/p yes", "none/ no", "openai/gpt-5.6-terra yes"}
	if !slices.Equal(lines, want) {
		t.Errorf("got  %v\nwant %v", lines, want)
	}
}

func TestTheDefaultIsWhatCanBeUsed(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	both := func(name string) (string, bool) {
		v, ok := map[string]string{"ANTHROPIC_API_KEY": "a-key", "OPENAI_API_KEY": " o-key\n"}[name]
		return v, ok
	}
	machine := map[string]ProviderConfig{"ollama": WellKnown()[0].Provider()}
	found := map[string]Found{WellKnown()[0].BaseURL: {Models: []string{"qwen3"}}}
	for name, test := range map[string]struct {
		settings map[string]ProviderConfig
		lookup   func(string) (string, bool)
		found    map[string]Found
		want     string
	}{
		"nothing":                     {nil, none, nil, "offline"},
		"keys in the environment":     {nil, both, nil, "anthropic/claude-sonnet-5-5"},
		"a key goes before a machine": {machine, both, found, "anthropic/claude-sonnet-5-5"},
		"a model on this machine":     {machine, none, found, "ollama/qwen3"},
		"a machine that is off":       {machine, none, map[string]Found{WellKnown()[0].BaseURL: {Problem: lang.Plain("off")}}, "offline"},
		"the settings go first":       {map[string]ProviderConfig{"z": {Type: "openai", BaseURL: "https://z.test", Models: []string{"m"}}}, both, nil, "z/m"},
		"an unusable entry does not":  {map[string]ProviderConfig{"a": {Type: "openai", APIKey: "", Models: []string{"m"}, Problem: "no"}}, both, nil, "anthropic/claude-sonnet-5-5"},
	} {
		if got := Default(Implied(test.settings, test.lookup), test.found); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// A key of the environment is for its provider's own address: an entry that names
// another one does not get it.
func TestAKeyOfTheEnvironmentIsForItsOwnAddressOnly(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"ANTHROPIC_API_KEY": "secret-a", "OPENAI_API_KEY": "secret-o"}[name]
		return v, ok
	}
	all := Implied(map[string]ProviderConfig{
		"proxy": {Type: "anthropic", BaseURL: "https://proxy.test"}, "local": {Type: "openai", BaseURL: "http://127.0.0.1:11434/v1"},
		"broken": {Type: "openai", Problem: "MY_KEY is not set"}, "own": {Type: "openai"},
	}, lookup)
	for name, want := range map[string]string{"proxy": "", "local": "", "broken": "", "own": "secret-o", "anthropic": "secret-a"} {
		if got := all[name].APIKey; got != want {
			t.Errorf("%s got the key %q, want %q", name, got, want)
		}
	}
}
