package model_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/anthropic"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// claude-code#3003, opencode#21326: a provider counts its ids anew in every answer,
// and the chat was dead.
func TestReusedIDsKeepTheChatAlive(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Use("call-1", "one", `{"x":1}`), modeltest.Use("call-1", "one", `{"x":2}`), modeltest.Say("done"))
		if _, err := turn(context.Background(), connect(f, d.BaseURL(), limits{}), history("go"), nil, echo{"one", "got "}); err != nil {
			t.Fatal(err)
		}
		body := string(d.Requests()[2].Body)
		for _, want := range []string{`"call-1"`, `"call-1_2"`} {
			if strings.Count(body, want) != 2 {
				t.Errorf("%s should stand in its call and its result:\n%s", want, body)
			}
		}
	})
}

// claude-code#62396, hermes-agent#70475: an empty text or an empty result in the
// history had every later request refused.
func TestNothingEmptyIsSent(t *testing.T) {
	empty := agent.Text("")
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f,
			modeltest.Reply{Text: []string{""}, Calls: []modeltest.Call{{ID: "a", Name: "quiet", Args: []string{""}}}},
			modeltest.Reply{Thinking: "only this", Signature: "sig"},
			modeltest.Say("after"), modeltest.Say("old"))
		m := connect(f, d.BaseURL(), limits{})
		out, err := turn(context.Background(), m, history("go"), nil, echo{"quiet", "-"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(d.Requests()[1].Body), "(no output)") {
			t.Errorf("the empty result went out as\n%s", d.Requests()[1].Body)
		}
		if _, err = turn(context.Background(), m, says(out.History, "next"), nil); err != nil {
			t.Fatal(err)
		}
		// A stored history that no version of ours would write.
		old := []agent.Message{
			history("go")[0],
			{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockContent, Content: &empty}, {Kind: agent.BlockToolUse, ID: "z", Name: "", Input: json.RawMessage(`not json`)}}},
			{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockToolResult, ID: "z", Result: []agent.Content{empty}}}},
		}
		if _, err := m.Stream(context.Background(), &agent.Request{Messages: old, System: []agent.SystemBlock{{Text: " "}}}, new(heard).emit); err != nil {
			t.Fatal(err)
		}
	})
}

// vercel/ai#6687, LibreChat#13987: arguments that are empty are {}, broken ones go
// back to the model as an error and into the history as valid JSON.
func TestOddArgumentsComeBackToTheModel(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		for _, test := range []struct{ args, result string }{
			{``, `got {}`}, {`{"a":1}`, `got {\"a\":1}`}, {`{"a":`, `not valid JSON`}, {`[1]`, `must be a JSON object`}, {`"x"`, `must be a JSON object`},
		} {
			d := modeltest.New(t, f, modeltest.Use("a", "one", test.args), modeltest.Say("ok"))
			if _, err := turn(context.Background(), connect(f, d.BaseURL(), limits{}), history("go"), nil, echo{"one", "got "}); err != nil {
				t.Fatal(err)
			}
			if body := string(d.Requests()[1].Body); !strings.Contains(body, test.result) {
				t.Errorf("%q: no %q in\n%s", test.args, test.result, body)
			}
		}
	})
}

