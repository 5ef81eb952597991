package session

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// clocked is a model that answers at once and notes when it was asked.
type clocked struct{ asked time.Time }

func (*clocked) ID() string         { return "test/clocked" }
func (*clocked) ContextTokens() int { return 0 }
func (m *clocked) Stream(context.Context, *agent.Request, func(agent.Delta) error) (agent.Response, error) {
	m.asked = time.Now()
	return agent.Response{StopReason: agent.StopEndTurn, Message: agent.Message{
		Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockContent, Content: &agent.Content{Kind: agent.ContentText, Text: "ok"}}},
	}}, nil
}

// From the prompt to the model's Stream: the hook, the prompt, the journal. Dirty is
// a hook that brings a new tool set each time.
func BenchmarkPromptToModelRequest(b *testing.B) {
	for _, n := range []int{10, 1000} {
		for _, dirty := range []bool{false, true} {
			name := fmt.Sprintf("tools=%d/clean", n)
			if dirty {
				name = fmt.Sprintf("tools=%d/dirty", n)
			}
			b.Run(name, func(b *testing.B) {
				model := &clocked{}
				sets := [2][]agent.Tool{}
				for i := range n {
					sets[0] = append(sets[0], mcpTool("s", fmt.Sprintf("tool_%d", i), true))
				}
				sets[1] = append(sets[1], sets[0][1:]...)
				store, cwd := NewStore(b.TempDir()), b.TempDir()
				var s *Session
				turn := 0
				fresh := func() {
					if s != nil {
						_ = s.Close()
					}
					var err error
					s, err = New(Options{Cwd: cwd, Model: model, Store: store, Gate: permission.NewEngine(permission.EngineOptions{})})
					if err != nil {
						b.Fatal(err)
					}
					s.ReplaceMCPTools(sets[0])
					s.SetBeforePrompt(func(context.Context) {
						if dirty {
							s.ReplaceMCPTools(sets[turn%2])
							s.SetMCPInstructions("## s\nuse them well")
						}
					})
				}
				content := []agent.Content{agent.Text("hello")}
				var total time.Duration
				for b.Loop() {
					// A conversation of up to twenty turns, the first of them warm.
					if turn%20 == 0 {
						b.StopTimer()
						fresh()
						if _, err := s.Prompt(b.Context(), content); err != nil {
							b.Fatal(err)
						}
						b.StartTimer()
					}
					turn++
					begun := time.Now()
					if _, err := s.Prompt(b.Context(), content); err != nil {
						b.Fatal(err)
					}
					total += model.asked.Sub(begun)
				}
				_ = s.Close()
				b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/request")
			})
		}
	}
}
