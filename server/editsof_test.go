package server

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/workspace"
)

// FuzzEditsMakeTheText has the edits of two texts make the one of the other, at places
// that there are in the protocol.
func FuzzEditsMakeTheText(f *testing.F) {
	for _, pair := range [][2]string{
		{"", "a"}, {"a", ""}, {"a\nb\nc\n", "a\nB\nc\n"}, {"a\r\nb", "a\nb"}, {"a\nb", "a\r\nb"}, {"\r\n\r\n", "\n\r\n"},
		{"x😀y\n", "x😁y\n"}, {"é", "è"}, {"one", "one\n"}, {"aa\nab\n", "aa\naa\nab\n"}, {"\ufeffa\n", "a\n"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if !utf8.ValidString(before) || !utf8.ValidString(after) || oddBreaks(before) {
			t.Skip()
		}
		positions := workspace.PositionsOf(before)
		got := before
		for _, e := range slices.Backward(editsOf(before, after)) {
			r := rangeOf(e.Range)
			for _, at := range []workspace.Position{r.Start, r.End} {
				if back := positions.At(positions.Offset(at)); back != at {
					t.Errorf("there is no place %+v in %q", at, before)
				}
			}
			got = workspace.ApplyEdits(got, []workspace.Edit{{Range: r, Text: e.NewText}})
		}
		if got != after {
			t.Errorf("%q became %q, not %q", before, got, after)
		}
	})
}
