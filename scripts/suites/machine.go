package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// machine is what there is to test with.
type machine struct {
	root  string
	quick bool
	// fuzzTime is how long each fuzz target is to run; 0 leaves it to the suite.
	fuzzTime time.Duration
	out      io.Writer

	goVersion, node, git, make, cc, rg, patchelf tool
}

// tool is a program found on PATH. problem says why it cannot be used; get says
// how to get one that can.
type tool struct {
	name, version, problem, get string
}

func (t tool) ok() bool { return t.problem == "" }

// look finds the tools and checks their versions.
func (m *machine) look(ctx context.Context) {
	m.goVersion = find(ctx, "go", "go", []string{"env", "GOVERSION"}, "1.26", "install Go 1.26 or newer: https://go.dev/dl")
	m.node = find(ctx, "node", "node", []string{"--version"}, "20.18", "install Node 20.18 or newer: https://nodejs.org")
	if m.node.ok() {
		if _, err := exec.LookPath("npm"); err != nil {
			m.node.problem, m.node.get = "npm is not on PATH", "install npm, which comes with Node: https://nodejs.org"
		}
	}
	m.git = find(ctx, "git", "git", []string{"--version"}, "", "install git with your package manager")
	m.make = find(ctx, "make", "make", []string{"--version"}, "", "install make with your package manager")
	cc := "cc"
	if out, err := exec.CommandContext(ctx, "go", "env", "CC").Output(); err == nil && strings.TrimSpace(string(out)) != "" {
		cc = strings.Fields(string(out))[0]
	}
	m.cc = find(ctx, "C compiler", cc, []string{"--version"}, "", "install gcc or clang with your package manager")
	m.rg = find(ctx, "ripgrep", "rg", []string{"--version"}, "", "install ripgrep with your package manager")
	m.patchelf = find(ctx, "patchelf", "patchelf", []string{"--version"}, "", "install patchelf with your package manager")
}

// report prints what was found, before anything runs.
func (m *machine) report() {
	for _, t := range []tool{m.goVersion, m.node, m.git, m.make, m.cc, m.rg, m.patchelf} {
		if t.ok() {
			fmt.Fprintf(m.out, "%-10s %s\n", t.name, t.version)
		} else {
			fmt.Fprintf(m.out, "%-10s %s; %s\n", t.name, t.problem, t.get)
		}
	}
}

// find looks for a program and checks that it is at least version min.
func find(ctx context.Context, name, program string, args []string, min, get string) tool {
	t := tool{name: name, get: get}
	if _, err := exec.LookPath(program); err != nil {
		t.problem = program + " is not on PATH"
		return t
	}
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		t.problem = fmt.Sprintf("%s %s failed: %v", program, strings.Join(args, " "), err)
		return t
	}
	t.version = versionIn(string(out))
	if min != "" && !atLeast(t.version, min) {
		t.problem = fmt.Sprintf("%s %s is older than %s", program, t.version, min)
	}
	return t
}

// versionIn returns the first thing in text that looks like a version number.
func versionIn(text string) string {
	start := strings.IndexAny(text, "0123456789")
	if start < 0 {
		return ""
	}
	end := start
	for end < len(text) && (text[end] == '.' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return strings.Trim(text[start:end], ".")
}

// atLeast reports whether the dotted number version is min or more.
func atLeast(version, min string) bool {
	v, m := numbers(version), numbers(min)
	return slices.Compare(v, m) >= 0
}

func numbers(version string) []int {
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return out
		}
		out = append(out, n)
	}
	return out
}

// installPackages installs system packages that the tests lack, by name, where
// we are root on a machine with apt; nowhere else, and never through sudo.
func (m *machine) installPackages(ctx context.Context) {
	var lacking []string
	for _, p := range []struct {
		tool     tool
		packages []string
	}{
		{m.git, []string{"git"}},
		{m.make, []string{"make"}},
		{m.cc, []string{"gcc", "libc6-dev"}},
		{m.rg, []string{"ripgrep"}},
		{m.patchelf, []string{"patchelf"}},
	} {
		if !p.tool.ok() {
			lacking = append(lacking, p.packages...)
		}
	}
	apt, err := exec.LookPath("apt-get")
	if len(lacking) == 0 || err != nil || runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return
	}
	fmt.Fprintf(m.out, "installing system packages: %s\n", strings.Join(lacking, " "))
	install := func() error {
		args := append([]string{"install", "-y", "--no-install-recommends"}, lacking...)
		return m.apt(ctx, apt, args...)
	}
	if install() != nil {
		// A fresh container has no package lists yet.
		if err := m.apt(ctx, apt, "update"); err != nil {
			fmt.Fprintf(m.out, "apt-get update: %v\n", err)
		}
		if err := install(); err != nil {
			fmt.Fprintf(m.out, "apt-get install: %v\n", err)
		}
	}
	m.look(ctx)
}

func (m *machine) apt(ctx context.Context, apt string, args ...string) error {
	cmd := exec.CommandContext(ctx, apt, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	return cmd.Run()
}

// cache returns a path below the ignored folder of private copies.
func (m *machine) cache(elem ...string) string {
	return filepath.Join(append([]string{m.root, ".cache"}, elem...)...)
}

// install makes what is too big to be made for each copy of the repository: a folder
// below the user's caches, or below the tree's where there is none. build fills the
// folder it is given, which has then to be movable: it gets its name only when it is
// whole, so that two runs at once, or one that was interrupted, leave nothing half
// made. The name must change with what is in it.
func (m *machine) install(name string, build func(dir string) error) (string, error) {
	base := m.cache()
	if user, err := os.UserCacheDir(); err == nil {
		base = filepath.Join(user, "codebot-ls-tests")
	}
	dir := filepath.Join(base, name)
	if exists(dir) {
		return dir, nil
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", err
	}
	forgotten(base, 24*time.Hour)
	draft, err := os.MkdirTemp(base, draftPrefix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(draft)
	if err := build(draft); err != nil {
		return "", err
	}
	// Its mode is 0700 until then.
	if err := os.Chmod(draft, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(draft, dir); err != nil && !exists(dir) { // another run may have been first
		return "", err
	}
	return dir, nil
}

// draftPrefix begins the names of folders that are being filled.
const draftPrefix = ".draft-"

// forgotten removes drafts in base that runs which were killed left there: those
// older than age.
func forgotten(base string, age time.Duration) {
	drafts, _ := filepath.Glob(filepath.Join(base, draftPrefix+"*")) // the pattern is sound
	for _, d := range drafts {
		if fi, err := os.Stat(d); err == nil && time.Since(fi.ModTime()) > age {
			_ = os.RemoveAll(d) // the next run tries again
		}
	}
}

// fingerprint is a short hash of files, for the names of what is made from them.
func fingerprint(files ...string) (string, error) {
	sum := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%d\n", len(data))
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}
