package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/workspace"
)

func (s *Server) mcpStatus(context.Context, wire.Empty) (wire.MCPStatusResult, error) {
	return s.push.picture(), nil
}

// action runs one action on a server. It lets the next message in first: an action
// takes as long as the server does. Cancelling the request does not undo it.
func (s *Server) action(ctx context.Context, ref wire.MCPServerRef, do func(*mcp.Manager, context.Context, string) (mcp.ServerStatus, error)) (wire.MCPServerResult, error) {
	at, err := s.servers.find(ref.Name, ref.Folder)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	rpc.Release(ctx)
	row, err := do(at.manager, ctx, ref.Name)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	return s.answerRow(row, at.root), nil
}

func (s *Server) mcpStart(ctx context.Context, p wire.MCPServerRef) (wire.MCPServerResult, error) {
	return s.action(ctx, p, (*mcp.Manager).Start)
}

func (s *Server) mcpStop(ctx context.Context, p wire.MCPServerRef) (wire.MCPServerResult, error) {
	return s.action(ctx, p, (*mcp.Manager).Stop)
}

func (s *Server) mcpRestart(ctx context.Context, p wire.MCPServerRef) (wire.MCPServerResult, error) {
	return s.action(ctx, p, (*mcp.Manager).Restart)
}

func (s *Server) mcpApprove(ctx context.Context, p wire.MCPApproveParams) (wire.MCPServerResult, error) {
	at, err := s.findProject(p.Name, p.Folder)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	if err := s.ws.Approve(at.root, p.Name, p.Hash); err != nil {
		return wire.MCPServerResult{}, err
	}
	return s.settle(ctx, at, p.Name)
}

func (s *Server) mcpRevoke(ctx context.Context, p wire.MCPServerRef) (wire.MCPServerResult, error) {
	at, err := s.findProject(p.Name, p.Folder)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	if err := s.ws.Revoke(at.root, p.Name); err != nil {
		return wire.MCPServerResult{}, err
	}
	return s.settle(ctx, at, p.Name)
}

// findProject is find for what only a project's entry has: a consent. The user's
// entry of the same name is no candidate.
func (s *Server) findProject(name string, folder *string) (place, error) {
	at, err := s.servers.find(name, folder)
	var r *refusal
	if errors.As(err, &r) && r.data.Kind == wire.KindAmbiguousServer && len(r.data.Folders) == 2 && r.data.Folders[0] == "" {
		at, err = s.servers.find(name, &r.data.Folders[1])
	}
	if err == nil && at.root == "" {
		return place{}, refuse(wire.KindUnknownServer, name, lang.Errorf(zh, textUserServer, mcp.CleanLine(name)), hintProjectOnly)
	}
	return at, err
}

// settle applies the settings as they now are and answers with the row once the
// server has left starting.
func (s *Server) settle(ctx context.Context, at place, name string) (wire.MCPServerResult, error) {
	s.settingsChanged(s.ws.Snapshot())
	rpc.Release(ctx)
	row, err := at.manager.Wait(ctx, name)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	return s.answerRow(row, at.root), nil
}

func (s *Server) mcpEnable(ctx context.Context, p wire.MCPServerRef) (wire.MCPServerResult, error) {
	return s.editServer(ctx, p.Name, p.Folder, workspace.EnableServer(p.Name))
}

func (s *Server) mcpDisable(ctx context.Context, p wire.MCPServerRef) (wire.MCPServerResult, error) {
	return s.editServer(ctx, p.Name, p.Folder, workspace.DisableServer(p.Name))
}

func (s *Server) mcpUpdate(ctx context.Context, p wire.MCPEntryParams) (wire.MCPServerResult, error) {
	return s.editServer(ctx, p.Name, p.Folder, workspace.UpdateServer(p.Name, bytes.Clone(p.Entry)))
}

