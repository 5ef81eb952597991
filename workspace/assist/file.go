package assist

import (
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/workspace"
)

// File is one text of a settings file, perhaps unsaved, perhaps broken. It never
// changes; a text that was edited is another File. Not safe for concurrent use.
type File struct {
	Text string

	root      *node
	comments  [][2]int
	positions *workspace.Positions
}

// maxText is how long a text may be, in bytes, that is looked into: as long as a
// settings file may be.
const maxText = 1 << 20

// Open reads a text.
func Open(text string) *File {
	var root *node
	var comments [][2]int
	if len(text) <= maxText {
		root, comments = parseTree(text)
	}
	return &File{Text: text, root: root, comments: comments, positions: workspace.PositionsOf(text)}
}

// TextEdit replaces a range of the text. Ranges of several edits count in the text
// before all of them and do not overlap.
type TextEdit struct {
	Range workspace.Range
	Text  string
}

// rangeOf turns byte offsets into a range.
func (f *File) rangeOf(start, end int) workspace.Range {
	return workspace.Range{Start: f.positions.At(start), End: f.positions.At(end)}
}

func (f *File) edit(start, end int, text string) TextEdit {
	return TextEdit{f.rangeOf(start, end), text}
}

// place is where a cursor stands in the tree.
type place struct {
	// path are the keys and "*" (for an element) from the root to the object, array
	// or value that the cursor is in; the key itself is not part of it.
	path []string
	// in is the innermost object or array around the cursor, nil outside of all.
	in *node
	// member is the member of in that the cursor is at, nil between members.
	member *member
	// onKey says that the cursor is at the key of member.
	onKey bool
	// value is the value the cursor is at, nil when none is typed there.
	value *node
}

// locate returns the place of the byte at offset.
func (f *File) locate(offset int) place {
	p := place{}
	for n := f.root; n != nil; {
		if offset < n.start || offset > n.end || offset == n.end && n.closed && n.kind != kindOther && n.kind != kindString {
			break
		}
		if n.kind != kindObject && n.kind != kindArray {
			p.value = n
			break
		}
		if offset == n.start { // before the bracket: at the value as a whole
			p.value = n
			break
		}
		p.in, p.member, p.onKey, p.value = n, nil, false, nil
		n = f.descend(&p, n, offset)
	}
	return p
}

// descend looks for the part of n that the cursor is at, and returns the value to go
// on with.
func (f *File) descend(p *place, n *node, offset int) *node {
	for _, e := range n.elements {
		if offset >= e.start && offset <= e.end {
			p.path = append(p.path, "*")
			return e
		}
	}
	for i, m := range n.members {
		if offset >= m.key.start && offset <= m.key.end {
			p.member, p.onKey = m, true
			return nil
		}
		if m.colon < 0 {
			continue
		}
		if offset <= m.colon {
			if offset > m.key.end { // between the key and its colon
				p.member = m
			}
			continue
		}
		next := n.end
		if i+1 < len(n.members) {
			next = n.members[i+1].key.start
		}
		name := m.key.str(f.Text)
		switch {
		case m.value != nil && offset >= m.value.start && offset <= m.value.end:
			p.member, p.path = m, append(p.path, name)
			return m.value
		case m.value != nil && offset < m.value.start: // between the colon and the value
			p.member = m
			return nil
		case m.value == nil && offset <= next && (m.comma < 0 || offset <= m.comma) && !strings.Contains(f.Text[m.colon:offset], "\n"):
			p.member, p.path = m, append(p.path, name)
			return nil
		}
	}
	return nil
}

// inComment reports whether the byte at offset is within a comment.
func (f *File) inComment(offset int) bool {
	i, _ := slices.BinarySearchFunc(f.comments, offset, func(c [2]int, at int) int { return c[0] - at })
	return i > 0 && offset <= f.comments[i-1][1] && offset > f.comments[i-1][0]
}

// servers is the object of "mcp_servers", nil when there is none.
func (f *File) servers() *node {
	if n := f.root.get(f.Text, "mcp_servers"); n != nil && n.kind == kindObject {
		return n
	}
	return nil
}

// entries returns the entries of "mcp_servers", of a name that is there twice the
// last.
func (f *File) entries() []entry {
	all := f.servers()
	if all == nil {
		return nil
	}
	var out []entry
	at := map[string]int{}
	for _, m := range all.members {
		e := entry{name: m.key.str(f.Text), member: m}
		if i, twice := at[e.name]; twice {
			out[i] = e
			continue
		}
		at[e.name] = len(out)
		out = append(out, e)
	}
	return out
}

// entry is one entry of "mcp_servers".
type entry struct {
	name string
	*member
}

// object is the entry's object, nil when it is none.
func (e entry) object() *node {
	if e.value == nil || e.value.kind != kindObject {
		return nil
	}
	return e.value
}

// nodeAt returns the key or value that begins at offset, with the member it belongs
// to and the object around that.
func (f *File) nodeAt(offset int) (n *node, m *member, around *node) {
	p := f.locate(offset)
	switch {
	case p.onKey && p.member.key.start == offset:
		return p.member.key, p.member, p.in
	case p.value != nil && p.value.start == offset:
		return p.value, p.member, p.in
	}
	return nil, nil, nil
}
