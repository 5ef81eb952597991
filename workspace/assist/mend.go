package assist

import (
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// mend adds to what workspace has found the ways to mend it.
func (k *check) mend(d *Finding) {
	offset := k.positions.Offset(workspace.Position{Line: uint32(d.Line - 1), Character: uint32(d.Column - 1)})
	n, m, around := k.nodeAt(offset)
	if n == nil || m == nil || around == nil {
		return
	}
	switch d.Code {
	case workspace.CodeUnknownKey:
		if d.Near != "" && around.find(k.Text, d.Near) == nil {
			d.Fixes = append(d.Fixes, k.fix(true, k.say(fixRename, d.Near), k.renameKey(m, d.Near)))
		}
		d.Fixes = append(d.Fixes, k.removal(m, around))
	case workspace.CodeUserScopeOnly, workspace.CodeNotImplemented:
		d.Fixes = append(d.Fixes, k.removal(m, around))
	case workspace.CodeDuplicateKey:
		if first := k.firstOf(around, m); first != nil {
			d.Fixes = append(d.Fixes, k.fix(true, k.say(fixRemoveFirst, mcp.CleanLine(m.key.str(k.Text))), k.remove(around, first)...))
		}
	case workspace.CodeForeignShape:
		d.Fixes = append(d.Fixes, k.foreign(m, around)...)
	case workspace.CodeInvalidValue:
		d.Fixes = append(d.Fixes, k.words(n)...)
	case workspace.CodeInvalidEntry:
		d.Fixes = append(d.Fixes, k.words(n)...)
		if fix, ok := k.split(m, around); ok && n == m.value {
			d.Fixes = append(d.Fixes, fix)
		}
	case workspace.CodeWrongType:
		d.Fixes = append(d.Fixes, k.retype(n)...)
	}
}

func (k *check) fix(preferred bool, title string, edits ...TextEdit) Fix {
	return Fix{Title: title, Edits: edits, Preferred: preferred}
}

func (k *check) removal(m *member, around *node) Fix {
	return k.fix(false, k.say(fixRemove, mcp.CleanLine(m.key.str(k.Text))), k.remove(around, m)...)
}

func (k *check) firstOf(around *node, m *member) *member {
	for _, other := range around.members {
		if other != m && other.key.str(k.Text) == m.key.str(k.Text) {
			return other
		}
	}
	return nil
}

// words offers the words that may stand where n does, the nearest first.
func (k *check) words(n *node) []Fix {
	s := settingsShape().at(k.locate(n.start).valuePath())
	if s == nil || n.kind != kindString || len(s.words) == 0 {
		return nil
	}
	var known []string
	for _, w := range s.words {
		known = append(known, w.word)
	}
	near := nearest(n.str(k.Text), known)
	var fixes []Fix
	for _, w := range known {
		fixes = append(fixes, k.fix(w == near, k.say(fixReplace, w), k.edit(n.start, n.end, quote(w))))
	}
	slices.SortStableFunc(fixes, func(a, b Fix) int {
		if a.Preferred == b.Preferred {
			return 0
		}
		if a.Preferred {
			return -1
		}
		return 1
	})
	return fixes
}

// retype offers the value in the type that belongs there, where that is plain.
func (k *check) retype(n *node) []Fix {
	s := settingsShape().at(k.locate(n.start).valuePath())
	if s == nil || n.kind != kindString && n.kind != kindOther {
		return nil
	}
	value, text := "", n.str(k.Text)
	switch {
	case s.types == "array" && n.kind == kindString:
		value = "[" + n.raw(k.Text) + "]"
	case s.types == "boolean" && (text == "true" || text == "false"):
		value = text
	case s.types == "integer" && text != "" && len(text) < 10 && strings.Trim(text, "0123456789") == "":
		value = text
	case s.types == "string" && n.kind == kindOther:
		value = quote(text)
	default:
		return nil
	}
	return []Fix{k.fix(true, k.say(fixConvert, value), k.edit(n.start, n.end, value))}
}

// split makes a program and its arguments of a command line. One that a shell would
// have to read is left alone.
func (k *check) split(m *member, around *node) (Fix, bool) {
	line := m.value.str(k.Text)
	words := strings.Fields(line)
	if m.key.str(k.Text) != "command" || m.value.kind != kindString || len(words) < 2 || strings.ContainsAny(line, `"'\|&;<>`+"`") {
		return Fix{}, false
	}
	return k.fix(true, k.word(fixSplit), k.commandAndArgs(m, around, words)...), true
}

// commandAndArgs puts the words of a command line into "command" and before what
// "args" has already.
func (k *check) commandAndArgs(m *member, around *node, words []string) []TextEdit {
	var quoted []string
	for _, w := range words[1:] {
		quoted = append(quoted, quote(w))
	}
	list := strings.Join(quoted, ", ")
	args := around.find(k.Text, "args")
	if args != nil && args.value != nil && args.value.kind == kindArray {
		edits := []TextEdit{k.edit(m.value.start, m.value.end, quote(words[0]))}
		if list == "" {
			return edits
		}
		if len(args.value.elements) > 0 {
			list += ", "
		}
		return append(edits, k.edit(args.value.start+1, args.value.start+1, list))
	}
	text := quote(words[0])
	if list != "" {
		text += ", " + field("args", "["+list+"]")
	}
	return []TextEdit{k.edit(m.value.start, m.value.end, text)}
}

// valuePath is the path of the value that a cursor at its first byte is at.
func (p place) valuePath() []string { return p.path }
