package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// modern is an editor that can all that settings files have to show.
func modern(c *protocol.ClientCapabilities) {
	yes := true
	c.Workspace = &protocol.WorkspaceClientCapabilities{
		WorkspaceEdit: &protocol.WorkspaceEditClientCapabilities{DocumentChanges: &yes},
		CodeLens:      &protocol.CodeLensWorkspaceClientCapabilities{RefreshSupport: &yes},
		InlayHint:     &protocol.InlayHintWorkspaceClientCapabilities{RefreshSupport: &yes},
	}
	c.TextDocument = &protocol.TextDocumentClientCapabilities{
		Completion: &protocol.CompletionClientCapabilities{CompletionItem: &protocol.ClientCompletionItemOptions{SnippetSupport: &yes}},
		CodeAction: &protocol.CodeActionClientCapabilities{CodeActionLiteralSupport: protocol.ClientCodeActionLiteralOptions{
			CodeActionKind: protocol.ClientCodeActionKindOptions{ValueSet: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}},
		}},
		DocumentSymbol: &protocol.DocumentSymbolClientCapabilities{HierarchicalDocumentSymbolSupport: &yes},
	}
}

// buffer is a document that is open in the editor.
type buffer struct {
	t       *testing.T
	e       *servertest.Editor
	path    string
	text    string
	version int32
}

func openBuffer(t *testing.T, e *servertest.Editor, path, text string) *buffer {
	t.Helper()
	b := &buffer{t: t, e: e, path: path, text: text, version: 1}
	e.Notify(protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
		URI: uri.File(path), LanguageID: "jsonc", Version: 1, Text: text,
	}})
	return b
}

// set replaces the whole text.
func (b *buffer) set(text string) {
	b.version++
	b.text = text
	b.change(&protocol.TextDocumentContentChangeWholeDocument{Text: text})
}

// typeAtEnd types a text at the end of the document.
func (b *buffer) typeAtEnd(text string) {
	at := b.position(len(b.text))
	b.version++
	b.text += text
	b.change(&protocol.TextDocumentContentChangePartial{Range: protocol.Range{Start: at, End: at}, Text: text})
}

func (b *buffer) change(c protocol.TextDocumentContentChangeEvent) {
	b.e.Notify(protocol.MethodTextDocumentDidChange, &protocol.DidChangeTextDocumentParams{
		TextDocument:   protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: b.id(), Version: b.version},
		ContentChanges: []protocol.TextDocumentContentChangeEvent{c},
	})
}

func (b *buffer) id() protocol.TextDocumentIdentifier {
	return protocol.TextDocumentIdentifier{URI: uri.File(b.path)}
}

func (b *buffer) close() {
	b.e.Notify(protocol.MethodTextDocumentDidClose, &protocol.DidCloseTextDocumentParams{TextDocument: b.id()})
}

func (b *buffer) position(offset int) protocol.Position {
	p := workspace.PositionsOf(b.text).At(offset)
	return protocol.Position{Line: p.Line, Character: p.Character}
}

// at is the place in a document behind the first occurrence of a text.
func (b *buffer) at(behind string) protocol.TextDocumentPositionParams {
	b.t.Helper()
	i := strings.Index(b.text, behind)
	if i < 0 {
		b.t.Fatalf("%q is not in %q", behind, b.text)
	}
	return protocol.TextDocumentPositionParams{TextDocument: b.id(), Position: b.position(i + len(behind))}
}

// codes are what the editor was told of the document, as "line code".
func (b *buffer) codes(s *servertest.State) []string {
	out := []string{}
	for _, d := range s.Diagnostics[b.path] {
		code, _ := d.Code.(protocol.String)
		out = append(out, fmt.Sprintf("%d %s", d.Range.Start.Line+1, code))
	}
	return out
}

// awaitCodes waits until the editor was told exactly that of the text as it is now.
func (b *buffer) awaitCodes(want ...string) {
	b.t.Helper()
	var got []string
	var version int32
	defer func() {
		if b.t.Failed() {
			b.t.Logf("diagnostics of version %d: %q, want %q of %d", version, got, want, b.version)
		}
	}()
	b.e.Await(fmt.Sprintf("the diagnostics %q", want), func(s *servertest.State) bool {
		got, version = b.codes(s), s.Versions[b.path]
		return slices.Equal(got, want) && (version == b.version || len(want) == 0)
	})
}

