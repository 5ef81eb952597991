package session

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// A session is used from many sides while a turn runs: nothing is torn, and the
// turn ends well. Worth running with -race.
func TestSessionIsUsedFromManySidesAtOnce(t *testing.T) {
	var steps []step
	for i := range 20 {
		steps = append(steps, say("", use("x", "look", fmt.Sprintf(`{"n":%d}`, i)), use("x", "mcp__s__t", "")))
	}
	look := readTool("look")
	look.run = func(_ context.Context, _ json.RawMessage, report func(agent.Progress)) (agent.Result, error) {
		report(agent.Progress{Text: "on it"})
		return agent.Result{}, nil
	}
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{look} }, append(steps, say("done"))...)
	r.SetBeforePrompt(func(context.Context) {
		r.ReplaceMCPTools([]agent.Tool{mcpTool("s", "t", true)})
		r.SetMCPInstructions("x")
	})
	done := make(chan struct{})
	var wg sync.WaitGroup
	for _, f := range []func(){
		func() { r.SetMode(permission.ModePlan); r.SetMode(permission.ModeDefault) },
		func() { r.SetModel(r.model) },
		func() { r.Replay(ReplayOptions{Limit: 3}, func(Update) {}) },
		func() { r.SetMCPServers([]ServerNote{{Name: "a"}}, nil); r.ActiveTools(); r.RulesChanged() },
		func() { r.store.List(ListOptions{}) },
		func() { r.Prompt(t.Context(), nil); r.Title(); r.Mode(); r.Busy() },
	} {
		wg.Go(func() {
			for {
				f()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	res, err := r.Prompt(t.Context(), prompt("go"))
	close(done)
	wg.Wait()
	if err != nil || res.StopReason != agent.StopEndTurn || res.Usage.InputTokens != 5*21 {
		t.Fatalf("%+v %v", res, err)
	}
	r.Close()
	n := reload(t, r, r.store)
	if got, want := len(n.history), 2*20+2; got != want {
		t.Errorf("%d messages after reload, want %d", got, want)
	}
}

// Whatever stands in a journal file, reading it ends and claims no more than is
// there.
func FuzzParseJournal(f *testing.F) {
	m := agent.Message{Role: agent.RoleUser}
	f.Add(append(must(entry{Type: entryHeader, Version: 1, ID: "x"}.line()), must(entry{Type: entryMessage, Message: &m}.line())...))
	f.Add([]byte("{\"type\":\"session\"}\n{\"type\":\"message\",\"message\":{\"blocks\":[{\"kind\":\"content\"}]}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, whole, err := parse(data)
		if whole > len(data) {
			t.Fatalf("%d of %d bytes", whole, len(data))
		}
		if err == nil {
			h := agent.Repair(log.Messages)
			s := &Session{history: h, notes: log.notes}
			s.Replay(ReplayOptions{}, func(Update) {})
		}
	})
}
