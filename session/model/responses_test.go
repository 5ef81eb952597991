package model_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
	"github.com/codebot-ls/codebot-ls/session/model/openai"
)

// The thinking goes back in its sealed form and to its own kind of provider alone: a
// conversation that moves is refused by neither.
func TestSealedThinkingGoesBackToItsOwnKind(t *testing.T) {
	d := modeltest.New(t, modeltest.Responses, modeltest.Reply{Thinking: "I look.", Signature: "s", Calls: []modeltest.Call{{ID: "c", Name: "one", Args: []string{`{"x":`, `1}`}}}}, modeltest.Say("done"))
	out, err := turn(context.Background(), connect(modeltest.Responses, d.BaseURL(), limits{}), history("go"), nil, echo{"one", "got "})
	if err != nil {
		t.Fatal(err)
	}
	if body := string(d.Requests()[1].Body); !strings.Contains(body, `{"type":"reasoning","summary":[],"encrypted_content":"sealed s"},{"type":"function_call","call_id":"c"`) {
		t.Errorf("the thinking did not come back before its call:\n%s", body)
	}
	for _, f := range []modeltest.Flavor{modeltest.Anthropic, modeltest.OpenAI} {
		other := modeltest.New(t, f, modeltest.Say("hello"))
		if _, err := turn(context.Background(), connect(f, other.BaseURL(), limits{}), says(out.History, "you?"), nil, echo{"one", ""}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(other.Requests()[0].Body), "sealed") {
			t.Errorf("%s got the other's thinking: %s", f, other.Requests()[0].Body)
		}
	}
	// And back, with the thinking of the other.
	a := modeltest.New(t, modeltest.Anthropic, modeltest.Reply{Thinking: "hm", Signature: "sig", Text: []string{"so"}})
	out, err = turn(context.Background(), connect(modeltest.Anthropic, a.BaseURL(), limits{}), says(out.History, "and?"), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Then(modeltest.Say("back"))
	if _, err := turn(context.Background(), connect(modeltest.Responses, d.BaseURL(), limits{}), says(out.History, "again"), nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(d.Requests()[2].Body), `"sig"`) {
		t.Error("a signature of the other kind was sent")
	}
}

// What endpoints of the protocol make of it: OpenAI's own, and servers that leave
// events out, do not stream, or close with [DONE].
func TestDialectsOfResponsesAreUnderstood(t *testing.T) {
	const call = `{"type":"function_call","id":"f","call_id":"c","name":"one","arguments":"{\"x\":1}"}`
	for name, test := range map[string]struct {
		reply modeltest.Reply
		want  string
	}{
		"not streamed": {modeltest.Reply{Body: `{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"text":"hm"}],"encrypted_content":"e"},{"type":"message","content":[{"type":"output_text","text":"hello"}]},` + call + `]}`},
			`thinking hm e; text hello; c one {"x":1}`},
		"no deltas": {modeltest.Reply{Raw: []string{`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"hello"}]}}`, `{"type":"response.output_item.done","output_index":1,"item":` + call + `}`, `{"type":"response.completed","response":{"status":"completed"}}`}},
			`text hello; c one {"x":1}`},
		"only the end": {modeltest.Reply{Raw: []string{`{"type":"response.created","response":{}}`, `{"type":"response.completed","response":{"status":"completed","output":[` + call + `]}}`, `[DONE]`}}, `c one {"x":1}`},
		"no index": {modeltest.Reply{Raw: []string{`{"type":"response.output_item.added","item":{"type":"function_call","id":"f","call_id":"c","name":"one"}}`, `{"type":"response.function_call_arguments.delta","item_id":"f","delta":"{\"x\":"}`, `{"type":"response.function_call_arguments.delta","item_id":"f","delta":"1}"}`, `{"type":"response.completed","response":{"status":"completed"}}`}},
			`c one {"x":1}`},
		"whole arguments":   {modeltest.Reply{Raw: []string{`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"one","arguments":""}}`, `{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"x\":1}"}`, `{"type":"response.completed","response":{}}`}}, `c one {"x":1}`},
		"no call id":        {modeltest.Reply{Raw: []string{`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"f","name":"one","arguments":""}}`, `{"type":"response.completed","response":{}}`}}, `f one {}`},
		"interleaved calls": {modeltest.Reply{Raw: []string{`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"one"}}`, `{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"b","name":"two"}}`, `{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"y\":2}"}`, `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}`, `{"type":"response.completed","response":{}}`}}, `a one {}; b two {"y":2}`},
		"thinking in parts": {modeltest.Reply{Raw: []string{`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"one"}`, `{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}`, `{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"two"}`, `{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","encrypted_content":"e"}}`, `{"type":"response.output_text.delta","output_index":1,"delta":"so"}`, `{"type":"response.completed","response":{}}`}}, "thinking one\n\ntwo e; text so"},
		"a refusal":         {modeltest.Reply{Raw: []string{`{"type":"response.refusal.delta","output_index":0,"delta":"I will not"}`, `{"type":"response.completed","response":{}}`}}, `text I will not`},
		"a hosted item":     {modeltest.Reply{Raw: []string{`{"type":"response.output_item.added","output_index":0,"item":{"type":"web_search_call","id":"w"}}`, `{"type":"response.web_search_call.searching","output_index":0}`, `{"type":"response.output_text.delta","output_index":1,"delta":"hi"}`, `{"type":"response.completed","response":{}}`}}, `text hi`},
	} {
		t.Run(name, func(t *testing.T) {
			d := modeltest.New(t, modeltest.Responses, test.reply)
			var h heard
			r, err := connect(modeltest.Responses, d.BaseURL(), limits{}).Stream(context.Background(), ask("go"), h.emit)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range r.Message.Blocks {
				switch b.Kind {
				case agent.BlockThinking:
					got = append(got, "thinking "+b.Thinking+" "+b.Encrypted)
				case agent.BlockContent:
					got = append(got, "text "+b.Content.Text)
					if !strings.Contains(h.text, b.Content.Text) {
						t.Errorf("%q was not shown", b.Content.Text)
					}
				default:
					got = append(got, b.ID+" "+b.Name+" "+string(b.Input))
				}
			}
			if strings.Join(got, "; ") != test.want {
				t.Errorf("got %q, want %q", strings.Join(got, "; "), test.want)
			}
			if (r.StopReason == agent.StopRefusal) != (name == "a refusal") {
				t.Errorf("stopped by %q", r.StopReason)
			}
		})
	}
}

// Errors that come within the stream, after HTTP 200, in every shape they have.
func TestErrorsWithinTheStreamOfResponsesAreToldApart(t *testing.T) {
	for name, test := range map[string]struct {
		event string
		want  agent.ErrorKind
		tries int
	}{
		"flat":      {`{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}`, agent.ErrOverloaded, 4},
		"nested":    {`{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window"}}`, agent.ErrTooLong, 1},
		"failed":    {`{"type":"response.failed","response":{"status":"failed","error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}}`, agent.ErrQuota, 1},
		"server":    {`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"}}}`, agent.ErrModel, 4},
		"wordless":  {`{"type":"response.failed","response":{"status":"failed"}}`, agent.ErrModel, 4},
		"not one":   {`{"choices":[{"delta":{"content":"hi"}}]}`, agent.ErrModel, 1},
		"no answer": {`{"type":"response.completed"}`, agent.ErrModel, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var script []modeltest.Reply
			for range test.tries {
				script = append(script, modeltest.Reply{Raw: []string{`{"type":"response.created","response":{}}`, test.event}})
			}
			d := modeltest.New(t, modeltest.Responses, script...)
			var clock naps
			_, err := connect(modeltest.Responses, d.BaseURL(), limits{sleep: clock.sleep}).Stream(context.Background(), ask("go"), new(heard).emit)
			if e := modelError(t, err); e.Kind != test.want || len(d.Requests()) != test.tries {
				t.Errorf("%s after %d tries: %s", e.Kind, len(d.Requests()), e.Message)
			}
		})
	}
}

