package server

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/workspace"
	"github.com/codebot-ls/codebot-ls/workspace/assist"
)

func positionOf(p protocol.Position) workspace.Position {
	return workspace.Position{Line: p.Line, Character: p.Character}
}

func lspPosition(p workspace.Position) protocol.Position {
	return protocol.Position{Line: p.Line, Character: p.Character}
}

func lspRange(r workspace.Range) protocol.Range {
	return protocol.Range{Start: lspPosition(r.Start), End: lspPosition(r.End)}
}

func textEdits(edits []assist.TextEdit) []protocol.TextEdit {
	out := make([]protocol.TextEdit, 0, len(edits))
	for _, e := range edits {
		out = append(out, protocol.TextEdit{Range: lspRange(e.Range), NewText: e.Text})
	}
	return out
}

// workspaceEdit is edits of one document. A client that knows versions refuses them
// when it has typed on.
func (s *Server) workspaceEdit(d protocol.TextDocumentIdentifier, version int32, edits []assist.TextEdit) *protocol.WorkspaceEdit {
	if !s.client.features.documentChanges {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{d.URI: textEdits(edits)}}
	}
	elements := []protocol.TextDocumentEditElement{}
	for _, e := range textEdits(edits) {
		elements = append(elements, &e)
	}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{&protocol.TextDocumentEdit{
		TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: d, Version: &version},
		Edits:        elements,
	}}}
}

// markup is Markdown, as it is for a client that shows it.
func (s *Server) markup(text string, plain bool) *protocol.MarkupContent {
	kind := protocol.MarkupKindMarkdown
	if plain {
		kind = protocol.MarkupKindPlainText
	}
	return &protocol.MarkupContent{Kind: kind, Value: text}
}

var itemKinds = map[assist.ItemKind]protocol.CompletionItemKind{
	assist.ItemKey: protocol.CompletionItemKindProperty, assist.ItemWord: protocol.CompletionItemKindValue,
	assist.ItemVariable: protocol.CompletionItemKindVariable, assist.ItemProgram: protocol.CompletionItemKindFile,
	assist.ItemServer: protocol.CompletionItemKindModule, assist.ItemTool: protocol.CompletionItemKindFunction,
	assist.ItemSnippet: protocol.CompletionItemKindSnippet,
}

// completionItem is the i-th suggestion.
func (s *Server) completionItem(i int, item assist.Item) protocol.CompletionItem {
	out := protocol.CompletionItem{
		Label: item.Label, Kind: itemKinds[item.Kind],
		SortText:   protocol.NewOptional(fmt.Sprintf("%04d", i)),
		FilterText: protocol.NewOptional(item.Filter),
		TextEdit:   &protocol.TextEdit{Range: lspRange(item.Edit.Range), NewText: item.Edit.Text},
	}
	if item.Detail != "" {
		out.Detail = protocol.NewOptional(item.Detail)
	}
	if item.Doc != "" {
		out.Documentation = s.markup(item.Doc, s.client.features.plainItems)
	}
	if item.Snippet {
		out.InsertTextFormat = protocol.InsertTextFormatSnippet
	}
	return out
}

var symbolKinds = map[assist.SymbolKind]protocol.SymbolKind{
	assist.SymbolObject: protocol.SymbolKindObject, assist.SymbolServer: protocol.SymbolKindModule,
	assist.SymbolArray: protocol.SymbolKindArray, assist.SymbolString: protocol.SymbolKindString,
	assist.SymbolOther: protocol.SymbolKindKey,
}

func symbolTree(symbols []assist.Symbol) protocol.DocumentSymbolSlice {
	out := protocol.DocumentSymbolSlice{}
	for _, s := range symbols {
		out = append(out, protocol.DocumentSymbol{
			Name: s.Name, Kind: symbolKinds[s.Kind], Range: lspRange(s.Range), SelectionRange: lspRange(s.Key), Children: symbolTree(s.Children),
		})
	}
	return out
}

// flatten adds symbols for a client that knows no tree.
func flatten(out *protocol.SymbolInformationSlice, d protocol.TextDocumentIdentifier, symbols []assist.Symbol, container string) {
	for _, s := range symbols {
		information := protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: s.Name, Kind: symbolKinds[s.Kind]},
			Location:              protocol.Location{URI: d.URI, Range: lspRange(s.Range)},
		}
		if container != "" {
			information.ContainerName = &container
		}
		*out = append(*out, information)
		flatten(out, d, s.Children, s.Name)
	}
}

// commandOf is the command of an action on a server of the folder root, empty for the
// user's. What needs a screen, and what gives consent, is only for a client with the
// plug-in.
func (s *Server) commandOf(l assist.Lens, root string) (protocol.Command, bool) {
	folder := uriOf(root)
	ref := wire.MCPServerRef{Name: l.Server, Folder: &folder}
	switch l.Action {
	case assist.ActionTrust, assist.ActionLogin, assist.ActionLog:
		return s.uiCommand(l.Title, string(l.Action), l.Server, folder)
	case assist.ActionShow:
		if command, ok := s.uiCommand(l.Title, "mcp", l.Server, folder); ok {
			return command, true
		}
		return s.requestCommand(l.Title, wire.MCPStatus.Name, wire.Empty{})
	case assist.ActionStart:
		return s.requestCommand(l.Title, wire.MCPStart.Name, ref)
	case assist.ActionStop:
		return s.requestCommand(l.Title, wire.MCPStop.Name, ref)
	case assist.ActionRestart:
		return s.requestCommand(l.Title, wire.MCPRestart.Name, ref)
	case assist.ActionEnable:
		return s.requestCommand(l.Title, wire.MCPEnable.Name, ref)
	}
	return protocol.Command{}, false
}

func (s *Server) uiCommand(title, action, name, folder string) (protocol.Command, bool) {
	if s.client.codebot == nil {
		return protocol.Command{}, false
	}
	return s.command(title, wire.CommandUI, action, wire.MCPKey{Name: name, Folder: folder})
}

// requestCommand is codebot.request, of a method that the client can reach by it.
func (s *Server) requestCommand(title, method string, params any) (protocol.Command, bool) {
	if _, known := s.routes[method]; !known || s.client.codebot == nil && slices.Contains(needConsent, method) {
		return protocol.Command{}, false
	}
	return s.command(title, wire.CommandRequest, method, params)
}

func (s *Server) command(title, command, first string, second any) (protocol.Command, bool) {
	out := protocol.Command{Title: title, Command: command}
	for _, argument := range []any{first, second} {
		raw, err := protocol.Marshal(argument)
		if err != nil {
			s.log.Error("encoding a command", "command", command, "error", err)
			return protocol.Command{}, false
		}
		out.Arguments = append(out.Arguments, raw)
	}
	return out, true
}

// globOf is a pattern of the LSP that matches the path. The notation has no escapes:
// what would be a sign in it becomes any letter.
func globOf(path string) protocol.Pattern {
	return protocol.Pattern(strings.Map(func(r rune) rune {
		if strings.ContainsRune("*?{}[]", r) {
			return '?'
		}
		return r
	}, filepath.ToSlash(path)))
}
