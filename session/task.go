package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/session/worktree"
)

// taskName is the tool by which an agent has a sub-agent do a piece of its work.
const taskName = "task"

// treeGrace bounds how long it may take to put a worktree away after a cancel.
const treeGrace = 30 * time.Second

// taskTool is task: a session of its own, with the built-in tools alone, that answers with
// a report.
type taskTool struct{ s *Session }

var taskSchema = json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","minLength":1,"maxLength":200,"description":"What the work is, in three to six words, for the user"},"prompt":{"type":"string","minLength":1,"description":"The whole task: what is to be done, all that has to be known for it, and what the report shall say"},"isolation":{"type":"string","enum":["worktree"],"description":"worktree: it works in a git worktree on a branch of its own, from the last commit, without what is not committed"}},"required":["description","prompt"],"additionalProperties":false}`)

// taskArgs are the arguments of a call.
type taskArgs struct {
	Description string `json:"description"`
	Prompt      string `json:"prompt"`
	Isolation   string `json:"isolation"`
}

// TaskTool is a tool of this session that runs sub-agents, or nil where it has no
// SubAgentTools; AddTools gives it to the model.
func (s *Session) TaskTool() agent.Tool {
	if s.o.SubAgentTools == nil {
		return nil
	}
	return &taskTool{s}
}

func (*taskTool) Name() string            { return taskName }
func (t *taskTool) Label() string         { return t.s.say(textTask) }
func (*taskTool) Schema() json.RawMessage { return taskSchema }
func (*taskTool) Description() string {
	return "Have a sub-agent do one piece of work and report: it has the built-in tools, and knows nothing of this conversation but the prompt. For searches through many files, whose results would fill this conversation, and for pieces that do not depend on each other: several calls in one answer run side by side. Not for what one or two calls of your own would do. With isolation \"worktree\" what it changes stays on a branch of its own until somebody merges it."
}

// ConcurrencySafe implements agent.ConcurrencySafe: to run beside others is what tasks are
// for, and each tool of theirs looks whether a file is still as it was read.
func (*taskTool) ConcurrencySafe(json.RawMessage) bool { return true }

// PermissionRequest implements permission.Describer: the gate judges what the sub-agent
// does, call by call.
func (t *taskTool) PermissionRequest([]byte) permission.Request {
	return permission.Request{Kind: permission.KindFree, Tool: taskName, Root: t.s.root}
}

// Describe implements agent.Describer.
func (t *taskTool) Describe(args json.RawMessage) agent.Description {
	var a taskArgs
	if json.Unmarshal(args, &a) != nil || cleanTitle(a.Description) == "" {
		return agent.Description{Title: t.Label()}
	}
	return agent.Description{Title: t.s.say(textTaskOf, cleanTitle(a.Description))}
}

// taskRaw is a result's structured form.
type taskRaw struct {
	StopReason agent.StopReason `json:"stopReason"`
	// Worktree and Branch are where its work is, when it had a worktree and changed
	// something.
	Worktree string `json:"worktree,omitempty"`
	Branch   string `json:"branch,omitempty"`
}

// Execute implements agent.Tool.
func (t *taskTool) Execute(ctx context.Context, args json.RawMessage, report func(agent.Progress)) (agent.Result, error) {
	var a taskArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return agent.Result{}, err
	}
	if strings.TrimSpace(a.Prompt) == "" {
		return agent.Result{}, errors.New("prompt is empty: say what the sub-agent shall do")
	}
	cwd := t.s.o.Cwd
	var tree *worktree.Tree
	if a.Isolation != "" {
		var err error
		tree, err = worktree.Add(ctx, worktree.Options{Dir: t.s.o.Worktrees, Cwd: cwd, Name: a.Description, Environ: t.s.o.Environ})
		if err != nil {
			return agent.Result{}, fmt.Errorf("no worktree can be made: %w; leave isolation out to work in the folder itself", err)
		}
		cwd = tree.Cwd
	}
	out, answer, err := t.run(ctx, cwd, a.Prompt, tree == nil, report)
	raw := taskRaw{StopReason: out.StopReason}
	note := ""
	if tree != nil {
		note = t.putAway(ctx, tree, &raw)
	}
	if err != nil {
		if note != "" {
			err = fmt.Errorf("%w\n%s", err, note)
		}
		return agent.Result{}, err
	}
	return taskResult(out.StopReason, answer, note, raw), nil
}

// run is the sub-agent, from its first request to its last answer.
func (t *taskTool) run(ctx context.Context, cwd, prompt string, inPlace bool, report func(agent.Progress)) (TurnResult, string, error) {
	tools, end := t.s.o.SubAgentTools(cwd, inPlace)
	defer end()
	sub, err := t.s.newChild(agent.CallID(ctx), cwd, tools, report)
	if err != nil {
		return TurnResult{}, "", err
	}
	defer sub.up.end()
	out, err := sub.Prompt(ctx, []agent.Content{agent.Text(prompt)})
	t.s.spent(out.Usage)
	if cerr := sub.Close(); cerr != nil {
		t.s.o.Logger.Warn("a sub-agent's tools", "session", t.s.id, "error", cerr)
	}
	if err == nil && out.StopReason == agent.StopCancelled {
		err = context.Canceled
	}
	if err != nil {
		return out, "", err
	}
	return out, sub.lastAnswer(), nil
}

// putAway ends a worktree and says for the model what is left of it.
func (t *taskTool) putAway(ctx context.Context, tree *worktree.Tree, raw *taskRaw) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), treeGrace)
	defer cancel()
	left, err := tree.End(ctx)
	switch {
	case err != nil:
		t.s.o.Logger.Warn("the worktree of a sub-agent", "session", t.s.id, "path", tree.Path, "error", err)
		raw.Worktree, raw.Branch = tree.Path, tree.Branch
		return fmt.Sprintf("[its worktree %s, branch %s, could not be looked at and is kept: %v]", tree.Path, tree.Branch, err)
	case left.Clean():
		return "[it changed nothing; its worktree is gone]"
	}
	raw.Worktree, raw.Branch = tree.Path, tree.Branch
	return fmt.Sprintf("[its changes are in the worktree %s, branch %s: %d files not committed, %d commits]", tree.Path, tree.Branch, left.Files, left.Commits)
}

// taskResult is what the model reads of a sub-agent that has ended.
func taskResult(stop agent.StopReason, answer, note string, raw taskRaw) agent.Result {
	var parts []string
	if answer != "" {
		parts = append(parts, answer)
	}
	if stop != agent.StopEndTurn {
		parts = append(parts, fmt.Sprintf("[it did not come to an end by itself: %s]", stop))
	} else if answer == "" {
		parts = append(parts, "[it ended without a report]")
	}
	if note != "" {
		parts = append(parts, note)
	}
	r := agent.Result{Content: []agent.Content{agent.Text(strings.Join(parts, "\n\n"))}, IsError: stop == agent.StopRefusal || answer == ""}
	if data, err := json.Marshal(raw); err == nil {
		r.Raw = data
	}
	return r
}
