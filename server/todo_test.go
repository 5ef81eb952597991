package server_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// The agent's plan is an update of its own, unasked, in plan mode too, and is there again
// when the session is loaded.
func TestTheAgentsPlanIsShown(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI,
		modeltest.Use("c1", "todo", `{"entries":[{"content":"Look","status":"in_progress","priority":"high"},{"content":"Write","status":"pending"}]}`),
		modeltest.Use("c2", "todo", `{"entries":[{"content":"Look","status":"completed"},{"content":"Write","status":"pending"}]}`),
		modeltest.Use("c3", "todo", `{"entries":[{"content":"Look","status":"done"}]}`), modeltest.Say("done"))
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	e := w.Start(servertest.Config{})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "plan"}).SessionID
	prompt(e, id, "go")
	plans := func(e *servertest.Editor) (plans [][]wire.PlanEntry) {
		e.Look(func(s *servertest.State) {
			for _, u := range s.Updates[id] {
				if p, ok := u.(*wire.PlanUpdate); ok {
					plans = append(plans, p.Entries)
				}
			}
			if len(s.Asked) > 0 {
				t.Errorf("asked %+v", s.Asked)
			}
		})
		return plans
	}
	want := [][]wire.PlanEntry{
		{{Content: "Look", Status: wire.PlanInProgress, Priority: wire.PlanHigh}, {Content: "Write", Status: wire.PlanPending, Priority: wire.PlanMedium}},
		{{Content: "Look", Status: wire.PlanCompleted, Priority: wire.PlanMedium}, {Content: "Write", Status: wire.PlanPending, Priority: wire.PlanMedium}},
	}
	if got := plans(e); !reflect.DeepEqual(got, want) {
		t.Errorf("shown %+v", got)
	}
	if calls := e.Calls(id); len(calls) != 3 || calls[2].Status != wire.ToolFailed || !strings.Contains(servertest.CallText(calls[2]), "status") {
		t.Errorf("a status that is none: %+v", calls)
	}
	e.Shutdown()
	e = w.Start(servertest.Config{})
	servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
	if got := plans(e); !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v", got)
	}
}
