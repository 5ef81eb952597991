package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed preamble.md
var preamble string

// markdown writes the protocol's documentation: the hand-written part, then every
// method and every type.
func markdown(m *model) []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Code generated from server/wire by make generate. DO NOT EDIT. -->\n\n")
	b.WriteString(strings.TrimSpace(preamble) + "\n")

	b.WriteString("\n## Methods\n\n| method | sent by | params | answer |\n|---|---|---|---|\n")
	for _, w := range m.methods {
		answer := "none (notification)"
		if w.result != "" {
			answer = mdLink(w.result)
		}
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", w.name, mdAnchor(w.name), sender(w), mdLink(w.params), answer)
	}
	for _, w := range m.methods {
		fmt.Fprintf(&b, "\n### `%s`\n\n", w.name)
		kind := "Notification"
		if w.result != "" {
			kind = "Request"
		}
		fmt.Fprintf(&b, "%s sent by the %s: %s", kind, sender(w), mdLink(w.params))
		if w.result != "" {
			fmt.Fprintf(&b, ", answered with %s", mdLink(w.result))
		}
		fmt.Fprintf(&b, ".\n\n%s\n", mdDoc(strings.Replace(w.doc, w.variable, "`"+w.name+"`", 1)))
	}

	b.WriteString("\n## Types\n")
	for _, t := range m.types {
		fmt.Fprintf(&b, "\n### %s\n", t.name)
		if t.doc != "" {
			fmt.Fprintf(&b, "\n%s\n", mdDoc(t.doc))
		}
		switch {
		case t.isEnum():
			b.WriteString("\nA string, one of:\n\n")
			for _, v := range t.values {
				fmt.Fprintf(&b, "- `%s`", v.value)
				if v.doc != "" {
					fmt.Fprintf(&b, ": %s", oneLine(v.doc))
				}
				b.WriteByte('\n')
			}
		case t.isUnion():
			fmt.Fprintf(&b, "\nA union, told apart by `%s`.\n", t.tag)
			for _, v := range t.variants {
				fmt.Fprintf(&b, "\n`%q`", v.value)
				if v.doc != "" {
					fmt.Fprintf(&b, ": %s", oneLine(v.doc))
				}
				b.WriteString("\n")
				mdFields(&b, v.fields)
			}
		case len(t.fields) > 0:
			mdFields(&b, t.fields)
		}
	}
	return b.Bytes()
}

func sender(w method) string {
	if w.toServer {
		return "editor"
	}
	return "server"
}

func mdFields(b *bytes.Buffer, fields []field) {
	b.WriteString("\n| member | type | |\n|---|---|---|\n")
	for _, f := range fields {
		name, typ := f.name, mdRef(f.typ)
		if f.optional {
			name += "?"
		}
		if f.literal != "" {
			typ = fmt.Sprintf("`%q`", f.literal)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, typ, strings.ReplaceAll(oneLine(f.doc), "|", "\\|"))
	}
}

func mdRef(r typeRef) string {
	switch r.kind {
	case "array":
		return mdRef(*r.elem) + "[]"
	case "map":
		return "object of " + mdRef(*r.elem)
	case "ref":
		return mdLink(r.name)
	default:
		return r.kind
	}
}

func mdLink(name string) string { return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name)) }

// mdAnchor is the anchor that renderers give a heading.
func mdAnchor(heading string) string {
	return strings.ToLower(strings.ReplaceAll(heading, "/", ""))
}

func oneLine(doc string) string { return strings.Join(strings.Fields(doc), " ") }

// mdDoc turns a Go comment into Markdown: the items of its lists lose their indent.
func mdDoc(doc string) string {
	lines := strings.Split(doc, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
