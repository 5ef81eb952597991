package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// small is a script with a window of its own; after, when not nil, answers what the
// script has no answer for.
type small struct {
	*script
	window int
}

func (m *small) ContextTokens() int { return m.window }

// uncounted answers with text and calls, and says nothing of tokens.
func uncounted(text string, calls ...agent.Block) step {
	s := say(text, calls...)
	return func(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
		r, err := s(ctx, req, emit)
		r.Usage = agent.Usage{}
		return r, err
	}
}

func isSummaryRequest(req agent.Request) bool {
	return len(req.System) == 1 && req.System[0].Key == agent.KeySummary
}

// longTool is a tool with a long result, remote or ours.
func longTool(name string, bytes int) *tool {
	l := readTool(name)
	l.run = func(_ context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
		return agent.Result{Content: []agent.Content{agent.Text(string(args) + strings.Repeat(" word", bytes/5))}}, nil
	}
	return l
}

// A conversation that outgrows the window goes on: old results go first, those of MCP
// tools before ours, the end stays word for word, nobody is asked for a summary that
// is not needed, and the next requests begin with the bytes of the one before.
func TestOldResultsGoFirst(t *testing.T) {
	m := &small{window: 16_000, script: &script{}}
	var steps []step
	for i := range 8 {
		name := []string{"look", "mcp__s__look"}[i%2]
		steps = append(steps, uncounted("", use(fmt.Sprint("c", i), name, `{}`)), uncounted(fmt.Sprint("answer ", i)))
	}
	m.steps = steps
	r := newRoom(t, func(o *Options) {
		o.Model = m
		o.BuiltIns = []agent.Tool{longTool("look", 3000)}
	})
	remote := longTool("mcp__s__look", 12_000)
	remote.server = "s"
	r.ReplaceMCPTools([]agent.Tool{remote})
	for i := range 8 {
		r.ask(t, fmt.Sprint("prompt ", i))
	}
	told := r.seen()
	if n := strings.Count(told, "notice The conversation was made smaller: from about"); n != 1 {
		t.Fatalf("%d compactions\n%s", n, told)
	}
	broken := -1
	for i := 1; i < len(m.requests); i++ {
		if isSummaryRequest(m.requests[i]) {
			t.Fatal("a summary was asked for")
		}
		before, _ := json.Marshal(m.requests[i-1].Messages)
		now, _ := json.Marshal(m.requests[i].Messages)
		if !strings.HasPrefix(string(now), strings.TrimSuffix(string(before), "]")) {
			if broken >= 0 {
				t.Errorf("requests %d and %d both begin anew", broken, i)
			}
			broken = i
		}
	}
	var got []string
	for _, msg := range m.requests[broken].Messages {
		for _, b := range msg.Blocks {
			if b.Kind == agent.BlockToolResult {
				text := b.Result[0].Text
				got = append(got, b.ID+" "+text[:min(len(text), 8)])
			}
		}
	}
	first := strings.Join(got, "|")
	if !strings.Contains(first, "c1 [An old ") || !strings.Contains(first, "c0 {}") {
		t.Errorf("MCP results do not go first: %s", first)
	}
	if last := got[len(got)-1]; !strings.HasSuffix(last, " {} word ") {
		t.Errorf("the last result is %q", last)
	}
	// A person still sees everything, and a loaded session sends the same.
	history := r.history
	var us []Update
	r.Replay(ReplayOptions{}, func(u Update) { us = append(us, u) })
	if s := updatesText(us); strings.Contains(s, "left out") || strings.Count(s, "user_message") != 8 {
		t.Errorf("the replay shows the compaction\n%.500s", s)
	}
	r.Close()
	n := reload(t, r, r.store)
	if !reflect.DeepEqual(n.history, history) {
		t.Error("the loaded session has another history")
	}
}