func (b *buffer) message(code string) string {
	var message string
	b.e.Look(func(s *servertest.State) {
		for _, d := range s.Diagnostics[b.path] {
			if c, _ := d.Code.(protocol.String); string(c) == code {
				text, _ := d.Message.(protocol.String)
				message = string(text)
			}
		}
	})
	return message
}

func request[R any](b *buffer, method string, params any) R {
	b.t.Helper()
	var result R
	if err := b.e.Raw(method, params, &result); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	return result
}

func (b *buffer) labels(behind string) []string {
	b.t.Helper()
	list := request[protocol.CompletionList](b, protocol.MethodTextDocumentCompletion, &protocol.CompletionParams{TextDocumentPositionParams: b.at(behind)})
	out := []string{}
	for _, i := range list.Items {
		out = append(out, i.Label)
	}
	return out
}

func (b *buffer) lenses() []string {
	b.t.Helper()
	var out []string
	for _, l := range request[[]protocol.CodeLens](b, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: b.id()}) {
		arguments := ""
		for _, a := range l.Command.Arguments {
			arguments += " " + string(a)
		}
		out = append(out, fmt.Sprintf("%d %s: %s%s", l.Range.Start.Line+1, l.Command.Title, l.Command.Command, arguments))
	}
	return out
}

// actions are the titles of the code actions at a place.
func (b *buffer) actions(behind string, only ...protocol.CodeActionKind) []protocol.CodeAction {
	b.t.Helper()
	at := b.at(behind).Position
	return request[[]protocol.CodeAction](b, protocol.MethodTextDocumentCodeAction, &protocol.CodeActionParams{
		TextDocument: b.id(), Range: protocol.Range{Start: at, End: at}, Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}, Only: only},
	})
}

// do applies the code action of that title.
func (b *buffer) do(behind, title string) {
	b.t.Helper()
	var titles []string
	for _, a := range b.actions(behind) {
		if a.Title != title {
			titles = append(titles, a.Title)
			continue
		}
		edit, ok := a.Edit.DocumentChanges[0].(*protocol.TextDocumentEdit)
		if !ok || edit.TextDocument.Version == nil || *edit.TextDocument.Version != b.version {
			b.t.Fatalf("%q edits %+v", title, a.Edit)
		}
		var edits []protocol.TextEdit
		for _, e := range edit.Edits {
			text, _ := e.(*protocol.TextEdit)
			edits = append(edits, *text)
		}
		b.apply(edits)
		return
	}
	b.t.Fatalf("no action %q at %q but %q", title, behind, titles)
}

// apply applies edits, the last in the text first, as an editor does.
func (b *buffer) apply(edits []protocol.TextEdit) {
	text := b.text
	slices.SortStableFunc(edits, func(x, y protocol.TextEdit) int {
		if x.Range.Start.Line != y.Range.Start.Line {
			return int(y.Range.Start.Line) - int(x.Range.Start.Line)
		}
		return int(y.Range.Start.Character) - int(x.Range.Start.Character)
	})
	for _, e := range edits {
		at := func(p protocol.Position) workspace.Position {
			return workspace.Position{Line: p.Line, Character: p.Character}
		}
		text = workspace.ApplyEdits(text, []workspace.Edit{{Range: &workspace.Range{Start: at(e.Range.Start), End: at(e.Range.End)}, Text: e.NewText}})
	}
	b.set(text)
}

// Diagnostics are about what is in the editor, not about the file, until the document
// is closed (LSP 3.18, publishDiagnostics: version).
func TestDiagnosticsAreAboutTheUnsavedText(t *testing.T) {
	w := servertest.NewWorld(t)
	path := w.User(`{"modle": "a/b"}`)
	e := w.Start(servertest.Config{Client: modern})
	saved := &buffer{t: t, e: e, path: path}
	saved.awaitCodes("1 unknownKey")

	b := openBuffer(t, e, path, `{"modle": "a/b"}`)
	b.awaitCodes("1 unknownKey")
	b.set("{\n  \"mcp_servers\": {\n    \"a\": {\"command\": \"no-such-program-here\", \"env\": {\"A\": \"${NOT_SET_HERE}\"}}\n  }\n}")
	b.awaitCodes("3 programNotFound", "3 unsetVariable")
	b.set(`{`)
	b.awaitCodes("1 syntax")
	b.set(`{}`)
	b.awaitCodes()
	b.set(`{"permissions": {"mode": "plam"}}`)
	b.awaitCodes("1 invalidValue")
	b.close()
	saved.awaitCodes("1 unknownKey")
}

