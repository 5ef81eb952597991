package session

import (
	"context"
	"fmt"
	"strings"
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

// A page of the list of 10 000 sessions, cold (a process that has just started) and warm,
// and a page of the last messages of a long one.
func BenchmarkTenThousandSessions(b *testing.B) {
	const sessions, long = 10_000, 2000
	dir := b.TempDir()
	st := NewStore(dir)
	message := func(role agent.Role, text string) entry {
		return entry{Type: entryMessage, Message: &agent.Message{Role: role, Blocks: []agent.Block{textBlock(text)}}}
	}
	var last string
	for i := range sessions {
		now := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		j, err := st.Create(Header{ID: NewID(now), Cwd: "/home/me/project", Model: "test/m", Created: now})
		if err != nil {
			b.Fatal(err)
		}
		n := 4
		if i == sessions-1 {
			n, last = long, j.log.Header.ID
		}
		for k := range n {
			if err := j.append(message([]agent.Role{agent.RoleUser, agent.RoleAssistant}[k%2], strings.Repeat("some words of it ", 20))); err != nil {
				b.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
	page := func(b *testing.B, st *Store, cursor string) string {
		p, err := st.List(ListOptions{Cursor: cursor, Limit: 50})
		if err != nil || len(p.Sessions) != 50 {
			b.Fatal(len(p.Sessions), err)
		}
		return p.Next
	}
	b.Run("first page, cold", func(b *testing.B) {
		for b.Loop() {
			page(b, NewStore(dir), "")
		}
	})
	b.Run("first page, warm", func(b *testing.B) {
		for b.Loop() {
			page(b, st, "")
		}
	})
	b.Run("second page", func(b *testing.B) {
		next := page(b, st, "")
		for b.Loop() {
			page(b, st, next)
		}
	})
	b.Run(fmt.Sprintf("open one of %d messages and show 50", long), func(b *testing.B) {
		for b.Loop() {
			j, err := st.Open(last)
			if err != nil {
				b.Fatal(err)
			}
			s, err := Load(j, Options{Model: &clocked{}, Gate: permission.NewEngine(permission.EngineOptions{})})
			if err != nil {
				b.Fatal(err)
			}
			shown := 0
			if next := s.Replay(ReplayOptions{Limit: 50}, func(Update) { shown++ }); next != long-50 || shown != 50 {
				b.Fatal(next, shown)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
