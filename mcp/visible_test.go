package mcp

import (
	"strings"
	"testing"
	"unicode"
)

// What a person decides on hides nothing: a command may be long with its end pushed
// out of sight (OX 2026, CVE-2026-30615), turned around (Trojan Source,
// CVE-2021-42574), or hold tags that only a model reads.
func TestWhatIsConsentedToHidesNothing(t *testing.T) {
	for in, want := range map[string]string{
		"npx -y server":                          "npx -y server",
		`C:\Program Files\node.exe`:              `C:\Program Files\node.exe`,
		"搜索 ツール é":                               "搜索 ツール é",
		"a\nrm -rf ~":                            `a\u{a}rm -rf ~`,
		"a\tb\rc\x1b[8m":                         `a\u{9}b\u{d}c\u{1b}[8m`,
		"safe\u202egnp.exe":                      `safe\u{202e}gnp.exe`,
		"x\u200by\u2066z\ufeff":                  `x\u{200b}y\u{2066}z\u{feff}`,
		"a\U000E0041\U000E007F":                  `a\u{e0041}\u{e007f}`,
		"a\u00a0b\u3000c\u2800d\u3164":           `a\u{a0}b\u{3000}c\u{2800}d\u{3164}`,
		"\x9b31m\xff":                            `\x9b31m\xff`,
		"ok" + strings.Repeat(" ", 300) + "; rm": `ok\u{20}×300; rm`,
		"trailing ":                              `trailing\u{20}`,
		" leading":                               `\u{20}leading`,
		"e\u0301\ufe0f":                          "e\u0301" + `\u{fe0f}`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"", "a b", "\u202e", "\xff\xfe", "    x", "\u200d\u200d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		for _, r := range got {
			if r != ' ' && !unicode.IsPrint(r) || joins(r) || invisible(r) {
				t.Errorf("%q is shown as %q, which holds %U", s, got, r)
			}
		}
		if Clean(got) != got {
			t.Errorf("%q is shown as %q, which Clean changes", s, got)
		}
	})
}
