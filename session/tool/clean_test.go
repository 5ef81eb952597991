package tool

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Text that turns, hides or copies must not reach a terminal.
func TestCleanTakesControlsOut(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":                            "plain\ttext\n",
		"\x1b[8mhidden\x1b[0m":                     "hidden",
		"\x1b]52;c;cm0gLXJm\x07x":                  "x",
		"\x1b]8;;http://sink\x1b\\l\x1b]8;;\x1b\\": "l",
		"\u009b31mx":                               "x",
		"a\u202egnp.exe":                           "agnp.exe",
		"a\u200bb\x00c\x7f":                        "abc",
		"\xff":                                     "\uFFFD",
		"汉字 é":                                     "汉字 é",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mx\r\n\u202e")
	f.Add("\x1b]8;;\x1b")
	f.Fuzz(func(t *testing.T, s string) {
		got := terminalText(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }) {
			t.Errorf("%q: %q", s, got)
		}
	})
}