// charmbracelet/crush#3153 and kin: how compatible endpoints stream tool calls.
func TestCallsOfEveryDialectAreUnderstood(t *testing.T) {
	for name, test := range map[string]struct {
		deltas []string
		want   string
	}{
		"by the book":               {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"x\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`, `{"index":1,"id":"b","function":{"name":"two","arguments":"{}"}}`}, `a one {"x":1}; b two {}`},
		"no index":                  {[]string{`{"id":"a","function":{"name":"one","arguments":"{\"x\":"}}`, `{"function":{"arguments":"1}"}}`, `{"id":"b","function":{"name":"two","arguments":"{}"}}`}, `a one {"x":1}; b two {}`},
		"no index and no id":        {[]string{`{"function":{"name":"one","arguments":"{}"}}`, `{"function":{"name":"two","arguments":"{}"}}`}, `call_1 one {}; call_2 two {}`},
		"the same index for all":    {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}`, `{"index":0,"id":"b","function":{"name":"two","arguments":"{}"}}`}, `a one {}; b two {}`},
		"an index that changes":     {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":""}}`, `{"index":1,"id":"a","function":{"arguments":"{\"x\":1}"}}`}, `a one {"x":1}`},
		"null names":                {[]string{`{"index":0,"id":"a","type":"function","function":{"name":"one","arguments":""}}`, `{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"{}"}}`}, `a one {}`},
		"empty ids after the first": {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":""}}`, `{"index":0,"id":"","function":{"name":"","arguments":"{}"}}`}, `a one {}`},
		"the name in every piece":   {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":""}}`, `{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}}`, `{"index":0,"id":"a","function":{"name":"one","arguments":":1}"}}`}, `a one {"x":1}`},
		"the name in pieces":        {[]string{`{"index":0,"id":"a","function":{"name":"on"}}`, `{"index":0,"function":{"name":"e","arguments":"{}"}}`}, `a one {}`},
		"arguments as an object":    {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":{"x":1}}}`}, `a one {"x":1}`},
		"an id used twice":          {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}`, `{"index":1,"id":"a","function":{"name":"two","arguments":"{}"}}`}, `a one {}; a two {}`},
		"no name at all":            {[]string{`{"index":0,"id":"a","function":{"name":null,"arguments":"{}"}}`}, `a unnamed_tool {}`},
		"interleaved":               {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}}`, `{"index":1,"id":"b","function":{"name":"two","arguments":"{"}}`, `{"index":0,"function":{"arguments":":1}"}}`, `{"index":1,"function":{"arguments":"}"}}`}, `a one {"x":1}; b two {}`},
	} {
		t.Run(name, func(t *testing.T) {
			raw := []string{`{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`}
			for _, delta := range test.deltas {
				raw = append(raw, `{"choices":[{"index":0,"delta":{"tool_calls":[`+delta+`]}}]}`)
			}
			raw = append(raw, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`)
			d := modeltest.New(t, modeltest.OpenAI, modeltest.Reply{Raw: raw})
			var h heard
			r, err := connect(modeltest.OpenAI, d.BaseURL(), limits{}).Stream(context.Background(), ask("go"), h.emit)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range r.Message.Blocks {
				got = append(got, b.ID+" "+b.Name+" "+string(b.Input))
			}
			if strings.Join(got, "; ") != test.want || r.StopReason != agent.StopToolUse {
				t.Errorf("got %q (%s), want %q", strings.Join(got, "; "), r.StopReason, test.want)
			}
		})
	}
}

// Endpoints that do not stream, leave [DONE] out, or call reasoning by its other name.
func TestOtherDialectsOfAnAnswerAreUnderstood(t *testing.T) {
	for name, reply := range map[string]modeltest.Reply{
		"not streamed":    {Body: `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"hello","reasoning":"hm"},"finish_reason":"stop"}]}`},
		"without [DONE]":  {Raw: []string{`{"choices":[{"delta":{"content":"hello","reasoning":"hm"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`}},
		"parts":           {Raw: []string{`{"choices":[{"delta":{"content":[{"type":"text","text":"hello"}],"reasoning_content":"hm"}}]}`, `[DONE]`}},
		"an empty choice": {Raw: []string{`{"choices":[],"prompt_filter_results":[]}`, `{"choices":[{"delta":{"content":"hello","reasoning":"hm"},"finish_reason":null}],"usage":null}`, `[DONE]`}},
	} {
		d := modeltest.New(t, modeltest.OpenAI, reply)
		var h heard
		if _, err := connect(modeltest.OpenAI, d.BaseURL(), limits{}).Stream(context.Background(), ask("go"), h.emit); err != nil || h.text != "hello" || h.thinking != "hm" {
			t.Errorf("%s: %v, heard %+v", name, err, h)
		}
	}
}

// What an endpoint does not take is learned from its refusal, once, in silence.
func TestWhatAnEndpointRefusesIsLearned(t *testing.T) {
	for _, test := range []struct {
		name      string
		flavor    modeltest.Flavor
		model     string
		complaint string
		has       string // in the first request only, or with !, from the second on
	}{
		{"max_tokens of an older Claude", modeltest.Anthropic, "claude-x", "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-x", `!"max_tokens":8192,`},
		{"adaptive thinking", modeltest.Anthropic, "claude-new-9", "adaptive thinking is not supported on this model", `"thinking":{"type":"adaptive"`},
		{"thinking of another account", modeltest.Anthropic, "claude-x", "messages.1.content.0: Invalid `signature` in `thinking` block", `"signature":"sig"`},
		{"summaries only for who was verified", modeltest.Responses, "m", "Your organization must be verified to generate reasoning summaries.", `"reasoning":{"summary":"auto"}`},
		{"a model that does not think", modeltest.Responses, "m", "Encrypted content is not supported with this model.", `"include":["reasoning.encrypted_content"]`},
		{"thinking of another key", modeltest.Responses, "m", "The encrypted content gAAA could not be verified.", `"encrypted_content":"sealed s"`},
		{"stream_options", modeltest.OpenAI, "m", "Unrecognized request argument supplied: stream_options", `"stream_options"`},
		{"openai-openapi#541: tools without reasoning", modeltest.OpenAI, "m", "Function tools with reasoning_effort are not supported for gpt-5.6. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", `!"reasoning_effort":"none"`},
		{"pi#3636: thinking has to come back", modeltest.OpenAI, "m", "The `reasoning_content` in the thinking mode must be passed back to the API.", `!"reasoning_content":"hm"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			body, _ := json.Marshal(map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": test.complaint}})
			d := modeltest.New(t, test.flavor, modeltest.Reply{Status: 400, Body: string(body)}, modeltest.Say("ok"), modeltest.Say("ok"))
			m := named(test.flavor, d.BaseURL(), test.model)
			req := ask("go")
			text := agent.Text("I did.")
			req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockThinking, Thinking: "hm", Signature: "sig", Encrypted: "sealed s"}, {Kind: agent.BlockContent, Content: &text}}})
			req.Messages = append(req.Messages, history("and?")...)
			req.Tools = []agent.ToolSpec{{Name: "one", Schema: json.RawMessage(`{"type":"object"}`)}}
			for range 2 {
				var h heard
				if _, err := m.Stream(context.Background(), req, h.emit); err != nil || len(h.retries) != 0 {
					t.Fatal(err, h)
				}
			}
			has, later := strings.CutPrefix(test.has, "!")
			requests := d.Requests()
			if len(requests) != 3 {
				t.Fatalf("%d requests", len(requests))
			}
			for i, r := range requests {
				if got := strings.Contains(string(r.Body), has); got == (later == (i == 0)) {
					t.Errorf("request %d: %s there: %v\n%s", i+1, has, got, r.Body)
				}
			}
		})
	}
}

