package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// PlanEntry is one step of the agent's plan. Status is "pending", "in_progress" or
// "completed"; Priority is "high", "medium" or "low".
type PlanEntry struct {
	Content  string `json:"content"`
	Status   string `json:"status"`
	Priority string `json:"priority"`
}

// todoName is the tool by which the agent tells its plan.
const todoName = "todo"

// todoTool is todo: the agent's list of what it is about to do. It acts on nothing; a
// person sees the list as it changes.
type todoTool struct{ s *Session }

var todoSchema = json.RawMessage(`{"type":"object","properties":{"entries":{"type":"array","maxItems":100,"description":"The whole list, in order; it replaces the one before","items":{"type":"object","properties":{"content":{"type":"string","minLength":1,"description":"What is done, in a few words"},"status":{"type":"string","enum":["pending","in_progress","completed"]},"priority":{"type":"string","enum":["high","medium","low"]}},"required":["content","status"],"additionalProperties":false}}},"required":["entries"],"additionalProperties":false}`)

// TodoTool is a tool of this session by which the agent tells its plan; AddTools gives it
// to the model.
func (s *Session) TodoTool() agent.Tool { return &todoTool{s} }

func (*todoTool) Name() string            { return todoName }
func (t *todoTool) Label() string         { return lang.Of(t.s.o.Locale).Text(zh, textTodo) }
func (*todoTool) Schema() json.RawMessage { return todoSchema }
func (*todoTool) Description() string {
	return "Keep a list of steps for work that has several: the user sees it. Give the whole list each time; mark a step in_progress when you begin it and completed when it is done, not later. Not for work of one or two steps."
}

// PermissionRequest implements permission.Describer.
func (t *todoTool) PermissionRequest([]byte) permission.Request {
	return permission.Request{Kind: permission.KindFree, Tool: todoName, Root: t.s.root, Metadata: permission.Metadata{Capability: permission.CapabilityRead}}
}

// Execute implements agent.Tool.
func (t *todoTool) Execute(_ context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	entries, err := planOf(args)
	if err != nil {
		return agent.Result{}, err
	}
	t.s.emit(Update{Kind: UpdatePlan, Plan: entries})
	left := 0
	for _, e := range entries {
		if e.Status != "completed" {
			left++
		}
	}
	return agent.Result{Content: []agent.Content{agent.Text(fmt.Sprintf("%d steps, %d left.", len(entries), left))}}, nil
}

// planOf reads the list of a call.
func planOf(args json.RawMessage) ([]PlanEntry, error) {
	var p struct {
		Entries []PlanEntry `json:"entries"`
	}
	if err := json.Unmarshal(args, &p); err != nil {
		return nil, err
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		e.Content, e.Priority = strings.TrimSpace(e.Content), orElse(e.Priority, "medium")
	}
	return p.Entries, nil
}
