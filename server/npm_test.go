package server_test

import (
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// The real binary over real pipes with the field's own servers: status, tools, a
// call by a person, a call by the agent.
func TestTheFieldsOwnServersWork(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Write("hello.txt", "hello from the shop\n")
	w.User(servertest.Servers(servertest.M{
		"everything": servertest.NPM(t, "server-everything/dist/index.js"),
		"files":      servertest.NPM(t, "server-filesystem/dist/index.js", w.Folder),
	}))
	e, _ := w.Spawn(servertest.Config{Permit: always("allow_once")})
	for _, name := range []string{"everything", "files"} {
		row := e.AwaitState(name, wire.MCPConnected, wire.MCPFailed)
		if row.State != wire.MCPConnected || row.ToolCount < 5 || row.Pid == 0 || row.ProtocolVersion == "" || row.Transport != wire.MCPStdio {
			t.Fatalf("%s: %+v %+v", name, row, row.Error)
		}
	}
	e.Await("the counts of everything", func(s *servertest.State) bool {
		row, _ := s.Row("everything")
		return row.PromptCount > 0 && row.ResourceCount > 0
	})
	status := servertest.Call(e, wire.MCPStatus, wire.Empty{})
	if status.Totals.Connected != 2 || status.Totals.Failed != 0 || status.Totals.Tools < 15 {
		t.Errorf("totals %+v", status.Totals)
	}
	tools := servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{}).Tools
	for _, want := range []string{"mcp__everything__echo", "mcp__files__list_directory"} {
		found := false
		for _, tool := range tools {
			found = found || tool.Name == want
		}
		if !found {
			t.Errorf("no tool %s", want)
		}
	}

	res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "everything", Tool: "echo", Arguments: []byte(`{"message":"hi there"}`)})
	if res.IsError || len(res.Content) != 1 || !strings.Contains(*res.Content[0].Text, "hi there") {
		t.Errorf("echo answered %+v", res)
	}

	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "Use the files server to list the directory "+w.Folder)
	calls := e.Calls(id)
	if len(calls) != 1 || calls[0].Meta.Codebot.Server != "files" || calls[0].Status != wire.ToolCompleted || !strings.Contains(servertest.CallText(calls[0]), "hello.txt") {
		t.Fatalf("the agent's calls: %+v", calls)
	}
	e.Look(func(s *servertest.State) {
		if len(s.Asked) != 1 {
			t.Errorf("a server whose annotations are not trusted was asked for %d times", len(s.Asked))
		}
	})
}
