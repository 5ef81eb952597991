package workspace

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// settingsText is the text of a settings file while it is edited. Each step is one
// splice of bytes, after which the text is parsed anew: what is not in the splice
// stays as its author wrote it.
type settingsText struct {
	text []byte // without the byte order mark
	eol  string // the file's own line break
	unit string // the file's own indentation
}

// newSettingsText takes a text that could be parsed as settings.
func newSettingsText(text []byte) *settingsText {
	e := &settingsText{text: slices.Clone(text), eol: "\n", unit: "  "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		e.eol = "\r\n"
	}
	if o, ok := e.root().Value.(*hujson.Object); ok && len(o.Members) > 0 {
		if indent, first := e.indentation(o.Members[0].Name.StartOffset); first && indent != "" {
			e.unit = indent
		}
	}
	return e
}

// root parses the text. The grammar wants a line break after a line comment, also
// after the last.
func (e *settingsText) root() hujson.Value {
	v, err := hujson.Parse(append(e.text[:len(e.text):len(e.text)], '\n'))
	if err != nil {
		return hujson.Value{Value: hujson.Literal("null")} // no object: every step says so
	}
	return v
}

// spot is where a path of keys leads in the text.
type spot struct {
	// holder is the last object on the way.
	holder *hujson.Value
	// index of the member in it, -1 when there is none. Of one that is there twice it
	// is the last, which is the one that counts.
	index int
	// rest are the keys from that of the member on: more than one where the member is
	// missing, or null, which is as good.
	rest []string
}

func (s spot) object() *hujson.Object       { return s.holder.Value.(*hujson.Object) }
func (s spot) member() *hujson.ObjectMember { return &s.object().Members[s.index] }
func (s spot) found() bool                  { return s.index >= 0 && len(s.rest) == 1 }

// indexOf returns the index of the member of o that counts for a key, or -1.
func indexOf(o *hujson.Object, k string) int {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if text(&o.Members[i].Name) == k {
			return i
		}
	}
	return -1
}

// find walks down the path as far as there are objects.
func (e *settingsText) find(path ...string) (spot, error) {
	root := e.root()
	v := &root
	for i, key := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return spot{}, lang.Errorf(zh, msgEditNoObject, strings.Join(path[:i], "."), lang.MessageOf(zh, noun(v)))
		}
		s := spot{holder: v, index: indexOf(o, key), rest: path[i:]}
		if s.index < 0 || i == len(path)-1 {
			return s, nil
		}
		if v = &o.Members[s.index].Value; kind(v) == 'n' {
			return s, nil
		}
	}
	return spot{}, nil
}

// set gives the member at path a value, in place of the one it has, or as the last
// of its object. Objects that lack on the way are made.
func (e *settingsText) set(value *hujson.Value, path ...string) error {
	s, err := e.find(path...)
	if err != nil {
		return err
	}
	for i := len(s.rest) - 1; i > 0; i-- {
		name := hujson.Value{Value: hujson.String(s.rest[i])}
		value = &hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{{Name: name, Value: *value}}}}
	}
	if s.index < 0 {
		e.insert(s, value)
		return nil
	}
	old := &s.member().Value
	// What stands on one line with its neighbours stays there.
	indent, first := e.indentation(s.member().Name.StartOffset)
	e.splice(old.StartOffset, old.EndOffset, e.render(value, indent, !first))
	return nil
}

// insert adds the member rest[0] behind the last of the object.
func (e *settingsText) insert(s spot, value *hujson.Value) {
	o := s.object()
	from, end := s.holder.StartOffset+1, s.holder.EndOffset-1 // between the braces
	line, _ := e.indentation(s.holder.StartOffset)
	indent := line + e.unit
	comma, trailing := false, "" // whether the last member needs one, and we another
	if n := len(o.Members); n > 0 {
		last := &o.Members[n-1]
		from = last.Value.EndOffset
		own, first := e.indentation(last.Name.StartOffset)
		if !first { // on one line with what is before it
			e.splice(from, from, ", "+e.member(s.rest[0], value, line, true))
			return
		}
		indent = own
		if comma = last.Value.AfterExtra == nil; !comma {
			trailing = ","
		}
	}
	added := e.eol + indent + e.member(s.rest[0], value, indent, false) + trailing
	// Before the line of the closing brace, behind whatever comments there are.
	if nl := bytes.LastIndexByte(e.text[from:end], '\n'); nl >= 0 && blank(e.text[from+nl:end]) {
		at := from + nl
		if at > from && e.text[at-1] == '\r' {
			at--
		}
		e.splice(at, at, added)
	} else {
		at := from + len(bytes.TrimRight(e.text[from:end], " \t"))
		e.splice(at, end, added+e.eol+line)
	}
	if comma {
		e.splice(from, from, ",")
	}
}

