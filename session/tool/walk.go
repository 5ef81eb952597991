package tool

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/codebot-ls/codebot-ls/session/permission"
)

// walk calls visit for each regular file and symlink below dir, by path, leaving
// out what .gitignore files leave out, the .git folder and what is hidden from
// searches. rel has slashes and is relative to dir. visit returns false to stop.
func (w *world) walk(ctx context.Context, dir string, visit func(rel, path string, d fs.DirEntry) bool) error {
	return w.walkDir(ctx, dir, "", w.ignoresAbove(dir), visit)
}

var errStop = fs.SkipAll

func (w *world) walkDir(ctx context.Context, dir, rel string, ignores []ignoreFile, visit func(rel, path string, d fs.DirEntry) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if rel == "" {
			return w.pathError(dir, err)
		}
		return nil // a folder that may not be read is passed by
	}
	if f, ok := readIgnore(dir); ok {
		ignores = append(ignores[:len(ignores):len(ignores)], f)
	}
	for _, e := range entries {
		path, erel := filepath.Join(dir, e.Name()), e.Name()
		if rel != "" {
			erel = rel + "/" + e.Name()
		}
		if e.Name() == ".git" || ignored(ignores, path, e.IsDir()) || w.hides(path) {
			continue
		}
		if e.IsDir() {
			if err := w.walkDir(ctx, path, erel, ignores, visit); err != nil {
				return err
			}
			continue
		}
		if !visit(erel, path, e) {
			return errStop
		}
	}
	return nil
}

// ignoreFile is one .gitignore.
type ignoreFile struct {
	dir   string
	rules []ignoreRule
}

type ignoreRule struct {
	glob             string // relative to the file's folder
	negate, dirsOnly bool
}

// ignoresAbove reads the .gitignore files over dir, up to the top of its
// repository or the session's folder.
func (w *world) ignoresAbove(dir string) []ignoreFile {
	var out []ignoreFile
	for d := dir; ; {
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil || d == w.root && !w.insideRepo() {
			break
		}
		parent := filepath.Dir(d)
		if parent == d || !permission.Inside(w.root, d) {
			break
		}
		d = parent
		if f, ok := readIgnore(d); ok {
			out = append([]ignoreFile{f}, out...)
		}
	}
	return out
}

// insideRepo reports whether the session's folder lies below the top of a git
// repository.
func (w *world) insideRepo() bool {
	for d := w.root; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return true
		}
		if filepath.Dir(d) == d {
			return false
		}
	}
}

func readIgnore(dir string) (ignoreFile, bool) {
	data, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil {
		return ignoreFile{}, false
	}
	f := ignoreFile{dir: dir}
	for line := range strings.SplitSeq(string(data), "\n") {
		if r, ok := parseIgnore(line); ok {
			f.rules = append(f.rules, r)
		}
	}
	return f, len(f.rules) > 0
}

// parseIgnore reads a line as gitignore(5) has it.
func parseIgnore(line string) (ignoreRule, bool) {
	line = strings.TrimSuffix(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	var r ignoreRule
	if line[0] == '!' {
		r.negate, line = true, line[1:]
	}
	line, r.dirsOnly = strings.CutSuffix(line, "/")
	line, rooted := strings.CutPrefix(line, "/")
	if line == "" {
		return ignoreRule{}, false
	}
	if !rooted && !strings.Contains(line, "/") {
		line = "**/" + line
	}
	// To doublestar braces are alternatives, to git they are letters.
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	// "a/**" is what is inside a, not a itself.
	if head, ok := strings.CutSuffix(line, "/**"); ok {
		line = head + "/**/*"
	}
	r.glob = line
	return r, doublestar.ValidatePattern(line)
}

// ignored asks the nearest .gitignore that has something to say of path.
func ignored(files []ignoreFile, path string, isDir bool) bool {
	for i := len(files) - 1; i >= 0; i-- {
		rel, err := filepath.Rel(files[i].dir, path)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		rules := files[i].rules
		for j := len(rules) - 1; j >= 0; j-- {
			if rules[j].dirsOnly && !isDir {
				continue
			}
			if ok, _ := doublestar.Match(rules[j].glob, rel); ok {
				return !rules[j].negate
			}
		}
	}
	return false
}
