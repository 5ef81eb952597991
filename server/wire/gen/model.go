package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

// model is the protocol as the writers of the three languages need it.
type model struct {
	methods []method
	// types are those that a message can carry, in the order of the source.
	types []*typeDecl
	// constants are the package's untyped ones.
	constants []constant
}

type method struct {
	name, doc      string
	variable       string
	params, result string // type names; result is empty for a notification
	toServer       bool
}

// typeDecl is one named type: an enum has values, a struct fields, a union variants.
type typeDecl struct {
	name, doc string
	values    []constant
	fields    []field
	variants  []variant
	// tag is the member that tells the variants of a union apart.
	tag string
}

func (t *typeDecl) isEnum() bool  { return t.values != nil }
func (t *typeDecl) isUnion() bool { return t.variants != nil }

// field is one member of an object.
type field struct {
	name, doc string
	optional  bool
	typ       typeRef
	// literal is the only value of the member, "" when any is possible.
	literal string
}

// variant is one object of a union.
type variant struct {
	// name is that of the object's own type; value that of the union's tag.
	name, value, doc string
	fields           []field
}

type constant struct {
	name, doc string
	value     string // as in the source, quoted when it is a string
}

// typeRef is the type of a member.
type typeRef struct {
	// kind is "string", "integer", "boolean", "any", "array", "map" or "ref".
	kind string
	name string   // of a ref
	elem *typeRef // of an array or map
}

// names calls f with every type that the reference mentions.
func (r typeRef) names(f func(string)) {
	if r.kind == "ref" {
		f(r.name)
	}
	if r.elem != nil {
		r.elem.names(f)
	}
}

// roots are the types that are not reached from a method but travel all the same:
// in initialize and in errors.
var roots = []string{"ClientCapabilities", "ServerCapabilities", "ActionError", "ModelError"}

// load reads the package in dir.
func load(dir string) (*model, error) {
	src, err := parse(dir)
	if err != nil {
		return nil, err
	}
	m := &model{constants: src.constants}
	for _, w := range wire.Methods() {
		row := method{name: w.Name, variable: w.Var, toServer: w.Direction == wire.ToServer, params: w.Params.Name()}
		if row.doc = src.vars[w.Var]; row.doc == "" {
			return nil, fmt.Errorf("method %s: the variable %s has no comment", w.Name, w.Var)
		}
		if w.Result != nil {
			row.result = w.Result.Name()
		}
		m.methods = append(m.methods, row)
	}
	if err := src.joinUnions(); err != nil {
		return nil, err
	}
	m.types, err = src.reachable(m.methods)
	return m, err
}

// source is what the files of the package declare.
type source struct {
	types     []*typeDecl
	byName    map[string]*typeDecl
	vars      map[string]string // doc by variable
	constants []constant
	structs   map[string]*ast.StructType
}

func parse(dir string) (*source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	s := &source{byName: map[string]*typeDecl{}, vars: map[string]string{}, structs: map[string]*ast.StructType{}}
	enums := map[string][]constant{}
	fset := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, path, data, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				s.addSpec(g, spec, enums)
			}
		}
	}
	for _, t := range s.types {
		if st := s.structs[t.name]; st != nil {
			if t.fields, err = s.fieldsOf(t.name, st); err != nil {
				return nil, err
			}
		}
		t.values = enums[t.name]
	}
	return s, nil
}

func (s *source) addSpec(g *ast.GenDecl, spec ast.Spec, enums map[string][]constant) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if !spec.Name.IsExported() || spec.TypeParams != nil {
			return
		}
		t := &typeDecl{name: spec.Name.Name, doc: docOf(spec.Doc, g)}
		if st, ok := spec.Type.(*ast.StructType); ok {
			s.structs[t.name] = st
		}
		s.types = append(s.types, t)
		s.byName[t.name] = t
	case *ast.ValueSpec:
		if !spec.Names[0].IsExported() {
			return
		}
		name := spec.Names[0].Name
		if g.Tok == token.VAR {
			s.vars[name] = docOf(spec.Doc, g)
			return
		}
		if len(spec.Values) != 1 {
			return
		}
		value, ok := literal(spec.Values[0])
		if !ok {
			return
		}
		c := constant{name: name, value: value, doc: docOf(spec.Doc, g)}
		if typ, ok := spec.Type.(*ast.Ident); ok {
			if g.Lparen.IsValid() && spec.Doc == nil {
				c.doc = "" // the group's comment is not this value's
			}
			enums[typ.Name] = append(enums[typ.Name], c)
		} else {
			s.constants = append(s.constants, c)
		}
	}
}

