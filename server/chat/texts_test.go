package chat

import (
	"context"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "texts.go")
}

func TestAChatInChinese(t *testing.T) {
	s := &scripted{
		servers: []wire.MCPServer{{Name: "docs", State: wire.MCPConnected, ToolCount: 2}, {Name: "evil", State: wire.MCPUntrusted}},
		onPrompt: func(ctx context.Context, conn jsonrpc2.Conn, _ string) (wire.SessionPromptResult, error) {
			askPermission(t, ctx, conn)
			send(t, conn, &wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{ToolCallID: "c1", Status: wire.ToolFailed}})
			return ended(wire.StopEndTurn)
		},
	}
	code, out := run(t, s, Options{Prompt: "部署", NoWait: true, Locale: "zh-cn"})
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"模型 offline，模式 default，文件夹 /w\n", "MCP 服务器\n", "  docs  已连接  2 个工具\n",
		"  evil  未授权  项目中的条目；请在编辑器中授权，或使用 --trust-workspace\n", "  合计：已连接 0 个",
		"? 允许运行 mcp__deploy__trigger (Trigger a deployment) 吗？\n", "  回答： reject_once（没有人可以询问；--yes 表示允许）\n", "  失败\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen lacks %q:\n%s", want, out)
		}
	}
}