// A settings file that is opened by another name, as dotfiles are, had its problems under
// both names.
func TestASettingsFileOpenedThroughALinkHasItsProblemsOnce(t *testing.T) {
	w := servertest.NewWorld(t)
	path := w.User(`{"modle": "a/b"}`)
	link := filepath.Join(w.UserHome, "dotfiles", "settings.json")
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip("links need a privilege here: ", err)
	}
	e := w.Start(servertest.Config{Client: modern})
	saved := &buffer{t: t, e: e, path: path}
	saved.awaitCodes("1 unknownKey")
	b := openBuffer(t, e, link, `{"modle": "a/b"}`)
	b.awaitCodes("1 unknownKey")
	saved.awaitCodes()
	b.set(`{`)
	b.awaitCodes("1 syntax")
	saved.awaitCodes()
	b.close()
	b.awaitCodes()
	saved.awaitCodes("1 unknownKey")
}

// A server that does not run is an error at its entry, with what it wrote to stderr,
// and none any more when it does.
func TestAFailedServerIsAnErrorAtItsEntry(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"bad": servertest.M{"command": "sh", "args": []string{"-c", "echo the disk is on fire >&2; exit 3"}}}))
	path := workspace.SettingsFile(w.Home)
	e := w.Start(servertest.Config{Client: modern})
	e.AwaitState("bad", wire.MCPFailed)
	read, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	closed := &buffer{t: t, e: e, path: path}
	closed.awaitCodes("3 server")
	b := openBuffer(t, e, path, string(read))
	b.awaitCodes("3 server")
	if m := b.message("server"); !strings.Contains(m, "the disk is on fire") || !strings.Contains(m, `"bad"`) {
		t.Errorf("the diagnostic says %q", m)
	}
	w.User(servertest.Servers(servertest.M{"bad": servertest.Demo("docs")}))
	e.AwaitState("bad", wire.MCPConnected)
	b.awaitCodes()
	e.Await("lenses and hints to be asked for again", func(s *servertest.State) bool {
		return s.Refreshed[protocol.MethodWorkspaceCodeLensRefresh] > 0 && s.Refreshed[protocol.MethodWorkspaceInlayHintRefresh] > 0
	})
}

// Every place has its own suggestions, also while the text is no JSON yet.
func TestCompletionFitsThePlace(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "MY_TOKEN=secret")
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	path := workspace.SettingsFile(w.Home)
	e := w.Start(servertest.Config{Client: modern})
	e.AwaitState("docs", wire.MCPConnected)
	b := openBuffer(t, e, path, "")
	for _, test := range []struct {
		text, behind string
		want, not    []string
	}{
		{`{`, `{`, []string{"model", "providers", "mcp_servers", "permissions"}, []string{"command"}},
		{`{"mo`, `"mo`, []string{"model"}, nil},
		{"{\n  \"model\": \"offline\",\n  \n}", ",\n  ", []string{"mcp_servers"}, []string{"model"}},
		{`{"model": "`, `: "`, []string{"offline"}, nil},
		{`{"mcp_servers": {`, `": {`, []string{"filesystem", "github", "server"}, []string{"command"}},
		{`{"mcp_servers": {"a": {"`, `a": {"`, []string{"command", "url", "env", "trust_annotations"}, []string{"model"}},
		{`{"mcp_servers": {"a": {"type": "`, `type": "`, []string{"stdio", "http", "sse"}, nil},
		{`{"mcp_servers": {"a": {"disabled": `, `disabled": `, []string{"true", "false"}, nil},
		{`{"mcp_servers": {"a": {"command": "sh`, `"sh`, []string{"sh"}, []string{"ls"}},
		{`{"mcp_servers": {"a": {"env": {"T": "${MY`, `${MY`, []string{"MY_TOKEN"}, []string{"PATH"}},
		{`{"mcp_servers": {"a": {"env_from": ["`, `["`, []string{"MY_TOKEN", "PATH"}, nil},
		{`{"permissions": {"mode": "`, `mode": "`, []string{"plan", "auto", "accept_edits"}, nil},
		{`{"permissions": {"deny": ["mcp(`, `mcp(`, []string{"docs"}, nil},
		{`{"permissions": {"deny": ["mcp(docs/`, `docs/`, []string{"search", "*"}, nil},
		{`{"permissions": {"deny": [""]}}`, `["`, []string{"read(**)", "mcp(docs/search)"}, nil},
		{"{\n  // mod\n}", "// mo", nil, []string{"model"}},
	} {
		b.set(test.text)
		labels := b.labels(test.behind)
		for _, want := range test.want {
			if !slices.Contains(labels, want) {
				t.Errorf("%q: no %q among %q", test.text, want, labels)
			}
		}
		for _, not := range test.not {
			if slices.Contains(labels, not) {
				t.Errorf("%q: %q is suggested", test.text, not)
			}
		}
	}
	for _, message := range e.MessageLog() {
		if strings.HasPrefix(message, "server") && strings.Contains(message, `"secret"`) {
			t.Errorf("the value of a variable was told: %s", message)
		}
	}
}