// Where leaving out does not do, the model writes a summary: of all but the end, as
// text and without tools; the user's present request stays in the user's words.
func TestTheModelSummarisesWhatDoesNotFit(t *testing.T) {
	m := &small{window: 3_200, script: &script{}}
	r := newRoom(t, func(o *Options) { o.Model = m })
	story := strings.Repeat("tale ", 700)
	for range 3 {
		m.steps = append(m.steps, uncounted(story))
	}
	m.steps = append(m.steps, uncounted("They told three tales."), uncounted("the end"))
	for i := range 4 {
		r.ask(t, fmt.Sprint("tell tale ", i))
	}
	if len(m.requests) != 5 || !isSummaryRequest(m.requests[3]) || len(m.requests[3].Tools) != 0 {
		t.Fatalf("%d requests, told\n%.2000s", len(m.requests), r.seen())
	}
	asked := m.requests[3].Messages[0].Blocks[0].Content.Text
	if !strings.Contains(asked, "## User\ntell tale 0\n") || !strings.Contains(asked, "## Assistant\ntale tale") {
		t.Errorf("to summarise: %.300s", asked)
	}
	last := m.requests[4].Messages
	if b := last[0].Blocks; !strings.HasPrefix(b[0].Content.Text, summaryHead+"They told three tales.") {
		t.Errorf("the next request begins with %+v", b)
	}
	end := last[len(last)-1].Blocks
	if got := end[len(end)-1].Content.Text; got != "tell tale 3" {
		t.Errorf("the next request ends with %q", got)
	}
	history := r.history
	r.Close()
	n := reload(t, r, r.store, say("hello"))
	if !reflect.DeepEqual(n.history, history) {
		t.Errorf("the loaded session has another history:\n%+v\n%+v", n.history, history)
	}
}

// A model whose window nobody knows, or that is smaller than it says, refuses a
// request as too long: once made smaller, it is sent once more. A second refusal is
// the prompt's answer.
func TestARefusalAsTooLongIsTriedOnceMore(t *testing.T) {
	tooLong := func(context.Context, *agent.Request, func(agent.Delta) error) (agent.Response, error) {
		return agent.Response{}, &agent.Error{Kind: agent.ErrTooLong, Message: "too long"}
	}
	m := &small{script: &script{steps: []step{
		uncounted("", use("a", "look", "{}")), uncounted("", use("b", "look", "{}")), uncounted("first"),
		tooLong, uncounted("better"), tooLong, tooLong, tooLong,
	}}}
	r := newRoom(t, func(o *Options) { o.Model, o.BuiltIns = m, []agent.Tool{longTool("look", 40_000)} })
	r.ask(t, "one")
	if res := r.ask(t, "two"); res.StopReason != agent.StopEndTurn {
		t.Fatalf("%+v", res)
	}
	if n := len(m.requests); n != 5 {
		t.Fatalf("%d requests", n)
	}
	_, err := r.Prompt(t.Context(), prompt("three"))
	if e, ok := errors.AsType[*agent.Error](err); !ok || e.Kind != agent.ErrTooLong {
		t.Errorf("%v after %d requests", err, len(m.requests))
	}
	if n := strings.Count(r.seen(), "notice The conversation was made smaller"); n < 1 {
		t.Errorf("%d notices", n)
	}
}

// A person may ask for it: the last turn stays, the rest becomes a summary.
func TestCompactByHand(t *testing.T) {
	r := newRoom(t, nil, say("looking "+strings.Repeat("far ", 400)), say("two"), say("You looked far."), say("three"))
	if before, after, err := r.Compact(t.Context()); err != nil || before != after || len(r.model.requests) != 0 {
		t.Errorf("an empty session: %d %d %v", before, after, err)
	}
	r.ask(t, "look")
	r.ask(t, "and again")
	before, after, err := r.Compact(t.Context())
	if err != nil || after >= before {
		t.Fatalf("%d %d %v", before, after, err)
	}
	r.ask(t, "go on")
	msgs := r.model.request(3).Messages
	if len(msgs) != 3 || len(msgs[0].Blocks) != 2 || msgs[0].Blocks[1].Content.Text != "and again" || !strings.Contains(msgs[0].Blocks[0].Content.Text, "You looked far.") {
		t.Errorf("the next request has %+v", msgs)
	}
}

