// Package tool has the built-in tools: read, ls, glob, grep, write, edit, bash.
// A tool does what it is called for; whether it may is decided before, by the
// gate, from the resolved paths and the command that the tool shows it.
package tool

import (
	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Env is the world of one session's tools.
type Env struct {
	// Root is the session's folder: relative paths start there, commands run
	// there.
	Root string
	// Overlay returns the text of a file that is open in the editor, which wins
	// over the disk; path is absolute. Nil means that nothing is open.
	Overlay func(path string) (text string, ok bool)
	// OpenFiles lists the absolute paths Overlay knows, for tools that look
	// through many files. Nil means none.
	OpenFiles func() []string
	// Hide reports whether a tool that looks through many files passes by this
	// resolved path, because it is read only when asked for by name
	// (permission.Engine.Hides). Nil hides nothing.
	Hide func(path string) bool
	// Shell is the argv in front of a command; nil means bash -c, or what the
	// system has in its place.
	Shell []string
	// Environ is what commands get, "NAME=value"; variables that look like keys
	// are withheld from it all the same. Nil means the environment of this
	// process.
	Environ []string
}

// New returns the tools of one session, always in the same order. They remember
// together which files the session has read.
func New(env Env) []agent.Tool {
	return nil
}
