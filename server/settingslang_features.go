package server

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/workspace"
	"github.com/codebot-ls/codebot-ls/workspace/assist"
)

// The language features of settings files. Every other document is answered with
// nothing, at the cost of looking at its name.

// settingsDocument returns the settings file that a request is about.
func (e *editorEvents) settingsDocument(ctx context.Context, d protocol.TextDocumentIdentifier) (settingsFile, bool) {
	u := string(d.URI)
	if !strings.HasSuffix(u, "/"+settingsName) {
		return settingsFile{}, false
	}
	path, ok := pathOf(u)
	if !ok {
		return settingsFile{}, false
	}
	return e.s.assist.file(ctx, path)
}

func (e *editorEvents) Completion(ctx context.Context, p *protocol.CompletionParams) (protocol.CompletionResult, error) {
	f, ok := e.settingsDocument(ctx, p.TextDocument)
	if !ok {
		return nil, nil
	}
	found := f.Complete(f.Context, positionOf(p.Position))
	list := &protocol.CompletionList{IsIncomplete: found.Incomplete, Items: []protocol.CompletionItem{}}
	for i, item := range found.Items {
		list.Items = append(list.Items, e.s.completionItem(i, item))
	}
	return list, nil
}

func (e *editorEvents) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	f, ok := e.settingsDocument(ctx, p.TextDocument)
	if !ok {
		return nil, nil
	}
	text, at := f.Hover(f.Context, positionOf(p.Position))
	if text == "" {
		return nil, nil
	}
	r := lspRange(at)
	return &protocol.Hover{Contents: e.s.markup(text, e.s.client.features.plainHover), Range: &r}, nil
}

func (e *editorEvents) CodeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	f, ok := e.settingsDocument(ctx, p.TextDocument)
	if !ok {
		return nil, nil
	}
	out := []protocol.CodeLens{}
	for _, l := range f.Lenses(f.Context) {
		if command, ok := e.s.commandOf(l, f.Place.Root); ok {
			out = append(out, protocol.CodeLens{Range: lspRange(l.Range), Command: command})
		}
	}
	return out, nil
}

func (e *editorEvents) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	f, ok := e.settingsDocument(ctx, p.TextDocument)
	if !ok {
		return nil, nil
	}
	yes := true
	out := []protocol.InlayHint{}
	for _, h := range f.Hints(f.Context) {
		if h.At.Line < p.Range.Start.Line || h.At.Line > p.Range.End.Line {
			continue
		}
		hint := protocol.InlayHint{Position: lspPosition(h.At), Label: protocol.String(h.Text), PaddingLeft: &yes, PaddingRight: &yes}
		if h.Tooltip != "" {
			hint.Tooltip = protocol.String(h.Tooltip)
		}
		out = append(out, hint)
	}
	return out, nil
}

func (e *editorEvents) DocumentSymbol(ctx context.Context, p *protocol.DocumentSymbolParams) (protocol.DocumentSymbolResult, error) {
	f, ok := e.settingsDocument(ctx, p.TextDocument)
	if !ok {
		return nil, nil
	}
	symbols := f.Symbols()
	if e.s.client.features.symbolTree {
		return symbolTree(symbols), nil
	}
	flat := protocol.SymbolInformationSlice{}
	flatten(&flat, p.TextDocument, symbols, "")
	return flat, nil
}

func (e *editorEvents) Formatting(ctx context.Context, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	f, ok := e.settingsDocument(ctx, p.TextDocument)
	if !ok {
		return nil, nil
	}
	tab := "\t"
	if p.Options.InsertSpaces {
		tab = strings.Repeat(" ", int(min(max(p.Options.TabSize, 1), 16)))
	}
	edits, ok := f.Format(assist.FormatOptions{Tab: tab})
	if !ok {
		return nil, nil
	}
	return textEdits(edits), nil
}

// CodeAction offers the fixes of what is wrong in the range and, at an entry, what
// can be done with its server.
func (e *editorEvents) CodeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	if !e.s.client.features.actions {
		return nil, nil
	}
	f, ok := e.settingsDocument(ctx, p.TextDocument)
	if !ok {
		return nil, nil
	}
	out := []protocol.CommandOrCodeAction{}
	edit := func(fix assist.Fix) *protocol.WorkspaceEdit {
		return e.s.workspaceEdit(p.TextDocument, f.version, fix.Edits)
	}
	foreign := false
	if wanted(p.Context.Only, protocol.CodeActionKindQuickFix) {
		kind := protocol.CodeActionKindQuickFix
		for _, d := range f.Check(f.Context) {
			diagnostic := diagnosticOf(d.Diagnostic)
			if !touches(diagnostic.Range, p.Range) {
				continue
			}
			foreign = foreign || d.Code == workspace.CodeForeignShape || d.Code == assist.CodeVariable
			for _, fix := range d.Fixes {
				preferred := fix.Preferred
				out = append(out, &protocol.CodeAction{
					Title: fix.Title, Kind: &kind, Diagnostics: []protocol.Diagnostic{diagnostic}, IsPreferred: &preferred, Edit: edit(fix),
				})
			}
		}
	}
	all := len(p.Context.Only) > 0 && wanted(p.Context.Only, protocol.CodeActionKindSourceFixAll)
	if foreign || all {
		if fix, ok := f.Convert(f.Context); ok {
			kind := protocol.CodeActionKindQuickFix
			if all {
				kind = protocol.CodeActionKindSourceFixAll
			}
			out = append(out, &protocol.CodeAction{Title: fix.Title, Kind: &kind, Edit: edit(fix)})
		}
	}
	if len(p.Context.Only) == 0 {
		for _, l := range f.Actions(f.Context, positionOf(p.Range.Start)) {
			if command, ok := e.s.commandOf(l, f.Place.Root); ok {
				out = append(out, &protocol.CodeAction{Title: l.Title, Command: command})
			}
		}
	}
	return out, nil
}

// wanted reports whether actions of a kind are asked for: kinds are trees, with dots
// between the levels.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || kind == o || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// touches reports whether two ranges have a place in common, were it an empty one.
func touches(a, b protocol.Range) bool {
	before := func(p, q protocol.Position) bool {
		return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
	}
	return !before(a.End, b.Start) && !before(b.End, a.Start)
}
