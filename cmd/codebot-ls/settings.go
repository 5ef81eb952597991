package main

import (
	"errors"
	"fmt"
	"io"

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
		if d.WholeFile {
			err = errBadSettings
		}
		fmt.Fprintln(errOut, mcp.Clean(d.String()))
	}
	return err
}
