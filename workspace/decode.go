package workspace

import (
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// member is one key of an object and its value.
type member struct {
	name       string
	key, value *hujson.Value
}

// members returns the members of o in the order of the file, of a key that is
// there twice the last, as JSON parsers do.
func (d *decoder) members(o *hujson.Object) []member {
	out := make([]member, 0, len(o.Members))
	at := make(map[string]int, len(o.Members))
	for i := range o.Members {
		m := member{text(&o.Members[i].Name), &o.Members[i].Name, &o.Members[i].Value}
		if first, twice := at[m.name]; twice {
			line, _ := d.lines.position(out[first].key.StartOffset)
			d.key(m, SeverityWarning, CodeDuplicateKey, msgDuplicate, m.name, line)
			out[first] = m
			continue
		}
		at[m.name] = len(out)
		out = append(out, m)
	}
	return out
}

// str, strs, object and array return the value as that, or report that it is
// something else. null is as good as absent: not ok, and nothing to report.

func (d *decoder) str(what string, v *hujson.Value) (string, bool) {
	if kind(v) != '"' {
		d.wrongType(what, nounString, v)
		return "", false
	}
	return text(v), true
}

func (d *decoder) strs(what string, v *hujson.Value) ([]string, bool) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		d.wrongType(what, nounStrings, v)
		return nil, false
	}
	var out []string
	for i := range list.Elements {
		e := &list.Elements[i]
		if kind(e) != '"' {
			d.elementType(fmt.Sprintf("%s[%d]", what, i), e)
			ok = false
			continue
		}
		out = append(out, text(e))
	}
	return out, ok
}

func (d *decoder) boolean(what string, v *hujson.Value) (bool, bool) {
	if k := kind(v); k != 't' && k != 'f' {
		d.wrongType(what, nounBoolean, v)
		return false, false
	}
	return kind(v) == 't', true
}

func (d *decoder) object(what string, v *hujson.Value) (*hujson.Object, bool) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		d.wrongType(what, nounObject, v)
	}
	return o, ok
}

func (d *decoder) array(what string, v *hujson.Value) (*hujson.Array, bool) {
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		d.wrongType(what, nounArray, v)
	}
	return a, ok
}

func (d *decoder) wrongType(what, want string, v *hujson.Value) {
	if kind(v) != 'n' {
		d.at(v.StartOffset, v.EndOffset, SeverityError, CodeWrongType, msgType, what, d.word(want), d.word(noun(v)))
	}
}

// elementType reports an element of a list or map of strings; there null is wrong too.
func (d *decoder) elementType(what string, v *hujson.Value) {
	d.at(v.StartOffset, v.EndOffset, SeverityError, CodeWrongType, msgType, what, d.word(nounString), d.word(noun(v)))
}

func (d *decoder) unknown(m member, known []string) {
	if near := suggest(m.name, known); near != "" {
		n := len(d.diagnostics)
		d.key(m, SeverityWarning, CodeUnknownKey, msgUnknownNear, m.name, near)
		if len(d.diagnostics) > n {
			d.diagnostics[n].Near = near
		}
		return
	}
	d.key(m, SeverityWarning, CodeUnknownKey, msgUnknown, m.name)
}

// key and value report something of a member, at its key or its value.

func (d *decoder) key(m member, s Severity, c Code, format string, args ...any) {
	d.at(m.key.StartOffset, m.key.EndOffset, s, c, format, args...)
}

func (d *decoder) value(m member, s Severity, c Code, format string, args ...any) {
	d.at(m.value.StartOffset, m.value.EndOffset, s, c, format, args...)
}

func (d *decoder) at(start, end int, s Severity, c Code, format string, args ...any) {
	if len(d.diagnostics) >= maxDiagnostics {
		return
	}
	diag := d.place(start, end)
	diag.Severity, diag.Code, diag.Message = s, c, d.say(format, args...)
	d.diagnostics = append(d.diagnostics, diag)
}

// say gives a text for people in the language of the messages.
func (d *decoder) say(format string, args ...any) string {
	return d.lang.Sprintf(zh, format, args...)
}

// word is say for a text without arguments.
func (d *decoder) word(s string) string { return d.lang.Text(zh, s) }

// place is a diagnostic that says nothing yet.
func (d *decoder) place(start, end int) Diagnostic {
	p := Diagnostic{File: d.file}
	p.Line, p.Column = d.lines.position(start)
	p.EndLine, p.EndColumn = d.lines.position(end)
	return p
}

func kind(v *hujson.Value) hujson.Kind { return v.Value.Kind() }

// text is the value of a string literal.
func text(v *hujson.Value) string { return v.Value.(hujson.Literal).String() }

func noun(v *hujson.Value) string {
	switch kind(v) {
	case '{':
		return nounObject
	case '[':
		return nounArray
	case '"':
		return nounString
	case '0':
		return nounNumber
	case 'n':
		return nounNull
	default:
		return nounBoolean
	}
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