// It occupies the session as a turn does, and a cancel is heard at once.
func TestCompactIsCancelled(t *testing.T) {
	var r *room
	r = newRoom(t, nil, say(strings.Repeat("far ", 400)), say("two"), func(ctx context.Context, _ *agent.Request, _ func(agent.Delta) error) (agent.Response, error) {
		if _, err := r.Begin(prompt("x")); !errors.Is(err, ErrBusy) {
			t.Errorf("a prompt meanwhile: %v", err)
		}
		if err := r.Steer(prompt("x")); !errors.Is(err, ErrIdle) {
			t.Errorf("a steer meanwhile: %v", err)
		}
		r.Cancel()
		<-ctx.Done()
		return agent.Response{}, ctx.Err()
	}, say("three"))
	r.ask(t, "one")
	r.ask(t, "two")
	if _, _, err := r.Compact(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	r.ask(t, "three")
	if got := len(r.model.request(3).Messages); got != 5 {
		t.Errorf("the next request has %d messages", got)
	}
}

// However a conversation is cut, what is left is one that providers take.
func TestEveryCompactionLeavesAValidHistory(t *testing.T) {
	var h []agent.Message
	for i := range 4 {
		h = agent.Append(h, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{textBlock(fmt.Sprint("prompt ", i))}})
		for j := range 3 {
			id := fmt.Sprintf("c%d_%d", i, j)
			h = agent.Append(h, agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockThinking, Thinking: "hm", Signature: "s"}, use(id, "look", `{"a":"`+strings.Repeat("字", 5000)+`"}`)}})
			result := agent.Block{Kind: agent.BlockToolResult, ID: id, Result: []agent.Content{agent.Text(strings.Repeat("r", 9000))}}
			h = agent.Append(h, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{result}})
			if j == 1 {
				h = agent.Append(h, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{textBlock("steered")}})
			}
		}
		h = agent.Append(h, agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{textBlock("answer")}})
	}
	original, _ := json.Marshal(h)
	weights := (&meter{}).weigh(agent.Prompt{}, h).messages
	for limit := 0; limit <= sum(weights)+1; limit += 3000 {
		cut := cutAt(h, weights, limit)
		edits, saved := leaveOutResults(h[:cut], sum(weights)/4)
		more, n := trimTexts(compaction{Edits: edits}.apply(h), sum(weights))
		c := compaction{Edits: merged(edits, more), Cut: cut, Summary: "sum"}
		out := c.apply(h)
		if !reflect.DeepEqual(agent.Repair(out), out) {
			t.Fatalf("limit %d, cut %d: not valid", limit, cut)
		}
		lighter := (&meter{}).weigh(agent.Prompt{}, compaction{Edits: c.Edits}.apply(h)).total()
		if got := sum(weights) - saved - n; got != lighter && len(edits) > 0 && len(c.Edits) == len(edits)+len(more) {
			t.Errorf("limit %d: it says to weigh %d and weighs %d", limit, got, lighter)
		}
		line, err := entry{Type: entryCompact, Compact: &c}.line()
		if err != nil {
			t.Fatal(err)
		}
		var back entry
		if err := json.Unmarshal(line, &back); err != nil || !reflect.DeepEqual(back.Compact.apply(h), out) {
			t.Fatalf("limit %d: another history comes back from the journal (%v)", limit, err)
		}
	}
	if now, _ := json.Marshal(h); string(now) != string(original) {
		t.Error("the history itself was changed")
	}
}

// Chinese takes a token a character or so; counted in bytes alone it would seem to
// fit where it does not.
func TestTokensAreGuessedByWriting(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abcd": 1, "abcde": 2, "你好世界": 4, "a你": 2} {
		if got := tokensOf(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
