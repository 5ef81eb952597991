package chat

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

// A person whose settings cannot be read must not be told that nothing is in them.
func TestBrokenSettingsAreShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	publish := func(ctx context.Context, conn jsonrpc2.Conn) {
		at := func(line, column uint32, code, message string) protocol.Diagnostic {
			return protocol.Diagnostic{
				Range:    protocol.Range{Start: protocol.Position{Line: line, Character: column}},
				Severity: protocol.DiagnosticSeverityError, Code: protocol.String(code), Message: protocol.String(message),
			}
		}
		err := conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{
			URI: uri.File(file), Diagnostics: []protocol.Diagnostic{at(1, 4, "syntax", "not \x1b[2Jvalid JSON"), at(2, 0, "server", "docs is failed")},
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, test := range []struct{ locale, none string }{
		{"", "no MCP server is in effect; mend the settings first"},
		{"zh-cn", "没有生效的 MCP 服务器；请先修正设置"},
	} {
		s := &scripted{onReady: publish, onPrompt: func(ctx context.Context, conn jsonrpc2.Conn, _ string) (wire.SessionPromptResult, error) {
			publish(ctx, conn) // what is known already is not said again
			return ended(wire.StopEndTurn)
		}}
		_, out := run(t, s, Options{Prompt: "hello", NoWait: true, Locale: test.locale})
		if want := file + ":2:5: not valid JSON\n" + test.none + "\n"; strings.Count(out, want) != 1 {
			t.Errorf("the screen has not %q once:\n%s", want, out)
		}
		if strings.Count(out, "valid JSON") != 1 || strings.Contains(out, "docs is failed") {
			t.Errorf("said twice, or what the table of servers says:\n%s", out)
		}
	}
}
