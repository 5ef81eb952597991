package server_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// A provider caches the beginning of a request, byte for byte: tools, system prompt,
// messages. These tests read what went over the wire.

// shuffled is JSON of the same meaning with the keys of every object in another order.
func shuffled(r *rand.Rand, v any) string {
	m, ok := v.(servertest.M)
	if !ok {
		raw, _ := json.Marshal(v)
		return string(raw)
	}
	var parts []string
	for k, v := range m {
		key, _ := json.Marshal(k)
		parts = append(parts, string(key)+": "+shuffled(r, v))
	}
	slices.Sort(parts)
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return "{" + strings.Join(parts, ",\n") + "}"
}

// person calls a tool of a server as a person does; how it ends is the caller's.
func person(e *servertest.Editor, server, tool string, args servertest.M) error {
	raw, _ := json.Marshal(args)
	_, err := servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: server, Tool: tool, Arguments: raw})
	return err
}

// broken is the first part of a request that does not repeat the beginning of the one
// before, empty when all of it does.
func broken(t *testing.T, before, now modeltest.Request) string {
	t.Helper()
	for _, part := range []string{"tools", "system"} {
		if a, b := field(t, before, part), field(t, now, part); a != b {
			return fmt.Sprintf("%s: %.2000s ... is now %.2000s", part, a, b)
		}
	}
	a, b := strings.TrimSuffix(field(t, before, "messages"), "]"), field(t, now, "messages")
	if !strings.HasPrefix(b, a+",") {
		return fmt.Sprintf("messages: %s does not go on from %s", b, a)
	}
	return ""
}

// A server that comes back, a list that changes to itself, keys in another order: a byte
// of the prompt that changes with them has every later request paid in full. Fifty turns
// of that change none; a server's own change changes what stands behind the built-in
// tools' mark and nothing else.
func TestFiftyTurnsKeepTheProvidersCache(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		t.Parallel() // most of it is waiting for a server to be come back to
		d := modeltest.New(t, f)
		w := servertest.NewWorld(t)
		r := rand.New(rand.NewPCG(1, 2))
		settings := with(d, servertest.Servers(servertest.M{
			"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy"), "f": faulty(t, ""),
			"gone": servertest.M{"command": "no-such-program-at-all"},
		}))
		settings["permissions"] = servertest.M{"allow": []string{"mcp(docs/*)"}, "deny": []string{"mcp(f/leave)"}}
		w.User(settings)
		e := w.Start(servertest.Config{Permit: always("allow_once")})
		up := func() {
			for _, name := range []string{"docs", "deploy", "f"} {
				e.AwaitState(name, wire.MCPConnected)
			}
			e.AwaitState("gone", wire.MCPFailed)
		}
		up()
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		const turns = 50
		down := 0
		for turn := range turns {
			switch {
			case turn%25 == 5: // it goes away, and is asked for while it is away
				up()
				if err := person(e, "f", "crash", servertest.M{}); err == nil {
					t.Fatal("the server did not crash")
				}
				e.AwaitState("f", wire.MCPReconnecting)
				down++
			case turn%4 == 1:
				up()
				if err := person(e, "f", "storm", servertest.M{"n": 3}); err != nil {
					t.Fatal(err)
				}
			case turn%4 == 3:
				w.User(shuffled(r, settings))
			}
			if turn%3 == 0 {
				d.Then(modeltest.Use(fmt.Sprintf("c%d", turn), "mcp__docs__search", `{"query":"x"}`))
			}
			d.Then(modeltest.Say(fmt.Sprintf("answer %d", turn)))
			if got := prompt(e, id, fmt.Sprintf("question %d", turn)); got.StopReason != wire.StopEndTurn {
				t.Fatalf("turn %d: %+v", turn, got)
			}
		}
		requests := d.Requests()
		for i := 1; i < len(requests); i++ {
			if why := broken(t, requests[i-1], requests[i]); why != "" {
				t.Fatalf("request %d of %d: %s", i+1, len(requests), why)
			}
		}
		if tools := requests[len(requests)-1].Tools(t); !slices.Contains(tools, "mcp__f__pid") || slices.Contains(tools, "mcp__f__leave") {
			t.Errorf("the tools are %v", tools)
		}
		t.Logf("%d turns, %d requests, %d bytes of the last; the server was away %d times", turns, len(requests), len(requests[len(requests)-1].Body), down)
		up()
		context := func() wire.SessionContextResult {
			return servertest.Call(e, wire.SessionContext, wire.SessionContextParams{SessionID: id})
		}
		calm := context()
		if calm.CacheBreak != "" {
			t.Errorf("the next request would break the cache at %q", calm.CacheBreak)
		}

		// A real change: one tool more.
		before := requests[len(requests)-1]
		if err := person(e, "f", "add", servertest.M{"name": "extra"}); err != nil {
			t.Fatal(err)
		}
		e.Await("the new tool", func(s *servertest.State) bool {
			row, ok := s.Row("f")
			return ok && row.ToolCount == 19
		})
		if got := context(); got.CacheBreak != "tools" || got.Tools.Hash == calm.Tools.Hash || got.Blocks[0] != calm.Blocks[0] || got.Blocks[1] != calm.Blocks[1] {
			t.Errorf("a new tool: %+v, before %+v", got, calm)
		}
		d.Then(modeltest.Say("seen"))
		prompt(e, id, "and now?")
		after := d.Await(len(requests) + 1)
		onlyBehindTheMark(t, f, before, after)
	})
}

