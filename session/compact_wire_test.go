package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/anthropic"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
	"github.com/codebot-ls/codebot-ls/session/model/openai"
)

// Providers are strict about calls and their results; wherever a compaction cuts, they
// take what is left.
func TestProvidersTakeWhatACompactionLeaves(t *testing.T) {
	png := agent.Content{Kind: agent.ContentImage, MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	var h []agent.Message
	for i := range 3 {
		h = agent.Append(h, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{textBlock(fmt.Sprint("prompt ", i)), {Kind: agent.BlockContent, Content: &png}}})
		for j := range 2 {
			a, b := fmt.Sprintf("a%d_%d", i, j), fmt.Sprintf("b%d_%d", i, j)
			h = agent.Append(h, agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{
				{Kind: agent.BlockThinking, Thinking: "hm", Signature: "s"}, use(a, "write", `{"text":"`+strings.Repeat("x", 6000)+`"}`), use(b, "mcp__s__t", `{}`)}})
			h = agent.Append(h, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{
				{Kind: agent.BlockToolResult, ID: a, Result: []agent.Content{agent.Text(strings.Repeat("r", 6000))}, IsError: true},
				{Kind: agent.BlockToolResult, ID: b, Result: []agent.Content{agent.Text(strings.Repeat("m", 900)), png}}}})
		}
		h = agent.Append(h, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{textBlock("steered")}})
		if i < 2 {
			h = agent.Append(h, agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{textBlock("answer")}})
		}
	}
	for _, f := range []modeltest.Flavor{modeltest.Anthropic, modeltest.OpenAI} {
		d := modeltest.New(t, f)
		var m agent.Model = anthropic.New(anthropic.Config{ID: "test/test-model", Model: "test-model", BaseURL: d.BaseURL(), Key: modeltest.Key})
		if f == modeltest.OpenAI {
			m = openai.New(openai.Config{ID: "test/test-model", Model: "test-model", BaseURL: d.BaseURL(), Key: modeltest.Key})
		}
		send := func(what string, messages []agent.Message) {
			d.Then(modeltest.Say("ok"))
			if _, err := m.Stream(context.Background(), &agent.Request{Messages: messages, CacheLastMessage: true}, func(agent.Delta) error { return nil }); err != nil {
				t.Errorf("%s, %s: %v", f, what, err)
			}
		}
		for cut := 1; cut < len(h); cut++ {
			if h[cut].Role != agent.RoleAssistant && !begins(h[cut]) {
				continue
			}
			edits, _ := leaveOutResults(h, 3000)
			more, _ := trimTexts(h, 1<<30)
			once := compaction{Edits: merged(edits, more), Cut: cut, Summary: "sum"}.apply(h)
			send(fmt.Sprint("cut at ", cut), once)
			if at := cutAt(once, (&meter{}).weigh(agent.Prompt{}, once).messages, 500); at > 0 {
				twice := compaction{Cut: at, Summary: "sum of sums"}.apply(once)
				send(fmt.Sprint("cut at ", cut, ", then at ", at), twice)
				if n := strings.Count(fmt.Sprint(*twice[0].Blocks[0].Content), summaryHead); n != 1 || len(twice[0].Blocks) > 1 && isSummary(twice[0].Blocks[1]) {
					t.Errorf("cut at %d, then at %d: a summary stands beside a summary", cut, at)
				}
			}
		}
	}
}

// A crash around a compaction leaves the conversation as before or as after it.
func TestCrashAroundACompaction(t *testing.T) {
	r := newRoom(t, nil, say(strings.Repeat("far ", 400)), say("two"), say("You went far."))
	r.ask(t, "one")
	r.ask(t, "two")
	before := r.history
	if _, _, err := r.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := r.history
	r.Close()
	data, err := os.ReadFile(r.store.path(r.ID()))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, lineOf(entryCompact))
	for n := at; n <= len(data); n++ {
		want := before
		if n == len(data) {
			want = after
		}
		log, _, err := parse(data[:n])
		if err != nil || !reflect.DeepEqual(log.history(), want) || len(log.Messages) != 4 {
			t.Fatalf("at byte %d of %d: %+v %v", n, len(data), log.history(), err)
		}
	}
}
