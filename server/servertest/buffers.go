package servertest

import (
	"context"
	"os"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// Applying is how an editor takes workspace/applyEdit. It declares Saves as the
// plug-ins do.
type Applying struct {
	// Saves writes a document that was edited to the disk.
	Saves bool
	// Unversioned is an editor that cannot be told which version an edit is for.
	Unversioned bool
	// Format changes a text as it is saved.
	Format func(text string) string
	// Coming is called when a request has come, before it is looked at. It may change
	// buffers, and block until ctx ends.
	Coming func(ctx context.Context, e *Editor)
	// Refuse is the reason of an editor that makes no edit.
	Refuse func() string
	// Broken answers with an error.
	Broken bool
}

// buffers are the documents that an editor has open, by path.
type buffers struct {
	mu     sync.Mutex
	byPath map[string]*buffer // guarded by mu
}

type buffer struct {
	version int32
	text    string
	edits   int // of the server
}

// Open opens a document with a text that may be another than the disk's.
func (e *Editor) Open(path, text string) {
	e.t.Helper()
	e.buffers.mu.Lock()
	defer e.buffers.mu.Unlock()
	if e.buffers.byPath == nil {
		e.buffers.byPath = map[string]*buffer{}
	}
	e.buffers.byPath[path] = &buffer{version: 1, text: text}
	e.Notify(protocol.MethodTextDocumentDidOpen, M{"textDocument": M{
		"uri": string(uri.File(path)), "languageId": "text", "version": 1, "text": text,
	}})
}

// Type gives an open document another text.
func (e *Editor) Type(path, text string) {
	e.t.Helper()
	e.buffers.mu.Lock()
	defer e.buffers.mu.Unlock()
	e.typed(path, e.buffers.byPath[path], text)
}

func (e *Editor) typed(path string, b *buffer, text string) {
	if b.text == text {
		return
	}
	b.version, b.text = b.version+1, text
	e.Notify(protocol.MethodTextDocumentDidChange, M{
		"textDocument":   M{"uri": string(uri.File(path)), "version": b.version},
		"contentChanges": []any{M{"text": text}},
	})
}

// Buffer is the text of an open document, and how many edits the server has made in it.
func (e *Editor) Buffer(path string) (text string, edits int) {
	e.buffers.mu.Lock()
	defer e.buffers.mu.Unlock()
	b := e.buffers.byPath[path]
	return b.text, b.edits
}

// declare says in the capabilities what the editor does with edits.
func (a *Applying) declare(all *protocol.ClientCapabilities) {
	yes, versioned := true, !a.Unversioned
	if all.Workspace == nil {
		all.Workspace = &protocol.WorkspaceClientCapabilities{}
	}
	all.Workspace.ApplyEdit = &yes
	all.Workspace.WorkspaceEdit = &protocol.WorkspaceEditClientCapabilities{DocumentChanges: &versioned}
}

// applyEdit answers workspace/applyEdit.
func (e *Editor) applyEdit(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	a := e.config.Applies
	if a == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "the fake editor has no %s", req.Method())
	}
	var p protocol.ApplyWorkspaceEditParams
	if err := rpc.DecodeParams(req.Method(), req.Params(), &p); err != nil {
		return nil, err
	}
	e.tell(func(s *State) { s.Edits = append(s.Edits, p) })
	if a.Coming != nil {
		a.Coming(ctx, e)
	}
	no := func(reason string) (any, error) {
		return protocol.ApplyWorkspaceEditResult{FailureReason: &reason}, nil
	}
	switch {
	case ctx.Err() != nil:
		e.tell(func(s *State) { s.Cancelled++ })
		return nil, protocol.ErrRequestCancelled
	case a.Broken:
		return nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "the editor is broken")
	case a.Refuse != nil:
		return no(a.Refuse())
	}
	e.buffers.mu.Lock()
	defer e.buffers.mu.Unlock()
	for _, change := range p.Edit.DocumentChanges {
		c := change.(*protocol.TextDocumentEdit)
		b := e.buffers.byPath[c.TextDocument.URI.FsPath()]
		if v := c.TextDocument.Version; b == nil || v == nil || *v != b.version {
			return no("")
		}
		var edits []protocol.TextEdit
		for _, edit := range c.Edits {
			edits = append(edits, *edit.(*protocol.TextEdit))
		}
		e.edit(c.TextDocument.URI, b, edits)
	}
	for u, edits := range p.Edit.Changes {
		e.edit(u, e.buffers.byPath[u.FsPath()], edits)
	}
	return protocol.ApplyWorkspaceEditResult{Applied: true}, nil
}

// edit makes edits of the server's in a document, and saves it.
func (e *Editor) edit(u uri.URI, b *buffer, edits []protocol.TextEdit) {
	text := b.text
	at := func(p protocol.Position) workspace.Position {
		return workspace.Position{Line: p.Line, Character: p.Character}
	}
	for _, edit := range slices.Backward(edits) { // each counts in the text before all
		text = workspace.ApplyEdits(text, []workspace.Edit{{
			Range: &workspace.Range{Start: at(edit.Range.Start), End: at(edit.Range.End)}, Text: edit.NewText,
		}})
	}
	e.typed(u.FsPath(), b, text)
	b.edits++
	if !e.config.Applies.Saves {
		return
	}
	if format := e.config.Applies.Format; format != nil {
		e.typed(u.FsPath(), b, format(b.text))
	}
	if err := os.WriteFile(u.FsPath(), []byte(b.text), 0o644); err != nil {
		e.t.Errorf("saving: %v", err)
	}
}
