package tool

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reEscape are the terminal's escape sequences: CSI, OSC (links, clipboard) and
// its likes up to their end, and two-character ones; with 7-bit and 8-bit starts.
var reEscape = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c|$)|\x1b[ -/]*[0-~]?")

// clean makes a text safe to be shown: no control characters beside tab and line
// break, no invisible ones that turn or hide text, valid UTF-8.
func clean(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = reEscape.ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return r
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r >= 0x200B && r <= 0x200F, r == 0x2060, r == 0xFEFF, r >= 0xE0000 && r <= 0xE007F:
			return -1
		}
		return r
	}, s)
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < 0x20 && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// terminalText is what is left to read of a command's output: cleaned, and of a
// line that was overwritten (a progress bar) its last state.
func terminalText(s string) string {
	s = strings.ReplaceAll(clean(s), "\r\n", "\n")
	if !strings.Contains(s, "\r") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		if j := strings.LastIndexByte(l, '\r'); j >= 0 {
			l = l[j+1:]
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}
