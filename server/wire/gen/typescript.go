package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

const tsHead = `// Code generated from server/wire by make generate. DO NOT EDIT.

/** A request: params P, answered with R. The last member carries the types alone and is never set. */
export interface RequestMethod<P, R> {
  readonly method: string;
  readonly types?: (params: P) => R;
}

/** A notification with params P. The last member carries the type alone and is never set. */
export interface NotificationMethod<P> {
  readonly method: string;
  readonly types?: (params: P) => void;
}
`

// typescript writes the types and the methods as typed constants. It depends on
// nothing, so that any client of Node or a browser can use it.
func typescript(m *model) []byte {
	var b bytes.Buffer
	b.WriteString(tsHead)
	for _, c := range m.constants {
		b.WriteByte('\n')
		tsDoc(&b, "", c.doc)
		fmt.Fprintf(&b, "export const %s = %s;\n", lowerFirst(c.name), c.value)
	}
	for _, t := range m.types {
		b.WriteByte('\n')
		tsType(&b, t)
	}
	for _, dir := range []struct {
		toServer bool
		title    string
	}{{true, "what an editor sends"}, {false, "what the server sends"}} {
		fmt.Fprintf(&b, "\n// Methods: %s.\n", dir.title)
		for _, w := range m.methods {
			if w.toServer != dir.toServer {
				continue
			}
			b.WriteByte('\n')
			tsDoc(&b, "", w.doc)
			typ := "NotificationMethod<" + w.params + ">"
			if w.result != "" {
				typ = "RequestMethod<" + w.params + ", " + w.result + ">"
			}
			fmt.Fprintf(&b, "export const %s: %s = { method: %q };\n", lowerFirst(strings.TrimSuffix(w.variable, "Notification")), typ, w.name)
		}
	}
	return b.Bytes()
}

func tsType(b *bytes.Buffer, t *typeDecl) {
	switch {
	case t.isEnum():
		tsDoc(b, "", t.doc)
		var values []string
		for _, v := range t.values {
			values = append(values, v.value)
		}
		fmt.Fprintf(b, "export type %s = %s;\n", t.name, strings.Join(values, " | "))
	case t.isUnion():
		var names []string
		for _, v := range t.variants {
			tsDoc(b, "", v.doc)
			fields := append([]field{{name: t.tag, literal: v.value}}, v.fields...)
			tsInterface(b, v.name, fields)
			b.WriteByte('\n')
			names = append(names, v.name)
		}
		tsDoc(b, "", t.doc)
		fmt.Fprintf(b, "export type %s =\n  | %s;\n", t.name, strings.Join(names, "\n  | "))
	default:
		tsDoc(b, "", t.doc)
		if len(t.fields) == 0 {
			fmt.Fprintf(b, "export type %s = Record<string, never>;\n", t.name)
			return
		}
		tsInterface(b, t.name, t.fields)
	}
}

func tsInterface(b *bytes.Buffer, name string, fields []field) {
	fmt.Fprintf(b, "export interface %s {\n", name)
	for _, f := range fields {
		tsDoc(b, "  ", f.doc)
		mark, typ := "", tsRef(f.typ)
		if f.optional {
			mark = "?"
		}
		if f.literal != "" {
			typ = fmt.Sprintf("%q", f.literal)
		}
		fmt.Fprintf(b, "  %s%s: %s;\n", f.name, mark, typ)
	}
	b.WriteString("}\n")
}

func tsRef(r typeRef) string {
	switch r.kind {
	case "integer", "number":
		return "number"
	case "any":
		return "unknown"
	case "array":
		return tsRef(*r.elem) + "[]"
	case "map":
		return "Record<string, " + tsRef(*r.elem) + ">"
	case "ref":
		return r.name
	default:
		return r.kind
	}
}

func tsDoc(b *bytes.Buffer, indent, doc string) {
	if doc == "" {
		return
	}
	doc = strings.ReplaceAll(doc, "*/", "* /")
	lines := strings.Split(doc, "\n")
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s/** %s */\n", indent, doc)
		return
	}
	fmt.Fprintf(b, "%s/**\n", indent)
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	fmt.Fprintf(b, "%s */\n", indent)
}

// lowerFirst makes a lower camel case name: MCPStatus becomes mcpStatus.
func lowerFirst(s string) string {
	r := []rune(s)
	for i := range r {
		if i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) || !unicode.IsUpper(r[i]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}
