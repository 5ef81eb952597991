package mcp

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSpaces is how many spaces in a row are shown as they are; more push what follows
// out of sight.
const maxSpaces = 4

// Visible returns s with everything in it that a person would not see, or that would
// make them see something else, written out: controls (also line breaks), marks that
// turn the direction of text, tags and other invisible characters, blanks that are no
// space, long runs of spaces, invalid bytes. It is for what a person decides on, where
// leaving a character out, as [Clean] does, would hide that it is there.
func Visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == ' ':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], " "))
			if size = n; n <= maxSpaces && i+n < len(s) && i > 0 {
				b.WriteString(s[i : i+n])
			} else if n == 1 {
				b.WriteString(`\u{20}`)
			} else {
				fmt.Fprintf(&b, `\u{20}×%d`, n)
			}
		case hides(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// hides reports whether r is no plain, visible character. Joiners are none either:
// what is decided on is a command or an address, where no script needs them.
func hides(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Z, r) || joins(r) || invisible(r) ||
		r == 0x2800 || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || !unicode.IsPrint(r)
}

// VisibleAll is [Visible] of each.
func VisibleAll(all []string) []string {
	if all == nil {
		return nil
	}
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = Visible(s)
	}
	return out
}
