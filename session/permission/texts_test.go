package permission

import (
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "texts.go")
}

// LSP 3.18, InitializeParams.locale: the language of what a person reads.
func TestReasonsAndAnswersComeInTheEnginesLanguage(t *testing.T) {
	for _, test := range []struct {
		lang                     lang.Lang
		reason, option, rejected string
	}{
		{lang.En, "plan mode only reads: it runs a command", "Allow once", "you rejected the command make for this session"},
		{lang.ZhCN, "计划模式只能读取：会执行命令", "允许一次", "您已在本次会话内拒绝 命令 make"},
	} {
		e := NewEngine(EngineOptions{Lang: test.lang})
		req := Request{Kind: KindBash, Tool: "bash", Command: "make", Root: "/w"}
		if got := e.Decide(req, ModePlan).Reason; got != test.reason {
			t.Errorf("%q: the reason is %q, want %q", test.lang, got, test.reason)
		}
		if got := OptionsFor(Decision{EachTime: true}, test.lang)[0].Name; got != test.option {
			t.Errorf("%q: the first answer is %q, want %q", test.lang, got, test.option)
		}
		if err := e.Grant(req, OptionRejectAlways); err != nil {
			t.Fatal(err)
		}
		if got := e.Decide(req, ModeDefault).Reason; got != test.rejected {
			t.Errorf("%q: the reason is %q, want %q", test.lang, got, test.rejected)
		}
	}
	_, err := ParseRule("write(x)")
	if got := lang.ZhCN.Error(err); !strings.Contains(got, "规则 \"write(x)\"") {
		t.Errorf("the error of a rule in Chinese is %q", got)
	}
}
