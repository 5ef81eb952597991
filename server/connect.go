package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// connectTool is connect_mcp: the agent starts a configured server that does not
// run. Its tools are there with the next model request.
type connectTool struct{ o *openSession }

var connectSchema = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","description":"Name of a configured MCP server"}},"required":["name"],"additionalProperties":false}`)

func (t *connectTool) Name() string            { return "connect_mcp" }
func (t *connectTool) Label() string           { return t.o.s.say(textConnect) }
func (t *connectTool) Schema() json.RawMessage { return connectSchema }

// Description implements agent.Tool. The servers in it are those that wait to be started,
// whether they have been or not: it changes with the settings alone, for it stands at the
// beginning of what a provider caches.
func (t *connectTool) Description() string {
	about := "Connect a configured MCP server that is not running, and discover its tools. They can be called from the next step on."
	var waiting []string
	for _, row := range t.snapshot().Servers {
		if row.Autostart != mcp.AutostartAlways && row.State != mcp.StateDisabled && row.State != mcp.StateUntrusted {
			waiting = append(waiting, mcp.CleanLine(row.Name))
		}
	}
	if len(waiting) > 0 {
		about += " Servers that start this way: " + strings.Join(waiting, ", ")
	}
	return about
}

func (t *connectTool) snapshot() mcp.Snapshot {
	t.o.mu.Lock()
	defer t.o.mu.Unlock()
	return t.o.reader.Snapshot()
}

// PermissionRequest implements permission.Describer.
func (t *connectTool) PermissionRequest(args []byte) permission.Request {
	return permission.Request{
		Kind: permission.KindConnect, Tool: t.Name(), Server: nameOf(args), Root: permission.Resolve(t.o.session.Cwd()),
		Metadata: permission.Metadata{Capability: permission.CapabilityExec, Reason: t.o.s.say(textConnectReason), SummaryHint: t.Label()},
	}
}

// Describe implements agent.Describer.
func (t *connectTool) Describe(args json.RawMessage) agent.Description {
	return agent.Description{Title: t.o.s.say(textConnectServer, mcp.CleanLine(nameOf(args)))}
}

func nameOf(args json.RawMessage) string {
	var p struct {
		Name string `json:"name"`
	}
	// The arguments were checked against the schema; a preview of others is empty.
	_ = json.Unmarshal(args, &p)
	return p.Name
}

// Execute implements agent.Tool. Its texts are those of the lesson that introduced
// the tool.
func (t *connectTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	name := nameOf(args)
	t.o.mu.Lock()
	snap, folder := t.o.reader.Snapshot(), t.o.at
	t.o.mu.Unlock()
	var known []string
	for _, row := range snap.Servers {
		known = append(known, row.Name)
		if row.Name != name {
			continue
		}
		switch {
		case row.State.Usable():
			return text(fmt.Sprintf("MCP server '%s' already connected", name)), nil
		case row.State == mcp.StateNeedsAuth:
			return agent.Result{}, fmt.Errorf("connect to '%s': it wants a login, which only the user can do, from the editor's list of MCP servers", name)
		}
		manager := t.o.s.servers.user
		if row.Scope == mcp.ScopeProject {
			manager = folder.manager
		}
		return t.start(ctx, manager, name)
	}
	if len(known) == 0 {
		return agent.Result{}, errors.New("no MCP server is configured")
	}
	unknown := text(fmt.Sprintf("Unknown server '%s'. Available: %s", name, strings.Join(known, ", ")))
	unknown.IsError = true
	return unknown, nil
}

func (t *connectTool) start(ctx context.Context, manager *mcp.Manager, name string) (agent.Result, error) {
	row, err := manager.Start(ctx, name)
	if err != nil {
		return agent.Result{}, err
	}
	if !row.State.Usable() {
		reason := string(row.State)
		if row.Error != nil {
			reason = row.Error.Message
		}
		return agent.Result{}, fmt.Errorf("connect to '%s': %s", name, reason)
	}
	var tools []string
	for _, tool := range manager.Tools(ctx) {
		if m, ok := tool.(*mcp.MCPTool); ok && m.Server() == name {
			tools = append(tools, m.Original())
		}
	}
	return text(fmt.Sprintf("Connected to MCP server '%s'. Discovered %d tools: %s", name, len(tools), strings.Join(tools, ", "))), nil
}

func text(s string) agent.Result { return agent.Result{Content: []agent.Content{agent.Text(s)}} }
