package assist

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/codebot-ls/codebot-ls/workspace"
)

// quote is s as a JSON string.
func quote(s string) string {
	// Only what is not UTF-8 is an error, and replaced all the same.
	out, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	return string(out)
}

func nearest(word string, known []string) string {
	near := workspace.Nearest(word, known)
	if near == word {
		return ""
	}
	return near
}

// remove takes the member m out of the object around it, with its comma and, when
// nothing else stands there, its lines. Comments stay.
func (f *File) remove(around *node, m *member) []TextEdit {
	start, end := m.key.start, m.end()
	var edits []TextEdit
	if m.comma >= 0 {
		if strings.TrimSpace(f.Text[end:m.comma]) == "" {
			end = m.comma + 1
		} else { // a comment stands between
			edits = append(edits, f.edit(m.comma, m.comma+1, ""))
		}
	} else {
		for i, other := range around.members {
			if other == m && i > 0 && around.members[i-1].comma >= 0 {
				comma := around.members[i-1].comma
				edits = append(edits, f.edit(comma, comma+1, ""))
			}
		}
	}
	start, end = f.wholeLines(start, end)
	return append(edits, f.edit(start, end, ""))
}

// wholeLines widens a range to whole lines where only white space stands beside it.
func (f *File) wholeLines(start, end int) (int, int) {
	before, after := start, end
	for before > 0 && (f.Text[before-1] == ' ' || f.Text[before-1] == '\t') {
		before--
	}
	for after < len(f.Text) && strings.IndexByte(" \t\r", f.Text[after]) >= 0 {
		after++
	}
	alone := before > 0 && f.Text[before-1] == '\n'
	switch {
	case alone && after < len(f.Text) && f.Text[after] == '\n':
		return before, after + 1
	case after < len(f.Text) && f.Text[after] == '\n':
		return start, end
	}
	return start, after // something follows on the line
}

// replaceMember puts text in the place of a member.
func (f *File) replaceMember(m *member, text string) TextEdit {
	return f.edit(m.key.start, m.end(), text)
}

// renameKey gives a member another key.
func (f *File) renameKey(m *member, name string) TextEdit {
	return f.edit(m.key.start, m.key.end, quote(name))
}

// field is a member as a text.
func field(name, value string) string { return quote(name) + ": " + value }

// difference returns the edits that make the text another one, line by line.
func (f *File) difference(after string) []TextEdit {
	var out []TextEdit
	for _, e := range udiff.Strings(f.Text, after) {
		out = append(out, f.edit(e.Start, e.End, e.New))
	}
	return out
}

// Apply returns the text after edits, which do not overlap. The first of several at
// one place comes first.
func (f *File) Apply(edits []TextEdit) string {
	converted := make([]udiff.Edit, 0, len(edits))
	for _, e := range edits {
		converted = append(converted, udiff.Edit{
			Start: f.positions.Offset(e.Range.Start), End: f.positions.Offset(e.Range.End), New: e.Text,
		})
	}
	after, err := udiff.Apply(f.Text, converted)
	if err != nil { // they overlap
		return f.Text
	}
	return after
}
