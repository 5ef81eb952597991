package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/anthropic"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
	"github.com/codebot-ls/codebot-ls/session/model/openai"
)

var update = flag.Bool("update", false, "write the golden files anew")

// flavors runs a test against every protocol.
func flavors(t *testing.T, test func(t *testing.T, f modeltest.Flavor)) {
	for _, f := range modeltest.Flavors() {
		t.Run(string(f), func(t *testing.T) { test(t, f) })
	}
}

// naps is a clock that does not wait.
type naps struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken = append(n.taken, d)
	return ctx.Err()
}

type limits struct {
	sleep           func(context.Context, time.Duration) error
	firstByte, idle time.Duration
	key             string
}

func connect(f modeltest.Flavor, baseURL string, l limits) agent.Model {
	if l.key == "" {
		l.key = modeltest.Key
	}
	c := openai.Config{ID: "test/test-model", Model: "test-model", BaseURL: baseURL, Key: l.key, Sleep: l.sleep, FirstByte: l.firstByte, Idle: l.idle}
	switch f {
	case modeltest.OpenAI:
		return openai.New(c)
	case modeltest.Responses:
		return openai.NewResponses(c)
	}
	return anthropic.New(anthropic.Config{ID: "test/test-model", Model: "test-model", BaseURL: baseURL, Key: l.key, Sleep: l.sleep, FirstByte: l.firstByte, Idle: l.idle})
}

// history makes a conversation of one user message.
func history(text string) []agent.Message {
	c := agent.Text(text)
	return []agent.Message{{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockContent, Content: &c}}}}
}

func ask(text string) *agent.Request {
	return &agent.Request{Messages: history(text), CacheLastMessage: true}
}

// heard is what a model emitted.
type heard struct {
	text, thinking string
	uses           []string
	retries        []agent.Delta
}

func (h *heard) emit(d agent.Delta) error {
	switch d.Kind {
	case agent.DeltaText:
		h.text += d.Text
	case agent.DeltaThinking:
		h.thinking += d.Text
	case agent.DeltaToolUse:
		h.uses = append(h.uses, d.ID+" "+d.Name)
	case agent.DeltaRetry:
		h.retries = append(h.retries, d)
	}
	return nil
}

func modelError(t *testing.T, err error) *agent.Error {
	t.Helper()
	e, ok := errors.AsType[*agent.Error](err)
	if !ok {
		t.Fatalf("not a model's error: %v", err)
	}
	if !strings.Contains(e.Message, "test/test-model") || strings.Contains(e.Message+e.ProviderMessage, modeltest.Key) {
		t.Errorf("the message names no model, or a secret: %q %q", e.Message, e.ProviderMessage)
	}
	return e
}

// echo is a tool that says its arguments.
type echo struct{ name, result string }

func (e echo) Name() string            { return e.name }
func (e echo) Description() string     { return "says \"it\" <back>" }
func (e echo) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (e echo) Execute(_ context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	if e.result == "-" {
		return agent.Result{}, nil
	}
	return agent.Result{Content: []agent.Content{agent.Text(e.result + string(args))}}, nil
}

// turn runs one turn with the tools and returns how it ended.
func turn(ctx context.Context, m agent.Model, h []agent.Message, emit func(agent.Event), tools ...agent.Tool) (agent.Outcome, error) {
	var specs []agent.ToolSpec
	for i, tool := range tools {
		specs = append(specs, agent.ToolSpec{Name: tool.Name(), Description: tool.Description(), Schema: tool.Schema(), CacheMark: i == len(tools)-1})
	}
	system := []agent.SystemBlock{{Key: "identity", Text: "You are a test.", CacheMark: true}, {Key: "instructions", Text: "Do it.", CacheMark: true}, {Key: "dynamic", Text: ""}}
	return agent.Run(ctx, h, agent.Options{
		BeforeRequest: func(context.Context) (agent.Prompt, error) {
			return agent.Prompt{Model: m, System: system, Tools: specs, Lookup: func(name string) agent.Tool {
				for _, tool := range tools {
					if tool.Name() == name {
						return tool
					}
				}
				return nil
			}}, nil
		},
		Emit: emit,
	})
}

func says(h []agent.Message, text string) []agent.Message {
	return agent.Append(h, history(text)[0])
}