// remove takes the member at path out, with the comma that went with it; comments
// around it stay. It reports whether there was one.
func (e *settingsText) remove(path ...string) (bool, error) {
	s, err := e.find(path...)
	if err != nil || !s.found() {
		return false, err
	}
	o, m := s.object(), s.member()
	start, end := m.Name.StartOffset, m.Value.EndOffset
	last := s.index == len(o.Members)-1
	comma := -1
	switch {
	case !last || m.Value.AfterExtra != nil:
		comma = end + len(m.Value.AfterExtra)
	case s.index > 0:
		before := &o.Members[s.index-1].Value
		comma = before.EndOffset + len(before.AfterExtra)
	}
	if comma == end {
		end++
	} else if comma > end {
		e.splice(comma, comma+1, "")
	}
	e.splice(e.withSpace(start, end))
	if comma >= 0 && comma < start {
		e.splice(comma, comma+1, "")
	}
	return true, nil
}

// withSpace widens the range of what goes by the white space that would be left over:
// its line when nothing else is on it, else the blanks to its right, or at the end of
// an object those to its left.
func (e *settingsText) withSpace(start, end int) (int, int, string) {
	left, right := start, end
	for left > 0 && (e.text[left-1] == ' ' || e.text[left-1] == '\t') {
		left--
	}
	for right < len(e.text) && (e.text[right] == ' ' || e.text[right] == '\t') {
		right++
	}
	atBreak := right == len(e.text) || e.text[right] == '\n' || e.text[right] == '\r'
	switch {
	case left > 0 && e.text[left-1] == '\n' && atBreak:
		left--
		if left > 0 && e.text[left-1] == '\r' {
			left--
		}
		return left, right, ""
	case atBreak, right < len(e.text) && e.text[right] == '}':
		return left, right, ""
	}
	return start, right, ""
}

// splice replaces the bytes from start up to end.
func (e *settingsText) splice(start, end int, with string) {
	e.text = slices.Concat(e.text[:start], []byte(with), e.text[end:])
}

// indentation returns the white space that begins the line of offset, and whether
// nothing else is before offset on it.
func (e *settingsText) indentation(offset int) (indent string, first bool) {
	line := e.text[bytes.LastIndexByte(e.text[:offset], '\n')+1 : offset]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0
}

func (e *settingsText) member(name string, v *hujson.Value, indent string, inline bool) string {
	return string(hujson.String(name)) + ": " + e.render(v, indent, inline)
}

// maxInlineList is how long a list of plain values may be to stand on one line, in bytes.
const maxInlineList = 100

// render writes a value in the file's own layout: an object over several lines, a
// short list of plain values on one, all of it on one line where that is asked for.
// indent is that of the line it begins on.
func (e *settingsText) render(v *hujson.Value, indent string, inline bool) string {
	var open, end string
	var parts []string
	switch c := v.Value.(type) {
	case hujson.Literal:
		return string(c)
	case *hujson.Object:
		open, end = "{", "}"
		for i := range c.Members {
			parts = append(parts, string(c.Members[i].Name.Value.(hujson.Literal))+": "+e.render(&c.Members[i].Value, indent+e.unit, inline))
		}
	case *hujson.Array:
		open, end = "[", "]"
		plain, length := true, 0
		for i := range c.Elements {
			_, literal := c.Elements[i].Value.(hujson.Literal)
			plain = plain && literal
			parts = append(parts, e.render(&c.Elements[i], indent+e.unit, inline))
			length += len(parts[i]) + 2
		}
		inline = inline || plain && length <= maxInlineList
	}
	switch {
	case len(parts) == 0:
		return open + end
	case inline:
		return open + strings.Join(parts, ", ") + end
	}
	lineBreak := e.eol + indent + e.unit
	return open + lineBreak + strings.Join(parts, ","+lineBreak) + e.eol + indent + end
}

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
