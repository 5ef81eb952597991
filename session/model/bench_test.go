package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/model/anthropic"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
	"github.com/codebot-ls/codebot-ls/session/model/openai"
)

// answered is a network that answers at once, so that what is measured is ours.
type answered struct{ body string }

func (a answered) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

func benchModel(f modeltest.Flavor) agent.Model {
	if f == modeltest.OpenAI {
		return openai.New(openai.Config{ID: "b/m", Model: "m", Key: "k", HTTP: &http.Client{Transport: answered{"data: [DONE]\n\n"}}})
	}
	return anthropic.New(anthropic.Config{ID: "b/m", Model: "m", Key: "k", HTTP: &http.Client{Transport: answered{`data: {"type":"message_stop"}` + "\n\n"}}})
}

func benchTools(n int) []agent.ToolSpec {
	var specs []agent.ToolSpec
	for i := range n {
		specs = append(specs, agent.ToolSpec{
			Name: fmt.Sprintf("mcp__server%d__tool_%d", i/20, i), Description: "Does something useful with a path and a query, and says what came of it.", CacheMark: i == 6,
			Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"An absolute path."},"query":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["path","query"]}`),
		})
	}
	return specs
}

// BenchmarkRequest is from the request of the loop to the bytes on the wire and back
// through an empty answer. unchanged: the prompt is the last one's; changed: the
// tools are new ones of the same content, as after a list_changed.
func BenchmarkRequest(b *testing.B) {
	for _, f := range []modeltest.Flavor{modeltest.Anthropic, modeltest.OpenAI} {
		for _, n := range []int{10, 1000} {
			for _, changed := range []bool{false, true} {
				name := fmt.Sprintf("%s/%d-tools/%s", f, n, map[bool]string{false: "unchanged", true: "changed"}[changed])
				b.Run(name, func(b *testing.B) {
					m := benchModel(f)
					req := &agent.Request{
						Tools: benchTools(n), CacheLastMessage: true,
						System: []agent.SystemBlock{{Text: strings.Repeat("identity ", 300), CacheMark: true}, {Text: strings.Repeat("instructions ", 300), CacheMark: true}},
					}
					for i := range 40 {
						req.Messages = append(req.Messages, history(strings.Repeat("word ", 200))...)
						req.Messages[i].Role = []agent.Role{agent.RoleUser, agent.RoleAssistant}[i%2]
					}
					b.ReportAllocs()
					for b.Loop() {
						if changed {
							req.Tools = append([]agent.ToolSpec(nil), req.Tools...)
						}
						if _, err := m.Stream(context.Background(), req, func(agent.Delta) error { return nil }); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