// The requests of a turn with everything in it, as they go over the wire.
func TestRequestsAreWhatTheProvidersWant(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n")
	old := "old"
	result := func(c ...agent.Content) []agent.Content { return c }
	content := func(c agent.Content) agent.Block { return agent.Block{Kind: agent.BlockContent, Content: &c} }
	req := &agent.Request{
		System: []agent.SystemBlock{
			{Key: "identity", Text: "You are <codebot> & friends.", CacheMark: true},
			{Key: "instructions", Text: "Be brief.", CacheMark: true},
			{Key: "dynamic", Text: "## MCP Tools"},
		},
		Tools: []agent.ToolSpec{
			{Name: "read", Description: "Reads a file.", Schema: json.RawMessage(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}`)},
			{Name: "bash", Schema: json.RawMessage(`{"type":"object"}`), CacheMark: true},
			{Name: "mcp__docs__search", Description: "查文档", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"maximum":12345678901234567890}}}`)},
		},
		Messages: []agent.Message{
			{Role: agent.RoleUser, Blocks: []agent.Block{
				content(agent.Text("Look at this.")),
				content(agent.Content{Kind: agent.ContentResource, URI: "file:///a.go", Text: "package a"}),
				content(agent.Content{Kind: agent.ContentLink, URI: "file:///b.go", Name: "b.go"}),
				content(agent.Content{Kind: agent.ContentImage, MIME: "image/png", Data: png}),
				content(agent.Content{Kind: agent.ContentImage, MIME: "image/svg+xml", Data: []byte("<svg/>")}),
				content(agent.Content{Kind: agent.ContentAudio, MIME: "audio/wav", Data: []byte("RIFF")}),
			}},
			{Role: agent.RoleAssistant, Blocks: []agent.Block{
				{Kind: agent.BlockThinking, Thinking: "Hm.", Signature: "c2ln"},
				{Kind: agent.BlockThinking, Redacted: "b3BhcXVl"},
				{Kind: agent.BlockThinking, Thinking: "Hm.", Encrypted: "sealed s"},
				{Kind: agent.BlockThinking, Thinking: "of another provider"},
				content(agent.Text("I will read.")),
				{Kind: agent.BlockToolUse, ID: "toolu_1", Name: "read", Input: json.RawMessage(`{"path": "a.go", "big": 12345678901234567890}`)},
				{Kind: agent.BlockToolUse, ID: "functions.shot:0", Name: "no such tool!", Input: json.RawMessage(`{}`)},
			}},
			{Role: agent.RoleUser, Blocks: []agent.Block{
				{Kind: agent.BlockToolResult, ID: "toolu_1", Result: result(agent.Text("package a"), agent.Content{Kind: agent.ContentDiff, Path: "/a.go", Old: &old, New: "new"})},
				{Kind: agent.BlockToolResult, ID: "functions.shot:0", Result: result(agent.Text(""), agent.Content{Kind: agent.ContentImage, MIME: "image/png", Data: png}), IsError: true},
				content(agent.Text("Go on.")),
			}},
		},
		CacheLastMessage: true, MaxTokens: 1000,
	}
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Say("ok"))
		if _, err := connect(f, d.BaseURL(), limits{}).Stream(context.Background(), req, new(heard).emit); err != nil {
			t.Fatal(err)
		}
		golden(t, string(f)+"_request.json", d.Requests()[0].Body)
	})
}

// golden compares JSON with a golden file: the same values in the same order.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if !bytes.Equal(pretty.Bytes(), want) {
		t.Errorf("the request is not as in %s (go test -update writes it anew):\n%s", path, pretty.Bytes())
	}
}

var cacheControl = regexp.MustCompile(`,"cache_control":\{"type":"ephemeral"\}`)

// part is the raw value of a field of a body, cache marks taken out.
func part(t *testing.T, body []byte, field string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(cacheControl.ReplaceAll(body, nil), &fields); err != nil {
		t.Fatal(err)
	}
	if other := map[string]string{"messages": "input", "system": "instructions"}[field]; fields[other] != nil {
		field = other // of the Responses API
	}
	return string(fields[field])
}

