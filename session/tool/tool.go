// Package tool has the built-in tools: read, ls, glob, grep, write, edit, bash with
// bash_output and bash_stop, fetch.
// A tool does what it is called for; whether it may is decided before, by the
// gate, from the resolved paths and the command that the tool shows it.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
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
	// Secret reports whether a variable is one that the settings take a model's key
	// from; commands do not get it. Nil knows of none.
	Secret func(name string) bool
	// Environ is what commands get, "NAME=value"; variables that look like keys
	// are withheld from it all the same. Nil means the environment of this
	// process.
	Environ []string
	// Proxy chooses the proxy of a fetch, as in http.Transport; nil uses none.
	Proxy func(*http.Request) (*url.URL, error)
	// Edited is told what an edit is about to make of a file, by its resolved path, and
	// what the file holds before (nil: there is none). When it fails the edit is not made.
	// Nil keeps nothing.
	Edited func(path string, before *string, after string) error
	// Apply makes an edit in the editor, on top of what is not saved there, when it has
	// the file at the resolved path open with the text before. On an error nothing is to
	// be written. Nil, as NotOpen, leaves every edit to the disk.
	Apply func(ctx context.Context, path, before, after string) (Applied, error)
	// Unsaved reports whether the editor has the file at the resolved path open with
	// changes that are not on the disk. Nil knows of none.
	Unsaved func(path string) bool
	// Jobs keeps the commands that run in the background; its owner closes it.
	Jobs *Jobs
	// Lang is the language of labels and titles. Results and errors are for the
	// model, and English.
	Lang lang.Lang
}

// say gives a text for people.
func (w *world) say(format string, args ...any) string {
	return w.Lang.Sprintf(zh, format, args...)
}

// New returns the tools of one session, always in the same order. They remember
// together which files the session has read.
func New(env Env) []agent.Tool {
	w := &world{Env: env, root: permission.Resolve(env.Root), seen: newSeen()}
	return []agent.Tool{
		&readTool{w}, &lsTool{w}, &globTool{w}, &grepTool{w}, &writeTool{w}, &editTool{w}, &bashTool{w}, &fetchTool{w},
		&outputTool{jobTool{w}}, &stopTool{jobTool{w}},
	}
}

// world is what the tools of one session share.
type world struct {
	Env
	root string // resolved
	seen *seen
}

// resolve returns the file a path given by the model means: absolute, symlinks
// followed, "~/" the user's home.
func (w *world) resolve(path string) string {
	if path == "" {
		return w.root
	}
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, path[1:])
		}
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.root, path)
	}
	return permission.Resolve(path)
}

// show is how a path is written in results and titles: relative to the root, with
// slashes, where it is below it.
func (w *world) show(path string) string {
	if !permission.Inside(w.root, path) {
		return path
	}
	rel, err := filepath.Rel(w.root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// overlay returns the text of a file as the editor has it. An editor may know it
// by the path it was opened by or by the one it leads to.
func (w *world) overlay(given, resolved string) (string, bool) {
	if w.Overlay == nil {
		return "", false
	}
	if text, ok := w.Overlay(resolved); ok {
		return text, true
	}
	if given != "" && !filepath.IsAbs(given) {
		given = filepath.Join(w.Env.Root, filepath.FromSlash(given))
	}
	if given != "" && given != resolved {
		return w.Overlay(given)
	}
	return "", false
}

func (w *world) hides(path string) bool { return w.Hide != nil && w.Hide(path) }

// maxFile bounds the files that are held in memory whole, in bytes.
const maxFile = 32 << 20

// content returns a file's text as the session sees it: the editor's, else the
// disk's. open says which it was.
func (w *world) content(given, resolved string) (text string, open bool, err error) {
	if text, ok := w.overlay(given, resolved); ok {
		return text, true, nil
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", false, w.pathError(resolved, err)
	}
	if err := w.regular(resolved, info); err != nil {
		return "", false, err
	}
	if info.Size() > maxFile {
		return "", false, fmt.Errorf("%s is too large to be edited (%d bytes, at most %d)", w.show(resolved), info.Size(), maxFile)
	}
	data, err := os.ReadFile(resolved)
	if err != nil {
		return "", false, w.pathError(resolved, err)
	}
	return string(data), false, nil
}

// regular refuses what is no plain file: a folder, and devices and pipes, which
// may never end.
func (w *world) regular(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a folder: list it with ls", w.show(path))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", w.show(path))
	}
	return nil
}

// pathError says in plain words why a path cannot be used.
func (w *world) pathError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: look for it with glob or ls", w.show(path))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be accessed: permission denied by the system", w.show(path))
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", w.show(path), err)
}

// schema is a tool's parameter schema; it is checked when the program starts.
func schema(s string) json.RawMessage {
	if !json.Valid([]byte(s)) {
		panic("tool: schema is no JSON: " + s)
	}
	return json.RawMessage(s)
}

// decode reads arguments; they were checked against the schema before, so an
// error means that a caller did not.
func decode(args []byte, into any) error {
	if len(args) == 0 {
		return nil
	}
	if err := json.Unmarshal(args, into); err != nil {
		return fmt.Errorf("invalid arguments: %w", err)
	}
	return nil
}

func textResult(s string) agent.Result {
	return agent.Result{Content: []agent.Content{agent.Text(s)}}
}

// request is the start of what a tool tells the gate of a call.
func (w *world) request(tool string, kind permission.Kind, c permission.Capability, label string, paths ...string) permission.Request {
	return permission.Request{Kind: kind, Tool: tool, Root: w.root, Paths: paths,
		Metadata: permission.Metadata{Capability: c, SummaryHint: label}}
}