// docOf returns the comment of a spec, or of the declaration that holds only it.
func docOf(doc *ast.CommentGroup, g *ast.GenDecl) string {
	if doc == nil && !g.Lparen.IsValid() {
		doc = g.Doc
	}
	return strings.TrimSpace(doc.Text())
}

// literal returns a constant's value as it is written.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value, true
	case *ast.UnaryExpr:
		if x, ok := e.X.(*ast.BasicLit); ok && e.Op == token.SUB {
			return "-" + x.Value, true
		}
	}
	return "", false
}

// fieldsOf reads the members of a struct; those of an embedded struct become its own.
func (s *source) fieldsOf(owner string, st *ast.StructType) ([]field, error) {
	var out []field
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			id, ok := f.Type.(*ast.Ident)
			if !ok || s.structs[id.Name] == nil {
				return nil, fmt.Errorf("type %s: cannot embed %T", owner, f.Type)
			}
			fields, err := s.fieldsOf(id.Name, s.structs[id.Name])
			if err != nil {
				return nil, err
			}
			out = append(out, fields...)
			continue
		}
		if f.Tag == nil {
			continue // no member of the message, as in a union's holder
		}
		raw, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, err
		}
		tag := reflect.StructTag(raw)
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		typ, err := refOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("type %s, member %s: %w", owner, name, err)
		}
		optional := strings.Contains(options, "omit")
		if _, pointer := f.Type.(*ast.StarExpr); pointer && !optional {
			return nil, fmt.Errorf("type %s, member %s: a pointer would be written as null; give it omitzero", owner, name)
		}
		out = append(out, field{
			name: name, doc: strings.TrimSpace(f.Doc.Text()), optional: optional, typ: typ, literal: tag.Get("const"),
		})
	}
	return out, nil
}

func refOf(e ast.Expr) (typeRef, error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return refOf(e.X)
	case *ast.ArrayType:
		elem, err := refOf(e.Elt)
		return typeRef{kind: "array", elem: &elem}, err
	case *ast.MapType:
		elem, err := refOf(e.Value)
		return typeRef{kind: "map", elem: &elem}, err
	case *ast.SelectorExpr:
		if e.Sel.Name == "Value" {
			return typeRef{kind: "any"}, nil // jsontext.Value: JSON as it came
		}
	case *ast.Ident:
		switch e.Name {
		case "string":
			return typeRef{kind: "string"}, nil
		case "bool":
			return typeRef{kind: "boolean"}, nil
		case "int", "int64", "uint64":
			return typeRef{kind: "integer"}, nil
		case "float64":
			return typeRef{kind: "number"}, nil
		case "any":
			return typeRef{kind: "any"}, nil
		}
		if ast.IsExported(e.Name) {
			return typeRef{kind: "ref", name: e.Name}, nil
		}
	}
	return typeRef{}, fmt.Errorf("no wire type for a Go %T", e)
}

// reachable returns the types that a message can carry, in source order.
func (s *source) reachable(methods []method) ([]*typeDecl, error) {
	seen := map[string]bool{}
	var missing []string
	var visit func(string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		t := s.byName[name]
		if t == nil {
			missing = append(missing, name)
			return
		}
		for _, f := range t.fields {
			f.typ.names(visit)
		}
		for _, v := range t.variants {
			for _, f := range v.fields {
				f.typ.names(visit)
			}
		}
	}
	for _, m := range methods {
		visit(m.params)
		if m.result != "" {
			visit(m.result)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	if missing != nil {
		return nil, fmt.Errorf("types that are used and not declared: %s", strings.Join(missing, ", "))
	}
	var out []*typeDecl
	for _, t := range s.types {
		if seen[t.name] {
			out = append(out, t)
		}
	}
	return out, nil
}
