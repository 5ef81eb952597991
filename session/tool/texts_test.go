package tool

import (
	"slices"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextIsTranslated(t *testing.T) {
	langtest.Check(t, zh, "texts.go")
}

func TestTitlesComeInTheLanguageOfTheEditor(t *testing.T) {
	all := New(Env{Root: t.TempDir(), Lang: lang.ZhCN})
	glob := all[slices.IndexFunc(all, func(t agent.Tool) bool { return t.Name() == "glob" })]
	title := glob.(agent.Describer).Describe([]byte(`{"pattern":"*.go","path":"cmd"}`)).Title
	if want := "在 cmd 中查找文件 *.go"; title != want {
		t.Errorf("the title is %q, want %q", title, want)
	}
	if label := glob.(agent.Labeler).Label(); label != "查找文件" {
		t.Errorf("the label is %q", label)
	}
}
