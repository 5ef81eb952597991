package server

import (
	"context"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/workspace"
)

// clientFeatures is what initialize said of the language features of the client.
type clientFeatures struct {
	// dynamic are the methods that the client takes a registration of.
	dynamic                              map[string]bool
	snippets, plainHover, plainItems     bool
	symbolTree, actions, documentChanges bool
	refreshLenses, refreshHints          bool
}

// completionTriggers are the characters behind which something can be suggested.
var completionTriggers = []string{`"`, "{", "$", "(", "/"}

// languageMethods are the language features of settings files.
var languageMethods = []string{
	protocol.MethodTextDocumentCompletion, protocol.MethodTextDocumentHover, protocol.MethodTextDocumentCodeLens,
	protocol.MethodTextDocumentCodeAction, protocol.MethodTextDocumentInlayHint, protocol.MethodTextDocumentDocumentSymbol,
	protocol.MethodTextDocumentFormatting,
}

func readFeatures(c *protocol.ClientCapabilities) clientFeatures {
	is := func(b *bool) bool { return b != nil && *b }
	f := clientFeatures{dynamic: map[string]bool{}}
	if w := c.Workspace; w != nil {
		f.documentChanges = w.WorkspaceEdit != nil && is(w.WorkspaceEdit.DocumentChanges)
		f.refreshLenses = w.CodeLens != nil && is(w.CodeLens.RefreshSupport)
		f.refreshHints = w.InlayHint != nil && is(w.InlayHint.RefreshSupport)
	}
	t := c.TextDocument
	if t == nil {
		return f
	}
	plain := func(formats []protocol.MarkupKind) bool {
		return len(formats) > 0 && !slices.Contains(formats, protocol.MarkupKindMarkdown)
	}
	if t.Completion != nil {
		f.dynamic[protocol.MethodTextDocumentCompletion] = is(t.Completion.DynamicRegistration)
		if item := t.Completion.CompletionItem; item != nil {
			f.snippets = is(item.SnippetSupport)
			f.plainItems = plain(item.DocumentationFormat)
		}
	}
	if t.Hover != nil {
		f.dynamic[protocol.MethodTextDocumentHover] = is(t.Hover.DynamicRegistration)
		f.plainHover = plain(t.Hover.ContentFormat)
	}
	if t.CodeLens != nil {
		f.dynamic[protocol.MethodTextDocumentCodeLens] = is(t.CodeLens.DynamicRegistration)
	}
	if t.CodeAction != nil {
		f.dynamic[protocol.MethodTextDocumentCodeAction] = is(t.CodeAction.DynamicRegistration)
		f.actions = t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
	}
	if t.InlayHint != nil {
		f.dynamic[protocol.MethodTextDocumentInlayHint] = is(t.InlayHint.DynamicRegistration)
	}
	if t.DocumentSymbol != nil {
		f.dynamic[protocol.MethodTextDocumentDocumentSymbol] = is(t.DocumentSymbol.DynamicRegistration)
		f.symbolTree = is(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
	}
	if t.Formatting != nil {
		f.dynamic[protocol.MethodTextDocumentFormatting] = is(t.Formatting.DynamicRegistration)
	}
	return f
}

// actionKinds are the kinds of our code actions.
var actionKinds = []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, protocol.CodeActionKindSourceFixAll}

// declareFeatures declares the language features that the client takes no
// registration of. It then asks for them in every document it attaches us to.
func (s *Server) declareFeatures(caps *protocol.ServerCapabilities) {
	dynamic := s.client.features.dynamic
	if !dynamic[protocol.MethodTextDocumentCompletion] {
		caps.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: completionTriggers}
	}
	if !dynamic[protocol.MethodTextDocumentHover] {
		caps.HoverProvider = protocol.Boolean(true)
	}
	if !dynamic[protocol.MethodTextDocumentCodeLens] {
		caps.CodeLensProvider = &protocol.CodeLensOptions{}
	}
	if !dynamic[protocol.MethodTextDocumentCodeAction] && s.client.features.actions {
		caps.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: actionKinds}
	}
	if !dynamic[protocol.MethodTextDocumentInlayHint] {
		caps.InlayHintProvider = protocol.Boolean(true)
	}
	if !dynamic[protocol.MethodTextDocumentDocumentSymbol] {
		caps.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if !dynamic[protocol.MethodTextDocumentFormatting] {
		caps.DocumentFormattingProvider = protocol.Boolean(true)
	}
}

// registerFeatures registers the others for settings files alone, then tells the
// client whenever what lenses and hints show is another, until ctx ends.
func (s *Server) registerFeatures(ctx context.Context) {
	s.register(ctx)
	f := s.client.features
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.assist.refresh:
		}
		if f.refreshLenses {
			s.callClient(ctx, protocol.MethodWorkspaceCodeLensRefresh)
		}
		if f.refreshHints {
			s.callClient(ctx, protocol.MethodWorkspaceInlayHintRefresh)
		}
	}
}

func (s *Server) callClient(ctx context.Context, method string) {
	if err := protocol.Call(ctx, s.conn, method, nil, nil); err != nil && ctx.Err() == nil {
		s.log.Debug("the editor refused", "method", method, "error", err)
	}
}

func (s *Server) register(ctx context.Context) {
	scheme := "file"
	selector := protocol.DocumentSelector{&protocol.TextDocumentFilterPattern{Scheme: &scheme, Pattern: protocol.Pattern("**/.codebot/settings.json")}}
	if user := workspace.SettingsFile(s.home); user != workspace.ProjectSettingsFile(s.userHome) {
		selector = append(selector, &protocol.TextDocumentFilterPattern{Scheme: &scheme, Pattern: globOf(user)})
	}
	document := protocol.TextDocumentRegistrationOptions{DocumentSelector: &selector}
	options := map[string]any{
		protocol.MethodTextDocumentCompletion: &protocol.CompletionRegistrationOptions{
			TextDocumentRegistrationOptions: document, CompletionOptions: protocol.CompletionOptions{TriggerCharacters: completionTriggers},
		},
		protocol.MethodTextDocumentCodeAction: &protocol.CodeActionRegistrationOptions{
			TextDocumentRegistrationOptions: document, CodeActionOptions: protocol.CodeActionOptions{CodeActionKinds: actionKinds},
		},
	}
	var registrations []protocol.Registration
	for _, method := range slices.Sorted(maps.Keys(s.client.features.dynamic)) {
		if !s.client.features.dynamic[method] || method == protocol.MethodTextDocumentCodeAction && !s.client.features.actions {
			continue
		}
		of := options[method]
		if of == nil {
			of = &document
		}
		raw, err := protocol.Marshal(of)
		if err != nil {
			s.log.Error("encoding a registration", "method", method, "error", err)
			continue
		}
		registrations = append(registrations, protocol.Registration{ID: "codebot-" + method, Method: method, RegisterOptions: raw})
	}
	if len(registrations) == 0 {
		return
	}
	params := &protocol.RegistrationParams{Registrations: registrations}
	if err := protocol.Call(ctx, s.conn, protocol.MethodClientRegisterCapability, params, nil); err != nil && ctx.Err() == nil {
		s.log.Warn("the editor did not take the language features", "error", err)
	}
}