// mcpSetTool switches a tool in the entry of its server, which stays as it runs.
func (s *Server) mcpSetTool(ctx context.Context, p wire.MCPSetToolParams) (wire.MCPServerResult, error) {
	at, err := s.servers.find(p.Server, p.Folder)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	if !at.hasTool(p.Server, p.Tool) {
		return wire.MCPServerResult{}, jsonrpc2.NewError(jsonrpc2.InvalidParams, s.say(textNoTool, mcp.CleanLine(p.Server), mcp.CleanLine(p.Tool)))
	}
	return s.editServer(ctx, p.Server, p.Folder, workspace.SetTool(p.Server, p.Tool, p.Enabled))
}

// hasTool reports whether a server lists a tool, or lists none now: then a person may
// know better.
func (p place) hasTool(server, tool string) bool {
	any := false
	for _, t := range p.manager.Listed() {
		if t.Server() == server {
			if any = true; t.Original() == tool {
				return true
			}
		}
	}
	return !any
}

func (s *Server) mcpAdd(ctx context.Context, p wire.MCPEntryParams) (wire.MCPServerResult, error) {
	root := ""
	if p.Folder != nil && *p.Folder != "" {
		path, err := folderPath(*p.Folder)
		if err != nil {
			return wire.MCPServerResult{}, refuse(wire.KindUnknownServer, p.Name, err, hintFolder)
		}
		root = path
	}
	if err := s.ws.EditServer(root, workspace.AddServer(p.Name, bytes.Clone(p.Entry)), s.docs.Overlay); err != nil {
		return wire.MCPServerResult{}, s.editError(p.Name, err)
	}
	s.settingsChanged(s.ws.Snapshot())
	at, ok := s.servers.at(root)
	if !ok { // closed meanwhile
		return wire.MCPServerResult{}, s.editError(p.Name, workspace.ErrNotOpen)
	}
	return s.settle(ctx, at, p.Name)
}

func (s *Server) mcpRemove(ctx context.Context, p wire.MCPServerRef) (wire.Empty, error) {
	at, err := s.servers.find(p.Name, p.Folder)
	if err != nil {
		return wire.Empty{}, err
	}
	if err := s.ws.EditServer(at.root, workspace.RemoveServer(p.Name), s.docs.Overlay); err != nil {
		return wire.Empty{}, s.editError(p.Name, err)
	}
	s.settingsChanged(s.ws.Snapshot())
	rpc.Release(ctx)
	return wire.Empty{}, at.manager.WaitGone(ctx, p.Name)
}

// editServer changes the entry of a server in the file that declares it, and answers
// with the row once the change has been applied.
func (s *Server) editServer(ctx context.Context, name string, folder *string, edit workspace.ServerEdit) (wire.MCPServerResult, error) {
	at, err := s.servers.find(name, folder)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	if err := s.ws.EditServer(at.root, edit, s.docs.Overlay); err != nil {
		return wire.MCPServerResult{}, s.editError(name, err)
	}
	return s.settle(ctx, at, name)
}

// editError is an edit that was not done, with the way out.
func (s *Server) editError(name string, err error) error {
	switch {
	case errors.Is(err, workspace.ErrNotOpen), errors.Is(err, workspace.ErrNoProjectFile):
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, s.lang.Error(err))
	case errors.Is(err, workspace.ErrUnknownServer):
		return refuse(wire.KindUnknownServer, name, err, hintNotInFile)
	case errors.Is(err, workspace.ErrFileChanged):
		return refuse(wire.KindStartBlocked, name, err, hintFileChanged)
	case errors.Is(err, workspace.ErrBadFile):
		return refuse(wire.KindConfigInvalid, name, err, hintBadFile)
	case errors.Is(err, workspace.ErrInvalidEntry), errors.Is(err, workspace.ErrServerExists):
		return refuse(wire.KindConfigInvalid, name, err, hintEntry)
	}
	return refuse(wire.KindStartBlocked, name, err, hintNotWritten)
}

