package server_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// shop is a world with the lesson's two servers in the user's settings.
func shop(t *testing.T) *servertest.World {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy")}))
	return w
}

// ready waits until both demo servers are connected.
func ready(t *testing.T, e *servertest.Editor) {
	t.Helper()
	for _, name := range []string{"docs", "deploy"} {
		row := e.AwaitState(name, wire.MCPConnected, wire.MCPFailed)
		if row.State != wire.MCPConnected {
			t.Fatalf("%s: %+v", name, row.Error)
		}
	}
}

func prompt(e *servertest.Editor, session, text string) wire.SessionPromptResult {
	return servertest.Call(e, wire.SessionPrompt, wire.SessionPromptParams{
		SessionID: session, Prompt: []wire.ContentBlock{wire.TextBlock(text)},
	})
}

func always(option string) func(context.Context, wire.RequestPermissionParams) string {
	return func(context.Context, wire.RequestPermissionParams) string { return option }
}

// The lesson's three prompts, in both of its languages, over the real wire with real
// children: search unasked, deploy asked, list without calling.
func TestTheLessonsPromptsWork(t *testing.T) {
	for _, lang := range []struct{ name, search, deploy, list string }{
		{"English", "Search the docs for the worktree cleanup policy.", "Deploy the current project and report the result.", "What documentation and deployment actions can you perform?"},
		{"Chinese", "查一下文档里的 worktree 清理策略。", "部署当前项目，并告诉我结果。", "你现在可以执行哪些文档和部署操作？"},
	} {
		t.Run(lang.name, func(t *testing.T) {
			w := shop(t)
			e := w.Start(servertest.Config{Permit: always("allow_once")})
			ready(t, e)
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID

			if got := prompt(e, id, lang.search); got.StopReason != wire.StopEndTurn {
				t.Fatalf("stop reason %q", got.StopReason)
			}
			calls := e.Calls(id)
			if len(calls) != 1 || calls[0].Meta.Codebot.Tool != "mcp__docs__search" || calls[0].Status != wire.ToolCompleted {
				t.Fatalf("the search made the calls %+v", calls)
			}
			if !strings.Contains(servertest.CallText(calls[0]), "[docs] Found 3 results for '") {
				t.Errorf("the search answered %q", servertest.CallText(calls[0]))
			}
			e.Look(func(s *servertest.State) {
				if len(s.Asked) != 0 {
					t.Errorf("a trusted search was asked for: %+v", s.Asked)
				}
			})

			prompt(e, id, lang.deploy)
			calls = e.Calls(id)
			if len(calls) != 2 || calls[1].Meta.Codebot.Tool != "mcp__deploy__trigger" || calls[1].Status != wire.ToolCompleted {
				t.Fatalf("the deploy made the calls %+v", calls[1:])
			}
			if got := servertest.CallText(calls[1]); !strings.Contains(got, "[deploy] Triggered: "+filepath.Base(w.Folder)) {
				t.Errorf("the deploy answered %q", got)
			}
			e.Look(func(s *servertest.State) {
				if len(s.Asked) != 1 || s.Asked[0].ToolCall.Meta.Codebot.Original != "trigger" || string(s.Asked[0].ToolCall.RawInput) != `{"service":"shop"}` || len(s.Asked[0].Options) != 5 {
					t.Errorf("asked %+v", s.Asked)
				}
			})

			before := len(e.Text(id))
			prompt(e, id, lang.list)
			if calls := e.Calls(id); len(calls) != 2 {
				t.Errorf("the question called %+v", calls[2:])
			}
			answer := e.Text(id)[before:]
			for _, want := range []string{
				"mcp__docs__search", "mcp__docs__get_version", "mcp__deploy__trigger", "mcp__deploy__status", "(readOnly)", "(destructive)",
			} {
				if !strings.Contains(answer, want) {
					t.Errorf("the answer lacks %q:\n%s", want, answer)
				}
			}
		})
	}
}