// Two processes send the same bytes: nothing of the prompt depends on the order of a map,
// on which server was up first, or on anything else of a process.
func TestTwoProcessesSendTheSameBytes(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f)
		w := servertest.NewWorld(t)
		w.Write("AGENTS.md", "Be brief.")
		servertest.WriteFile(t, filepath.Join(w.Home, "AGENTS.md"), "I like tabs.")
		settings := with(d, servertest.Servers(servertest.M{
			"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy"), "f": faulty(t, "offers"), "gone": servertest.M{"command": "no-such-program-at-all"},
		}))
		r := rand.New(rand.NewPCG(3, 4))
		for range 3 {
			w.User(shuffled(r, settings))
			d.Then(modeltest.Use("c1", "mcp__docs__search", `{"query":"x"}`), modeltest.Say("done"))
			e, p := w.Spawn(servertest.Config{Permit: always("allow_once")})
			for _, name := range []string{"docs", "deploy", "f"} {
				e.AwaitState(name, wire.MCPConnected)
			}
			e.AwaitState("gone", wire.MCPFailed)
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
			prompt(e, id, "go")
			e.Shutdown()
			p.Wait(t)
		}
		requests := d.Requests()
		for i := 2; i < len(requests); i++ {
			if a, b := requests[i%2].Body, requests[i].Body; string(a) != string(b) {
				t.Errorf("request %d of process %d is\n%s\nand was\n%s", i%2+1, i/2+1, b, a)
			}
		}
		inOrder(t, string(requests[0].Body), "I like tabs.", "Be brief.")
	})
}

// onlyBehindTheMark checks that two requests have the same tools up to the mark behind the
// built-in ones, the same marked blocks of the system prompt, and the same conversation.
func onlyBehindTheMark(t *testing.T, f modeltest.Flavor, before, after modeltest.Request) {
	t.Helper()
	a, b := field(t, before, "tools"), field(t, after, "tools")
	first := strings.Index(a, `"mcp__`)
	if a == b || first < 0 || len(b) < first || a[:first] != b[:first] {
		t.Errorf("the built-in tools changed, or nothing did: %s\n%s", a, b)
	}
	system := func(r modeltest.Request) string {
		text := field(t, r, "system")
		if f == modeltest.OpenAI {
			text = field(t, r, "messages")
		}
		frozen, _, ok := strings.Cut(text, "## MCP Tools")
		if !ok || !strings.Contains(text, "standing instructions") {
			t.Errorf("the system prompt is %s", text)
		}
		return frozen
	}
	if a, b := system(before), system(after); a != b {
		t.Errorf("the marked blocks changed from %s to %s", a, b)
	}
	continues(t, before, after)
	if f == modeltest.Anthropic {
		mark := func(r modeltest.Request) string {
			upTo, _, _ := strings.Cut(string(r.Body), `"cache_control"`)
			return upTo
		}
		if mark(before) != mark(after) || !strings.Contains(mark(before), `"name":"bash"`) {
			t.Error("what stands before the first mark is not the same")
		}
	}
}

