package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// The real binary over real pipes with the field's own servers: status, tools, a
// call by a person, a call by the agent.
func TestTheFieldsOwnServersWork(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Write("hello.txt", "hello from the shop\n")
	w.User(servertest.Servers(servertest.M{
		"everything": servertest.NPM(t, "@modelcontextprotocol/server-everything/dist/index.js"),
		"files":      servertest.NPM(t, "@modelcontextprotocol/server-filesystem/dist/index.js", w.Folder),
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

// The field's own servers of other kinds: their tools do what they are for, over calls that
// depend on each other.
func TestTheFieldsOtherServersWork(t *testing.T) {
	w := servertest.NewWorld(t)
	memory := servertest.NPM(t, "@modelcontextprotocol/server-memory/dist/index.js")
	memory["env"] = servertest.M{"MEMORY_FILE_PATH": filepath.Join(w.Home, "graph.jsonl")}
	w.User(servertest.Servers(servertest.M{
		"memory":   memory,
		"thinking": servertest.NPM(t, "@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
		"context7": servertest.NPM(t, "@upstash/context7-mcp/dist/index.js"),
	}))
	e, _ := w.Spawn(servertest.Config{})
	for name, want := range map[string]string{"memory": "create_entities", "thinking": "sequentialthinking", "context7": "resolve-library-id"} {
		row := e.AwaitState(name, wire.MCPConnected, wire.MCPFailed)
		if row.State != wire.MCPConnected || row.ToolCount == 0 {
			t.Fatalf("%s: %+v %+v", name, row, row.Error)
		}
		if !slices.ContainsFunc(servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{}).Tools, func(tool wire.MCPTool) bool {
			return tool.Server == name && tool.Tool == want
		}) {
			t.Errorf("%s has no tool %s", name, want)
		}
		t.Logf("%s speaks %s", name, row.ProtocolVersion)
	}
	call := func(server, tool, args string) string {
		t.Helper()
		res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: server, Tool: tool, Arguments: []byte(args)})
		if res.IsError || len(res.Content) == 0 || res.Content[0].Text == nil {
			t.Fatalf("%s %s answered %+v", server, tool, res)
		}
		return *res.Content[0].Text
	}
	call("memory", "create_entities", `{"entities":[{"name":"gopher","entityType":"animal","observations":["digs"]}]}`)
	if got := call("memory", "search_nodes", `{"query":"digs"}`); !strings.Contains(got, "gopher") {
		t.Errorf("memory found %s", got)
	}
	for n, more := range []bool{true, false} {
		got := call("thinking", "sequentialthinking", fmt.Sprintf(`{"thought":"think","thoughtNumber":%d,"totalThoughts":2,"nextThoughtNeeded":%t}`, n+1, more))
		if !strings.Contains(got, fmt.Sprintf(`"thoughtHistoryLength": %d`, n+1)) {
			t.Errorf("the thought %d was answered with %s", n+1, got)
		}
	}
}

// The field's own server of every feature, whole, over both transports: each tool is
// called, each resource and prompt fetched and followed, the person asked and the model, and
// what it reports of its progress is shown.
func TestTheFieldsOwnServersWorkWhole(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		entry := servertest.NPM(t, "@modelcontextprotocol/server-everything/dist/index.js")
		entry["sampling"] = true
		wholeEverything(t, entry)
	})
	t.Run("HTTP", func(t *testing.T) {
		s := newEverythingOverHTTP(t)
		s.start()
		wholeEverything(t, servertest.M{"url": "http://" + s.address + "/mcp", "sampling": true})
	})
}

