package assist

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// FormatOptions are what the editor says of indentation.
type FormatOptions struct {
	// Tab is the text of one level of indentation.
	Tab string
}

// Format returns the edits that lay the text out, keeping every comment, and adding
// no trailing comma where there was none. ok is false for a text that is not JSON.
func (f *File) Format(o FormatOptions) (edits []TextEdit, ok bool) {
	windows := strings.Contains(f.Text, "\r\n")
	text := strings.ReplaceAll(f.Text, "\r\n", "\n")
	if strings.Contains(text, "\r") {
		return nil, false // a line break to an editor and none to a line comment
	}
	// The grammar wants a line break after a line comment, also after the last.
	v, err := hujson.Parse([]byte(text + "\n"))
	if err != nil || f.root == nil || !utf8.ValidString(f.Text) || tooDeep(f.root, 0) {
		return nil, false
	}
	trailing := trailingComma(&v)
	v.Format()
	tidy(&v, trailing)
	after := indented(string(v.Pack()), o.Tab)
	if windows {
		after = strings.ReplaceAll(after, "\n", "\r\n")
	}
	if after == f.Text {
		return nil, true
	}
	return f.difference(after), true
}

// tooDeep reports whether the tree was cut at its depth.
func tooDeep(n *node, depth int) bool {
	if depth >= maxDepth {
		return true
	}
	for _, e := range n.elements {
		if tooDeep(e, depth+1) {
			return true
		}
	}
	for _, m := range n.members {
		if m.value != nil && tooDeep(m.value, depth+1) {
			return true
		}
	}
	return false
}

// last returns the last value of an object or array and what stands behind its comma.
func last(v *hujson.Value) (value *hujson.Value, behind *hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		if n := len(c.Members); n > 0 {
			return &c.Members[n-1].Value, &c.AfterExtra
		}
	case *hujson.Array:
		if n := len(c.Elements); n > 0 {
			return &c.Elements[n-1], &c.AfterExtra
		}
	}
	return nil, nil
}

// trailingComma reports whether any object or array has a comma behind its last
// value: hujson keeps something between the two then, if only an empty text.
func trailingComma(v *hujson.Value) bool {
	found := false
	for v := range v.All() {
		if value, _ := last(v); value != nil && value.AfterExtra != nil {
			found = true
		}
	}
	return found
}

// tidy takes back two of the formatter's opinions: values in columns, and trailing
// commas where the writer has none.
func tidy(v *hujson.Value, trailing bool) {
	for v := range v.All() {
		if o, ok := v.Value.(*hujson.Object); ok {
			for i := range o.Members {
				if before := &o.Members[i].Value.BeforeExtra; len(*before) > 0 && len(bytes.Trim(*before, " ")) == 0 {
					*before = hujson.Extra(" ")
				}
			}
		}
		if trailing {
			continue
		}
		if value, behind := last(v); value != nil && value.AfterExtra != nil {
			*behind = append(append(hujson.Extra(nil), value.AfterExtra...), *behind...)
			value.AfterExtra = nil
		}
	}
	v.UpdateOffsets()
}

// indented replaces the tabs that lines begin with. A line within a block comment
// keeps what the formatter gave it.
func indented(text, tab string) string {
	if tab == "\t" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, "\t")
		lines[i] = strings.Repeat(tab, len(line)-len(rest)) + rest
	}
	return strings.Join(lines, "\n")
}
