package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Escapes for a terminal and characters that nobody sees, in names and texts of
// servers (CWE-150; "ASCII smuggling" by tag characters and variation selectors).
func TestCleanLeavesNothingHidden(t *testing.T) {
	for in, want := range map[string]string{
		"plain\tText\n":                 "plain\tText\n",
		"\x1b[8mhidden\x1b[0m":          "hidden",
		"\x1b]52;c;aGk=\x07":            "]52;c;aGk=",
		"a\u009bb\u0085c":               "abc",
		"a\x9bb":                        "a\ufffdb",
		"shown\rover":                   "shownover",
		"a\r\nb":                        "a\nb",
		"del\x7f\x00":                   "del",
		"pdf\u202efdp.exe":              "pdffdp.exe",
		"\u2066a\u2069\u200e\u200f":     "a",
		"run\U000E0068\U000E0069":       "run",
		"z\u200be\u2060r\ufeffo\u00ad":  "zero",
		"a\u2028b":                      "a\nb",
		"a\ufe01\ufe0a\U000E0101":       "a",
		"\u3164\u115fx":                 "x",
		"❤\ufe0f👨\u200d👩":               "❤\ufe0f👨\u200d👩",
		"a\ufe0f\ufe0f\ufe0e\u200d":     "a\ufe0f",
		"\u200dx":                       "x",
		" \u200d\u00a0\ufe0fx":          " \u00a0x",
		"می\u200cخواهم 検索 \u0627\u0644": "می\u200cخواهم 検索 \u0627\u0644",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := CleanLine(" two\n lines\t\x1b here "); got != "two lines here" {
		t.Errorf("CleanLine = %q", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a", "\x1b[31m", "a\ufe0f\u200d\ufe0f", "\xff\u202e", "\u2028\ufe0f", " \u200d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if again := Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and cleaned again %q", s, got, again)
		}
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is not valid", s, got)
		}
		if strings.ContainsFunc(got, invisible) {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		if line := CleanLine(s); strings.ContainsAny(line, "\n\t") || CleanLine(line) != line {
			t.Errorf("CleanLine(%q) = %q", s, line)
		}
	})
}
