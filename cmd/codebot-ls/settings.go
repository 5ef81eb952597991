package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// errBadSettings says that a settings file is bad as a whole. No one reads it: the
// diagnostic of the file says what is wrong.
var errBadSettings = errors.New("a settings file is bad as a whole")

// report prints what is wrong with the settings, one line each, and returns
// errBadSettings when a whole file could not be used.
func report(errOut io.Writer, diagnostics []workspace.Diagnostic) (err error) {
	for _, d := range diagnostics {
		if wholeFile(d) {
			d.Message = withoutLastGood(d.Message)
			err = errBadSettings
		}
		fmt.Fprintln(errOut, mcp.Clean(d.String()))
	}
	return err
}

// wholeFile reports whether nothing of the file that d is about could be used.
func wholeFile(d workspace.Diagnostic) bool {
	switch d.Code {
	case workspace.CodeSyntax, workspace.CodeEncoding, workspace.CodeEmpty,
		workspace.CodeTooLarge, workspace.CodeUnreadable, workspace.CodeOutside:
		return true
	case workspace.CodeWrongType: // of a value, or of the file itself
		text, err := os.ReadFile(d.File)
		if err != nil {
			return false
		}
		_, _, ok := workspace.ParseSettings(d.File, mcp.ScopeUser, text, language())
		return !ok
	}
	return false
}

// withoutLastGood leaves out that settings of before stay in force: a command that
// reads its settings once has none of before.
func withoutLastGood(message string) string {
	for _, before := range []string{"; ", ": ", "；", "："} {
		message = strings.Replace(message, before+say(textLastGood), "", 1)
	}
	return message
}
