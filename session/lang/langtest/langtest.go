// Package langtest checks that a package's texts are translated: a test of each
// package that speaks to people calls [Check].
package langtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// untranslated marks, in its doc comment, a block of constants that no person reads,
// or that is not said in words.
const untranslated = "//lang:untranslated"

// Check fails the test of the package in the working directory unless its catalog
// says, in Chinese and with the same verbs, each string constant of its files (named
// as in os.Open; text for people belongs into those) and nothing else. A block of
// constants whose doc comment has the line "//lang:untranslated", with a reason
// after it, is left out.
//
// It also fails where a text is handed to package lang, or to a function called say
// that does so for the package, as a literal: no test could look for that one.
func Check(t testing.TB, catalog lang.Catalog, files ...string) {
	t.Helper()
	texts := map[string]token.Position{}
	for _, file := range files {
		constants(t, file, texts)
	}
	if len(texts) == 0 {
		t.Fatalf("%v hold no text", files)
	}
	for text, at := range texts {
		translation, ok := catalog[text]
		if !ok {
			t.Errorf("%s: no translation of %q", at, text)
			continue
		}
		if problem := Unlike(text, translation); problem != "" {
			t.Errorf("%s: the translation of %q, %q, %s", at, text, translation, problem)
		}
	}
	for text := range catalog {
		if _, ok := texts[text]; !ok {
			t.Errorf("the catalog translates %q, which nobody says", text)
		}
	}
	literals(t)
}

// Unlike says in what a translation does not fit its text, "" when it does.
func Unlike(text, translation string) string {
	if strings.IndexFunc(translation, func(r rune) bool { return unicode.Is(unicode.Han, r) }) < 0 && strings.IndexFunc(stripped(text), unicode.IsLetter) >= 0 {
		return "is not Chinese"
	}
	if want, got := verbs(text), verbs(translation); !slices.Equal(want, got) {
		return "has the verbs " + strings.Join(got, " ") + " instead of " + strings.Join(want, " ")
	}
	return ""
}

var verb = regexp.MustCompile(`%[-+# 0]*(?:\[(\d+)\])?[\d.]*(?:\[(\d+)\])?([a-zA-Z%])`)

func stripped(text string) string { return verb.ReplaceAllString(text, "") }

// verbs returns what a format does with each argument, "1s" for the first as %s, in
// the order of the arguments.
func verbs(format string) []string {
	var out []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" {
			continue
		}
		if index := m[1] + m[2]; index != "" {
			next, _ = strconv.Atoi(index)
		}
		out = append(out, strconv.Itoa(next)+m[3])
		next++
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// constants adds the string constants of a file that are to be translated.
func constants(t testing.TB, file string, texts map[string]token.Position) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST || leftOut(g.Doc) {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ValueSpec)
			for _, v := range spec.Values {
				text, ok := value(v)
				if !ok {
					t.Fatalf("%s: a text must be written out: one literal, or several with + between them", fset.Position(v.Pos()))
				}
				texts[text] = fset.Position(v.Pos())
			}
		}
	}
}

func leftOut(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		reason, ok := strings.CutPrefix(c.Text, untranslated)
		return ok && strings.TrimSpace(reason) != ""
	})
}

// value is the value of a string literal, or of several put together.
func value(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, okX := value(e.X)
		y, okY := value(e.Y)
		return x + y, okX && okY && e.Op == token.ADD
	}
	return "", false
}

// takesText are the functions of package lang that take a catalog and a text.
var takesText = map[string]bool{"Sprintf": true, "Text": true, "Errorf": true, "Messagef": true, "MessageOf": true}

// textOf is the argument of a call that is a text for people, nil when none is.
func textOf(call *ast.CallExpr) ast.Expr {
	var name string
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	switch {
	case name == "say" && len(call.Args) > 0:
		return call.Args[0]
	case takesText[name] && len(call.Args) > 1:
		if catalog, ok := call.Args[0].(*ast.Ident); ok && catalog.Name == "zh" {
			return call.Args[1]
		}
	}
	return nil
}

// literals fails where a literal is handed to one of takesText, in the files of the
// package in the working directory.
func literals(t testing.TB) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if _, literal := value(textOf(call)); literal {
				t.Errorf("%s: a text for people is written here: make it a constant of the file of texts", fset.Position(call.Pos()))
			}
			return true
		})
	}
}
