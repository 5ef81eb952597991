package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// queue is what a user says to a running turn.
type queue struct{ said []string }

func (q *queue) into(o *Options) {
	o.Steered = func() bool { return len(q.said) > 0 }
	o.Steer = func(bool) []Block {
		var blocks []Block
		for _, s := range q.said {
			blocks = append(blocks, textBlock(s))
		}
		q.said = nil
		return blocks
	}
}

// What the user adds reaches the model with the next request: running calls end, the
// others are not started, and results still precede what was said.
func TestSteeringSkipsWhatHasNotStarted(t *testing.T) {
	b := newBench(say("", use("1", "slow", ""), use("2", "slow", ""), use("3", "none", "")), say("done"))
	var q queue
	q.into(&b.o)
	b.tools = []Tool{&tool{name: "slow", run: func(context.Context, json.RawMessage, func(Progress)) (Result, error) {
		q.said = append(q.said, "use the other file")
		return Result{Content: []Content{Text("ran")}}, nil
	}}}
	out, err := b.run(t, t.Context())
	if err != nil || out.Stop != StopEndTurn || out.Requests != 2 {
		t.Fatalf("outcome %+v, error %v", out, err)
	}
	second := b.model.requests[1].Messages
	last := second[len(second)-1]
	var got []string
	for _, block := range last.Blocks {
		if block.Kind == BlockToolResult {
			got = append(got, block.ID+" "+block.Result[0].Text)
		} else {
			got = append(got, block.Content.Text)
		}
	}
	want := "1 ran|2 " + textSkipped + "|3 " + textSkipped + "|use the other file"
	if strings.Join(got, "|") != want {
		t.Errorf("the second request ends with\n%q, want\n%q", got, want)
	}
	if log := b.said(); !strings.Contains(log, "commit user \"use the other file\"\nsteered") {
		t.Errorf("kept and told:\n%s", log)
	}
}

// What is said while the model gives its last answer is answered in the same turn.
func TestSteeringTheLastAnswerGoesOn(t *testing.T) {
	var q queue
	first := say("all done")
	b := newBench(func(ctx context.Context, req *Request, emit func(Delta) error) (Response, error) {
		q.said = append(q.said, "and the tests?")
		return first(ctx, req, emit)
	}, say("the tests too"))
	q.into(&b.o)
	out, err := b.run(t, t.Context())
	if err != nil || out.Stop != StopEndTurn || historyText(out.History) != "user \"do it\"\nassistant \"all done\"\nuser \"and the tests?\"\nassistant \"the tests too\"" {
		t.Fatalf("outcome %v\n%s, error %v", out.Stop, historyText(out.History), err)
	}
}
