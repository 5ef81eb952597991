package server

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// agentTools are the tools of a session that need more than its folder: the servers, or
// the editor. One that this editor cannot serve is not offered.
func (o *openSession) agentTools() []agent.Tool {
	tools := []agent.Tool{o.session.TodoTool(), o.session.TaskTool(), &connectTool{o: o}, &listResourcesTool{o: o}, &readResourceTool{o: o}}
	if c := o.s.client.codebot; c != nil && c.Diagnostics {
		tools = append(tools, &diagnosticsTool{o: o})
	}
	return tools
}

// places are where the session's servers are, the user's first.
func (o *openSession) places() []*mcp.Manager {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.at.manager == nil || o.at.manager == o.s.servers.user {
		return []*mcp.Manager{o.s.servers.user}
	}
	return []*mcp.Manager{o.s.servers.user, o.at.manager}
}

// owner is the manager whose server the agent means: the project's, where both have one
// of that name.
func (o *openSession) owner(server string) *mcp.Manager {
	owner := o.s.servers.user
	for _, m := range o.places() {
		if _, ok := m.ReadRequest(server); ok {
			owner = m
		}
	}
	return owner
}

// listResourcesTool is list_mcp_resources.
type listResourcesTool struct{ o *openSession }

var listResourcesSchema = json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","description":"Name of an MCP server; default all"}},"additionalProperties":false}`)

// listedResources bounds an answer.
const listedResources = 500

func (*listResourcesTool) Name() string                         { return "list_mcp_resources" }
func (t *listResourcesTool) Label() string                      { return t.o.s.say(textListResources) }
func (*listResourcesTool) Schema() json.RawMessage              { return listResourcesSchema }
func (*listResourcesTool) ConcurrencySafe(json.RawMessage) bool { return true }
func (*listResourcesTool) Description() string {
	return "List the resources and resource templates of the connected MCP servers: documents that read_mcp_resource reads by URI."
}

// PermissionRequest implements permission.Describer: what the servers listed is known
// already, nobody is asked for it.
func (t *listResourcesTool) PermissionRequest([]byte) permission.Request { return t.o.free(t) }

func (t *listResourcesTool) Execute(_ context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var p struct {
		Server string `json:"server"`
	}
	_ = json.Unmarshal(args, &p) // checked against the schema
	var lines []string
	line := func(server, address, name, mime, description string) {
		if p.Server != "" && p.Server != server {
			return
		}
		parts := []string{mcp.CleanLine(server), mcp.CleanLine(address), mcp.CleanLine(name)}
		for _, more := range []string{mcp.CleanLine(mime), mcp.CleanLine(description)} {
			if more != "" {
				parts = append(parts, more)
			}
		}
		lines = append(lines, strings.Join(parts, " | "))
	}
	for _, m := range t.o.places() {
		resources, templates := m.Resources()
		for _, r := range resources {
			line(r.Server, r.Address, r.Name, r.MIME, r.Description)
		}
		for _, r := range templates {
			line(r.Server, r.Template, r.Name+" (template)", r.MIME, r.Description)
		}
	}
	if len(lines) == 0 {
		return text("No connected MCP server offers resources."), nil
	}
	if more := len(lines) - listedResources; more > 0 {
		lines = append(lines[:listedResources], fmt.Sprintf("(%d more; ask for one server)", more))
	}
	return text(strings.Join(lines, "\n")), nil
}

// readResourceTool is read_mcp_resource.
type readResourceTool struct{ o *openSession }

var readResourceSchema = json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","description":"Name of the MCP server"},"uri":{"type":"string","description":"URI of the resource, as list_mcp_resources gives it, or a template with its variables filled in"}},"required":["server","uri"],"additionalProperties":false}`)

type readResourceArgs struct {
	Server string `json:"server"`
	URI    string `json:"uri"`
}

func (*readResourceTool) Name() string                         { return "read_mcp_resource" }
func (t *readResourceTool) Label() string                      { return t.o.s.say(textReadResource, "", "MCP") }
func (*readResourceTool) Schema() json.RawMessage              { return readResourceSchema }
func (*readResourceTool) ConcurrencySafe(json.RawMessage) bool { return true }
func (*readResourceTool) Description() string                  { return "Read a resource of an MCP server by its URI." }

