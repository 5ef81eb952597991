package server_test

import (
	"context"
	"encoding/json"
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

// The field's own server of every feature, whole: each resource and prompt is fetched, the
// person and the model are asked, and progress is shown.
func TestTheFieldsOwnServersWorkWhole(t *testing.T) {
	replies := make([]modeltest.Reply, 5)
	for i := range replies {
		replies[i] = modeltest.Say("sampled")
	}
	d := modeltest.New(t, modeltest.OpenAI, replies...)
	w := servertest.NewWorld(t)
	entry := servertest.NPM(t, "server-everything/dist/index.js")
	entry["sampling"] = true
	w.User(with(d, servertest.Servers(servertest.M{"everything": entry})))
	elicited := 0
	e, _ := w.Spawn(servertest.Config{
		Permit:       always("allow_once"),
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Sample: true, Elicit: &wire.ElicitCapability{Form: true, URL: true}},
		Elicit: func(_ context.Context, p wire.MCPElicitParams) wire.MCPElicitResult {
			elicited++
			return wire.MCPElicitResult{Action: wire.ElicitDecline}
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
	resources := servertest.Call(e, wire.MCPResources, wire.MCPListParams{})
	if len(resources.Templates) == 0 {
		t.Error("no templates")
	}
	for _, r := range resources.Resources {
		if res := servertest.Call(e, wire.MCPReadResource, wire.MCPReadResourceParams{Server: "everything", Address: r.Address}); len(res.Contents) == 0 {
			t.Errorf("%s is empty", r.Address)
		}
	}
	prompts := servertest.Call(e, wire.MCPPrompts, wire.MCPListParams{}).Prompts
	for _, p := range prompts {
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
	var names []string
	for _, tool := range servertest.Call(e, wire.MCPTools, wire.MCPToolsParams{}).Tools {
		names = append(names, tool.Tool)
		args := map[string]any{}
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
		switch tool.Tool {
		case "trigger-long-running-operation":
			args = map[string]any{"duration": 0.1, "steps": 2}
		case "gzip-file-as-resource":
			args["data"] = "data:text/plain;base64,aGk=" // its default is on the network
		case "trigger-url-elicitation":
			args["url"] = "https://example.com/"
		case "simulate-research-query":
			continue // must be called as a task, which this side does not declare
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "everything", Tool: tool.Tool, Arguments: raw})
		if len(res.Content) == 0 || res.IsError {
			t.Errorf("%s %s answered %+v", tool.Tool, raw, res)
		}
		if tool.Tool == "trigger-sampling-request" && !strings.Contains(*res.Content[0].Text, "sampled") {
			t.Errorf("%s answered %s", tool.Tool, *res.Content[0].Text)
		}
	}
	if elicited != 2 || len(names) < 15 {
		t.Errorf("the person was asked %d times, want by a form and by a page; the tools were %v", elicited, names)
	}
}