// What a search finds is kept out of what the provider has cached: where the model's
// provider can load a tool in the middle of the conversation nothing at all changes
// before it; elsewhere the list only grows at its end. Found tools stay found: compacted,
// with their server gone, and in the session that is opened again.
func TestASearchForToolsKeepsTheProvidersCache(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f,
			modeltest.Use("c1", "tool_search", `{"query":"select:make_thing_7,make_thing_8"}`), modeltest.Use("c2", "mcp__f__make_thing_7", `{"size":1}`), modeltest.Say("done"),
			modeltest.Use("c3", "tool_search", `{"query":"select:make_thing_9"}`), modeltest.Say("done"))
		w := servertest.NewWorld(t)
		settings := with(d, servertest.Servers(servertest.M{"f": faulty(t, "many=500")}))
		if f == modeltest.Anthropic {
			settings["providers"].(servertest.M)["test"].(map[string]any)["tool_references"] = true
		}
		w.User(settings)
		e := w.Start(servertest.Config{Permit: always("allow_once")})
		e.AwaitState("f", wire.MCPConnected)
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		prompt(e, id, "go")
		prompt(e, id, "more")
		requests := d.Requests()
		for i, want := range [][]string{nil, {"7", "8"}, {"7", "8"}, {"7", "8"}, {"7", "8", "9"}} {
			for j := range want {
				want[j] = "mcp__f__make_thing_" + want[j]
			}
			tools := requests[i].Tools(t)
			if got := tools[slices.Index(tools, "tool_search")+1:]; !slices.Equal(got, want) {
				t.Errorf("request %d lists %v, want %v", i+1, got, want)
			}
			if i == 0 {
				continue
			}
			before, now := requests[i-1], requests[i]
			if f == modeltest.Anthropic {
				before, now = withoutDeferred(t, before), withoutDeferred(t, now)
				if why := broken(t, before, now); why != "" {
					t.Errorf("request %d: %s", i+1, why)
				}
				continue
			}
			if a, b := strings.TrimSuffix(field(t, before, "tools"), "]"), field(t, now, "tools"); !strings.HasPrefix(b, a) {
				t.Errorf("request %d: the list of tools did not only grow at its end", i+1)
			}
			if a, b := field(t, before, "system"), field(t, now, "system"); a != b {
				t.Errorf("request %d: the system prompt changed", i+1)
			}
			if a, b := strings.TrimSuffix(field(t, before, "messages"), "]"), field(t, now, "messages"); !strings.HasPrefix(b, a) {
				t.Errorf("request %d: the conversation changed", i+1)
			}
		}
		// The answer that follows the search has the first of its tools in it.
		references := strings.Count(string(requests[4].Body), `"type":"tool_reference"`)
		if want := map[modeltest.Flavor]int{modeltest.Anthropic: 3}[f]; references != want {
			t.Errorf("%d references, want %d", references, want)
		}
		live := requests[4]

		// Opened again it goes on with what was found, called or not.
		e.Shutdown()
		e = w.Start(servertest.Config{Permit: always("allow_once")})
		e.AwaitState("f", wire.MCPConnected)
		servertest.Call(e, wire.SessionLoad, wire.SessionLoadParams{SessionID: id})
		d.Then(modeltest.Say("again"))
		prompt(e, id, "go on")
		loaded := d.Await(6)
		if why := broken(t, live, loaded); why != "" {
			t.Errorf("opened again: %s", why)
		}

		// A compaction takes the results away that named the tools, a server that is gone
		// its tools: the provider takes what is left.
		d.Then(modeltest.Say("We made things."))
		servertest.Call(e, wire.SessionCompact, wire.SessionCompactParams{SessionID: id})
		d.Then(modeltest.Say("ok"))
		prompt(e, id, "still there?")
		if tools := d.Await(8).Tools(t); !slices.Contains(tools, "mcp__f__make_thing_9") {
			t.Errorf("after the compaction: %v", tools)
		}
		d.Then(modeltest.Use("c4", "tool_search", `{"query":"select:make_thing_9,make_thing_10"}`), modeltest.Say("ok"))
		prompt(e, id, "look again")
		w.User(with(d, servertest.Servers(servertest.M{"docs": servertest.Demo("docs")})))
		e.AwaitState("docs", wire.MCPConnected)
		d.Then(modeltest.Say("they are gone"))
		if got := prompt(e, id, "and now?"); got.StopReason != wire.StopEndTurn {
			t.Errorf("%+v", got)
		}
	})
}

// withoutDeferred is a request without the tools that are loaded later, which are no part
// of what the provider caches in front.
func withoutDeferred(t *testing.T, r modeltest.Request) modeltest.Request {
	t.Helper()
	var body map[string]json.RawMessage
	var tools []json.RawMessage
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body["tools"], &tools); err != nil {
		t.Fatal(err)
	}
	tools = slices.DeleteFunc(tools, func(raw json.RawMessage) bool { return strings.Contains(string(raw), `"defer_loading":true`) })
	body["tools"], _ = json.Marshal(tools)
	r.Body, _ = json.Marshal(body)
	return r
}
