package server_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// "tools" of an entry chooses what the agent gets, live and without a restart; a person
// sees every tool, and which of them are off. To switch one writes it into the file that
// declares the server, beside its comments.
func TestToolsThatAreOffAreKeptFromTheAgentAlone(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Say("1"), modeltest.Say("2"), modeltest.Say("3"))
	w := servertest.NewWorld(t)
	settings := strings.Replace(w.Text(with(d, servertest.Servers(servertest.M{
		"docs": servertest.M{"command": servertest.Demo("docs")["command"], "args": servertest.Demo("docs")["args"], "env": servertest.Demo("docs")["env"],
			"tools": servertest.M{"allow": []string{"search", "get_*"}, "deny": []string{"get_version"}}},
	}))), `{`, "{\n// mine\n", 1)
	path := w.User(settings)
	e := w.Start(servertest.Config{})
	row := e.AwaitState("docs", wire.MCPConnected)
	if row.ToolCount != 1 {
		t.Errorf("%d tools are counted, want 1", row.ToolCount)
	}
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	n := 0
	offered := func(want ...string) {
		t.Helper()
		prompt(e, id, "go")
		n++
		var got []string
		for _, name := range d.Await(n).Tools(t) {
			if tool, ok := strings.CutPrefix(name, "mcp__docs__"); ok {
				got = append(got, tool)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the model is offered %v, want %v", got, want)
		}
	}
	off := func() []string {
		var off []string
		for _, tool := range servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{Server: "docs"}).Tools {
			if tool.Off {
				off = append(off, tool.Tool)
			}
		}
		return off
	}
	offered("search")
	if got := off(); !slices.Equal(got, []string{"get_version"}) {
		t.Errorf("off: %v", got)
	}
	pid := row.Pid
	set := func(tool string, on bool) wire.MCPServer {
		t.Helper()
		return servertest.Call(e, wire.MCPSetTool, wire.MCPSetToolParams{Server: "docs", Tool: tool, Enabled: on}).Server
	}
	set("get_version", true)
	if got := off(); len(got) != 0 {
		t.Errorf("off: %v", got)
	}
	offered("get_version", "search")
	set("search", false)
	if got := off(); !slices.Equal(got, []string{"search"}) {
		t.Errorf("off: %v", got)
	}
	offered("get_version")
	if row := e.AwaitState("docs", wire.MCPConnected); row.Pid != pid {
		t.Errorf("the server was restarted: pid %d, was %d", row.Pid, pid)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "// mine") || !strings.Contains(string(text), `"search"`) {
		t.Errorf("the file says %s, %v", text, err)
	}
	if _, err := servertest.Try(e, wire.MCPSetTool, wire.MCPSetToolParams{Server: "docs", Tool: "no_such"}); err == nil || !strings.Contains(err.Error(), "no_such") {
		t.Errorf("an unknown tool: %v", err)
	}
}

// A list that was fetched right after a switch showed the tool as before, and a switch
// back before the next notification left the count of the first one in the status bar.
func TestAToolSwitchHoldsOnceItIsAnswered(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{})
	e.AwaitState("docs", wire.MCPConnected)
	for i := range 100 {
		on, want := i%2 == 1, 1+i%2
		row := servertest.Call(e, wire.MCPSetTool, wire.MCPSetToolParams{Server: "docs", Tool: "search", Enabled: on}).Server
		tools := servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{Server: "docs"}).Tools
		if row.ToolCount != want || tools[1].Tool != "search" || tools[1].Off == on {
			t.Fatalf("switch %d: the row counts %d tools, want %d; the list has %+v", i, row.ToolCount, want, tools)
		}
		picture := servertest.Call(e, wire.MCPStatus, wire.Empty{})
		e.Await("what the picture says", func(s *servertest.State) bool { return s.Revision >= picture.Revision })
		e.Look(func(s *servertest.State) {
			if told, _ := s.Row("docs"); s.Revision == picture.Revision && told.ToolCount != picture.Servers[0].ToolCount {
				t.Fatalf("switch %d: the picture of revision %d counts %d tools, and the change to it %d", i, picture.Revision, picture.Servers[0].ToolCount, told.ToolCount)
			}
		})
	}
}

// A list of tools that speaks of none of them is as good as a spelling mistake.
func TestAToolListThatNamesNoToolIsTold(t *testing.T) {
	w := servertest.NewWorld(t)
	docs := servertest.Demo("docs")
	docs["tools"] = servertest.M{"allow": []string{"serch", "get_*"}}
	path := w.User(servertest.Servers(servertest.M{"docs": docs}))
	e := w.Start(servertest.Config{Client: modern})
	e.AwaitState("docs", wire.MCPConnected)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := openBuffer(t, e, path, string(text))
	b.set(strings.ReplaceAll(strings.ReplaceAll(b.text, "\n", ""), "\t", ""))
	b.awaitCodes("1 ruleNamesNothing")
	b.do(`"serch`, `Replace with "search"`)
	if !strings.Contains(b.text, `"search"`) {
		t.Errorf("the fix made %s", b.text)
	}
	b.awaitCodes()
}
