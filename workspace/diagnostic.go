package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"
)

// Severity says how bad a Diagnostic is; the values are those of the LSP.
type Severity int

// The severities.
const (
	SeverityError       Severity = 1
	SeverityWarning     Severity = 2
	SeverityInformation Severity = 3
	SeverityHint        Severity = 4
)

// Code names the kind of a Diagnostic, stable for programs.
type Code string

// The codes of diagnostics.
const (
	CodeSyntax         Code = "syntax"             // not JSON, even with comments and trailing commas
	CodeEncoding       Code = "encoding"           // not UTF-8
	CodeEmpty          Code = "empty"              // nothing in the file
	CodeTooLarge       Code = "tooLarge"           // bigger or deeper than any settings file
	CodeUnreadable     Code = "unreadable"         // permission, a directory, ...
	CodeOutside        Code = "outsideFolder"      // a project file that is a link out of its folder
	CodeUnknownKey     Code = "unknownKey"         // ignored
	CodeDuplicateKey   Code = "duplicateKey"       // the last one counts
	CodeWrongType      Code = "wrongType"          // a string where a list belongs, ...
	CodeForeignShape   Code = "foreignShape"       // how another program writes it
	CodeInvalidEntry   Code = "invalidEntry"       // an entry that cannot be used
	CodeInvalidValue   Code = "invalidValue"       // a mode, rule or model that is none
	CodeUserScopeOnly  Code = "userScopeOnly"      // in a project file and ignored there
	CodeUnknownModel   Code = "modelNotConfigured" // a project's model the user has not configured
	CodeModelKey       Code = "modelKey"           // a project's entry that would read a model's key
	CodeNotImplemented Code = "notImplemented"     // known, without effect in this version
)

// Diagnostic is something wrong with a settings file. Messages hold no value that
// could be a secret.
type Diagnostic struct {
	// File is the absolute path of the file.
	File string
	// The range of what is wrong. Lines and columns start at 1, a column counts
	// UTF-16 code units as the LSP does; the end is exclusive. A problem of the
	// whole file is at 1:1.
	Line, Column, EndLine, EndColumn int
	Severity                         Severity
	Code                             Code
	Message                          string
	// WholeFile says that nothing of the file could be used.
	WholeFile bool
	// Near is the key that was probably meant, of CodeUnknownKey; empty when none is
	// near.
	Near string
}

// String is the diagnostic as a terminal shows it: file:line:column: message.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
}

// sortDiagnostics puts them in the order of the file.
func sortDiagnostics(ds []Diagnostic) {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// lines turns byte offsets of one text into positions. It remembers the last
// answer, so that walking a long line costs one pass.
type lines struct {
	text   []byte
	starts []int // offset of the first byte of each line

	lastOffset, lastColumn int
}

func newLines(text []byte) *lines {
	l := &lines{text: text, starts: []int{0}, lastColumn: 1}
	for i, c := range text {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// position returns the line and column, both from 1, of the byte at offset.
func (l *lines) position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(l.text))
	line = sort.SearchInts(l.starts, offset+1)
	from, column := l.starts[line-1], 1
	if l.lastOffset >= from && l.lastOffset <= offset {
		from, column = l.lastOffset, l.lastColumn
	}
	for from < offset {
		r, size := utf8.DecodeRune(l.text[from:])
		from += size
		column += units(r)
	}
	l.lastOffset, l.lastColumn = from, column
	return line, column
}

// units returns how many UTF-16 code units r takes.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
