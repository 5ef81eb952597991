package model_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// Each kind of failure by what real endpoints say. All but the overloaded and the
// broken ones are asked once: the same request would fail again.
func TestFailuresAreToldApart(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   agent.ErrorKind
		says   string
		tries  int
	}{
		{"Anthropic: bad key", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, agent.ErrAuth, "key", 1},
		{"OpenAI: bad key, quoted", 401, `{"error":{"message":"Incorrect API key provided: sk-test-********cdef","type":"invalid_request_error","code":"invalid_api_key"}}`, agent.ErrAuth, "key", 1},
		{"Gemini: bad key as 400", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, agent.ErrAuth, "key", 1},
		{"forbidden", 403, `{"type":"error","error":{"type":"permission_error","message":"no"}}`, agent.ErrAuth, "key", 1},
		{"Anthropic: credit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, agent.ErrQuota, "credit", 1},
		{"OpenAI: quota as 429", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, agent.ErrQuota, "credit", 1},
		{"OpenRouter: 402", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, agent.ErrQuota, "credit", 1},
		{"a proxy that wants a login", 407, `<html><title>Proxy</title></html>`, agent.ErrUnreachable, "HTTPS_PROXY", 1},
		{"no model", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`, agent.ErrNotFound, "another", 1},
		{"Ollama: no model", 404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}`, agent.ErrNotFound, "another", 1},
		{"too long by words", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, agent.ErrTooLong, "Compact", 1},
		{"too long by code", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, agent.ErrTooLong, "Compact", 1},
		{"too long by status", 413, `<html><title>413</title></html>`, agent.ErrTooLong, "Compact", 1},
		{"llama.cpp: too long", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, agent.ErrTooLong, "Compact", 1},
		{"rate", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, agent.ErrOverloaded, "rate", 4},
		{"overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, agent.ErrOverloaded, "overloaded", 4},
		{"llama.cpp loads", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, agent.ErrOverloaded, "overloaded", 4},
		{"500", 500, `oops`, agent.ErrModel, "error", 4},
		{"bad request", 400, `{"error":{"message":"temperature is odd"}}`, agent.ErrModel, "error", 1},
		{"vLLM: plain detail", 422, `{"detail":"nonsense"}`, agent.ErrModel, "error", 1},
		{"a web page", 404, `<!DOCTYPE html><html><head><title>Not here</title></head></html>`, agent.ErrModel, "web page", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			flavors(t, func(t *testing.T, f modeltest.Flavor) {
				var script []modeltest.Reply
				for range test.tries {
					script = append(script, modeltest.Reply{Status: test.status, Body: test.body})
				}
				d := modeltest.New(t, f, script...)
				var clock naps
				var h heard
				_, err := connect(f, d.BaseURL(), limits{sleep: clock.sleep}).Stream(context.Background(), ask("hi"), h.emit)
				e := modelError(t, err)
				if e.Kind != test.want || !strings.Contains(e.Message, test.says) {
					t.Errorf("%s: %s", e.Kind, e.Message)
				}
				if n := len(d.Requests()); n != test.tries || len(h.retries) != n-1 {
					t.Errorf("%d requests and %d retries told, want %d tries", n, len(h.retries), test.tries)
				}
				if strings.Contains(e.ProviderMessage, "cdef") || strings.Contains(e.ProviderMessage, "<") {
					t.Errorf("the provider's text is not clean: %q", e.ProviderMessage)
				}
			})
		})
	}
}

// 429 with Retry-After in seconds and as a date: waited for, told, and then it works.
func TestRetryAfterIsKeptAndTold(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f,
			modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After": "7"}, Body: `{}`},
			modeltest.Reply{Status: 503, Header: map[string]string{"Retry-After": time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)}, Body: `{}`},
			modeltest.Reply{Status: 529, Body: `{}`},
			modeltest.Say("there"))
		var clock naps
		var h heard
		if _, err := connect(f, d.BaseURL(), limits{sleep: clock.sleep}).Stream(context.Background(), ask("hi"), h.emit); err != nil {
			t.Fatal(err)
		}
		if h.text != "there" || len(h.retries) != 3 || len(clock.taken) != 3 {
			t.Fatalf("heard %+v, waited %v", h, clock.taken)
		}
		for i, bounds := range [][2]time.Duration{{7 * time.Second, 7 * time.Second}, {17 * time.Second, 20 * time.Second}, {2 * time.Second, 3 * time.Second}} {
			if got := clock.taken[i]; got < bounds[0] || got > bounds[1] || h.retries[i].RetryAfter != got {
				t.Errorf("wait %d was %v (told %v), want between %v", i+1, got, h.retries[i].RetryAfter, bounds)
			}
		}
		if !strings.Contains(h.retries[0].Text, "rate limit") || !strings.Contains(h.retries[0].Text, "2 of 4") {
			t.Errorf("told %q", h.retries[0].Text)
		}
	})
}