// PermissionRequest implements permission.Describer. The address goes to the server, so
// it is a call of the server's, and one that a server whose annotations are trusted may
// answer unasked.
func (t *readResourceTool) PermissionRequest(args []byte) permission.Request {
	var a readResourceArgs
	_ = json.Unmarshal(args, &a)
	req, ok := t.o.owner(a.Server).ReadRequest(a.Server)
	if !ok {
		return t.o.free(t) // it will only be told that there is no such server
	}
	req.Tool, req.Root = t.Name(), permission.Resolve(t.o.session.Cwd())
	return req
}

// Describe implements agent.Describer.
func (t *readResourceTool) Describe(args json.RawMessage) agent.Description {
	var a readResourceArgs
	_ = json.Unmarshal(args, &a)
	return agent.Description{Title: t.o.s.say(textReadResource, mcp.CleanLine(a.URI), mcp.CleanLine(a.Server))}
}

func (t *readResourceTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var a readResourceArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return agent.Result{}, err
	}
	contents, err := t.o.owner(a.Server).ReadResource(ctx, a.Server, a.URI, false)
	if err != nil {
		return agent.Result{}, err
	}
	if len(contents) == 0 {
		return text("The resource is empty."), nil
	}
	var result agent.Result
	for _, c := range contents {
		result.Content = append(result.Content, c.ForAgent()...)
	}
	return result, nil
}

// diagnosticsTool is diagnostics: what the editor's language servers say.
type diagnosticsTool struct{ o *openSession }

var diagnosticsSchema = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"A file or folder, absolute or relative to the session's folder; default all that the editor knows"}},"additionalProperties":false}`)

// listedProblems bounds an answer.
const listedProblems = 200

func (*diagnosticsTool) Name() string                         { return "diagnostics" }
func (t *diagnosticsTool) Label() string                      { return t.o.s.say(textProblems) }
func (*diagnosticsTool) Schema() json.RawMessage              { return diagnosticsSchema }
func (*diagnosticsTool) ConcurrencySafe(json.RawMessage) bool { return true }
func (*diagnosticsTool) Description() string {
	return "Errors and warnings that the user's editor shows, from its language servers and linters. Files that are not open may be missing."
}

// PermissionRequest implements permission.Describer.
func (t *diagnosticsTool) PermissionRequest([]byte) permission.Request { return t.o.free(t) }

func (t *diagnosticsTool) path(args json.RawMessage) string {
	var p struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal(args, &p)
	return p.Path
}

// Describe implements agent.Describer.
func (t *diagnosticsTool) Describe(args json.RawMessage) agent.Description {
	if path := t.path(args); path != "" {
		return agent.Description{Title: t.o.s.say(textProblemsOf, mcp.CleanLine(path))}
	}
	return agent.Description{Title: t.Label()}
}

func (t *diagnosticsTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	params := wire.DiagnosticsParams{}
	if path := t.path(args); path != "" {
		if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
			path = filepath.Join(t.o.session.Cwd(), path)
		}
		params.URI = uriOf(path)
	}
	var answer wire.DiagnosticsResult
	if err := protocol.Call(ctx, t.o.s.conn, wire.Diagnostics.Name, params, &answer); err != nil {
		if ctx.Err() != nil {
			return agent.Result{}, context.Cause(ctx)
		}
		return agent.Result{}, fmt.Errorf("the editor does not tell its problems: %w", err)
	}
	var lines []string
	for _, d := range answer.Documents {
		name := d.URI
		if path, ok := pathOf(d.URI); ok {
			name = path
			if rel, err := filepath.Rel(t.o.session.Cwd(), path); err == nil && filepath.IsLocal(rel) {
				name = filepath.ToSlash(rel)
			}
		}
		for _, p := range d.Diagnostics {
			line := fmt.Sprintf("%s:%d:%d: %s: %s", name, p.Line, p.Column, p.Severity, p.Message)
			if from := strings.TrimSpace(p.Source + " " + p.Code); from != "" {
				line += " [" + from + "]"
			}
			lines = append(lines, mcp.Clean(line))
		}
	}
	if len(lines) == 0 {
		return text("The editor knows of no problems."), nil
	}
	if more := len(lines) - listedProblems; more > 0 {
		lines = append(lines[:listedProblems], fmt.Sprintf("(%d more; ask for one file)", more))
	}
	return text(strings.Join(lines, "\n")), nil
}

// free is the request of a tool that acts on nothing.
func (o *openSession) free(t agent.Tool) permission.Request {
	return permission.Request{Kind: permission.KindFree, Tool: t.Name(), Root: permission.Resolve(o.session.Cwd()), Metadata: permission.Metadata{Capability: permission.CapabilityRead}}
}