// What a provider has cached of one request is the beginning of the next one.
func TestTheNextRequestBeginsWithTheBytesOfTheLast(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f,
			modeltest.Reply{Thinking: "hm", Signature: "sig", Text: []string{"I ", "call"}, Calls: []modeltest.Call{{ID: "a1", Name: "one", Args: []string{`{"x":`, `1}`}}, {ID: "a2", Name: "two", Args: []string{`{}`}}}},
			modeltest.Use("b1", "one", `{"x":2}`), modeltest.Say("done"), modeltest.Say("again"))
		m := connect(f, d.BaseURL(), limits{})
		tools := []agent.Tool{echo{"one", "got "}, echo{"two", "-"}}
		out, err := turn(context.Background(), m, history("go"), nil, tools...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = turn(context.Background(), m, says(out.History, "and again"), nil, tools...); err != nil {
			t.Fatal(err)
		}
		requests := d.Requests()
		if len(requests) != 4 {
			t.Fatalf("%d requests", len(requests))
		}
		for i := 1; i < len(requests); i++ {
			before, now := requests[i-1].Body, requests[i].Body
			for _, field := range []string{"tools", "system"} {
				if a, b := part(t, before, field), part(t, now, field); a != b {
					t.Errorf("request %d: %s changed from\n%s\nto\n%s", i+1, field, a, b)
				}
			}
			a := strings.TrimSuffix(part(t, before, "messages"), "]")
			if b := part(t, now, "messages"); !strings.HasPrefix(b, a+",") {
				t.Errorf("request %d: messages\n%s\ndo not begin with\n%s", i+1, b, a)
			}
		}
		if f == modeltest.Anthropic {
			if n := bytes.Count(requests[3].Body, []byte("cache_control")); n != 4 {
				t.Errorf("%d cache marks, want 4", n)
			}
			if !bytes.Contains(requests[1].Body, []byte(`{"type":"thinking","thinking":"hm","signature":"sig"}`)) {
				t.Errorf("the thinking did not come back with its signature:\n%s", requests[1].Body)
			}
		}
	})
}

func TestAnAnswerStreamsAndIsCounted(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Reply{Thinking: "hm", Signature: "s", Text: []string{"Hello ", "world"}, Calls: []modeltest.Call{{ID: "a", Name: "t", Args: []string{`{"k"`, `:"v"}`}}}})
		var h heard
		r, err := connect(f, d.BaseURL(), limits{}).Stream(context.Background(), ask("hi"), h.emit)
		if err != nil {
			t.Fatal(err)
		}
		if h.text != "Hello world" || h.thinking != "hm" || len(h.uses) != 1 || h.uses[0] != "a t" {
			t.Errorf("heard %+v", h)
		}
		want := agent.Usage{InputTokens: 10, OutputTokens: 7, CachedReadTokens: 5, CachedWriteTokens: 3}
		if f != modeltest.Anthropic {
			want.CachedWriteTokens, want.ThoughtTokens = 0, 2
		}
		if r.StopReason != agent.StopToolUse || r.Usage != want {
			t.Errorf("stop %q usage %+v, want %+v", r.StopReason, r.Usage, want)
		}
		last := r.Message.Blocks[len(r.Message.Blocks)-1]
		if len(r.Message.Blocks) != 3 || string(last.Input) != `{"k":"v"}` {
			t.Errorf("blocks %+v", r.Message.Blocks)
		}
	})
}

func TestStopReasonsAreToldApart(t *testing.T) {
	for _, test := range []struct {
		flavor modeltest.Flavor
		stop   string
		want   agent.StopReason
	}{
		{modeltest.Anthropic, "max_tokens", agent.StopMaxTokens}, {modeltest.Anthropic, "refusal", agent.StopRefusal},
		{modeltest.Anthropic, "stop_sequence", agent.StopEndTurn}, {modeltest.Anthropic, "model_context_window_exceeded", agent.StopMaxTokens},
		{modeltest.OpenAI, "length", agent.StopMaxTokens}, {modeltest.OpenAI, "content_filter", agent.StopRefusal}, {modeltest.OpenAI, "stop", agent.StopEndTurn},
		{modeltest.Responses, "max_output_tokens", agent.StopMaxTokens}, {modeltest.Responses, "content_filter", agent.StopRefusal}, {modeltest.Responses, "", agent.StopEndTurn},
	} {
		d := modeltest.New(t, test.flavor, modeltest.Reply{Text: []string{"x"}, Stop: test.stop})
		r, err := connect(test.flavor, d.BaseURL(), limits{}).Stream(context.Background(), ask("hi"), new(heard).emit)
		if err != nil || r.StopReason != test.want {
			t.Errorf("%s %s: %q, %v", test.flavor, test.stop, r.StopReason, err)
		}
	}
}

// named is connect with a model's name.
func named(f modeltest.Flavor, baseURL, name string) agent.Model {
	c := openai.Config{ID: "test/" + name, Model: name, BaseURL: baseURL, Key: modeltest.Key}
	switch f {
	case modeltest.OpenAI:
		return openai.New(c)
	case modeltest.Responses:
		return openai.NewResponses(c)
	}
	return anthropic.New(anthropic.Config{ID: "test/" + name, Model: name, BaseURL: baseURL, Key: modeltest.Key})
}
