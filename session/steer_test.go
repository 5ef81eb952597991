package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

func steerable(t *testing.T, steps ...step) *room {
	t.Helper()
	var r *room
	look := readTool("look")
	look.run = func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
		return agent.Result{}, r.Steer(prompt("the other one"))
	}
	r = newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{look} }, steps...)
	return r
}

// What was said to the running turn is in the journal at its place.
func TestSteeringIsKeptAndReplayedAtItsPlace(t *testing.T) {
	r := steerable(t, say("looking", use("a", "look", "{}"), use("b", "gone", "{}")), say("done"))
	r.ask(t, "go")
	if got := r.seen(); !strings.Contains(got, "user_message the other one\nagent_message done") || !strings.Contains(got, "b failed | Skipped due to queued user message.") {
		t.Errorf("told\n%s", got)
	}
	r.Close()
	n := reload(t, r, r.store)
	var us []Update
	n.Replay(ReplayOptions{}, func(u Update) { us = append(us, u) })
	if got := updatesText(us); !strings.HasSuffix(got, "user_message the other one\nagent_message done") {
		t.Errorf("replayed\n%s", got)
	}
	if id := us[len(us)-1].MessageID; id != "3" {
		t.Errorf("the last message is %q", id)
	}
}

// What was accepted is not lost when the turn ends before it could take it in.
func TestSteeringOutlivesACancelledTurn(t *testing.T) {
	var r *room
	r = newRoom(t, nil, func(ctx context.Context, _ *agent.Request, _ func(agent.Delta) error) (agent.Response, error) {
		if err := r.Steer(prompt("wait")); err != nil {
			t.Error(err)
		}
		r.Cancel()
		<-ctx.Done()
		return agent.Response{}, ctx.Err()
	}, say("yes"))
	if res := r.ask(t, "go"); res.StopReason != agent.StopCancelled {
		t.Fatalf("%+v", res)
	}
	if got := r.seen(); !strings.HasSuffix(got, "user_message wait") {
		t.Errorf("told\n%s", got)
	}
	r.ask(t, "again")
	if m := r.model.request(1).Messages; len(m) != 1 || len(m[0].Blocks) != 3 || m[0].Blocks[1].Content.Text != "wait" {
		t.Errorf("the next request has %+v", m)
	}
}

func TestSteeringNobodyIsRefused(t *testing.T) {
	r := newRoom(t, nil, say("hi"))
	if err := r.Steer(prompt("x")); !errors.Is(err, ErrIdle) {
		t.Errorf("before any turn: %v", err)
	}
	r.ask(t, "go")
	if err := r.Steer(prompt("x")); !errors.Is(err, ErrIdle) {
		t.Errorf("after the turn: %v", err)
	}
	if err := r.Steer(prompt(" ")); !errors.Is(err, ErrEmptyPrompt) {
		t.Errorf("nothing: %v", err)
	}
}