// A complaint that does not go away is told; it is no endless loop.
func TestARefusalThatStaysIsTold(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		refusal := modeltest.Reply{Status: 400, Body: `{"error":{"message":"stream_options, reasoning_effort, summary, encrypted, output string, thinking: signature max_tokens 500 300: bad"}}`}
		d := modeltest.New(t, f, refusal, refusal, refusal, refusal, refusal, refusal)
		_, err := connect(f, d.BaseURL(), limits{}).Stream(context.Background(), ask("go"), new(heard).emit)
		if e := modelError(t, err); e.Kind != agent.ErrModel || len(d.Requests()) > 5 {
			t.Errorf("%s after %d requests", e.Kind, len(d.Requests()))
		}
	})
}

// An address that does not load tools where a result names them says so once, and is then
// sent the list and the text that everybody takes. Older models are not asked.
func TestToolsThatAreLoadedLaterAreLearned(t *testing.T) {
	req := ask("go")
	req.Tools = []agent.ToolSpec{{Name: "tool_search", Schema: json.RawMessage(`{"type":"object"}`), CacheMark: true}, {Name: "mcp__a__b", Schema: json.RawMessage(`{"type":"object"}`), Found: true}}
	req.Messages = append(req.Messages,
		agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockToolUse, ID: "c", Name: "tool_search", Input: json.RawMessage(`{}`)}}},
		agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockToolResult, ID: "c", Result: []agent.Content{agent.Text("- mcp__a__b: it"), {Kind: agent.ContentTool, Name: "mcp__a__b"}, {Kind: agent.ContentTool, Name: "mcp__a__gone"}}}}})
	d := modeltest.New(t, modeltest.Anthropic,
		modeltest.Say("ok"),
		modeltest.Reply{Status: 400, Body: `{"error":{"type":"invalid_request_error","message":"tools.1.custom.defer_loading: Extra inputs are not permitted"}}`}, modeltest.Say("ok"), modeltest.Say("ok"))
	m := anthropic.New(anthropic.Config{ID: "test/test-model", Model: "claude-x", BaseURL: d.BaseURL(), Key: modeltest.Key, References: true})
	for range 3 {
		if _, err := m.Stream(context.Background(), req, new(heard).emit); err != nil {
			t.Fatal(err)
		}
	}
	for i, later := range []bool{true, true, false, false} {
		body := string(d.Requests()[i].Body)
		if got := strings.Contains(body, `"tool_reference"`) && strings.Contains(body, `"defer_loading":true`); got != later {
			t.Errorf("request %d has references: %v\n%s", i+1, got, body)
		}
		if got := strings.Contains(body, "- mcp__a__b: it"); got == later {
			t.Errorf("request %d has the text: %v", i+1, got)
		}
	}
	for name, want := range map[string]bool{"claude-sonnet-5-5": true, "claude-haiku-4-5": true, "claude-3-7-sonnet": false, "claude-opus-4-1": false, "some-model": false} {
		if got := anthropic.New(anthropic.Config{Model: name}).DefersFound(); got != want {
			t.Errorf("%s at its own address: %v", name, got)
		}
	}
	if anthropic.New(anthropic.Config{Model: "claude-sonnet-5-5", BaseURL: "https://proxy.test"}).DefersFound() {
		t.Error("a proxy is sent what few of them pass on")
	}
}
