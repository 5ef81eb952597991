package tool

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ripgrep returns the path of rg, empty when it is not installed.
func ripgrep() string {
	p, err := exec.LookPath("rg")
	if err != nil || !filepath.IsAbs(p) {
		return ""
	}
	return p
}

// ripgrepArgs make rg look at what our own walk looks at: .gitignore files, with
// or without a repository, and no settings of the user's.
func ripgrepArgs(a grepArgs) []string {
	args := []string{"--no-config", "--no-messages", "--color=never", "--no-heading", "--with-filename", "--line-number", "--null",
		"--hidden", "--no-require-git", "--no-ignore-dot", "--no-ignore-global", "--no-ignore-exclude", "--sort=path",
		"--max-columns=" + strconv.Itoa(4*grepLineLen), "--max-columns-preview", "--max-filesize=" + strconv.Itoa(grepFileSize),
		"--glob=!.git"}
	if a.IgnoreCase {
		args = append(args, "--ignore-case")
	}
	if a.Glob != "" {
		glob := a.Glob
		if strings.Contains(glob, "/") {
			glob = "/" + strings.TrimPrefix(glob, "/")
		}
		args = append(args, "--glob="+glob)
	}
	return append(args, "--regexp="+a.Pattern, "--", ".")
}

// searchRipgrep stops rg as soon as there is more than will be shown.
func (t *grepTool) searchRipgrep(ctx context.Context, rg string, a grepArgs, dir string) (hits []hit, more bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, rg, ripgrepArgs(a)...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &limited{w: &stderr, left: 4096}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, err
	}
	if err := cmd.Start(); err != nil {
		return nil, false, err
	}
	hits, more = t.readRipgrep(out, dir)
	if more {
		stop()
		_ = cmd.Wait()
		return hits, true, nil
	}
	err = cmd.Wait()
	// 1 says that nothing matched; 2 with matches, that some file could not be read.
	if code := cmd.ProcessState.ExitCode(); err != nil && code != 1 && !(code == 2 && len(hits) > 0) {
		return nil, false, fmt.Errorf("ripgrep: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return hits, false, nil
}

// readRipgrep reads path NUL line : text.
func (t *grepTool) readRipgrep(src io.Reader, dir string) (hits []hit, more bool) {
	br := bufio.NewReader(src)
	lastPath, hidden := "", false
	for {
		line, err := br.ReadString('\n')
		if name, rest, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\x00"); ok {
			if no, text, ok := strings.Cut(rest, ":"); ok {
				if n, err := strconv.Atoi(no); err == nil {
					p := filepath.Join(dir, filepath.FromSlash(name))
					if p != lastPath {
						lastPath, hidden = p, t.hidesAny(dir, p)
					}
					if !hidden {
						hits = append(hits, hit{p, n, shorten(text)})
					}
					if len(hits) > grepMatches {
						return hits, true
					}
				}
			}
		}
		if err != nil {
			return hits, false
		}
	}
}

// hidesAny reports whether p or a folder between dir and p is hidden from
// searches.
func (t *grepTool) hidesAny(dir, p string) bool {
	for p != dir && len(p) > len(dir) {
		if t.w.hides(p) {
			return true
		}
		p = filepath.Dir(p)
	}
	return false
}

// limited writes the first left bytes and drops the rest.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
