package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// typedSettings has one of everything that is right, and in known lines what is wrong.
const typedSettings = `{
  // what I use, 用中文写的, 🚀
  "model": "offline",
  "providers": {
    "local": {"type": "openai", "base_url": "http://127.0.0.1:1/v1", "api_key": "${LOCAL_KEY:-none}", "models": ["qwen3",],},
    "cloud": {"type": "anthropic", "api_key": "sk-ant-0123456789abcdefghij"}
  },
  "mcp_servers": {
    "docs": %s,
    "typo": {"comand": "sh"},
    "both": {"command": "sh", "url": "https://a.test/x"},
    "gone": {"command": "no-such-program-here", "disabled": true},
    "vars": {"command": "sh", "env": {"A": "${NOT_SET_HERE}", "B": "${env:HOME}"}, "disabled": true},
    "list": {"command": ["sh", "-c"], "disabled": true},
  },
  "permissions": {
    "mode": "default",
    "allow": ["read(**)", "mcp(docs/search)", "mcp(docs/serch)"],
    "deny": ["mcp(nobody/*)", "nonsense"]
  },
  "permissions2": {}
}
`

// A person types a settings file letter by letter, and the editor asks for something
// every now and then: the real binary has to be there at the end, with exactly what is wrong with the text.
func TestASettingsFileIsTypedLetterByLetter(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	e, p := w.Spawn(servertest.Config{Client: modern})
	e.AwaitState("docs", wire.MCPConnected)
	demo := strings.ReplaceAll(w.Text(servertest.Demo("docs")), "\n", " ")
	b := openBuffer(t, e, workspace.SettingsFile(w.Home), "")
	for i, r := range []rune(fmt.Sprintf(typedSettings, demo)) {
		b.typeAtEnd(string(r))
		at := protocol.TextDocumentPositionParams{TextDocument: b.id(), Position: b.position(len(b.text))}
		if i%3 != 0 {
			continue
		}
		switch i / 3 % 8 {
		case 0, 4:
			request[protocol.CompletionList](b, protocol.MethodTextDocumentCompletion, &protocol.CompletionParams{TextDocumentPositionParams: at})
		case 1:
			request[*protocol.Hover](b, protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: at})
		case 2:
			b.lenses()
		case 3:
			request[[]protocol.CodeAction](b, protocol.MethodTextDocumentCodeAction, &protocol.CodeActionParams{
				TextDocument: b.id(), Range: protocol.Range{End: at.Position}, Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}},
			})
		case 5:
			request[[]protocol.InlayHint](b, protocol.MethodTextDocumentInlayHint, &protocol.InlayHintParams{TextDocument: b.id(), Range: protocol.Range{End: at.Position}})
		case 6:
			request[[]protocol.DocumentSymbol](b, protocol.MethodTextDocumentDocumentSymbol, &protocol.DocumentSymbolParams{TextDocument: b.id()})
		case 7:
			request[[]protocol.TextEdit](b, protocol.MethodTextDocumentFormatting, &protocol.DocumentFormattingParams{
				TextDocument: b.id(), Options: protocol.FormattingOptions{TabSize: 2, InsertSpaces: true},
			})
		}
	}
	b.awaitCodes(
		"6 literalSecret",
		"10 invalidEntry", "10 unknownKey",
		"11 invalidEntry",
		"12 programNotFound",
		"13 unsetVariable", "13 invalidVariable",
		"14 foreignShape",
		"18 ruleNamesNothing",
		"19 ruleNamesNothing", "19 invalidValue",
		"21 unknownKey",
	)
	e.Look(func(s *servertest.State) {
		if i := slices.IndexFunc(s.Diagnostics[b.path], func(d protocol.Diagnostic) bool {
			text, _ := d.Message.(protocol.String)
			return strings.Contains(string(text), "0123456789abcdefghij")
		}); i >= 0 {
			t.Errorf("a message holds the secret: %v", s.Diagnostics[b.path][i].Message)
		}
	})
	e.Shutdown()
	if code := p.Wait(t); code != 0 || strings.Contains(p.Stderr(), "panic") {
		t.Errorf("exit code %d; stderr:\n%s", code, p.Stderr())
	}
}
