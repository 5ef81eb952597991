package workspace

import (
	"strings"
	"unicode/utf8"
)

// Position is a place in a text as the LSP counts it: lines and UTF-16 code units,
// both from 0.
type Position struct{ Line, Character uint32 }

// Range is from Start up to End, exclusive.
type Range struct{ Start, End Position }

// Edit is one change of a text document (LSP TextDocumentContentChangeEvent).
type Edit struct {
	// Range is what Text replaces; nil: everything.
	Range *Range
	Text  string
}

// ApplyEdits returns text after the edits, each of which counts in the text that
// the one before left (LSP textDocument/didChange).
//
// Positions that do not exist are moved to the nearest that does: a line after the
// last is the end of the text, a character after the end of its line is that end
// (before the line break), one inside a surrogate pair is before it. A range that
// ends before it starts is turned around.
func ApplyEdits(text string, edits []Edit) string {
	for _, e := range edits {
		if e.Range == nil {
			text = e.Text
			continue
		}
		start, end := offset(text, e.Range.Start), offset(text, e.Range.End)
		if end < start {
			start, end = end, start
		}
		text = text[:start] + e.Text + text[end:]
	}
	return text
}

// offset returns the byte offset of a position in text.
func offset(text string, p Position) int {
	start := 0
	for range p.Line {
		length := strings.IndexAny(text[start:], "\r\n")
		if length < 0 {
			return len(text)
		}
		start += length + lineBreak(text[start+length:])
	}
	at, left := start, int64(p.Character)
	for left > 0 && at < len(text) && text[at] != '\n' && text[at] != '\r' {
		r, size := utf8.DecodeRuneInString(text[at:])
		if left -= int64(units(r)); left < 0 {
			break
		}
		at += size
	}
	return at
}

// lineBreak returns the length of the line break that text begins with: LF, CR LF
// or CR, as the LSP has them.
func lineBreak(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	return 1
}
