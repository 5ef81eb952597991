package lang

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestLocalesInEveryNotation(t *testing.T) {
	for locale, want := range map[string]Lang{
		"": En, "en": En, "en-US": En, "C": En, "POSIX": En, "C.UTF-8": En, "de_DE.UTF-8": En, "zhuang": En,
		"zh": ZhCN, "zh-cn": ZhCN, "zh-CN": ZhCN, "zh_CN": ZhCN, "zh_CN.UTF-8": ZhCN, "zh_CN.GB18030@pinyin": ZhCN,
		"zh-Hans": ZhCN, "zh-hans-HK": ZhCN, "zh_SG.utf8": ZhCN, " zh-CN ": ZhCN,
		"zh-tw": En, "zh_TW.UTF-8": En, "zh-Hant": En, "zh-Hant-CN": En, "zh_HK": En, "zh-mo": En,
	} {
		if got := Of(locale); got != want {
			t.Errorf("Of(%q) = %q, want %q", locale, got, want)
		}
	}
}

// POSIX 8.2: LC_ALL wins, then the category's own variable, then LANG; an empty
// one is as good as unset.
func TestTheFirstVariableOfTheEnvironmentDecides(t *testing.T) {
	for _, test := range []struct {
		env  map[string]string
		want Lang
	}{
		{map[string]string{}, En},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, ZhCN},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, En},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8", "LC_ALL": ""}, ZhCN},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8", "LC_ALL": "C"}, En},
	} {
		if got := OfEnvironment(func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%v: %q, want %q", test.env, got, test.want)
		}
	}
}

var catalog = Catalog{
	"%s is gone":         "%s 已不存在",
	"of %d %s":           "%[2]s 共 %[1]d 个",
	"reading %s: %w":     "读取 %s 时出错：%w",
	"it ended":           "已结束",
	"100% of it is used": "已用 100%",
}

func TestTextsInBothLanguages(t *testing.T) {
	inner := Messagef(catalog, "of %d %s", 3, "files")
	for _, test := range []struct{ en, zh, wantEn, wantZh string }{
		{En.Sprintf(catalog, "%s is gone", "x"), ZhCN.Sprintf(catalog, "%s is gone", "x"), "x is gone", "x 已不存在"},
		{En.Sprintf(catalog, "%s is gone", inner), ZhCN.Sprintf(catalog, "%s is gone", inner), "of 3 files is gone", "files 共 3 个 已不存在"},
		{inner.String(), inner.In(ZhCN), "of 3 files", "files 共 3 个"},
		{En.Text(catalog, "not there"), ZhCN.Text(catalog, "not there"), "not there", "not there"},
		{MessageOf(catalog, "100% of it is used").In(En), MessageOf(catalog, "100% of it is used").In(ZhCN), "100% of it is used", "已用 100%"},
		{Message{}.In(En), Message{}.In(ZhCN), "", ""},
	} {
		if test.en != test.wantEn || test.zh != test.wantZh {
			t.Errorf("%q and %q, want %q and %q", test.en, test.zh, test.wantEn, test.wantZh)
		}
	}
}

func TestErrorsInBothLanguages(t *testing.T) {
	ended := Errorf(catalog, "it ended")
	for _, test := range []struct {
		err    error
		en, zh string
	}{
		{ended, "it ended", "已结束"},
		{Errorf(catalog, "reading %s: %w", "a", ended), "reading a: it ended", "读取 a 时出错：已结束"},
		{Errorf(catalog, "reading %s: %w", "a", io.ErrClosedPipe), "reading a: io: read/write on closed pipe", "读取 a 时出错：io: read/write on closed pipe"},
		{fmt.Errorf("server x: %w", ended), "server x: it ended", "server x: 已结束"},
		{errors.Join(ended, io.EOF, Errorf(catalog, "%s is gone", "y")), "it ended\nEOF\ny is gone", "已结束\nEOF\ny 已不存在"},
		{fmt.Errorf("%w, they say", ended), "it ended, they say", "已结束, they say"},
		{io.EOF, "EOF", "EOF"},
		{nil, "", ""},
	} {
		if en, zh := En.Error(test.err), ZhCN.Error(test.err); en != test.en || zh != test.zh {
			t.Errorf("%q and %q, want %q and %q", en, zh, test.en, test.zh)
		}
	}
	wrapped := Errorf(catalog, "reading %s: %w", "a", ended)
	if !errors.Is(wrapped, ended) || !errors.Is(Errorf(catalog, "reading %s: %w", "a", io.EOF), io.EOF) {
		t.Error("what is wrapped is not found")
	}
}
