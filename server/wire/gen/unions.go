package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

// shape says which members of a flat Go struct one variant of it has.
type shape struct {
	value              string
	required, optional []string
}

// flatUnions are the unions that Go keeps in one struct with a "type" member. The
// generator fails when a member or a type of the struct is in no variant.
var flatUnions = map[string][]shape{
	"ContentBlock": {
		{"text", []string{"text"}, nil},
		{"image", []string{"data", "mimeType"}, []string{"uri"}},
		{"audio", []string{"data", "mimeType"}, nil},
		{"resource_link", []string{"uri", "name"}, []string{"title", "description", "mimeType", "size"}},
		{"resource", []string{"resource"}, nil},
	},
	"ToolCallContent": {
		{"content", []string{"content"}, nil},
		{"diff", []string{"path", "newText"}, []string{"oldText"}},
	},
}

// joinUnions turns the types that are unions into such.
func (s *source) joinUnions() error {
	for name, shapes := range flatUnions {
		t := s.byName[name]
		if t == nil {
			return fmt.Errorf("union %s: no such type", name)
		}
		if err := s.flatten(t, shapes); err != nil {
			return fmt.Errorf("union %s: %w", name, err)
		}
	}
	t := s.byName["SessionUpdate"]
	t.tag, t.fields = "sessionUpdate", nil
	for _, v := range wire.SessionUpdateVariants() {
		name := reflect.TypeOf(v).Elem().Name()
		decl := s.byName[name]
		t.variants = append(t.variants, variant{name: name, value: v.UpdateKind(), doc: decl.doc, fields: decl.fields})
	}
	return nil
}

func (s *source) flatten(t *typeDecl, shapes []shape) error {
	byName := map[string]field{}
	unused := map[string]bool{}
	var kinds []string
	for _, f := range t.fields {
		byName[f.name] = f
		unused[f.name] = true
		if f.name == "type" {
			for _, c := range s.byName[f.typ.name].values {
				value, err := strconv.Unquote(c.value)
				if err != nil {
					return err
				}
				kinds = append(kinds, value)
			}
		}
	}
	delete(unused, "type")
	for _, sh := range shapes {
		v := variant{name: t.name + pascal(sh.value), value: sh.value}
		for i, names := range [][]string{sh.required, sh.optional} {
			for _, name := range names {
				f, ok := byName[name]
				if !ok {
					return fmt.Errorf("variant %s: no member %s", sh.value, name)
				}
				f.optional = i == 1
				v.fields = append(v.fields, f)
				delete(unused, name)
			}
		}
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == sh.value })
		t.variants = append(t.variants, v)
	}
	for name := range unused {
		return fmt.Errorf("member %s is in no variant", name)
	}
	if len(kinds) > 0 {
		return fmt.Errorf("no variant for type %s", strings.Join(kinds, ", "))
	}
	t.tag, t.fields = "type", nil
	return nil
}

// pascal turns resource_link into ResourceLink.
func pascal(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(s, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