func wholeEverything(t *testing.T, entry servertest.M) {
	d := modeltest.New(t, modeltest.OpenAI, modeltest.Say("sampled"))
	w := servertest.NewWorld(t)
	w.User(with(d, servertest.Servers(servertest.M{"everything": entry})))
	var asked []wire.MCPElicitParams
	var answer wire.MCPElicitResult
	e, _ := w.Spawn(servertest.Config{
		Permit:       always("allow_once"),
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Sample: true, Elicit: &wire.ElicitCapability{Form: true, URL: true}},
		Elicit: func(_ context.Context, p wire.MCPElicitParams) wire.MCPElicitResult {
			asked = append(asked, p)
			return answer
		},
		Sample: func(context.Context, wire.MCPSampleParams) wire.MCPSampleResult {
			return wire.MCPSampleResult{Action: wire.SampleAllowSession}
		},
	})
	e.AwaitState("everything", wire.MCPConnected)
	e.Await("its offers", func(s *servertest.State) bool {
		row, _ := s.Row("everything")
		return row.PromptCount > 0 && row.ResourceCount > 0
	})
	everyOffer(t, e)

	call := func(tool string, args any) (wire.MCPCallToolResult, error) {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "everything", Tool: tool, Arguments: raw})
	}
	answer = wire.MCPElicitResult{Action: wire.ElicitDecline}
	var names []string
	for _, tool := range servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{}).Tools {
		names = append(names, tool.Tool)
		args := argumentsFor(t, tool)
		switch tool.Tool {
		case "trigger-long-running-operation":
			args = map[string]any{"duration": 0.1, "steps": 2}
		case "gzip-file-as-resource":
			args["data"] = "data:text/plain;base64,aGk=" // its default is on the network
		case "trigger-url-elicitation":
			args["url"] = "https://example.com/"
		case "simulate-research-query":
			// It wants to be called as a task (SEP-1686), which this side does not declare:
			// the server says so, and nobody waits.
			if res, err := call(tool.Tool, args); err == nil && !res.IsError || !strings.Contains(fmt.Sprint(err, allText(res)), "task") {
				t.Errorf("a tool that wants to be a task answered %s, %v", allText(res), err)
			}
			continue
		}
		res, err := call(tool.Tool, args)
		if err != nil || len(res.Content) == 0 || res.IsError {
			t.Errorf("%s answered %+v, %v", tool.Tool, res, err)
			continue
		}
		if tool.Tool == "trigger-sampling-request" && !strings.Contains(*res.Content[0].Text, "sampled") {
			t.Errorf("%s answered %s", tool.Tool, *res.Content[0].Text)
		}
	}
	if len(asked) != 2 || len(names) < 17 {
		t.Errorf("the person was asked %d times, want by a form and by a page; the tools were %v", len(asked), names)
	}

	// The three ends of a form, as the server understands them.
	for _, tt := range []struct {
		answer wire.MCPElicitResult
		want   string
	}{
		{wire.MCPElicitResult{Action: wire.ElicitAccept, Content: []byte(`{"name":"Ada","check":true,"integer":7,"untitledMultipleSelectEnum":["Piano"]}`)}, "Ada"},
		{wire.MCPElicitResult{Action: wire.ElicitDecline}, "declined"},
		{wire.MCPElicitResult{Action: wire.ElicitCancel}, "cancelled"},
	} {
		answer = tt.answer
		res, err := call("trigger-elicitation-request", map[string]any{})
		if err != nil || res.IsError || !strings.Contains(allText(res), tt.want) {
			t.Errorf("%s: the server says %s, %v", tt.answer.Action, allText(res), err)
		}
	}
	if form := asked[len(asked)-1]; form.Mode != wire.ElicitForm || !strings.Contains(string(form.RequestedSchema), "titledMultipleSelectEnum") {
		t.Errorf("the form is %+v", form)
	}

	// What a call reports on the way is shown with it.
	d.Then(modeltest.Use("c1", "mcp__everything__trigger-long-running-operation", `{"duration":0.4,"steps":4}`), modeltest.Say("done"))
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "run it")
	if calls := e.Calls(id); len(calls) != 1 || calls[0].Status != wire.ToolCompleted {
		t.Fatalf("calls %+v", calls)
	}
	var reports []string
	e.Look(func(s *servertest.State) {
		for _, u := range s.Updates[id] {
			if p, ok := u.(*wire.ToolCallProgress); ok && p.Status == wire.ToolInProgress && len(p.Content) > 0 {
				reports = append(reports, servertest.CallText(p.ToolCallUpdate))
			}
		}
	})
	if len(reports) == 0 || reports[len(reports)-1] != "100 %" {
		t.Errorf("the reports were %q", reports)
	}
	row := servertest.Call(e, wire.MCPStatus, wire.Empty{})
	if row.Totals.Connected != 1 || row.Totals.Failed != 0 {
		t.Errorf("after all that: %+v", row.Totals)
	}
}

// everyOffer fetches each resource and prompt, a resource of each template, and follows one.
func everyOffer(t *testing.T, e *servertest.Editor) {
	t.Helper()
	resources := servertest.Call(e, wire.MCPResources, wire.MCPListParams{})
	if len(resources.Templates) == 0 {
		t.Error("no templates")
	}
	addresses := []string{}
	for _, r := range resources.Resources {
		addresses = append(addresses, r.Address)
	}
	for _, template := range resources.Templates {
		addresses = append(addresses, regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(template.Template, "1"))
	}
	for i, address := range addresses {
		res, err := servertest.Try(e, wire.MCPReadResource, wire.MCPReadResourceParams{Server: "everything", Address: address, Subscribe: i == 0})
		if err != nil || len(res.Contents) == 0 {
			t.Errorf("%s holds %+v, %v", address, res, err)
		}
	}
	for _, p := range servertest.Call(e, wire.MCPPrompts, wire.MCPListParams{}).Prompts {
		arguments := map[string]string{}
		for _, a := range p.Arguments {
			arguments[a.Name] = "1"
			if values := servertest.Call(e, wire.MCPComplete, wire.MCPCompleteParams{Server: "everything", Prompt: p.Name, Argument: a.Name, Given: arguments}).Values; len(values) > 0 {
				arguments[a.Name] = values[0]
			}
			if a.Name == "resourceType" {
				arguments[a.Name] = "Text"
			}
		}
		if res := servertest.Call(e, wire.MCPGetPrompt, wire.MCPGetPromptParams{Server: "everything", Name: p.Name, Arguments: arguments}); len(res.Messages) == 0 {
			t.Errorf("%s has no message", p.Name)
		}
	}
}

// argumentsFor are some arguments that a tool's schema allows.
func argumentsFor(t *testing.T, tool wire.MCPTool) map[string]any {
	t.Helper()
	var schema struct {
		Properties map[string]struct {
			Type    string
			Default any
			Enum    []any
			Minimum float64
		}
		Required []string
	}
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	args := map[string]any{}
	for _, name := range schema.Required {
		p := schema.Properties[name]
		switch {
		case p.Default != nil:
			args[name] = p.Default
		case len(p.Enum) > 0:
			args[name] = p.Enum[0]
		case p.Type == "number" || p.Type == "integer":
			args[name] = max(1, p.Minimum)
		case p.Type == "boolean":
			args[name] = true
		default:
			args[name] = "x"
		}
	}
	return args
}

func allText(res wire.MCPCallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if c.Text != nil {
			b.WriteString(*c.Text + "\n")
		}
	}
	return b.String()
}