// An endpoint that takes no images in a result gets them in the user's message.
func TestImagesOfResultsFindTheirPlace(t *testing.T) {
	png := agent.Content{Kind: agent.ContentImage, MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	d := modeltest.New(t, modeltest.Responses,
		modeltest.Reply{Status: 400, Body: `{"error":{"message":"Invalid type for 'input[2].output': expected a string, but got an array instead."}}`}, modeltest.Say("ok"))
	req := ask("go")
	req.Messages = append(req.Messages,
		agent.Message{Role: agent.RoleAssistant, Blocks: []agent.Block{{Kind: agent.BlockToolUse, ID: "c", Name: "shot", Input: json.RawMessage(`{}`)}}},
		agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockToolResult, ID: "c", Result: []agent.Content{png}}}})
	if _, err := connect(modeltest.Responses, d.BaseURL(), limits{}).Stream(context.Background(), req, new(heard).emit); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`"output":[{"type":"input_text","text":"(an image)"},{"type":"input_image"`, `"output":"(an image, shown below)"},{"type":"message","role":"user","content":[{"type":"input_text","text":"Images of the tool results above:"},{"type":"input_image"`} {
		if body := string(d.Requests()[i].Body); !strings.Contains(body, want) {
			t.Errorf("request %d has no %s\n%s", i+1, want, body)
		}
	}
}

// OpenAI's own address has the Responses API unless the settings say otherwise; what is
// merely compatible has chat completions.
func TestTheAddressDecidesOnTheProtocol(t *testing.T) {
	for base, want := range map[string]string{
		"": openai.APIResponses, "https://api.openai.com/v1": openai.APIResponses, "https://api.openai.com/v1/chat/completions": openai.APIChat,
		"http://127.0.0.1:11434/v1": openai.APIChat, "https://openrouter.ai/api/v1": openai.APIChat,
	} {
		if got := openai.DefaultAPI(base); got != want {
			t.Errorf("%q: %s, want %s", base, got, want)
		}
	}
}

// aimed sends every request to another address, as a name server would.
type aimed struct{ base string }

func (a aimed) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := url.Parse(a.base)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
	return http.DefaultTransport.RoundTrip(r)
}

// At OpenAI's own address the requests of a conversation carry its key, so that they come
// to the machine that has cached them; what is merely compatible may not know the field.
func TestRequestsOfAConversationCarryItsKey(t *testing.T) {
	for _, f := range []modeltest.Flavor{modeltest.OpenAI, modeltest.Responses} {
		d := modeltest.New(t, f, modeltest.Say("ok"), modeltest.Say("ok"))
		req := ask("go")
		req.CacheKey = "conversation-1"
		c := openai.Config{ID: "test/test-model", Model: "test-model", Key: modeltest.Key, HTTP: &http.Client{Transport: aimed{d.BaseURL()}}}
		var own agent.Model = openai.NewResponses(c)
		if f == modeltest.OpenAI {
			own = openai.New(c)
		}
		for i, m := range []agent.Model{own, connect(f, d.BaseURL(), limits{})} {
			if _, err := m.Stream(context.Background(), req, new(heard).emit); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(d.Requests()[i].Body), `"prompt_cache_key":"conversation-1"`); got != (i == 0) {
				t.Errorf("%s, request %d has the key: %v", f, i+1, got)
			}
		}
	}
}