// Nobody waits an hour without being asked: the time is in the answer instead.
func TestALongRetryAfterIsNotWaitedFor(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After": "3600"}, Body: `{}`})
		var clock naps
		_, err := connect(f, d.BaseURL(), limits{sleep: clock.sleep}).Stream(context.Background(), ask("hi"), new(heard).emit)
		e := modelError(t, err)
		if until := time.Until(e.RetryAt); e.Kind != agent.ErrOverloaded || len(clock.taken) != 0 || until < 59*time.Minute || until > time.Hour {
			t.Errorf("%+v, waited %v", e, clock.taken)
		}
	})
}

// agent-os#2118, Marinara-Engine#2659, GenericAgent#753: an error event or the end of
// the stream after HTTP 200 looked like a whole answer.
func TestACutAnswerIsReportedAsCut(t *testing.T) {
	errorEvent := map[modeltest.Flavor]string{
		modeltest.Anthropic: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		modeltest.OpenAI:    `{"error":{"message":"Overloaded","code":529}}`,
		modeltest.Responses: `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_is_overloaded","message":"Overloaded"}}}`,
	}
	begin := map[modeltest.Flavor][]string{
		modeltest.Anthropic: {`{"type":"message_start","message":{}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half an"}}`},
		modeltest.OpenAI:    {`{"choices":[{"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"delta":{"content":"half an"}}]}`},
		modeltest.Responses: {`{"type":"response.created","response":{}}`, `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m"}}`, `{"type":"response.output_text.delta","output_index":0,"item_id":"m","delta":"half an"}`},
	}
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		for name, test := range map[string]struct {
			raw  []string
			want agent.ErrorKind
		}{
			"end":         {begin[f], agent.ErrStreamCut},
			"error event": {append(append([]string{}, begin[f]...), errorEvent[f]), agent.ErrOverloaded},
		} {
			t.Run(name+" after something was shown", func(t *testing.T) {
				d := modeltest.New(t, f, modeltest.Reply{Raw: test.raw})
				var clock naps
				var h heard
				r, err := connect(f, d.BaseURL(), limits{sleep: clock.sleep}).Stream(context.Background(), ask("hi"), h.emit)
				e := modelError(t, err)
				if e.Kind != test.want || len(d.Requests()) != 1 || len(h.retries) != 0 {
					t.Errorf("%s after %d requests", e.Kind, len(d.Requests()))
				}
				if len(r.Message.Blocks) != 1 || r.Message.Blocks[0].Content.Text != "half an" || h.text != "half an" {
					t.Errorf("what was shown is lost: %+v", r.Message.Blocks)
				}
			})
			t.Run(name+" before anything was shown", func(t *testing.T) {
				quiet := test.raw[:1]
				if name == "error event" {
					quiet = []string{errorEvent[f]}
				}
				d := modeltest.New(t, f, modeltest.Reply{Raw: quiet}, modeltest.Say("whole"))
				var clock naps
				var h heard
				r, err := connect(f, d.BaseURL(), limits{sleep: clock.sleep}).Stream(context.Background(), ask("hi"), h.emit)
				if err != nil || h.text != "whole" || len(h.retries) != 1 || len(r.Message.Blocks) != 1 {
					t.Errorf("%v, heard %+v", err, h)
				}
			})
		}
		t.Run("the turn keeps what was shown, and the next prompt works", func(t *testing.T) {
			d := modeltest.New(t, f, modeltest.Reply{Raw: begin[f]}, modeltest.Say("more"))
			m := connect(f, d.BaseURL(), limits{})
			out, err := turn(context.Background(), m, history("go"), nil)
			if e := modelError(t, err); e.Kind != agent.ErrStreamCut {
				t.Fatal(e)
			}
			if _, err := turn(context.Background(), m, says(out.History, "go on"), nil); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(d.Requests()[1].Body), "half an") {
				t.Error("the half answer is not in the history")
			}
		})
		t.Run("a half-streamed call is removed", func(t *testing.T) {
			d := modeltest.New(t, f, modeltest.Reply{Cut: true, Calls: []modeltest.Call{{ID: "a", Name: "one", Args: []string{`{"x":1}`}}, {ID: "b", Name: "one", Args: []string{`{"x":`}}}}, modeltest.Say("ok"))
			m := connect(f, d.BaseURL(), limits{})
			out, err := turn(context.Background(), m, history("go"), nil, echo{"one", "ran "})
			if e := modelError(t, err); e.Kind != agent.ErrStreamCut {
				t.Fatal(e)
			}
			if _, err := turn(context.Background(), m, says(out.History, "go on"), nil, echo{"one", "ran "}); err != nil {
				t.Fatal(err)
			}
			if body := string(d.Requests()[1].Body); strings.Contains(body, "ran ") || strings.Contains(body, `"b"`) {
				t.Errorf("a call of a cut answer was run, or half a call stayed:\n%s", body)
			}
		})
	})
}

func TestAnEndpointThatIsNotThereIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		var clock naps
		var h heard
		_, err := connect(f, "http://"+address, limits{sleep: clock.sleep}).Stream(context.Background(), ask("hi"), h.emit)
		e := modelError(t, err)
		if e.Kind != agent.ErrUnreachable || !strings.Contains(e.Message, address) || !strings.Contains(e.Message, "base_url") || len(h.retries) != 3 {
			t.Errorf("%s %s, %d retries", e.Kind, e.Message, len(h.retries))
		}
	})
}

// A wrong base URL shows itself: a page after HTTP 200, another protocol, nothing.
func TestAnAnswerOfSomethingElseIsNotTakenForOne(t *testing.T) {
	for name, test := range map[string]struct {
		body, says string
		want       agent.ErrorKind
	}{
		"a web page":   {"<!doctype html><title>Login</title>", "web page", agent.ErrModel},
		"other JSON":   {`{"hello":"world"}`, "protocol", agent.ErrModel},
		"not JSON":     {"data: hello\n\n", "protocol", agent.ErrModel},
		"a JSON error": {`{"error":"model 'x' not found"}`, "does not know", agent.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			flavors(t, func(t *testing.T, f modeltest.Flavor) {
				d := modeltest.New(t, f, modeltest.Reply{Body: test.body})
				var h heard
				_, err := connect(f, d.BaseURL(), limits{}).Stream(context.Background(), ask("hi"), h.emit)
				if e := modelError(t, err); e.Kind != test.want || !strings.Contains(e.Message, test.says) || len(h.retries) != 0 {
					t.Errorf("%s %s", e.Kind, e.Message)
				}
			})
		})
	}
}

// A key goes only to the address it was configured with: a redirect is not followed,
// to another host or to the same.
func TestARedirectDoesNotGetTheKey(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		var asked atomic.Int32
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
		defer elsewhere.Close()
		for _, status := range []int{301, 302, 303, 307, 308} {
			d := modeltest.New(t, f, modeltest.Reply{Status: status, Header: map[string]string{"Location": elsewhere.URL + "/v1"}})
			_, err := connect(f, d.BaseURL(), limits{}).Stream(context.Background(), ask("hi"), new(heard).emit)
			if e := modelError(t, err); e.Kind != agent.ErrModel || !strings.Contains(e.Message, strings.TrimPrefix(elsewhere.URL, "http://")) {
				t.Errorf("%d: %s", status, e.Message)
			}
		}
		if asked.Load() != 0 {
			t.Errorf("the other host was asked %d times", asked.Load())
		}
	})
}

// A silent endpoint is given up: before its first byte as unreachable, in the middle
// of an answer as cut.
func TestSilenceEnds(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		never := make(chan struct{})
		silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-never:
			case <-r.Context().Done():
			}
		}))
		defer silent.Close()
		defer close(never)
		_, err := connect(f, silent.URL, limits{firstByte: 50 * time.Millisecond}).Stream(context.Background(), ask("hi"), new(heard).emit)
		if e := modelError(t, err); e.Kind != agent.ErrUnreachable || !strings.Contains(e.Message, "50ms") {
			t.Errorf("%s %s", e.Kind, e.Message)
		}
		d := modeltest.New(t, f, modeltest.Reply{Text: []string{"half"}, Hold: never})
		r, err := connect(f, d.BaseURL(), limits{idle: 50 * time.Millisecond}).Stream(context.Background(), ask("hi"), new(heard).emit)
		if e := modelError(t, err); e.Kind != agent.ErrStreamCut || !strings.Contains(e.Message, "50ms") || len(r.Message.Blocks) != 1 {
			t.Errorf("%s %s %+v", e.Kind, e.Message, r.Message)
		}
	})
}

func TestACancelEndsTheStreamAtOnceAndTheWait(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Reply{Text: []string{"half"}, Hold: make(chan struct{})})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := connect(f, d.BaseURL(), limits{}).Stream(ctx, ask("hi"), func(delta agent.Delta) error {
			if delta.Kind == agent.DeltaText {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || len(r.Message.Blocks) != 1 {
			t.Errorf("%v, %+v", err, r.Message)
		}
		d.AwaitGone(1) // the provider is not left computing

		d = modeltest.New(t, f, modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After": "50"}, Body: `{}`})
		ctx, cancel = context.WithCancel(context.Background())
		defer cancel()
		_, err = connect(f, d.BaseURL(), limits{}).Stream(ctx, ask("hi"), func(delta agent.Delta) error {
			if delta.Kind == agent.DeltaRetry {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("during the wait: %v", err)
		}
	})
}
