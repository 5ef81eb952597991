package workspace

import (
	"testing"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryMessageIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "messages.go")
}

// LSP 3.18, InitializeParams.locale: diagnostics are what a person reads. Those of a
// file that is no JSON are mostly the parser's own words.
func TestDiagnosticsComeInTheLanguageOfTheEditor(t *testing.T) {
	for text, want := range map[string]string{
		`{"model": 1}`:                        `model 必须是字符串，不能是数字`,
		`{"modle": "a/b"}`:                    `未知的键 "modle"，已忽略：是否想写 "model"？`,
		`{"model": "a/b" "x": 1}`:             `不是有效的 JSON：对象的值之后出现无效字符 '"'（应为 ',' 或 '}'）`,
		`{"model": "a`:                        `不是有效的 JSON：文件在字符串中间结束了`,
		`{"model": tru}`:                      `不是有效的 JSON：无效的字面量`,
		`{"permissions": {"deny": ["x(y)"]}}`: `已忽略此规则：规则 "x(y)" 以 "x" 开头：只支持 read、edit、bash、mcp 和 fetch`,
		`{"mcp_servers": {"a": {"command": "x", "envFile": "y"}}}`: `MCP 服务器 "a"："envFile" 是其他程序使用的键：请使用 "env" 或 "env_from"`,
		``: `设置文件为空：如果不需要任何设置，请写入 {}`,
	} {
		_, diagnostics, _ := ParseSettings(userFile, mcp.ScopeUser, []byte(text), lang.ZhCN)
		if len(diagnostics) != 1 || diagnostics[0].Message != want {
			t.Errorf("%s: %v, want %q", text, diagnostics, want)
		}
	}
}
