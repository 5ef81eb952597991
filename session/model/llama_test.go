package model_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// A real llama-server on its own wire: it is found on this machine, streams two
// requests with tools offered, the second over the cached beginning of the first, and
// says when a prompt is too long. What it says else is nonsense.
func TestARealLlamaServerStreams(t *testing.T) {
	base := modeltest.Llama(t, 8192)
	var p model.Prober
	local := model.WellKnown()[2]
	local.BaseURL = base
	found := p.Probe(context.Background(), []model.Target{local.Target()})
	if len(found[base].Models) != 1 {
		t.Fatalf("found %+v", found)
	}
	name := found[base].Models[0]
	p.LearnWindow(context.Background(), local.Target(), name, false)
	if got := p.Window(base, name); got != 8192 {
		t.Errorf("it says that its window is %d tokens", got)
	}
	for _, api := range []string{"", "responses"} {
		t.Run("api="+api, func(t *testing.T) {
			provider := local.Provider()
			provider.API = api
			m, err := model.Resolve("llamacpp/"+name, map[string]model.ProviderConfig{"llamacpp": provider})
			if err != nil {
				t.Fatal(err)
			}
			twoTurns(t, m)
		})
	}
}

// twoTurns is a conversation with a model that talks nonsense.
func twoTurns(t *testing.T, m agent.Model) {
	req := ask("say something")
	req.MaxTokens = 16
	req.System = []agent.SystemBlock{{Key: "identity", Text: "You are a test.", CacheMark: true}}
	req.Tools = []agent.ToolSpec{{Name: "read", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}}
	for i := range 2 {
		deltas := 0
		r, err := m.Stream(context.Background(), req, func(agent.Delta) error { deltas++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if r.StopReason != agent.StopMaxTokens && r.StopReason != agent.StopEndTurn || r.Usage.OutputTokens == 0 || r.Usage.InputTokens+r.Usage.CachedReadTokens < 20 {
			t.Errorf("turn %d: %s %+v after %d deltas", i+1, r.StopReason, r.Usage, deltas)
		}
		if i == 1 && r.Usage.CachedReadTokens == 0 {
			t.Error("nothing of the second request was cached")
		}
		t.Logf("turn %d: %d deltas, %+v", i+1, deltas, r.Usage)
		said := agent.Text("something")
		req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{
			{Kind: agent.BlockContent, Content: &said}, {Kind: agent.BlockToolUse, ID: "c1", Name: "read", Input: json.RawMessage(`{"path":"a"}`)},
		}}, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockToolResult, ID: "c1", Result: []agent.Content{agent.Text("text of a")}}}})
	}
	req.MaxTokens = 0
	req.Messages = history(strings.Repeat("much too long ", 5000))
	_, err := m.Stream(context.Background(), req, new(heard).emit)
	if e, ok := err.(*agent.Error); !ok || e.Kind != agent.ErrTooLong {
		t.Errorf("a prompt that is too long: %v", err)
	}
}
