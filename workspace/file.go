package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// content is what was found at the path of a settings file. The zero value is a
// file that is not there.
type content struct {
	present bool
	text    []byte
	// problem says why the file, though there, has no text; code is its kind.
	problem error
	code    Code
}

func (c content) equal(d content) bool {
	return c.present == d.present && fmt.Sprint(c.problem) == fmt.Sprint(d.problem) && bytes.Equal(c.text, d.text)
}

func problem(code Code, format string, args ...any) content {
	return content{present: true, problem: lang.Errorf(zh, format, args...), code: code}
}

// readUser reads the user's file. It may be a link to anywhere: dotfiles are.
func readUser(path string) content {
	return contentOf(readRegular(path, os.Stat, os.Open))
}

// readProject reads the settings file of the folder root, if it is inside it. A
// repository can hold a link to any file of the user's, and what is in that file
// must neither act nor be quoted in a message.
func readProject(root string) content {
	path := ProjectSettingsFile(root)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return unreadable(err)
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return unreadable(err)
	}
	inside, err := filepath.Rel(realRoot, real)
	if err != nil || !filepath.IsLocal(inside) {
		return problem(CodeOutside, msgOutside)
	}
	// Opened below a root, so that a link put there meanwhile does not lead out.
	dir, err := os.OpenRoot(realRoot)
	if err != nil {
		return unreadable(err)
	}
	defer dir.Close()
	return contentOf(readRegular(inside, dir.Stat, dir.Open))
}

var (
	errDirectory  = lang.Errorf(zh, msgDirectory)
	errNotRegular = lang.Errorf(zh, msgNotRegular)
)

// readRegular reads a file that is one (to open a pipe would wait for its writer),
// at most one byte more than a settings file may have.
func readRegular(path string, stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error)) ([]byte, error) {
	info, err := stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errDirectory
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSettingsBytes+1))
}

func contentOf(text []byte, err error) content {
	if err != nil {
		return unreadable(err)
	}
	return content{present: true, text: text}
}

// unreadable turns an error of reading into what was found: nothing, or a problem.
func unreadable(err error) content {
	switch {
	case absent(err):
		return content{}
	case errors.Is(err, errDirectory), errors.Is(err, errNotRegular):
		return content{present: true, problem: err, code: CodeUnreadable}
	}
	// Without the path, which the diagnostic names.
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return problem(CodeUnreadable, msgUnreadable, err)
}

// absent reports whether err says that there is no such file, also for the reason
// that a directory on the way is a file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// source is one settings file over time. It remembers the last good reading.
type source struct {
	path  string // empty: can have no file
	scope mcp.Scope
	lang  lang.Lang // of the messages
	read  func() content

	content content
	good    bool       // a reading was good, and its settings are in layer
	layer   Layer      // as of content
	model   Diagnostic // where the model stands in it
}

func newUserSource(home string, l lang.Lang) *source {
	path := SettingsFile(home)
	return &source{path: path, scope: mcp.ScopeUser, lang: l, read: func() content { return readUser(path) }}
}

func newProjectSource(root string, l lang.Lang) *source {
	return &source{path: ProjectSettingsFile(root), scope: mcp.ScopeProject, lang: l, read: func() content { return readProject(root) }}
}

// refresh reads the file again and reports whether anything is different.
func (s *source) refresh() bool {
	var now content
	if s.path != "" {
		now = s.read()
	}
	if s.layer.Path == s.path && now.equal(s.content) {
		return false
	}
	s.content = now
	s.apply(now)
	return true
}

// apply makes layer what now says. A file that went bad leaves the last good
// settings in force; one that is gone, or leads out of its folder, does not.
func (s *source) apply(now content) {
	next := Layer{Path: s.path}
	switch {
	case !now.present:
		s.good, s.model = false, Diagnostic{}
	case now.problem != nil:
		next.Bad = true
		next.Diagnostics = []Diagnostic{{
			File: s.path, Line: 1, Column: 1, EndLine: 1, EndColumn: 1,
			Severity: SeverityError, Code: now.code, Message: s.lang.Error(now.problem), WholeFile: true,
		}}
		if now.code == CodeOutside {
			s.good = false
		} else {
			s.keep(&next)
		}
	default:
		d := parse(s.path, s.scope, now.text, s.lang)
		next.Settings, next.Diagnostics, next.Bad = d.settings, d.diagnostics, d.bad
		if d.bad {
			s.keep(&next)
		} else {
			s.good, s.model = true, d.model
		}
	}
	s.layer = next
}

// keep leaves the settings of before in force, and says so where there are any.
func (s *source) keep(next *Layer) {
	next.Settings = s.layer.Settings
	if !s.good {
		return
	}
	for i, d := range next.Diagnostics {
		if d.WholeFile {
			next.Diagnostics[i].Message = s.lang.Sprintf(zh, msgLastGood, d.Message)
		}
	}
}
