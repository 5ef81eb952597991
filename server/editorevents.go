package server

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/workspace"
)

// editorEvents takes what an editor tells of its documents and folders; route lets
// nothing else come here.
type editorEvents struct {
	protocol.UnimplementedServer
	s *Server
}

func (e *editorEvents) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	if path, ok := pathOf(string(p.TextDocument.URI)); ok {
		e.s.docs.Open(path, p.TextDocument.Version, strings.Clone(p.TextDocument.Text))
		e.s.assist.touched(path)
	}
	return nil
}

func (e *editorEvents) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	path, ok := pathOf(string(p.TextDocument.URI))
	if !ok {
		return nil
	}
	edits := make([]workspace.Edit, 0, len(p.ContentChanges))
	for _, change := range p.ContentChanges {
		switch c := change.(type) {
		case *protocol.TextDocumentContentChangePartial:
			edits = append(edits, workspace.Edit{Range: rangeOf(c.Range), Text: strings.Clone(c.Text)})
		case *protocol.TextDocumentContentChangeWholeDocument:
			edits = append(edits, workspace.Edit{Text: strings.Clone(c.Text)})
		}
	}
	if err := e.s.docs.Change(path, p.TextDocument.Version, edits); err != nil {
		return err
	}
	e.s.assist.touched(path)
	return nil
}

func (e *editorEvents) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	if path, ok := pathOf(string(p.TextDocument.URI)); ok {
		e.s.docs.Close(path)
		e.s.assist.closed(path)
	}
	return nil
}

// DidSave is a second source for changed settings, where nothing can be watched.
func (e *editorEvents) DidSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	if strings.HasSuffix(string(p.TextDocument.URI), "/settings.json") {
		e.s.ws.Rescan()
	}
	return nil
}

func (e *editorEvents) DidChangeWatchedFiles(context.Context, *protocol.DidChangeWatchedFilesParams) error {
	e.s.ws.Rescan()
	return nil
}

func (e *editorEvents) DidChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	e.s.ws.ChangeFolders(folderPaths(p.Event.Removed, p.Event.Added))
	e.s.settingsChanged(e.s.ws.Snapshot())
	return nil
}

func folderPaths(removed, added []protocol.WorkspaceFolder) (addedPaths, removedPaths []string) {
	paths := func(list []protocol.WorkspaceFolder) (out []string) {
		for _, f := range list {
			if path, ok := pathOf(string(f.URI)); ok {
				out = append(out, path)
			}
		}
		return out
	}
	return paths(added), paths(removed)
}

func rangeOf(r protocol.Range) *workspace.Range {
	return &workspace.Range{
		Start: workspace.Position{Line: r.Start.Line, Character: r.Start.Character},
		End:   workspace.Position{Line: r.End.Line, Character: r.End.Character},
	}
}

// registerWatchers asks the client to tell of changed settings files as well: it
// sees what fsnotify does not, on network file systems for one.
func (s *Server) registerWatchers(ctx context.Context) {
	if !s.client.watches {
		return
	}
	options, err := protocol.Marshal(&protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/.codebot/settings.json")}},
	})
	if err != nil {
		s.log.Error("encoding the registration of watchers", "error", err)
		return
	}
	params := &protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "codebot-settings", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
	}}}
	if err := protocol.Call(ctx, s.conn, protocol.MethodClientRegisterCapability, params, nil); err != nil && ctx.Err() == nil {
		s.log.Warn("the editor did not take the file watchers", "error", err)
	}
}
