package mcp

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reStyle are a terminal's control sequences of colours and cursors. What they hold is for
// the terminal alone; the texts of other escapes (titles, the clipboard) stay to be seen,
// for a model may read them.
var reStyle = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]")

// Clean returns s without what a person cannot see and a terminal would obey:
// C0 and C1 controls (newline and tab stay), bidirectional controls, tag
// characters, zero-width and other invisible format characters. Joiners and
// emoji variation selectors stay where scripts and emoji need them: behind what
// they change, one at a time, for a run of them is a hiding place. Invalid bytes become U+FFFD. The
// result cleaned again is itself.
func Clean(s string) string {
	if !needsCleaning(s) {
		return s
	}
	s = reStyle.ReplaceAllString(s, "")
	var b strings.Builder
	b.Grow(len(s))
	last := rune(-1) // the last rune that was kept
	for _, r := range s {
		if r == '\u2028' || r == '\u2029' {
			r = '\n'
		}
		if invisible(r) || joins(r) && (last == -1 || unicode.IsSpace(last) || joins(last)) {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// CleanLine is [Clean] for what must stay on one line: each run of white space
// becomes one space, and none is left at the ends.
func CleanLine(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// needsCleaning spares the copy for plain ASCII text.
func needsCleaning(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return true
		}
	}
	return false
}

// joins reports whether r changes how its neighbours look and is nothing alone:
// zero-width (non-)joiner and the text and emoji variation selectors.
func joins(r rune) bool { return r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f }

func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || joins(r):
		return false
	case unicode.IsControl(r):
		return true
	case 0xfe00 <= r && r <= 0xfe0f, 0xe0000 <= r && r <= 0xe0fff:
		return true // variation selectors and tags: they can spell a hidden text
	case r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 ||
		r == 0x3164 || r == 0xffa0 || 0x180b <= r && r <= 0x180f || r == 0x2065:
		return true // fillers and joiners that are letters or marks by category
	case 0x0600 <= r && r <= 0x0605 || r == 0x06dd || r == 0x070f || r == 0x0890 || r == 0x0891 ||
		r == 0x08e2 || r == 0x110bd || r == 0x110cd || 0x13430 <= r && r <= 0x1343f:
		return false // format characters that are drawn
	}
	return unicode.Is(unicode.Cf, r)
}