// Hover tells what a key means and how a server is.
func TestHoverTellsHowAServerIs(t *testing.T) {
	w := servertest.NewWorld(t)
	settings := w.Text(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	path := w.User(settings)
	e := w.Start(servertest.Config{Client: modern})
	e.AwaitState("docs", wire.MCPConnected)
	b := openBuffer(t, e, path, settings)
	hover := func(behind string) string {
		h := request[*protocol.Hover](b, protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: b.at(behind)})
		if h == nil {
			return ""
		}
		return h.Contents.(*protocol.MarkupContent).Value
	}
	text := hover(`"doc`)
	for _, want := range []string{"**docs**", "connected - 2 tools", "tokens in a prompt", "| Protocol | 20", "`search`", "settings.json"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the hover:\n%s", want, text)
		}
	}
	if text := hover(`"comma`); !strings.Contains(text, "The program to run") {
		t.Errorf("hover of command: %q", text)
	}
	if text := hover(`{`); text != "" {
		t.Errorf("hover of nothing: %q", text)
	}
}

// PROTOCOL, "Code lenses, code actions and status.command": what needs a screen is
// codebot.ui, the rest codebot.request; who has no plug-in gets nothing that would
// need one.
func TestLensesOfferWhatTheClientCanDo(t *testing.T) {
	w := servertest.NewWorld(t)
	user := w.Text(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	project := w.Text(servertest.Servers(servertest.M{"mine": servertest.Demo("deploy"), "off": servertest.M{"command": "x", "disabled": true}}))
	userPath, projectPath := w.User(user), w.Project(project)
	folder := string(uri.File(w.Folder))

	e := w.Start(servertest.Config{Client: modern})
	e.AwaitState("docs", wire.MCPConnected)
	e.AwaitState("mine", wire.MCPUntrusted)
	want := []string{
		`3 connected - 2 tools: codebot.ui "mcp" {"name":"docs"}`,
		`3 Restart: codebot.request "codebot/mcp/restart" {"name":"docs","folder":""}`,
		`3 Stop: codebot.request "codebot/mcp/stop" {"name":"docs","folder":""}`,
		`3 Log: codebot.ui "log" {"name":"docs"}`,
	}
	if got := openBuffer(t, e, userPath, user).lenses(); !slices.Equal(got, want) {
		t.Errorf("lenses of the user's file:\n%s", strings.Join(got, "\n"))
	}
	got := openBuffer(t, e, projectPath, project).lenses()
	for _, l := range []string{
		`3 waits for your approval: codebot.ui "mcp" {"name":"mine","folder":"` + folder + `"}`,
		`3 Trust...: codebot.ui "trust" {"name":"mine","folder":"` + folder + `"}`,
	} {
		if !slices.Contains(got, l) {
			t.Errorf("no %s among\n%s", l, strings.Join(got, "\n"))
		}
	}

	plain := w.Start(servertest.Config{NoPlugin: true, Client: modern})
	b := openBuffer(t, plain, projectPath, project)
	for _, l := range b.lenses() {
		if !strings.Contains(l, "codebot.request") || strings.Contains(l, "approve") {
			t.Errorf("a client without the plug-in got %s", l)
		}
	}
	for _, l := range request[[]protocol.CodeLens](b, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: b.id()}) {
		if err := plain.Raw(protocol.MethodWorkspaceExecuteCommand, &protocol.ExecuteCommandParams{Command: l.Command.Command, Arguments: l.Command.Arguments}, nil); err != nil {
			t.Errorf("%s: %v", l.Command.Title, err)
		}
	}
}

