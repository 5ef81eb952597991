// Package worktree gives a piece of work a git worktree and a branch of its own, and
// takes them away again when nothing was done in them.
package worktree

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/gofrs/flock"
)

// Errors that a caller tells apart. They are for the model: English.
var (
	ErrNoGit        = errors.New("git is not on PATH")
	ErrNoRepository = errors.New("the folder is in no git repository")
	ErrNoCommit     = errors.New("the git repository has no commit yet")
)

// lockExt ends the name of the file beside a worktree that its owner holds locked and
// that has the commit it began with. One that nobody holds was left by a crash.
const lockExt = ".lock"

// Options say where a worktree comes from.
type Options struct {
	// Dir holds the worktrees; it is made when first needed.
	Dir string
	// Cwd is the folder to be worked in, absolute, inside a repository.
	Cwd string
	// Name is what the work is called; what of it a branch can be called stays.
	Name string
	// Environ is git's environment, "NAME=value".
	Environ []string
}

// Tree is a worktree that somebody works in. It ends with End.
type Tree struct {
	// Cwd is the folder to work in: what Options.Cwd is, in the worktree.
	Cwd string
	// Path is the worktree's top, Branch what it has checked out.
	Path, Branch string

	repo string // the top of the repository it came from
	base string // the commit it began with
	git  git
	lock *flock.Flock
}

// Left is what a worktree had in it at its end. One without changes is gone.
type Left struct {
	// Files counts the files that are not as committed, Commits those made on the branch.
	Files, Commits int
}

// Clean reports whether nothing was done.
func (l Left) Clean() bool { return l.Files == 0 && l.Commits == 0 }

// Add makes a worktree of the commit that is checked out at o.Cwd, on a new branch.
// Changes that are not committed stay where they are. It first takes away what a crash
// left of earlier ones, where nothing was done in them.
func Add(ctx context.Context, o Options) (*Tree, error) {
	g := git{environ: environ(o.Environ)}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, ErrNoGit
	}
	top, err := g.run(ctx, o.Cwd, "rev-parse", "--show-toplevel")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", ErrNoRepository, err)
	}
	inside, err := g.run(ctx, o.Cwd, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	base, err := g.run(ctx, top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrNoCommit
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	sweep(ctx, g, o.Dir)

	name := slug(filepath.Base(top)) + "-" + slug(o.Name) + "-" + strings.ToLower(rand.Text()[:6])
	t := &Tree{
		Path: filepath.Join(o.Dir, name), Branch: "codebot/" + slug(o.Name) + "-" + name[len(name)-6:],
		repo: top, base: base, git: g,
	}
	t.Cwd = filepath.Join(t.Path, filepath.FromSlash(inside))
	if err := t.hold(); err != nil {
		return nil, err
	}
	if _, err := g.run(ctx, top, "worktree", "add", "--quiet", "-b", t.Branch, t.Path, base); err != nil {
		// What of it is there is of no use to anybody.
		ctx := context.WithoutCancel(ctx)
		return nil, errors.Join(err, t.remove(ctx))
	}
	// A folder that is not committed is not there.
	if err := os.MkdirAll(t.Cwd, 0o777); err != nil {
		return nil, errors.Join(err, t.remove(context.WithoutCancel(ctx)))
	}
	return t, nil
}

// End takes a worktree away in which nothing was done, with its branch, and keeps any
// other. The worktree is nobody's afterwards.
func (t *Tree) End(ctx context.Context) (Left, error) {
	left, err := t.left(ctx)
	if err != nil || !left.Clean() {
		return left, errors.Join(err, t.release())
	}
	return left, t.remove(ctx)
}

// left looks at what was done.
func (t *Tree) left(ctx context.Context) (Left, error) {
	status, err := t.git.run(ctx, t.Path, "status", "--porcelain", "--untracked-files=all")
	if err != nil {
		return Left{}, err
	}
	var l Left
	for line := range strings.Lines(status) {
		if strings.TrimSpace(line) != "" {
			l.Files++
		}
	}
	// Also what was committed on another branch, or on none.
	commits, err := t.git.run(ctx, t.Path, "rev-list", "--count", "HEAD", t.Branch, "^"+t.base)
	if err != nil {
		return Left{}, err
	}
	l.Commits, err = strconv.Atoi(commits)
	return l, err
}

// remove takes the worktree and its branch away.
func (t *Tree) remove(ctx context.Context) error {
	var errs []error
	if _, err := os.Lstat(t.Path); err == nil {
		// Forced, for files that git ignores are in the way of it.
		if _, err := t.git.run(ctx, t.repo, "worktree", "remove", "--force", t.Path); err != nil {
			errs = append(errs, err)
		}
	}
	if _, err := t.git.run(ctx, t.repo, "rev-parse", "--verify", "--quiet", "refs/heads/"+t.Branch); err == nil {
		if _, err := t.git.run(ctx, t.repo, "branch", "--quiet", "-D", t.Branch); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, t.release())...)
}

// hold says whose worktree it is, before it is there.
func (t *Tree) hold() error {
	lock := flock.New(t.Path+lockExt, flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err != nil || !held {
		return fmt.Errorf("taking a folder for a worktree: %w", errors.Join(err, lock.Close()))
	}
	t.lock = lock
	note := strings.Join([]string{t.base, t.repo, t.Branch}, "\n")
	if err := os.WriteFile(lock.Path(), []byte(note), 0o600); err != nil {
		return errors.Join(err, t.release())
	}
	return nil
}

func (t *Tree) release() error {
	return errors.Join(os.Remove(t.lock.Path()), t.lock.Unlock())
}

// sweep ends the worktrees that a crash left. One in which something was done is kept,
// as its owner would have; what cannot be looked at stays as it is.
func sweep(ctx context.Context, g git, dir string) {
	locks, err := filepath.Glob(filepath.Join(dir, "*"+lockExt))
	if err != nil {
		return
	}
	for _, path := range locks {
		lock := flock.New(path)
		if held, err := lock.TryLock(); err != nil || !held {
			_ = lock.Close()
			continue
		}
		note, err := os.ReadFile(path)
		parts := strings.Split(string(note), "\n")
		if err != nil || len(parts) != 3 {
			// Its owner ended before it was written, or just now.
			_ = os.Remove(path)
			_ = lock.Unlock()
			continue
		}
		t := &Tree{Path: strings.TrimSuffix(path, lockExt), base: parts[0], repo: parts[1], Branch: parts[2], git: g, lock: lock}
		if _, err := os.Lstat(t.Path); err != nil {
			_ = t.remove(ctx)
			continue
		}
		_, _ = t.End(ctx)
	}
}

// slug is what of a name can stand in those of files and branches, at most 30 characters.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case b.Len() >= 30:
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "task"
}

// git runs git.
type git struct{ environ []string }

// run answers with what a command prints, without the last line break. Hooks are those of
// a person's own work, and no signal of this process: they do not run.
func (g git) run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir, cmd.Env = dir, g.environ
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		said := strings.TrimSpace(problem.String())
		if said == "" {
			said = err.Error()
		}
		return "", fmt.Errorf("git %s: %s", args[0], said)
	}
	return strings.TrimRight(out.String(), "\r\n"), nil
}

// environ is an environment in which git looks at the folder it runs in, asks nobody and
// answers in English.
func environ(from []string) []string {
	var out []string
	for _, v := range from {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE", "LC_ALL":
		default:
			out = append(out, v)
		}
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
}
