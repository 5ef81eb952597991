package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// Thousands of tools do not fill the model's window: they are left out until the model
// looks for them, and what it found stays, also in the session that is opened again.
// 10 000 tools cost the prompt under 3 000 tokens.
func TestThousandsOfToolsAreLookedForInsteadOfListed(t *testing.T) {
	for flavor, many := range map[modeltest.Flavor]int{modeltest.OpenAI: 9980, modeltest.Anthropic: 980} {
		t.Run(fmt.Sprint(flavor), func(t *testing.T) {
			d := modeltest.New(t, flavor,
				modeltest.Use("c1", "tool_search", `{"query":"select:make_thing_7"}`), modeltest.Use("c2", "mcp__f__make_thing_7", `{"size":1}`), modeltest.Say("done"),
				modeltest.Use("c3", "tool_search", `{"query":"thing number 979","limit":1}`), modeltest.Say("done"),
				modeltest.Use("c4", "tool_search", `{"query":"/(/"}`), modeltest.Say("done"),
				modeltest.Say("again"),
			)
			w := servertest.NewWorld(t)
			w.User(with(d, servertest.Servers(servertest.M{"f": faulty(t, fmt.Sprintf("many=%d", many)), "docs": servertest.Demo("docs")})))
			e := w.Start(servertest.Config{Permit: always("allow_once")})
			if row := e.AwaitState("f", wire.MCPConnected); row.ToolCount < many {
				t.Fatalf("%d tools", row.ToolCount)
			}
			e.AwaitState("docs", wire.MCPConnected)
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
			remote := func(n int) []string {
				t.Helper()
				var names []string
				for _, name := range d.Await(n).Tools(t) {
					if strings.HasPrefix(name, "mcp__") {
						names = append(names, name)
					}
				}
				return names
			}
			prompt(e, id, "go")
			if got := remote(1); len(got) != 0 || !slices.Contains(d.Await(1).Tools(t), "tool_search") {
				t.Errorf("the first request lists %v of %v", got, d.Await(1).Tools(t))
			}
			first := string(d.Await(1).Body)
			if !strings.Contains(first, fmt.Sprintf("%d additional tools", many+20)) || !strings.Contains(first, fmt.Sprintf("f: %d tools", many+18)) {
				t.Errorf("the first request does not tell of them: %.6000s", first)
			}
			for n := 2; n <= 3; n++ {
				if got := remote(n); !slices.Equal(got, []string{"mcp__f__make_thing_7"}) {
					t.Errorf("request %d lists %v", n, got)
				}
			}
			calls := e.Calls(id)
			if len(calls) != 2 || calls[1].Status != wire.ToolCompleted || calls[1].Meta.Codebot.Server != "f" {
				t.Errorf("calls %+v", calls)
			}
			prompt(e, id, "more")
			if got := remote(5); !slices.Equal(got, []string{"mcp__f__make_thing_7", "mcp__f__make_thing_979"}) {
				t.Errorf("after the second search: %v", got)
			}
			prompt(e, id, "wrong")
			if calls := e.Calls(id); calls[len(calls)-1].Status != wire.ToolFailed || !strings.Contains(servertest.CallText(calls[len(calls)-1]), "no regular expression") {
				t.Errorf("a broken expression: %+v", calls[len(calls)-1])
			}
			weight := servertest.Call(e, wire.SessionContext, wire.SessionContextParams{SessionID: id})
			tokens := 0
			for _, b := range weight.Blocks {
				if b.Key == "dynamic" {
					tokens = b.Tokens
				}
			}
			t.Logf("%d tools cost %d tokens of the system prompt; %d tools are listed, %d tokens", many+20, tokens, weight.Tools.Count, weight.Tools.Tokens)
			if tokens >= 3000 {
				t.Errorf("they cost %d tokens", tokens)
			}
			e.Shutdown()

			e = w.Start(servertest.Config{Permit: always("allow_once")})
			e.AwaitState("f", wire.MCPConnected)
			e.AwaitState("docs", wire.MCPConnected)
			servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
			prompt(e, id, "go on")
			if got := remote(8); !slices.Equal(got, []string{"mcp__f__make_thing_7", "mcp__f__make_thing_979"}) {
				t.Errorf("opened again, what was found before: %v", got)
			}
		})
	}
}
