package server

import (
	"testing"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "texts.go")
}

// Settings that are read late make people believe that they are not read: whoever
// looks at the status item sees why (fsnotify knows no network file systems).
func TestTheStatusItemSaysThatNothingIsWatched(t *testing.T) {
	for l, want := range map[lang.Lang]string{
		lang.En:   "The system does not tell of changed settings files (too many open files); they are looked at every second instead.\n\nNo MCP server is configured.",
		lang.ZhCN: "系统无法通知设置文件的变化（too many open files），改为每秒检查一次。\n\n尚未配置 MCP 服务器。",
	} {
		if got := (&Server{lang: l}).tooltip(nil, nil, "too many open files"); got != want {
			t.Errorf("%q", got)
		}
	}
}