// LSP 3.18, InitializeParams.locale: lenses and findings are read by people.
func TestWhatASettingsFileShowsIsInTheEditorsLanguage(t *testing.T) {
	w := servertest.NewWorld(t)
	text := w.Text(servertest.Servers(servertest.M{"docs": servertest.Demo("docs"), "gone": servertest.M{"command": "no-such-program-here", "disabled": true}}))
	path := w.User(text)
	e := w.Start(servertest.Config{Client: modern, Locale: "zh-cn"})
	e.AwaitState("docs", wire.MCPConnected)
	b := openBuffer(t, e, path, text)
	if got := strings.Join(b.lenses(), "\n"); !strings.Contains(got, "已连接 - 2 个工具") || !strings.Contains(got, "重启") || !strings.Contains(got, "启用") {
		t.Errorf("lenses:\n%s", got)
	}
	e.Await("the finding", func(s *servertest.State) bool { return len(b.codes(s)) == 1 })
	if m := b.message("programNotFound"); !strings.Contains(m, "不在 PATH 中") {
		t.Errorf("the finding: %q", m)
	}
}

// Each fix leaves a text without the finding it mends.
func TestCodeActionsMendWhatIsWrong(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "TOKEN=x", "X=y", "API_KEY=z")
	path := w.User(`{}`)
	e := w.Start(servertest.Config{Client: modern})
	b := openBuffer(t, e, path, `{}`)
	for _, test := range []struct{ name, text, behind, title, want string }{
		{"a misspelt key", `{"modle": "offline"}`, `"mod`, `Rename to "model"`, `{"model": "offline"}`},
		{"an unknown key", "{\n  \"zzz\": 1, // why\n  \"model\": \"offline\"\n}", `"zz`, `Remove "zzz"`, "{\n  // why\n  \"model\": \"offline\"\n}"},
		{"the last key", `{"model": "offline", "zzz": 1}`, `"zz`, `Remove "zzz"`, `{"model": "offline" }`},
		{"another program's key", `{"mcpServers": {}}`, `"mcpS`, `Rename to "mcp_servers"`, `{"mcp_servers": {}}`},
		{"VS Code's nesting", `{"mcp": {"servers": {"a": {"command": "sh"}}}}`, `"mc`, `Rename to "mcp_servers"`, `{"mcp_servers": {"a": {"command": "sh"}}}`},
		{"a nested transport", `{"mcp_servers": {"a": {"transport": {"type": "streamable-http", "url": "https://a.test/x"}}}}`, `"transp`,
			`Put what is in "transport" directly into the entry`, `{"mcp_servers": {"a": {"type": "http", "url": "https://a.test/x"}}}`},
		{"a command as a list", `{"mcp_servers": {"a": {"command": ["sh", "-c", "x"]}}}`, `"command": `, `Split into "command" and "args"`,
			`{"mcp_servers": {"a": {"command": "sh", "args": ["-c", "x"]}}}`},
		{"a command line", `{"mcp_servers": {"a": {"command": "sh -c x", "args": ["y"]}}}`, `"command": "`, `Split into "command" and "args"`,
			`{"mcp_servers": {"a": {"command": "sh", "args": ["-c", "x", "y"]}}}`},
		{"enabled", `{"mcp_servers": {"a": {"command": "sh", "enabled": false}}}`, `"enab`, `Convert to "disabled": true`,
			`{"mcp_servers": {"a": {"command": "sh", "disabled": true}}}`},
		{"an editor's variable", `{"mcp_servers": {"a": {"command": "sh", "env": {"A": "${env:X}"}}}}`, `"${en`, `Replace with "${X}"`,
			`{"mcp_servers": {"a": {"command": "sh", "env": {"A": "${X}"}}}}`},
		{"a secret", `{"mcp_servers": {"a": {"url": "https://a.test/x", "headers": {"Authorization": "Bearer ghp_0123456789abcdefghijABCDEFGHIJ"}}}}`,
			`Bearer gh`, `Take it from the environment variable TOKEN`,
			`{"mcp_servers": {"a": {"url": "https://a.test/x", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}`},
		{"a key given as an argument", `{"mcp_servers": {"a": {"command": "sh", "args": ["--api-key", "Zk3vQ9x7Lm2pR8tY5wB1"]}}}`,
			`Zk3v`, `Take it from the environment variable API_KEY`, `{"mcp_servers": {"a": {"command": "sh", "args": ["--api-key", "${API_KEY}"]}}}`},
		{"an unset variable", `{"mcp_servers": {"a": {"command": "sh", "env": {"A": "${GONE}"}}}}`, `${GO`, `Give ${GONE} an empty default`,
			`{"mcp_servers": {"a": {"command": "sh", "env": {"A": "${GONE:-}"}}}}`},
		{"a key that is there twice", `{"model": "a/b", "model": "offline"}`, `"a/b", "mod`, `Remove the first "model"`, `{"model": "offline"}`},
		{"a misspelt mode", `{"permissions": {"mode": "plam"}}`, `"pla`, `Replace with "plan"`, `{"permissions": {"mode": "plan"}}`},
		{"a quoted boolean", `{"mcp_servers": {"a": {"command": "sh", "disabled": "true"}}}`, `"tr`, `Convert to true`,
			`{"mcp_servers": {"a": {"command": "sh", "disabled": true}}}`},
		{"a rule for another server", `{"mcp_servers": {"deploy": {"command": "sh"}}, "permissions": {"deny": ["mcp(deplyo/*)"]}}`, `"mcp(de`,
			`Replace with "mcp(deploy/*)"`, `{"mcp_servers": {"deploy": {"command": "sh"}}, "permissions": {"deny": ["mcp(deploy/*)"]}}`},
		{"a file of another program", `{"mcpServers": {"a": {"command": ["sh", "-c"], "environment": {"A": "${env:X}"}, "enabled": true}}}`, `"mcpS`,
			`Convert all that another program writes differently`,
			`{"mcp_servers": {"a": {"command": "sh", "args": ["-c"], "env": {"A": "${X}"}, "disabled": false}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.t = t
			b.set(test.text)
			b.do(test.behind, test.title)
			if b.text != test.want {
				t.Errorf("%s became\n%s, want\n%s", test.text, b.text, test.want)
			}
			b.awaitCodes()
		})
	}
	b.t = t
	b.set(`{"mcpServers": {}}`)
	if all := b.actions(`{`, protocol.CodeActionKindSource); len(all) != 1 || all[0].Kind == nil || *all[0].Kind != protocol.CodeActionKindSourceFixAll {
		t.Errorf("source.fixAll: %+v", all)
	}
}

// A project may not do everything, and what it shadows is said.
func TestAProjectsFileIsJudgedAsOne(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.M{"mcp_servers": servertest.M{"docs": servertest.Demo("docs")}})
	text := "{\n\"providers\": {},\n\"model\": \"x/y\",\n\"permissions\": {\"allow\": []},\n\"mcp_servers\": {\n\"docs\": {\"command\": \"sh\",\n\"trust_annotations\": true}}}"
	path := w.Project(text)
	e := w.Start(servertest.Config{Client: modern})
	e.AwaitState("docs", wire.MCPConnected, wire.MCPUntrusted)
	b := openBuffer(t, e, path, text)
	b.awaitCodes("2 userScopeOnly", "3 modelNotConfigured", "4 userScopeOnly", "6 shadows", "7 userScopeOnly")
	if m := b.message("shadows"); !strings.Contains(m, "until then yours runs") {
		t.Errorf("shadows: %q", m)
	}
}

// Hints, symbols and formatting, through the wire.
func TestHintsSymbolsAndFormatting(t *testing.T) {
	w := servertest.NewWorld(t)
	demo, err := json.Marshal(servertest.Demo("docs"))
	if err != nil {
		t.Fatal(err)
	}
	text := "{ // mine\n\"mcp_servers\":{\"docs\": " + string(demo) + "}, \"permissions\" : {\"deny\":[]}\n}"
	path := w.User(text)
	e := w.Start(servertest.Config{Client: modern})
	e.AwaitState("docs", wire.MCPConnected)
	b := openBuffer(t, e, path, text)
	hints := request[[]protocol.InlayHint](b, protocol.MethodTextDocumentInlayHint, &protocol.InlayHintParams{
		TextDocument: b.id(), Range: protocol.Range{End: b.position(len(text))},
	})
	if len(hints) != 1 || hints[0].Label != protocol.String("connected - 2 tools") || hints[0].Position.Line != 1 {
		t.Errorf("hints %+v", hints)
	}
	symbols := request[[]protocol.DocumentSymbol](b, protocol.MethodTextDocumentDocumentSymbol, &protocol.DocumentSymbolParams{TextDocument: b.id()})
	if len(symbols) != 2 || symbols[0].Name != "mcp_servers" || len(symbols[0].Children) != 1 || symbols[0].Children[0].Kind != protocol.SymbolKindModule {
		t.Errorf("symbols %+v", symbols)
	}
	edits := request[[]protocol.TextEdit](b, protocol.MethodTextDocumentFormatting, &protocol.DocumentFormattingParams{
		TextDocument: b.id(), Options: protocol.FormattingOptions{TabSize: 2, InsertSpaces: true},
	})
	b.apply(edits)
	if !strings.HasPrefix(b.text, "{ // mine\n  \"mcp_servers\": {\"docs\": {") || !strings.Contains(b.text, "\n  \"permissions\": {\"deny\": []}\n") {
		t.Errorf("formatted:\n%s", b.text)
	}
}

// A document that is no settings file has nothing to say, whatever it is called.
func TestOtherDocumentsAreAnsweredWithNothing(t *testing.T) {
	w := servertest.NewWorld(t)
	e := w.Start(servertest.Config{Client: modern})
	for _, name := range []string{"main.go", "settings.json", ".vscode/settings.json"} {
		b := openBuffer(t, e, w.Write(name, "{"), "{")
		position := b.at("{")
		for method, params := range map[string]any{
			protocol.MethodTextDocumentCompletion:     &protocol.CompletionParams{TextDocumentPositionParams: position},
			protocol.MethodTextDocumentHover:          &protocol.HoverParams{TextDocumentPositionParams: position},
			protocol.MethodTextDocumentCodeLens:       &protocol.CodeLensParams{TextDocument: b.id()},
			protocol.MethodTextDocumentCodeAction:     &protocol.CodeActionParams{TextDocument: b.id()},
			protocol.MethodTextDocumentInlayHint:      &protocol.InlayHintParams{TextDocument: b.id()},
			protocol.MethodTextDocumentDocumentSymbol: &protocol.DocumentSymbolParams{TextDocument: b.id()},
			protocol.MethodTextDocumentFormatting:     &protocol.DocumentFormattingParams{TextDocument: b.id()},
		} {
			var result any
			if err := e.Raw(method, params, &result); err != nil {
				t.Errorf("%s of %s: %v", method, name, err)
			}
			if list, ok := result.([]any); result != nil && (!ok || len(list) > 0) {
				t.Errorf("%s of %s: %v", method, name, result)
			}
		}
	}
	e.Look(func(s *servertest.State) {
		for path, list := range s.Diagnostics {
			t.Errorf("diagnostics of %s: %v", path, list)
		}
	})
}

// LSP 3.18, "Register Capability": who takes registrations is asked for settings files
// alone; who does not is told at initialize.
func TestFeaturesAreRegisteredWhereTheClientTakesThat(t *testing.T) {
	w := servertest.NewWorld(t)
	static := w.Start(servertest.Config{Client: modern}).Initialized.Capabilities
	if static.HoverProvider == nil || static.CompletionProvider == nil || static.CodeLensProvider == nil || static.CodeActionProvider == nil ||
		static.InlayHintProvider == nil || static.DocumentSymbolProvider == nil || static.DocumentFormattingProvider == nil {
		t.Errorf("not all is declared: %+v", static)
	}
	yes := true
	e := w.Start(servertest.Config{Client: func(c *protocol.ClientCapabilities) {
		modern(c)
		c.TextDocument.Hover = &protocol.HoverClientCapabilities{DynamicRegistration: &yes}
		c.TextDocument.Completion.DynamicRegistration = &yes
	}})
	e.Await("two registrations", func(s *servertest.State) bool { return len(s.Registered) == 2 })
	e.Look(func(s *servertest.State) {
		for _, r := range s.Registered {
			if !strings.Contains(string(r.RegisterOptions), "**/.codebot/settings.json") {
				t.Errorf("%s is registered for %s", r.Method, r.RegisterOptions)
			}
		}
	})
	if caps := e.Initialized.Capabilities; caps.HoverProvider != nil || caps.CompletionProvider != nil || caps.CodeLensProvider == nil {
		t.Error("what is registered is declared as well, or the rest is not")
	}
}
