package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes one with a commit, and a folder "in" below its top.
func repository(t *testing.T) (top string, o Options) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on PATH")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run(t, top, "init", "--quiet", "-b", "main")
	run(t, top, "config", "user.email", "a@example.test")
	run(t, top, "config", "user.name", "A")
	write(t, filepath.Join(top, "in", "file"), "one\n")
	write(t, filepath.Join(top, ".gitignore"), "build/\n")
	run(t, top, "add", ".")
	run(t, top, "commit", "--quiet", "-m", "first")
	return top, Options{Dir: filepath.Join(t.TempDir(), "trees"), Cwd: filepath.Join(top, "in"), Name: "Look at: the 100 % 天 Parser", Environ: os.Environ()}
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, o Options) *Tree {
	t.Helper()
	tree, err := Add(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func end(t *testing.T, tree *Tree) Left {
	t.Helper()
	left, err := tree.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// gone fails where anything of a worktree is left.
func gone(t *testing.T, top string, o Options) {
	t.Helper()
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
	if trees := run(t, top, "worktree", "list"); strings.Contains(trees, "\n") {
		t.Errorf("git knows of\n%s", trees)
	}
	if branches := run(t, top, "branch", "--list", "codebot/*"); branches != "" {
		t.Errorf("branches are left: %s", branches)
	}
}

// A worktree that was only looked at leaves nothing: no folder, no branch, no entry in
// git's list; and what is not committed is not in it.
func TestAWorktreeThatWasOnlyReadLeavesNothing(t *testing.T) {
	top, o := repository(t)
	write(t, filepath.Join(top, "in", "file"), "changed, not committed\n")
	tree := add(t, o)
	if !strings.HasPrefix(tree.Branch, "codebot/look-at-the-100-parser-") || filepath.Base(tree.Cwd) != "in" {
		t.Errorf("made %+v", tree)
	}
	if text, err := os.ReadFile(filepath.Join(tree.Cwd, "file")); err != nil || string(text) != "one\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	write(t, filepath.Join(tree.Path, "build", "out"), "ignored")
	if left := end(t, tree); !left.Clean() {
		t.Errorf("left %+v", left)
	}
	gone(t, top, o)
}

// What was done stays where it was done: not committed, committed, and committed with the
// branch left for another.
func TestAWorktreeWithWorkInItIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		work func(t *testing.T, tree *Tree)
		want Left
	}{
		"a file": {func(t *testing.T, tree *Tree) { write(t, filepath.Join(tree.Cwd, "new"), "x") }, Left{Files: 1}},
		"a commit": {func(t *testing.T, tree *Tree) {
			write(t, filepath.Join(tree.Cwd, "new"), "x")
			run(t, tree.Path, "add", ".")
			run(t, tree.Path, "commit", "--quiet", "-m", "second")
		}, Left{Commits: 1}},
		"a commit on no branch": {func(t *testing.T, tree *Tree) {
			run(t, tree.Path, "checkout", "--quiet", "--detach")
			run(t, tree.Path, "commit", "--quiet", "--allow-empty", "-m", "second")
		}, Left{Commits: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			top, o := repository(t)
			tree := add(t, o)
			c.work(t, tree)
			if left := end(t, tree); left != c.want {
				t.Errorf("left %+v, want %+v", left, c.want)
			}
			if _, err := os.Stat(tree.Path); err != nil {
				t.Error(err)
			}
			if run(t, top, "branch", "--list", tree.Branch) == "" {
				t.Error("the branch is gone")
			}
			if left, err := filepath.Glob(filepath.Join(o.Dir, "*"+lockExt)); len(left) > 0 || err != nil {
				t.Errorf("left %v, %v: the next one would take it for one of a crash", left, err)
			}
		})
	}
}

// A process that is killed leaves its worktrees: the next one takes those away in which
// nothing was done, and no others.
func TestWorktreesOfACrashGoWithTheNextOne(t *testing.T) {
	top, o := repository(t)
	clean, dirty, running := add(t, o), add(t, o), add(t, o)
	write(t, filepath.Join(dirty.Cwd, "new"), "x")
	for _, tree := range []*Tree{clean, dirty} { // what the end of the process does
		if err := tree.lock.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	end(t, add(t, o))
	if _, err := os.Stat(clean.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the clean one: %v", err)
	}
	for _, tree := range []*Tree{dirty, running} {
		if _, err := os.Stat(tree.Path); err != nil {
			t.Error(err)
		}
	}
	end(t, running)
	if got := run(t, top, "branch", "--list", "codebot/*"); strings.Contains(got, "\n") || !strings.Contains(got, dirty.Branch) {
		t.Errorf("branches: %s", got)
	}
}

func TestWhereNoWorktreeCanBeMadeItSaysWhy(t *testing.T) {
	_, o := repository(t)
	plain := t.TempDir()
	bare := o
	bare.Cwd = plain
	if _, err := Add(t.Context(), bare); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: %v", err)
	}
	run(t, plain, "init", "--quiet")
	if _, err := Add(t.Context(), bare); !errors.Is(err, ErrNoCommit) {
		t.Errorf("no commit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Add(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A hook of the repository is no part of making a worktree, and a variable of the shell
// that started the editor does not lead git elsewhere.
func TestAWorktreeRunsNoHookAndFollowsNoVariable(t *testing.T) {
	top, o := repository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(top, ".git", "hooks", "post-checkout")
	write(t, hook, "#!/bin/sh\ntouch '"+ran+"'\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	o.Environ = append(o.Environ, "GIT_DIR=/nowhere", "GIT_WORK_TREE=/nowhere", "GIT_INDEX_FILE=/nowhere")
	end(t, add(t, o))
	if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the hook ran: %v", err)
	}
	gone(t, top, o)
}
