package assist

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the tree, for the parser calls itself. Brackets below it are
// skipped; workspace calls such a file bad.
const maxDepth = 64

// nodeKind says what a node is.
type nodeKind byte

const (
	kindObject nodeKind = '{'
	kindArray  nodeKind = '['
	kindString nodeKind = '"'
	kindOther  nodeKind = 'o' // a number, a literal, or a word that is none yet
)

// node is one value of the text, or a key. start and end are byte offsets, end is
// exclusive.
type node struct {
	kind       nodeKind
	start, end int
	// closed says that the closing quote or bracket is there.
	closed   bool
	members  []*member
	elements []*node
}

// member is one key of an object. value is nil while there is none.
type member struct {
	key, value *node
	colon      int // offset of the colon, -1 while there is none
	comma      int // offset of the comma behind it, -1 when there is none
}

// end is the offset behind what there is of the member.
func (m *member) end() int {
	switch {
	case m.value != nil:
		return m.value.end
	case m.colon >= 0:
		return m.colon + 1
	}
	return m.key.end
}

// parser makes a tree of any text. What it cannot place it skips.
type parser struct {
	text string
	at   int
	// comments are the ranges of the comments, in order.
	comments [][2]int
}

// parseTree returns the first value of the text, nil when there is none.
func parseTree(text string) (root *node, comments [][2]int) {
	p := &parser{text: text}
	for p.at < len(p.text) && root == nil {
		p.space()
		if root = p.value(0); root == nil {
			p.at++
		}
	}
	p.space()
	return root, p.comments
}

// space skips white space, comments and a byte order mark.
func (p *parser) space() {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
		case strings.HasPrefix(rest, "\uFEFF"):
			p.at += len("\uFEFF")
		case strings.HasPrefix(rest, "//"):
			p.comment(strings.IndexByte(rest, '\n'))
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end >= 0 {
				end += 4
			}
			p.comment(end)
		default:
			return
		}
	}
}

// comment takes the next n bytes as a comment, all that is left when n is negative.
func (p *parser) comment(n int) {
	start := p.at
	p.at += n
	if n < 0 {
		p.at = len(p.text)
	}
	p.comments = append(p.comments, [2]int{start, p.at})
}

// value reads a value; nil, and nothing consumed, when none begins here.
func (p *parser) value(depth int) *node {
	if p.at >= len(p.text) {
		return nil
	}
	switch c := p.text[p.at]; {
	case c == '{' && depth < maxDepth:
		return p.object(depth + 1)
	case c == '[' && depth < maxDepth:
		return p.array(depth + 1)
	case c == '"':
		return p.str()
	case strings.IndexByte("{}[],:/", c) >= 0:
		return nil
	}
	return p.word()
}

// word is a run of letters up to whatever ends a value.
func (p *parser) word() *node {
	n := &node{kind: kindOther, start: p.at}
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n{}[],:\"/", p.text[p.at]) < 0 {
		p.at++
	}
	n.end, n.closed = p.at, true
	return n
}

// str reads a string. One without its closing quote ends with the line.
func (p *parser) str() *node {
	n := &node{kind: kindString, start: p.at}
	for p.at++; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\\':
			if p.at+1 < len(p.text) && p.text[p.at+1] != '\n' && p.text[p.at+1] != '\r' {
				p.at++
			}
		case '"':
			p.at++
			n.end, n.closed = p.at, true
			return n
		case '\n', '\r':
			n.end = p.at
			return n
		}
	}
	p.at = min(p.at, len(p.text))
	n.end = p.at
	return n
}

func (p *parser) array(depth int) *node {
	n := &node{kind: kindArray, start: p.at}
	p.at++
	for {
		p.space()
		if p.at >= len(p.text) || p.text[p.at] == '}' { // that closes something around us
			n.end = p.at
			return n
		}
		if p.text[p.at] == ']' {
			p.at++
			n.end, n.closed = p.at, true
			return n
		}
		if e := p.value(depth); e != nil {
			n.elements = append(n.elements, e)
			continue
		}
		p.at++
	}
}

func (p *parser) object(depth int) *node {
	n := &node{kind: kindObject, start: p.at}
	p.at++
	for {
		p.space()
		if p.at >= len(p.text) || p.text[p.at] == ']' {
			n.end = p.at
			return n
		}
		switch c := p.text[p.at]; {
		case c == '}':
			p.at++
			n.end, n.closed = p.at, true
			return n
		case c == '"':
			n.members = append(n.members, p.member(p.str(), depth))
		case strings.IndexByte("{[,:/", c) >= 0:
			if v := p.value(depth); v == nil { // a value without its key is skipped whole
				p.at++
			}
		default:
			n.members = append(n.members, p.member(p.word(), depth))
		}
	}
}

// member reads what follows a key.
func (p *parser) member(key *node, depth int) *member {
	m := &member{key: key, colon: -1, comma: -1}
	back := p.at
	p.space()
	if p.at < len(p.text) && p.text[p.at] == ':' {
		m.colon = p.at
		p.at++
		back = p.at
		p.space()
		if !p.keyAhead(m.colon) {
			m.value = p.value(depth)
			back = p.at
			p.space()
		}
	}
	if p.at < len(p.text) && p.text[p.at] == ',' {
		m.comma = p.at
		p.at++
		return m
	}
	if p.at < len(p.text) { // the space may belong to what comes next
		p.at = max(back, 0)
		p.dropComments(p.at)
	}
	return m
}

// dropComments forgets the comments from an offset on: they are read again.
func (p *parser) dropComments(from int) {
	for len(p.comments) > 0 && p.comments[len(p.comments)-1][0] >= from {
		p.comments = p.comments[:len(p.comments)-1]
	}
}

// keyAhead reports whether the string that comes next is a key on a line of its own:
// then the value before it is not typed yet.
func (p *parser) keyAhead(colon int) bool {
	if p.at >= len(p.text) || p.text[p.at] != '"' || !strings.Contains(p.text[colon:p.at], "\n") {
		return false
	}
	ahead := &parser{text: p.text, at: p.at}
	ahead.str()
	ahead.space()
	return ahead.at < len(ahead.text) && ahead.text[ahead.at] == ':'
}

// raw is the node as it stands in the text.
func (n *node) raw(text string) string { return text[n.start:n.end] }

// inner returns the range between the quotes of a string.
func (n *node) inner() (start, end int) {
	if n.kind != kindString {
		return n.start, n.end
	}
	if n.closed {
		return n.start + 1, n.end - 1
	}
	return n.start + 1, n.end
}

// str is what a string or word says.
func (n *node) str(text string) string {
	if n == nil {
		return ""
	}
	if n.kind == kindString && n.closed {
		var s string
		if json.Unmarshal([]byte(n.raw(text)), &s) == nil {
			return s
		}
	}
	start, end := n.inner()
	return strings.ToValidUTF8(text[start:end], string(utf8.RuneError))
}

// find returns the member of that name, the last one as JSON parsers do; nil when
// there is none, or n is no object.
func (n *node) find(text, name string) *member {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key.str(text) == name {
			return n.members[i]
		}
	}
	return nil
}

// get returns the value at a path of keys, nil when there is none.
func (n *node) get(text string, path ...string) *node {
	for _, name := range path {
		m := n.find(text, name)
		if m == nil || m.value == nil {
			return nil
		}
		n = m.value
	}
	return n
}
