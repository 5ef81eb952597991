package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// kills is how often a chat is killed, in all.
const kills = 500

// In the middle of a write, of a call, of an answer, of a load: kill -9 comes at any
// moment of a chat on the real binary. Whatever the editor had been told is complete is
// there when the session is opened again, and the provider takes the conversation. Each
// process opens what the one before it left behind, goes on with the chat, and is killed
// in its turn.
func TestKillAtAnyMomentLosesNothingThatWasComplete(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no kill -9, and no shell")
	}
	n := kills
	if testing.Short() {
		n = 50
	}
	servertest.Binary(t)
	for worker, f := range modeltest.Flavors() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			share := n / 3
			if worker < n%3 {
				share++
			}
			killChats(t, f, uint64(worker), share)
		})
	}
}

// chat is one session as its editors have seen it.
type chat struct {
	id      string
	prompts []string
	// texts were complete, calls had ended, by id, with this text.
	texts []string
	calls map[string]string
}

func killChats(t *testing.T, f modeltest.Flavor, seed uint64, n int) {
	r := rand.New(rand.NewPCG(seed, 9))
	d := modeltest.New(t, f)
	d.Improvise(improvised)
	w := servertest.NewWorld(t)
	w.User(with(d, nil))

	// How long a prompt and a load take, to choose the moments from.
	var span, loadSpan time.Duration
	moment := func(span time.Duration) { // the one wait in these tests that is for time
		timer := time.NewTimer(time.Duration(r.Int64N(int64(span) + int64(time.Millisecond))))
		<-timer.C
	}
	begun := time.Now()
	var c *chat
	torn, loads, inLoad, lost := 0, 0, 0, 0
	for kill := range n {
		if kill%12 == 0 {
			c = nil // a new one: long ones only load more slowly
		}
		e, p := w.Spawn(servertest.Config{})
		end := func() {
			if err := p.Cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.Wait(t)
			e.AwaitEnd()
		}
		if c != nil && loadSpan > 0 && r.IntN(6) == 0 {
			inLoad++
			ctx, forget := context.WithCancel(context.Background())
			servertest.Start(ctx, e, wire.SessionLoad, wire.SessionLoadParams{SessionID: c.id})
			moment(loadSpan)
			end()
			forget()
			continue
		}
		if c != nil {
			loads++
			start := time.Now()
			torn += reloaded(t, e, c)
			loadSpan = time.Since(start)
		} else {
			c = &chat{calls: map[string]string{}}
			c.id = servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
		}
		if t.Failed() {
			return
		}
		replayed := 0
		e.Look(func(s *servertest.State) { replayed = len(s.Updates[c.id]) })
		ctx, forget := context.WithCancel(context.Background())
		text := fmt.Sprintf("prompt %d", kill)
		start := time.Now()
		wait := begin(ctx, e, c.id, text)
		answered := make(chan bool, 1)
		go func() {
			_, err := wait()
			answered <- err == nil
		}()
		if span == 0 { // the first is not killed before it is over
			if !<-answered {
				t.Fatal("the first prompt failed")
			}
			span = time.Since(start)
			answered <- true
		}
		moment(span)
		end()
		forget()
		done := <-answered
		if !seen(e, c, replayed, text, done) {
			lost++
		}
	}
	t.Logf("killed %d times in %v (a prompt takes %v), %d of them in a load: %d whole loads, %d torn lines, %d prompts of which nothing had been seen; the provider took %d requests",
		n, time.Since(begun).Round(time.Millisecond), span.Round(time.Millisecond), inLoad, loads, torn, lost, len(d.Requests()))
}

// improvised answers a prompt with two calls and their results with a text, in pieces.
func improvised(r modeltest.Request) modeltest.Reply {
	body := string(r.Body)
	last := body[max(strings.LastIndex(body, `"role":"user"`), strings.LastIndex(body, `"role":"tool"`), strings.LastIndex(body, `"function_call_output"`)):]
	if !strings.Contains(last, "prompt ") || strings.Contains(last, "tool_result") {
		return modeltest.Say("All ", "of it ", fmt.Sprintf("is done after %d bytes.", len(body)))
	}
	return modeltest.Reply{Text: []string{"First ", fmt.Sprintf("I look, %d.", len(body))}, Calls: []modeltest.Call{
		{ID: "call_1", Name: "ls", Args: []string{`{"pa`, `th":"."}`}}, // the ids are used again and again
		{ID: "call_2", Name: "bash", Args: []string{`{"command":"echo `, `hello"}`}},
	}}
}

// seen notes what the editor was told is complete, and reports whether it was told
// anything.
func seen(e *servertest.Editor, c *chat, from int, prompt string, answered bool) bool {
	any := answered
	e.Look(func(s *servertest.State) {
		text := ""
		whole := func() {
			if text != "" {
				c.texts = append(c.texts, text)
			}
			text = ""
		}
		for _, u := range s.Updates[c.id][min(from, len(s.Updates[c.id])):] {
			switch v := u.(type) {
			case *wire.AgentMessageChunk:
				text += *v.Content.Text
				any = true
			case *wire.ToolCallProgress:
				whole() // its message was committed before its call ran
				if v.Status == wire.ToolCompleted {
					c.calls[v.ToolCallID] = servertest.CallText(v.ToolCallUpdate)
				}
			case *wire.ToolCallStart:
				any = true
			}
		}
		if answered {
			whole()
		}
	})
	if any {
		c.prompts = append(c.prompts, prompt)
	}
	return any
}

// reloaded opens a chat again, checks that all is there, and returns how many torn lines
// it was told of.
func reloaded(t *testing.T, e *servertest.Editor, c *chat) (torn int) {
	t.Helper()
	if _, err := servertest.Try(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: c.id}); err != nil {
		t.Errorf("it does not open again: %v", err)
		return 0
	}
	var texts, users strings.Builder
	e.Look(func(s *servertest.State) {
		for _, u := range s.Updates[c.id] {
			switch v := u.(type) {
			case *wire.AgentMessageChunk:
				texts.WriteString(*v.Content.Text)
			case *wire.UserMessageChunk:
				users.WriteString(*v.Content.Text + "\n")
			case *wire.AgentThoughtChunk:
				if strings.Contains(*v.Content.Text, "middle of a line") {
					torn++
				}
			}
		}
	})
	for _, text := range c.texts {
		if !strings.Contains(texts.String(), text) {
			t.Errorf("lost: the agent's %q; there is %q", text, texts.String())
		}
	}
	for _, text := range c.prompts {
		if !strings.Contains(users.String(), text+"\n") {
			t.Errorf("lost: the prompt %q; there is %q", text, users.String())
		}
	}
	calls := map[string]wire.ToolCallUpdate{}
	for _, call := range e.Calls(c.id) {
		calls[call.ToolCallID] = call
	}
	for id, text := range c.calls {
		if got := calls[id]; got.Status != wire.ToolCompleted || servertest.CallText(got) != text {
			raw, _ := json.Marshal(got)
			t.Errorf("lost: the call %s with %q; there is %s", id, text, raw)
		}
	}
	return torn
}
