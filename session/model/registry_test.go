package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

func TestResolve(t *testing.T) {
	providers := map[string]ProviderConfig{"local": {Type: "openai", APIKey: "sk-hush", Models: []string{"qwen3"}}}
	for _, id := range []string{"", "offline"} {
		if m, err := Resolve(id, providers); err != nil || m.ID() != OfflineID {
			t.Errorf("%q: %v, %v", id, m, err)
		}
	}
	for id, says := range map[string]string{
		"gpt":           "<provider>/<model>",
		"local/":        "<provider>/<model>",
		"nowhere/x":     `the provider "nowhere"`,
		"local/qwen3":   `type "openai"`,
		"local/a/b:c d": `type "openai"`,
	} {
		_, err := Resolve(id, providers)
		var e *agent.Error
		if !errors.As(err, &e) || e.Kind != agent.ErrNotFound || !strings.Contains(e.Message, says) || !strings.Contains(e.Message, `"offline"`) || strings.Contains(e.Message, "hush") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestListIsSortedAndHonest(t *testing.T) {
	got := List(map[string]ProviderConfig{"b": {Type: "openai", Models: []string{"y", "x"}}, "a": {Type: "anthropic", Models: []string{"z"}}, "none": {}})
	var ids []string
	for _, s := range got {
		ids = append(ids, s.ID)
		if s.Available != (s.ID == OfflineID) || s.Available == (s.Reason != "") {
			t.Errorf("%+v", s)
		}
	}
	if strings.Join(ids, " ") != "offline a/z b/y b/x" {
		t.Error(ids)
	}
}
