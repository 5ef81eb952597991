package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// The five answers of the protocol, what is not one of them, and no answer.
func TestAnswersToAPermissionQuestion(t *testing.T) {
	for _, c := range []struct {
		answer    string
		err       error
		runs      bool
		asksAgain bool
		result    string
	}{
		{permission.OptionAllowOnce, nil, true, true, "mcp__d__go ran"},
		{permission.OptionAllowSession, nil, true, false, "mcp__d__go ran"},
		{permission.OptionAllowAlways, nil, true, false, "mcp__d__go ran"},
		{permission.OptionRejectOnce, nil, false, true, "rejected by the user"},
		{permission.OptionRejectAlways, nil, false, false, "rejected by the user"},
		{"maybe", nil, false, true, "rejected by the user"},
		{"", nil, false, true, "rejected by the user"},
		{permission.OptionAllowAlways, errors.New("editor gone"), false, true, "rejected: the user could not be asked"},
	} {
		t.Run(c.answer, func(t *testing.T) {
			var asked []Ask
			var r *room
			r = newRoom(t, func(o *Options) {
				o.Gate = permission.NewEngine(permission.EngineOptions{ConfigHome: t.TempDir()})
				o.Ask = func(_ context.Context, a Ask) (string, error) {
					if s := r.seen(); !strings.Contains(s, "tool_call "+a.ToolCallID) {
						t.Errorf("asked about a call that was not shown:\n%s", s)
					}
					asked = append(asked, a)
					return c.answer, c.err
				}
			}, say("", use("a", "mcp__d__go", `{"x":1}`)), say("ok"), say("", use("b", "mcp__d__go", "")), say("ok"))
			r.ReplaceMCPTools([]agent.Tool{mcpTool("d", "go", false)})
			r.ask(t, "one")
			if s := r.seen(); !strings.Contains(s, "| "+c.result) || strings.Contains(s, "a in_progress") != c.runs {
				t.Errorf("updates\n%s", s)
			}
			if len(asked) != 1 || asked[0].Title != `mcp__d__go {"x":1}` || len(asked[0].Options) != 5 || asked[0].Reason == "" {
				t.Fatalf("asked %+v", asked)
			}
			r.ask(t, "two")
			if again := len(asked) == 2; again != c.asksAgain {
				t.Errorf("asked again: %v", again)
			}
		})
	}
}

func TestRefusalsAreFailedResultsWithTheReason(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{bashTool()} },
		func(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
			return say("", use("a", "bash", ""))(ctx, req, emit)
		}, say("ok"))
	r.ask(t, "go") // nobody to ask
	if s := r.seen(); !strings.Contains(s, "a failed rejected | refused: ") || !strings.Contains(s, "nobody can be asked") {
		t.Errorf("updates\n%s", s)
	}
}

// While a question is open, a cancel ends the turn at once; the late answer is
// ignored.
func TestCancelWithdrawsTheQuestion(t *testing.T) {
	var r *room
	withdrawn := make(chan struct{})
	r = newRoom(t, func(o *Options) {
		o.BuiltIns = []agent.Tool{bashTool()}
		o.Ask = func(ctx context.Context, _ Ask) (string, error) {
			r.Cancel()
			<-ctx.Done()
			close(withdrawn)
			return permission.OptionAllowAlways, nil
		}
	}, say("", use("a", "bash", "")))
	if res := r.ask(t, "go"); res.StopReason != agent.StopCancelled {
		t.Errorf("%+v", res)
	}
	<-withdrawn
	if s := r.seen(); !strings.HasSuffix(s, "a failed | cancelled by the user before it ran") {
		t.Errorf("updates\n%s", s)
	}
}

func TestToolKindFollowsCapability(t *testing.T) {
	for _, c := range []struct {
		r    permission.Request
		want ToolKind
	}{
		{permission.Request{Metadata: permission.Metadata{Capability: permission.CapabilityRead}}, ToolRead},
		{permission.Request{Metadata: permission.Metadata{Capability: permission.CapabilityNetwork}}, ToolFetch},
		{permission.Request{Metadata: permission.Metadata{Capability: permission.CapabilityWrite}}, ToolEdit},
		{permission.Request{Metadata: permission.Metadata{Capability: permission.CapabilityExec}}, ToolExecute},
		{permission.Request{Kind: permission.KindRead, Metadata: permission.Metadata{Capability: permission.CapabilityUnknown}}, ToolOther},
		{permission.Request{Kind: permission.KindBash}, ToolExecute},
		{permission.Request{Kind: permission.KindFree}, ToolOther},
	} {
		if got := toolKind(c.r); got != c.want {
			t.Errorf("%+v: %s", c.r, got)
		}
	}
}

// A tool that says nothing of itself is free only when it is ours.
func TestSilentToolsAreSuspected(t *testing.T) {
	silent := struct{ agent.Tool }{readTool("mcp__x__y")}
	own := struct{ agent.Tool }{readTool("todo")}
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{own} })
	if req := r.request(silent, nil); req.Kind != permission.KindMCP || req.Capability != permission.CapabilityUnknown {
		t.Errorf("%+v", req)
	}
	if req := r.request(own, nil); req.Kind != permission.KindFree {
		t.Errorf("%+v", req)
	}
}