func (s *Server) mcpTools(_ context.Context, p wire.MCPToolsParams) (wire.MCPToolsResult, error) {
	places := s.servers.places()
	if p.Server != "" {
		at, err := s.servers.find(p.Server, p.Folder)
		if err != nil {
			return wire.MCPToolsResult{}, err
		}
		places = []place{at}
	} else if p.Folder != nil {
		path, _ := pathOf(*p.Folder)
		var of []place
		for _, at := range places {
			if at.root == path {
				of = append(of, at)
			}
		}
		places = of
	}
	result := wire.MCPToolsResult{Tools: []wire.MCPTool{}}
	for _, at := range places {
		tools := at.manager.Listed()
		if p.Server != "" {
			tools = slices.DeleteFunc(tools, func(t *mcp.MCPTool) bool { return t.Server() != p.Server })
		}
		result.Tools = append(result.Tools, toolRows(tools, at.root)...)
	}
	return result, nil
}

func (s *Server) mcpCallTool(ctx context.Context, p wire.MCPCallToolParams) (wire.MCPCallToolResult, error) {
	at, err := s.servers.find(p.Server, p.Folder)
	if err != nil {
		return wire.MCPCallToolResult{}, err
	}
	if err := s.denied(at, p); err != nil {
		return wire.MCPCallToolResult{}, err
	}
	args := json.RawMessage(p.Arguments)
	rpc.Release(ctx)
	res, err := at.manager.CallTool(ctx, p.Server, p.Tool, args, nil)
	if err != nil {
		return wire.MCPCallToolResult{}, err
	}
	return wire.MCPCallToolResult{Content: blocksOf(res.Content), StructuredContent: []byte(res.Structured), IsError: res.IsError}, nil
}

// denied says that a deny rule speaks against a person's own call. The tool need not
// be listed: the server may know it all the same. For a server of the user's the
// rules of every open folder count, for it serves them all.
func (s *Server) denied(at place, p wire.MCPCallToolParams) error {
	request := permission.Request{
		Kind: permission.KindMCP, Tool: mcp.ToolName(p.Server, p.Tool), Server: p.Server, Original: p.Tool,
	}
	roots := []string{at.root}
	if at.root == "" {
		for _, open := range s.servers.places() {
			roots = append(roots, open.root)
		}
	}
	for _, root := range roots {
		if rule, deny := s.engine(func() string { return root }).DenyRule(request); deny {
			return refuse(wire.KindStartBlocked, p.Server, lang.Errorf(zh, textDenied, rule, mcp.CleanLine(p.Tool), mcp.CleanLine(p.Server)), hintDenied)
		}
	}
	return nil
}

func (s *Server) mcpLogs(_ context.Context, p wire.MCPLogsParams) (wire.MCPLogsResult, error) {
	at, err := s.servers.find(p.Name, p.Folder)
	if err != nil {
		return wire.MCPLogsResult{}, err
	}
	entries, err := at.manager.Logs(p.Name, p.Limit)
	if err != nil {
		return wire.MCPLogsResult{}, err
	}
	return wire.MCPLogsResult{Entries: logEntries(entries)}, nil
}

func logEntries(entries []mcp.LogEntry) []wire.MCPLogEntry {
	out := make([]wire.MCPLogEntry, 0, len(entries))
	for _, e := range entries {
		out = append(out, wire.MCPLogEntry{Time: isoTime(e.Time), Level: e.Level, Source: wire.MCPLogSource(e.Source), Text: e.Text})
	}
	return out
}

// engine makes a gate whose rules are those in effect in the folder that root
// names at the time of each decision.
func (s *Server) engine(root func() string) *permission.Engine {
	rules := &ruleCache{s: s, root: root}
	return permission.NewEngine(permission.EngineOptions{
		Rules: rules.get, Grants: s.grants, Home: s.userHome, ConfigHome: s.home, Lang: s.lang,
	})
}
