package server

import (
	"context"
	"maps"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// method is one implemented codebot method: raw params in, what goes out back.
type method func(ctx context.Context, params []byte) (any, error)

// routeTable is every codebot method that is implemented.
func (s *Server) routeTable() map[string]method {
	t := map[string]method{}
	on(s, t, wire.SessionNew, s.sessionNew)
	on(s, t, wire.SessionList, s.sessionList)
	on(s, t, wire.SessionLoad, s.sessionLoad)
	on(s, t, wire.SessionPrompt, s.sessionPrompt)
	on(s, t, wire.SessionSteer, s.sessionSteer)
	on(s, t, wire.SessionCompact, s.sessionCompact)
	on(s, t, wire.SessionContext, s.sessionContext)
	on(s, t, wire.SessionRename, s.sessionRename)
	on(s, t, wire.SessionDelete, s.sessionDelete)
	on(s, t, wire.SessionFork, s.sessionFork)
	on(s, t, wire.SessionExport, s.sessionExport)
	on(s, t, wire.SessionRollback, s.sessionRollback)
	on(s, t, wire.SessionSetMode, s.sessionSetMode)
	on(s, t, wire.SessionSetModel, s.sessionSetModel)
	onNotification(t, wire.SessionCancel, s.sessionCancel)

	on(s, t, wire.MCPStatus, s.mcpStatus)
	on(s, t, wire.MCPStart, s.mcpStart)
	on(s, t, wire.MCPStop, s.mcpStop)
	on(s, t, wire.MCPRestart, s.mcpRestart)
	on(s, t, wire.MCPApprove, s.mcpApprove)
	on(s, t, wire.MCPRevoke, s.mcpRevoke)
	on(s, t, wire.MCPEnable, s.mcpEnable)
	on(s, t, wire.MCPDisable, s.mcpDisable)
	on(s, t, wire.MCPAdd, s.mcpAdd)
	on(s, t, wire.MCPUpdate, s.mcpUpdate)
	on(s, t, wire.MCPRemove, s.mcpRemove)
	on(s, t, wire.MCPSetTool, s.mcpSetTool)
	on(s, t, wire.MCPTools, s.mcpTools)
	on(s, t, wire.MCPCallTool, s.mcpCallTool)
	on(s, t, wire.MCPLogs, s.mcpLogs)
	on(s, t, wire.SessionCommands, s.sessionCommands)
	on(s, t, wire.SessionMentions, s.sessionMentions)
	on(s, t, wire.MCPLogin, s.mcpLogin)
	on(s, t, wire.MCPLogout, s.mcpLogout)
	on(s, t, wire.MCPTest, s.mcpTest)
	on(s, t, wire.MCPImport, s.mcpImport)
	on(s, t, wire.MCPResources, s.mcpResources)
	on(s, t, wire.MCPReadResource, s.mcpReadResource)
	on(s, t, wire.MCPPrompts, s.mcpPrompts)
	on(s, t, wire.MCPGetPrompt, s.mcpGetPrompt)
	on(s, t, wire.MCPComplete, s.mcpComplete)

	on(s, t, wire.Status, s.status)
	on(s, t, wire.Models, s.models)
	on(s, t, wire.Trust, s.trust)
	on(s, t, wire.ProvidersList, s.providersList)
	on(s, t, wire.ProvidersSetKey, s.providersSetKey)
	on(s, t, wire.ProvidersRemoveKey, s.providersRemoveKey)
	on(s, t, wire.ProvidersTest, s.providersTest)
	return t
}

func on[P, R any](s *Server, table map[string]method, m wire.Request[P, R], h func(context.Context, P) (R, error)) {
	table[m.Name] = func(ctx context.Context, raw []byte) (any, error) {
		var params P
		if err := rpc.DecodeParams(m.Name, raw, &params); err != nil {
			return nil, err
		}
		result, err := h(ctx, params)
		if err != nil {
			return nil, s.wireError(err)
		}
		return result, nil
	}
}

func onNotification[P any](table map[string]method, m wire.Notification[P], h func(context.Context, P) error) {
	table[m.Name] = func(ctx context.Context, raw []byte) (any, error) {
		var params P
		if err := rpc.DecodeParams(m.Name, raw, &params); err != nil {
			return nil, err
		}
		return nil, h(ctx, params)
	}
}

// implemented lists the codebot methods a client may send, sorted.
func (s *Server) implemented() []string { return slices.Sorted(maps.Keys(s.routes)) }

// route looks in our own table, then at LSP's methods. The error of an unknown
// notification is logged by the guard, never answered.
func (s *Server) route(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if h, ok := s.routes[req.Method()]; ok {
		return h(ctx, req.Params())
	}
	if slices.Contains(languageMethods, req.Method()) {
		return s.lsp(ctx, req)
	}
	switch req.Method() {
	case protocol.MethodSetTrace:
		return nil, nil
	case protocol.MethodTextDocumentDidOpen, protocol.MethodTextDocumentDidChange, protocol.MethodTextDocumentDidSave,
		protocol.MethodTextDocumentDidClose, protocol.MethodWorkspaceDidChangeWatchedFiles, protocol.MethodWorkspaceDidChangeWorkspaceFolders:
		return s.lsp(ctx, req)
	case protocol.MethodWorkspaceExecuteCommand:
		var params protocol.ExecuteCommandParams
		if err := rpc.DecodeParams(req.Method(), req.Params(), &params); err != nil {
			return nil, err
		}
		return s.executeCommand(ctx, &params)
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "no method %s", req.Method())
}

// executeCommand runs codebot.request [method, params] for a client without a
// plug-in. What gives consent is not reachable this way: a command may come from
// a code lens, or from a model that can run editor commands.
func (s *Server) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	if p.Command != wire.CommandRequest || s.client.codebot != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "no command %s", p.Command)
	}
	if len(p.Arguments) == 0 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s takes [method, params]", wire.CommandRequest)
	}
	var name string
	if err := rpc.DecodeParams(p.Command, p.Arguments[0], &name); err != nil {
		return nil, err
	}
	h, ok := s.routes[name]
	if !ok || slices.Contains(needConsent, name) {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "no method %s for %s", name, wire.CommandRequest)
	}
	var params []byte
	if len(p.Arguments) > 1 {
		params = p.Arguments[1]
	}
	return h(ctx, params)
}
