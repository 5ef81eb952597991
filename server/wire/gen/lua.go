package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// lua writes the types as LuaCATS annotations and the names of the methods as a
// table; it needs nothing of Neovim.
func lua(m *model) []byte {
	var b bytes.Buffer
	b.WriteString("-- Code generated from server/wire by make generate. DO NOT EDIT.\n---@meta _\n")
	for _, t := range m.types {
		b.WriteByte('\n')
		luaType(&b, t)
	}
	b.WriteString("\nlocal M = {}\n")
	for _, c := range m.constants {
		b.WriteByte('\n')
		luaDoc(&b, "", c.doc)
		fmt.Fprintf(&b, "M.%s = %s\n", snake(c.name), c.value)
	}
	b.WriteString("\nM.methods = {\n")
	for _, w := range m.methods {
		luaDoc(&b, "  ", w.doc)
		kind, from := "request", "to the server"
		if w.result == "" {
			kind = "notification"
		}
		if !w.toServer {
			from = "from the server"
		}
		shape := luaName(w.params)
		if w.result != "" {
			shape += " -> " + luaName(w.result)
		}
		fmt.Fprintf(&b, "  --- %s %s: %s\n", kind, from, shape)
		fmt.Fprintf(&b, "  %s = %q,\n", snake(strings.ReplaceAll(strings.TrimPrefix(w.name, "codebot/"), "/", "_")), w.name)
	}
	b.WriteString("}\n\nreturn M\n")
	return b.Bytes()
}

func luaType(b *bytes.Buffer, t *typeDecl) {
	switch {
	case t.isEnum():
		luaDoc(b, "", t.doc)
		fmt.Fprintf(b, "---@alias %s\n", luaName(t.name))
		for _, v := range t.values {
			fmt.Fprintf(b, "---| %s%s\n", v.value, luaTail(" # ", v.doc))
		}
	case t.isUnion():
		var names []string
		for _, v := range t.variants {
			luaDoc(b, "", v.doc)
			luaClass(b, v.name, append([]field{{name: t.tag, literal: v.value}}, v.fields...))
			b.WriteByte('\n')
			names = append(names, luaName(v.name))
		}
		luaDoc(b, "", t.doc)
		fmt.Fprintf(b, "---@alias %s\n---| %s\n", luaName(t.name), strings.Join(names, "\n---| "))
	default:
		luaDoc(b, "", t.doc)
		luaClass(b, t.name, t.fields)
	}
}

func luaClass(b *bytes.Buffer, name string, fields []field) {
	fmt.Fprintf(b, "---@class %s\n", luaName(name))
	for _, f := range fields {
		mark, typ := "", luaRef(f.typ)
		if f.optional {
			mark = "?"
		}
		if f.literal != "" {
			typ = fmt.Sprintf("%q", f.literal)
		}
		fmt.Fprintf(b, "---@field %s%s %s%s\n", f.name, mark, typ, luaTail(" ", f.doc))
	}
}

func luaRef(r typeRef) string {
	switch r.kind {
	case "array":
		return luaRef(*r.elem) + "[]"
	case "map":
		return "table<string, " + luaRef(*r.elem) + ">"
	case "ref":
		return luaName(r.name)
	default:
		return r.kind
	}
}

func luaName(name string) string { return "codebot." + name }

// luaTail is a comment that must stay on its line.
func luaTail(sep, doc string) string {
	if doc == "" {
		return ""
	}
	return sep + strings.Join(strings.Fields(doc), " ")
}

func luaDoc(b *bytes.Buffer, indent, doc string) {
	if doc == "" {
		return
	}
	for line := range strings.SplitSeq(doc, "\n") {
		b.WriteString(strings.TrimRight(indent+"--- "+line, " ") + "\n")
	}
}

// snake turns session_setMode and MCPStatus into session_set_mode and mcp_status.
func snake(s string) string {
	var b strings.Builder
	r := []rune(s)
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 && r[i-1] != '_' &&
			(unicode.IsLower(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
