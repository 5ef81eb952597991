package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// spoken is what a person reads of one run, by where it is read.
type spoken struct{ option, message, hint, row, diagnostic, tooltip, mode string }

// LSP 3.18, InitializeParams.locale: "the locale the client is currently showing the
// user interface in". A client that does not say it has that of the process.
func TestEveryTextComesInTheLanguageOfTheEditor(t *testing.T) {
	english := spoken{
		option: "Allow once", message: `no MCP server named "gone"`, hint: "codebot/mcp/status lists the servers",
		row:        "command: this is a command line: put the program alone in \"command\" and the rest in \"args\"",
		diagnostic: `unknown key "modle" is ignored: did you mean "model"?`,
		tooltip:    "| Server | State | Tools | |\n|---|---|---:|---|\n| bad | failed |",
		mode:       "Accept edits",
	}
	chinese := spoken{
		option: "允许一次", message: `没有名为 "gone" 的 MCP 服务器`, hint: "codebot/mcp/status 会列出服务器",
		row:        `command: 这是一整条命令行：请只把程序写在 "command" 中，其余部分写入 "args"`,
		diagnostic: `未知的键 "modle"，已忽略：是否想写 "model"？`,
		tooltip:    "| 服务器 | 状态 | 工具 | |\n|---|---|---:|---|\n| bad | 失败 |",
		mode:       "接受编辑",
	}
	for _, test := range []struct {
		name, locale, env string
		want              spoken
	}{
		{"the editor is Chinese", "zh-cn", "LC_ALL=en_US.UTF-8", chinese},
		{"the process is Chinese", "", "LC_ALL=zh_CN.UTF-8", chinese},
		{"only the process is Chinese", "en-US", "LC_ALL=zh_CN.UTF-8", english},
		{"nobody says", "", "", english},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := servertest.NewWorld(t)
			w.Env = append(w.Env, test.env)
			w.User(servertest.M{"modle": "a/b", "mcp_servers": servertest.M{
				"deploy": servertest.Demo("deploy"), "bad": servertest.M{"command": "x y"},
			}})
			e := w.Start(servertest.Config{Locale: test.locale, Permit: always("reject_once")})
			got := spoken{row: e.AwaitState("bad", wire.MCPFailed).Error.Message}
			e.AwaitState("deploy", wire.MCPConnected)

			_, err := servertest.Try(e, wire.MCPStart, wire.MCPServerRef{Name: "gone"})
			got.hint = refusal(t, err).Hint
			if answer, ok := errors.AsType[*jsonrpc2.Error](err); ok {
				got.message = answer.Message
			}
			session := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{})
			got.mode = session.Modes.AvailableModes[1].Name
			prompt(e, session.SessionID, "Deploy the current project.")
			e.Await("the diagnostic", func(s *servertest.State) bool {
				for _, list := range s.Diagnostics {
					for _, d := range list {
						if text, ok := d.Message.(protocol.String); ok && strings.Contains(string(text), "modle") {
							got.diagnostic = string(text)
						}
					}
				}
				return got.diagnostic != ""
			})
			e.Look(func(s *servertest.State) {
				if len(s.Asked) == 1 && len(s.Asked[0].Options) > 0 {
					got.option = s.Asked[0].Options[0].Name
				}
			})
			got.tooltip = servertest.Call(e, wire.Status, wire.Empty{}).Tooltip

			check := func(what, got, want string, starts bool) {
				t.Helper()
				if got != want && !(starts && strings.Contains(got, want)) {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			check("the first answer", got.option, test.want.option, false)
			check("the error", got.message, test.want.message, false)
			check("its hint", got.hint, test.want.hint, true)
			check("the row", got.row, test.want.row, false)
			check("the diagnostic", got.diagnostic, test.want.diagnostic, false)
			check("the tooltip", got.tooltip, test.want.tooltip, true)
			check("the mode", got.mode, test.want.mode, false)
		})
	}
}

// A client without a plug-in reads the question and the answers in a message.
func TestAMessageAsksInChinese(t *testing.T) {
	w := shop(t)
	var asked protocol.ShowMessageRequestParams
	e := w.Start(servertest.Config{NoPlugin: true, Locale: "zh-cn", Message: func(p protocol.ShowMessageRequestParams) string {
		asked = p
		return "允许一次"
	}})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	servertest.Poll(t, "the servers to be connected", func() bool {
		return servertest.Call(e, wire.MCPStatus, wire.Empty{}).Totals.Connected == 2
	})
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
	defer cancel()
	wait := servertest.Start(ctx, e, wire.SessionPrompt, wire.SessionPromptParams{SessionID: id, Prompt: []wire.ContentBlock{wire.TextBlock("部署当前项目")}})
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(asked.Message, "codebot 请求运行 mcp__deploy__trigger") || !strings.Contains(asked.Message, "（MCP 服务器 deploy 将此工具标记为破坏性操作）") {
		t.Errorf("asked %q", asked.Message)
	}
	if calls := e.Calls(id); len(calls) != 1 || calls[0].Status != wire.ToolCompleted {
		t.Errorf("the button was not understood: %+v", calls)
	}
}
