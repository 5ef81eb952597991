// Package shell takes a command line apart as bash does, and says which programs it would
// run and which files it would write. It runs nothing and expands nothing.
package shell

import (
	"errors"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxDepth bounds commands within commands: sh -c "sh -c ...".
const maxDepth = 8

// ErrUnread is a command line of which it cannot be said what it would do.
var ErrUnread = errors.New("the command cannot be taken apart")

// Command is one program that is run, or a builtin.
type Command struct {
	// Words are the name and the arguments, without quotes. Where Static is shorter than
	// that, the words from there on hold something that is only known when they run; such
	// a word is its source text.
	Words []string
	// Static is how many words from the first are just what they say.
	Static int
	// Assigned says that variables are set for it: PATH=x go test.
	Assigned bool
	// Outer is the index of the command in whose arguments this one stands ("sudo rm"), -1
	// for one of its own. Skipped is how many words of that stand before it; of a line that
	// is a text to the other ("sh -c ...") all of them.
	Outer, Skipped int
}

// Name is the name of the program without its folder, empty where it is not known.
func (c Command) Name() string {
	if c.Static == 0 || len(c.Words) == 0 {
		return ""
	}
	return path.Base(c.Words[0])
}

// HasPrefix reports whether the command begins with the words, all of which it says
// literally. The name may be given with a folder where the words have none.
func (c Command) HasPrefix(words []string) bool {
	if len(words) == 0 || len(words) > c.Static {
		return false
	}
	for i, word := range words {
		if c.Words[i] != word && (i > 0 || strings.Contains(word, "/") || c.Name() != word) {
			return false
		}
	}
	return true
}

// Redirect is a file that the shell itself opens.
type Redirect struct {
	// Path is as it is written; Static says that this is what it is.
	Path   string
	Static bool
	Write  bool
}

// Script is a command line.
type Script struct {
	Commands  []Command
	Redirects []Redirect
	// Moves says that it changes the folder: a relative path is not where it seems.
	Moves bool
	// Unread says that a part of it is only known when it runs: eval "$X", a file that is
	// sourced, a program whose name is in a variable.
	Unread bool
}

// Parse takes a command line apart. The error is ErrUnread for what is no bash.
func Parse(line string) (Script, error) {
	r := &reader{}
	if !r.read(line, -1, 0) {
		return Script{}, ErrUnread
	}
	return r.script, nil
}

type reader struct{ script Script }

// read adds the commands of a line; it reports whether it could.
func (r *reader) read(line string, outer, depth int) bool {
	if depth > maxDepth {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return false
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			r.call(line, node, outer, depth)
		case *syntax.DeclClause: // export, local, declare: they only set
			r.add(Command{Words: []string{node.Variant.Value}, Static: 1, Outer: outer}, depth)
		case *syntax.Redirect:
			r.redirect(line, node)
		}
		return true
	})
	return true
}

func (r *reader) call(line string, call *syntax.CallExpr, outer, depth int) {
	if len(call.Args) == 0 {
		return // only assignments: what runs in them is walked to
	}
	c := Command{Outer: outer, Assigned: len(call.Assigns) > 0}
	if outer >= 0 {
		c.Skipped = len(r.script.Commands[outer].Words)
	}
	static := true
	for _, word := range call.Args {
		text, known := literal(word)
		if static = static && known; static {
			c.Static++
		}
		if !known {
			text = source(line, word)
		}
		c.Words = append(c.Words, text)
	}
	r.add(c, depth)
}

// add takes a command in, and what it runs in turn.
func (r *reader) add(c Command, depth int) {
	at := len(r.script.Commands)
	r.script.Commands = append(r.script.Commands, c)
	if c.Static == 0 {
		r.script.Unread = true
		return
	}
	switch c.Name() {
	case "cd", "pushd", "popd":
		r.script.Moves = true
	case ".", "source":
		r.script.Unread = true
	}
	r.inner(at, c, depth)
}

// redirect notes a file that is read or written by the shell.
func (r *reader) redirect(line string, rd *syntax.Redirect) {
	if rd.Word == nil {
		return
	}
	one := Redirect{Static: true}
	switch rd.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		one.Write = true
	case syntax.DplOut, syntax.DplIn: // 2>&1 opens nothing, >&file does
		text, known := literal(rd.Word)
		if known && strings.Trim(text, "0123456789-") == "" {
			return
		}
		one.Write = rd.Op == syntax.DplOut
	case syntax.RdrIn:
	default: // here-documents and -strings open nothing
		return
	}
	if one.Path, one.Static = literal(rd.Word); !one.Static {
		one.Path = source(line, rd.Word)
	}
	r.script.Redirects = append(r.script.Redirects, one)
}

func source(line string, node syntax.Node) string {
	from, to := int(node.Pos().Offset()), int(node.End().Offset())
	if from < 0 || to > len(line) || from > to {
		return "?"
	}
	return line[from:to]
}

// literal is what a word says, and whether that is all it can be.
func literal(word *syntax.Word) (string, bool) {
	var b strings.Builder
	known := true
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text := unescaped(part.Value)
			b.WriteString(text)
			if hasBraces(part.Value) {
				known = false // {a,b} is two words
			}
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
			known = known && (!part.Dollar || !strings.Contains(part.Value, `\`))
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					known = false
					continue
				}
				b.WriteString(unescapedQuoted(lit.Value))
			}
		default:
			known = false
		}
	}
	return b.String(), known
}

func hasBraces(s string) bool {
	open := strings.IndexByte(s, '{')
	return open >= 0 && strings.ContainsAny(s[open:], ",.") && strings.IndexByte(s[open:], '}') > 0
}

// unescaped takes the backslashes off a word without quotes.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapedQuoted does so within double quotes, where few can be escaped.
func unescapedQuoted(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(s)
}
