package tool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// What grep shows at most.
const (
	grepMatches = 200
	grepLineLen = 400
	// grepFileSize is the largest file the Go search looks into, in bytes.
	grepFileSize = 16 << 20
)

type grepTool struct{ w *world }

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
}

var grepSchema = schema(`{"type":"object","properties":{"pattern":{"type":"string","minLength":1,"description":"A regular expression (RE2), compared to each line."},"path":{"type":"string","description":"The file or folder to look in; the session's folder by default."},"glob":{"type":"string","description":"Only files whose name (or, with a slash, whose path) matches this glob."},"ignore_case":{"type":"boolean","description":"Take upper and lower case for the same."}},"required":["pattern"],"additionalProperties":false}`)

func (*grepTool) Name() string    { return "grep" }
func (t *grepTool) Label() string { return t.w.say(textLabelGrep) }
func (*grepTool) Description() string {
	return "Search the text of files (code, notes) for a regular expression. Answers path:line: text, at most 200 lines, sorted by path. Unsaved changes in the editor are included; binary files and what .gitignore leaves out are not."
}
func (*grepTool) Schema() json.RawMessage              { return grepSchema }
func (*grepTool) ConcurrencySafe(json.RawMessage) bool { return true }

func (t *grepTool) PermissionRequest(args []byte) permission.Request {
	var a grepArgs
	if decode(args, &a) != nil {
		return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label())
	}
	return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label(), t.w.resolve(a.Path))
}

func (t *grepTool) Describe(args json.RawMessage) agent.Description {
	var a grepArgs
	if decode(args, &a) != nil || a.Pattern == "" {
		return agent.Description{Title: t.Label()}
	}
	at := t.w.resolve(a.Path)
	pattern, glob := clean(a.Pattern), clean(a.Glob)
	title := t.w.say(textSearch, pattern)
	switch {
	case a.Glob != "" && at != t.w.root:
		title = t.w.say(textSearchInBelow, pattern, glob, t.w.show(at))
	case a.Glob != "":
		title = t.w.say(textSearchIn, pattern, glob)
	case at != t.w.root:
		title = t.w.say(textSearchBelow, pattern, t.w.show(at))
	}
	return agent.Description{Title: title, Locations: []agent.Location{{Path: at}}}
}

// hit is one matching line.
type hit struct {
	path string // resolved
	line int
	text string
}

func (t *grepTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var a grepArgs
	if err := decode(args, &a); err != nil {
		return agent.Result{}, err
	}
	expr := a.Pattern
	if a.IgnoreCase {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return agent.Result{}, fmt.Errorf("the pattern is not a valid regular expression: %w (put a backslash before signs that are meant literally)", err)
	}
	if a.Glob != "" && !doublestar.ValidatePattern(a.Glob) {
		return agent.Result{}, fmt.Errorf("the glob %q is not valid", a.Glob)
	}
	at := t.w.resolve(a.Path)
	info, err := os.Stat(at)
	if err != nil {
		return agent.Result{}, t.w.pathError(at, err)
	}
	var hits []hit
	var more bool
	if info.IsDir() {
		hits, more, err = t.searchFolder(ctx, a, re, at)
	} else {
		if err := t.w.regular(at, info); err != nil {
			return agent.Result{}, err
		}
		hits, err = t.searchFile(ctx, re, at, a.Path, grepMatches+1)
	}
	if err != nil {
		return agent.Result{}, err
	}
	if len(hits) > grepMatches {
		hits, more = hits[:grepMatches], true
	}
	if len(hits) == 0 {
		return textResult(fmt.Sprintf("no line matches %s in %s", a.Pattern, t.w.show(at))), nil
	}
	var b strings.Builder
	r := agent.Result{}
	for _, h := range hits {
		fmt.Fprintf(&b, "%s:%d: %s\n", clean(t.w.show(h.path)), h.line, h.text)
		r.Locations = append(r.Locations, agent.Location{Path: h.path, Line: h.line})
	}
	if more {
		fmt.Fprintf(&b, "(only the first %d lines; narrow the pattern, the path or the glob)\n", grepMatches)
	}
	r.Content = []agent.Content{agent.Text(b.String())}
	return r, nil
}

