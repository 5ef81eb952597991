package endpoint

import (
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "texts.go")
}

// A failure travels as one error and is read in the language of who reads it, its
// parts with it.
func TestFailuresSpeakTheReadersLanguage(t *testing.T) {
	c := &Client{Model: "a/b", URL: "https://h.test/v1"}
	err := error(c.cut(lang.Messagef(zh, reasonEnd), true).Err)
	if got, want := lang.ZhCN.Error(err), "a/b：h.test 的回答中断了（连接提前结束）。已收到的部分已保留；请再发一次提示以继续"; got != want {
		t.Errorf("%s", got)
	}
	if got, want := retryText(lang.ZhCN, "a/b", agent.ErrOverloaded, 429, 2), "a/b：已达到请求频率上限；正在重新发送请求（第 2 次，共 4 次）"; got != want {
		t.Errorf("%s", got)
	}
}
