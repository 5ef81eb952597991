package server_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// What every protocol has to get right of a session, by what goes over its wire to a
// double that refuses what the provider would. Elsewhere, and as well for each of them:
//
//	interrupted at each stage, then asked again    TestStopAtEveryStageKeepsTheChatAlive
//	compacted by itself and by hand                TestAConversationOutgrowsTheWindow
//	tools that are deferred and found              TestASearchForToolsKeepsTheProvidersCache
//	taken back after a restart                     TestATurnIsTakenBackAfterARestart
//	crashed, and killed at any moment              TestACrashedChatGoesOn, TestKillAtAnyMomentLosesNothingThatWasComplete
//	the same bytes over fifty turns                TestFiftyTurnsKeepTheProvidersCache
func TestEveryProtocolCarriesTheWholeSession(t *testing.T) {
	for name, check := range map[string]func(*testing.T, modeltest.Flavor){
		"of parallel calls one is refused":       oneOfSeveralIsRefused,
		"a tool answers with an image":           anImageIsShown,
		"plan mode with a refresh in between":    planModeAndBack,
		"the model changes in the conversation":  theModelChanges,
		"a call fails and one is malformed":      aCallIsMalformed,
		"steered, cancelled and asked once more": steeredAndCancelled,
	} {
		t.Run(name, func(t *testing.T) {
			flavors(t, func(t *testing.T, f modeltest.Flavor) { check(t, f) })
		})
	}
}

// inOrder checks that a text has the parts in that order.
func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("there is no %q, in this order %q, in\n%s", part, parts, text)
			return
		}
		rest = after
	}
}

// One of three calls is refused: its refusal stands in its place, the others' results in
// theirs, and the model is asked to go on.
func oneOfSeveralIsRefused(t *testing.T, f modeltest.Flavor) {
	d := modeltest.New(t, f,
		modeltest.Reply{Text: []string{"Three at once."}, Calls: []modeltest.Call{
			use("c1", "ls", servertest.M{"path": "."}), use("c2", "bash", servertest.M{"command": "touch refused"}), use("c3", "mcp__docs__search", servertest.M{"query": "x"}),
		}}, modeltest.Say("Then not."))
	w := servertest.NewWorld(t)
	w.Write("a.txt", "")
	w.User(with(d, servertest.Servers(servertest.M{"docs": servertest.Demo("docs")})))
	e := w.Start(servertest.Config{Permit: func(_ context.Context, p wire.RequestPermissionParams) string {
		if p.ToolCall.Kind == wire.ToolExecute {
			return "reject_once"
		}
		return "allow_once"
	}})
	e.AwaitState("docs", wire.MCPConnected)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	if got := prompt(e, id, "go"); got.StopReason != wire.StopEndTurn {
		t.Fatalf("%+v", got)
	}
	inOrder(t, field(t, d.Await(2), "messages"), `"c1"`, `"c2"`, `"c3"`, `"c1"`, "a.txt", `"c2"`, "rejected", `"c3"`, "3 results")
	continues(t, d.Requests()[0], d.Requests()[1])
	var states []wire.ToolCallStatus
	for _, c := range e.Calls(id) {
		states = append(states, c.Status)
	}
	if !slices.Equal(states, []wire.ToolCallStatus{wire.ToolCompleted, wire.ToolFailed, wire.ToolCompleted}) {
		t.Errorf("the calls ended %v", states)
	}
}

// vscode#311732: an image of a tool reaches the model as one, in every later request too.
func anImageIsShown(t *testing.T, f modeltest.Flavor) {
	d := modeltest.New(t, f, modeltest.Use("c1", "mcp__f__picture", `{}`), modeltest.Say("A picture."), modeltest.Say("Yes."))
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.Servers(servertest.M{"f": faulty(t, "picture")})))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	e.AwaitState("f", wire.MCPConnected)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "show me")
	prompt(e, id, "do you still see it?")
	for _, n := range []int{2, 3} {
		messages := field(t, d.Await(n), "messages")
		want := map[modeltest.Flavor]string{
			modeltest.Anthropic: `"media_type":"image/png","data":"iVBORw0KGgo`,
			modeltest.OpenAI:    `"url":"data:image/png;base64,iVBORw0KGgo`,
			modeltest.Responses: `"image_url":"data:image/png;base64,iVBORw0KGgo`,
		}[f]
		inOrder(t, messages, "here it is", want)
		if strings.Count(messages, want) != 1 {
			t.Errorf("request %d has the image %d times", n, strings.Count(messages, want))
		}
	}
	continues(t, d.Requests()[1], d.Requests()[2])
}