// searchFolder searches below dir, with ripgrep where there is one. The files that
// are open in the editor are always searched here, as the editor has them.
func (t *grepTool) searchFolder(ctx context.Context, a grepArgs, re *regexp.Regexp, dir string) (hits []hit, more bool, err error) {
	wanted := func(rel string) bool {
		if a.Glob == "" {
			return true
		}
		name := rel
		if !strings.Contains(a.Glob, "/") {
			name = path.Base(rel)
		}
		ok, _ := doublestar.Match(a.Glob, name)
		return ok
	}
	if rg := ripgrep(); rg != "" {
		hits, more, err = t.searchRipgrep(ctx, rg, a, dir)
		if err == nil {
			return t.withOpenFiles(ctx, re, dir, hits, wanted), more, nil
		}
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		// A ripgrep that cannot (an old version, another regex dialect) is no
		// reason not to search.
	}
	var failed error
	err = t.w.walk(ctx, dir, func(rel, p string, d fs.DirEntry) bool {
		if !d.Type().IsRegular() || !wanted(rel) {
			return true
		}
		found, err := t.searchFile(ctx, re, p, "", grepMatches+1-len(hits))
		if err != nil {
			failed = ctx.Err() // a file that may not be read is passed by
			return failed == nil
		}
		hits = append(hits, found...)
		return len(hits) <= grepMatches
	})
	switch {
	case failed != nil:
		return nil, false, failed
	case errors.Is(err, errStop):
		return hits, len(hits) > grepMatches, nil
	}
	return hits, false, err
}

func (t *grepTool) searchFile(ctx context.Context, re *regexp.Regexp, p, given string, most int) ([]hit, error) {
	var src io.Reader
	if text, ok := t.w.overlay(given, p); ok {
		src = strings.NewReader(text)
	} else {
		info, err := os.Stat(p)
		if err != nil {
			return nil, t.w.pathError(p, err)
		}
		if info.Size() > grepFileSize {
			return nil, nil
		}
		f, err := os.Open(p)
		if err != nil {
			return nil, t.w.pathError(p, err)
		}
		defer f.Close()
		src = f
	}
	br := bufio.NewReaderSize(src, binarySample)
	if head, _ := br.Peek(binarySample); isBinary(head) {
		return nil, nil
	}
	data, err := io.ReadAll(br)
	if err != nil {
		return nil, t.w.pathError(p, err)
	}
	var out []hit
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line = bytes.TrimRight(line, "\r\n")
		if !re.Match(line) {
			continue
		}
		out = append(out, hit{p, n, shorten(string(line))})
		if len(out) == most {
			break
		}
	}
	return out, ctx.Err()
}

func shorten(line string) string {
	line = clean(line)
	if len(line) > grepLineLen {
		line = strings.ToValidUTF8(line[:grepLineLen], "") + "…"
	}
	return line
}

// withOpenFiles puts what is found in open files in the place of what ripgrep
// found in them on disk.
func (t *grepTool) withOpenFiles(ctx context.Context, re *regexp.Regexp, dir string, hits []hit, wanted func(rel string) bool) []hit {
	if t.w.OpenFiles == nil {
		return hits
	}
	for _, open := range t.w.OpenFiles() {
		p := t.w.resolve(open)
		if !permission.Inside(dir, p) || t.w.hides(p) {
			continue
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil || !wanted(filepath.ToSlash(rel)) || ignored(append(t.w.ignoresAbove(dir), ignoresBetween(dir, p)...), p, false) {
			continue
		}
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.path == p })
		found, err := t.searchFile(ctx, re, p, open, grepMatches+1)
		if err == nil {
			hits = append(hits, found...)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return comparePaths(a.path, b.path) })
	return hits
}

// comparePaths orders paths as a walk meets them.
func comparePaths(a, b string) int {
	return slices.Compare(strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/"))
}

// ignoresBetween reads the .gitignore files from dir down to the folder of p.
func ignoresBetween(dir, p string) []ignoreFile {
	var out []ignoreFile
	for d := filepath.Dir(p); permission.Inside(dir, d); d = filepath.Dir(d) {
		if f, ok := readIgnore(d); ok {
			out = append([]ignoreFile{f}, out...)
		}
		if d == dir {
			break
		}
	}
	return out
}
