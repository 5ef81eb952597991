package server

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

// needConsent are the methods by which a person consents to what will run: approve
// and trust say so, and an entry that add or update writes into the user's own
// settings runs without a further question, as one that is tried does. Switching on an entry is none: the user's
// own were written by the user, and a project's waits for approval all the same.
var needConsent = []string{wire.MCPApprove.Name, wire.Trust.Name, wire.MCPAdd.Name, wire.MCPUpdate.Name, wire.MCPSetTool.Name,
	wire.MCPTest.Name, wire.MCPImport.Name, wire.ProvidersSetKey.Name, wire.ProvidersRemoveKey.Name,
}

// trust approves what the settings of an open folder hold now, until the connection
// ends.
func (s *Server) trust(_ context.Context, p wire.TrustParams) (wire.Empty, error) {
	if p.Until != wire.TrustSession {
		return wire.Empty{}, jsonrpc2.NewError(jsonrpc2.InvalidParams, s.say(textTrustUntil, p.Until))
	}
	root, err := folderPath(p.Folder)
	if err == nil {
		err = s.ws.TrustFolderForSession(root)
	}
	if err != nil {
		return wire.Empty{}, jsonrpc2.NewError(jsonrpc2.InvalidParams, s.lang.Error(err))
	}
	s.settingsChanged(s.ws.Snapshot())
	return wire.Empty{}, nil
}