// Plan mode is a filter over what there is: a refresh within it brings no tool past it,
// and leaving it brings all back, with what has come meanwhile. (A refresh that replaced
// all tools undid the mode.)
func planModeAndBack(t *testing.T, f modeltest.Flavor) {
	d := modeltest.New(t, f, modeltest.Say("1"), modeltest.Say("2"),
		modeltest.Use("c1", "mcp__f__extra", `{}`), modeltest.Say("3"), modeltest.Say("4"))
	w := servertest.NewWorld(t)
	docs := servertest.Demo("docs")
	docs["trust_annotations"] = true // its tools only read, and the user believes it
	w.User(with(d, servertest.Servers(servertest.M{"docs": docs, "f": faulty(t, "")})))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	e.AwaitState("docs", wire.MCPConnected)
	e.AwaitState("f", wire.MCPConnected)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "one")
	whole := d.Await(1)
	servertest.Call(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "plan"})
	prompt(e, id, "two")
	planned := d.Await(2)
	if err := person(e, "f", "add", servertest.M{"name": "extra"}); err != nil {
		t.Fatal(err)
	}
	e.Await("the new tool", func(s *servertest.State) bool {
		row, ok := s.Row("f")
		return ok && row.ToolCount == 19
	})
	prompt(e, id, "three") // calls what plan mode hides
	refreshed := d.Await(3)
	servertest.Call(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "default"})
	prompt(e, id, "four")
	restored := d.Await(5)

	for _, r := range []modeltest.Request{planned, refreshed} {
		tools := r.Tools(t)
		for _, name := range []string{"mcp__f__pid", "mcp__f__extra", "bash", "write", "edit"} {
			if slices.Contains(tools, name) && name != "bash" { // bash may run what only reads
				t.Errorf("in plan mode %s is offered", name)
			}
		}
		if !slices.Contains(tools, "read") || !slices.Contains(tools, "mcp__docs__search") {
			t.Errorf("in plan mode there is only %v", tools)
		}
	}
	if a, b := field(t, planned, "tools"), field(t, refreshed, "tools"); a != b {
		t.Errorf("the refresh changed the tools of plan mode")
	}
	if calls := e.Calls(id); len(calls) != 1 || calls[0].Status != wire.ToolFailed {
		t.Errorf("the hidden tool was called: %+v", calls)
	}
	want := whole.Tools(t)
	at := slices.Index(want, "mcp__f__roots") + 1
	want = slices.Insert(slices.Clone(want), at, "mcp__f__extra")
	if got := restored.Tools(t); !slices.Equal(got, want) {
		t.Errorf("after plan mode the tools are\n%v, want\n%v", got, want)
	}
	continues(t, whole, planned)
	continues(t, planned, refreshed)
	continues(t, refreshed, restored)
}

// A conversation goes on with another provider, and comes back: what one of them signed
// the other does not see, and both take the rest.
func theModelChanges(t *testing.T, f modeltest.Flavor) {
	thinks := func(n string) modeltest.Reply {
		return modeltest.Reply{Thinking: "hm " + n, Signature: "sig", Calls: []modeltest.Call{use("c", "ls", servertest.M{})}}
	}
	d := modeltest.New(t, f, thinks("one"), modeltest.Say("first"), modeltest.Say("third"))
	for _, g := range modeltest.Flavors() {
		if g == f {
			continue
		}
		other := modeltest.New(t, g, thinks("two"), modeltest.Say("second"))
		w := servertest.NewWorld(t)
		settings := with(d, nil)
		settings["providers"].(servertest.M)["other"] = other.Provider()
		w.User(settings)
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
		prompt(e, id, "one")
		servertest.Call(e, wire.SessionSetModel, wire.SessionSetModelParams{SessionID: id, ModelID: "other/test-model"})
		prompt(e, id, "two")
		servertest.Call(e, wire.SessionSetModel, wire.SessionSetModelParams{SessionID: id, ModelID: "test/test-model"})
		if got := prompt(e, id, "three"); got.StopReason != wire.StopEndTurn || e.Text(id) != "firstsecondthird" {
			t.Errorf("with %s: %+v %q", g, got, e.Text(id))
		}
		d.Then(thinks("one"), modeltest.Say("first"), modeltest.Say("third"))
	}
}

// LibreChat#13987: arguments that are no JSON are an error that the model reads, a tool
// that fails another, and both are stored as what the provider takes back.
func aCallIsMalformed(t *testing.T, f modeltest.Flavor) {
	d := modeltest.New(t, f,
		modeltest.Reply{Calls: []modeltest.Call{{ID: "c1", Name: "ls", Args: []string{`{"path": "a`}}, {ID: "c2", Name: "no such", Args: []string{`{}`}}, {ID: "c3", Name: "mcp__f__fail", Args: []string{""}}}},
		modeltest.Say("I see."), modeltest.Say("Yes."))
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.Servers(servertest.M{"f": faulty(t, "")})))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	e.AwaitState("f", wire.MCPConnected)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "go")
	prompt(e, id, "and?")
	inOrder(t, field(t, d.Await(2), "messages"), "not valid JSON", "unknown tool", "it broke")
	continues(t, d.Requests()[1], d.Requests()[2])
}

// A word in between, a stop, and the next prompt: one conversation.
func steeredAndCancelled(t *testing.T, f modeltest.Flavor) {
	never := make(chan struct{})
	d := modeltest.New(t, f, modeltest.Reply{Text: []string{"I begin"}, Calls: []modeltest.Call{use("c1", "ls", servertest.M{}), {ID: "c2", Name: "ls", Args: []string{`{"pa`}}}, Hold: never}, modeltest.Say("Fine."))
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	e := w.Start(servertest.Config{})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	wait := begin(context.Background(), e, id, "go")
	e.Await("the text and the half call", func(s *servertest.State) bool {
		text, calls := false, 0
		for _, u := range s.Updates[id] {
			switch u.(type) {
			case *wire.AgentMessageChunk:
				text = true
			case *wire.ToolCallStart:
				calls++
			}
		}
		return text && calls == 2
	})
	servertest.Call(e, wire.SessionSteer, wire.SessionSteerParams{SessionID: id, Prompt: text("be quick")})
	e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: id})
	if got, err := wait(); err != nil || got.StopReason != wire.StopCancelled {
		t.Errorf("%+v %v", got, err)
	}
	if got := prompt(e, id, "again"); got.StopReason != wire.StopEndTurn {
		t.Errorf("%+v", got)
	}
	inOrder(t, field(t, d.Await(2), "messages"), `go`, "I begin", "be quick", "again")
	if strings.Contains(string(d.Requests()[1].Body), `"c2"`) {
		t.Error("half a call was kept")
	}
}
