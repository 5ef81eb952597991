package server_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// Faults that agents with MCP servers have had at their permission gate, each as a person
// meets it: what the model wants, in which mode, and whether it runs unasked. The
// decisions one by one are tested where they are made: session/permission (modes, rules,
// grants, plan mode), mcp (words and annotations that lower nothing).
func TestNoToolOfAServerActsUnasked(t *testing.T) {
	// Names and descriptions by which a reading of words took a tool that acts for one
	// that reads or reaches out.
	acts := []struct{ name, text string }{
		{"delete_branch", "Deletes a branch through the API"}, {"execute_sql", "Execute a SQL query"}, {"drop_table", "Drops it, lists the rest"},
		{"kill_process", "Kills the target group"}, {"transfer_funds", "From the budget"}, {"restart", "Restarts the thread pool"},
		{"deploy_all", "Get it out (readOnly)"}, {"search_and_destroy", "Search the web"},
	}
	replies := []modeltest.Reply{}
	for i, a := range acts {
		replies = append(replies, modeltest.Use(fmt.Sprintf("c%d", i), "mcp__f__"+a.name, `{}`))
	}
	for _, mode := range []string{"default", "accept_edits", "plan"} {
		t.Run(mode, func(t *testing.T) {
			d := modeltest.New(t, modeltest.Anthropic, append(slices.Clone(replies), modeltest.Say("done"))...)
			w := servertest.NewWorld(t)
			w.User(with(d, servertest.Servers(servertest.M{"f": faulty(t, "")})))
			asked := &asks{answer: "reject_once"}
			e := w.Start(servertest.Config{Permit: asked.permit})
			e.AwaitState("f", wire.MCPConnected)
			for _, a := range acts {
				for _, step := range []struct {
					tool string
					args servertest.M
				}{{"add", servertest.M{"name": a.name}}, {"describe", servertest.M{"name": a.name, "text": a.text}}} {
					if err := person(e, "f", step.tool, step.args); err != nil {
						t.Fatal(err)
					}
				}
			}
			servertest.Poll(t, "the tools to be there as described", func() bool {
				n := 0
				for _, tool := range servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{}).Tools {
					if slices.ContainsFunc(acts, func(a struct{ name, text string }) bool {
						return a.name == tool.Tool && strings.Contains(tool.Description, a.text)
					}) {
						n++
					}
				}
				return n == len(acts)
			})
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: mode}).SessionID
			prompt(e, id, "go")
			for _, c := range e.Calls(id) {
				if c.Status != wire.ToolFailed {
					t.Errorf("%s ran", c.Title)
				}
			}
			if got := asked.tools(); mode == "plan" && len(got) != 0 || mode != "plan" && len(got) != len(acts) {
				t.Errorf("asked about %v", got)
			}
			if offered := d.Await(1).Tools(t); mode == "plan" && slices.ContainsFunc(offered, func(n string) bool { return strings.HasPrefix(n, "mcp__f__") }) {
				t.Errorf("plan mode offers %v", offered)
			}
		})
	}
}

// asks answers questions and remembers what they were about.
type asks struct {
	answer string

	mu   sync.Mutex
	list []string // guarded by mu
}

func (a *asks) permit(_ context.Context, p wire.RequestPermissionParams) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, p.ToolCall.Meta.Codebot.Tool)
	return a.answer
}

func (a *asks) tools() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.list)
}

// A yes for the session was one for a whole kind of tools, and with it for every server:
// it is for the one tool that was asked about.
func TestAYesForTheSessionIsForOneTool(t *testing.T) {
	d := modeltest.New(t, modeltest.Anthropic,
		modeltest.Use("c1", "mcp__f__pid", `{}`), modeltest.Use("c2", "mcp__f__pid", `{}`),
		modeltest.Use("c3", "mcp__f__cwd", `{}`), modeltest.Use("c4", "mcp__g__pid", `{}`), modeltest.Say("done"))
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.Servers(servertest.M{"g": faulty(t, ""), "f": faulty(t, "")})))
	asked := &asks{answer: "allow_session"}
	e := w.Start(servertest.Config{Permit: asked.permit})
	e.AwaitState("g", wire.MCPConnected)
	e.AwaitState("f", wire.MCPConnected)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "go")
	if got, want := asked.tools(), []string{"mcp__f__pid", "mcp__f__cwd", "mcp__g__pid"}; !slices.Equal(got, want) {
		t.Errorf("asked about %v, want %v", got, want)
	}
}

// An argument of the model's chose another tool than the one that was allowed: a call of
// the harmless one with {"tool": "trigger"} deployed. And the word "deploy" in a server's
// name asked about its harmless tool, and about nothing else.
func TestArgumentsCannotChooseAnotherTool(t *testing.T) {
	d := modeltest.New(t, modeltest.Anthropic,
		modeltest.Use("c1", "mcp__deploy__status", `{"service":"shop","tool":"trigger","name":"trigger","client":"x","c":"x","t":"trigger"}`),
		modeltest.Use("c2", "mcp__deploy__status", `{"service":"shop"}`), modeltest.Use("c3", "mcp__deploy__trigger", `{"service":"shop"}`), modeltest.Say("done"))
	w := servertest.NewWorld(t)
	settings := with(d, servertest.Servers(servertest.M{"deploy": servertest.Demo("deploy")}))
	settings["permissions"] = servertest.M{"allow": []string{"mcp(deploy/status)"}}
	w.User(settings)
	asked := &asks{answer: "reject_once"}
	e := w.Start(servertest.Config{Permit: asked.permit})
	e.AwaitState("deploy", wire.MCPConnected)
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "go")
	calls := e.Calls(id)
	if len(calls) != 3 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, c := range calls {
		if strings.Contains(servertest.CallText(c), "Triggered") {
			t.Errorf("it was deployed: %+v", c)
		}
	}
	if !strings.Contains(servertest.CallText(calls[1]), "running") || calls[2].Status != wire.ToolFailed {
		t.Errorf("the calls: %+v", calls)
	}
	if got := asked.tools(); !slices.Equal(got, []string{"mcp__deploy__trigger"}) {
		t.Errorf("asked about %v", got)
	}
}

// A refresh of the tools must bring the instructions with it: a server that comes up
// later told nobody how it is used.
func TestInstructionsComeWithTheTools(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		d := modeltest.New(t, f, modeltest.Say("1"), modeltest.Say("2"))
		w := servertest.NewWorld(t)
		w.User(with(d, nil))
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "plan"}).SessionID
		prompt(e, id, "one")
		w.User(with(d, servertest.Servers(servertest.M{"docs": servertest.Demo("docs")})))
		e.AwaitState("docs", wire.MCPConnected)
		servertest.Call(e, wire.SessionSetMode, wire.SessionSetModeParams{SessionID: id, ModeID: "default"})
		prompt(e, id, "two")
		first, second := string(d.Await(1).Body), string(d.Await(2).Body)
		for _, want := range []string{"MCP Server Instructions", "mcp__docs__search"} {
			if strings.Contains(first, want) || !strings.Contains(second, want) {
				t.Errorf("%q: before %v, after %v", want, strings.Contains(first, want), strings.Contains(second, want))
			}
		}
	})
}
