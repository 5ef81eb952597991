package workspace

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// bench is a workspace over real files with one folder, and what it told.
type bench struct {
	*testing.T
	home, folder string
	ws           *Workspace
	told         chan Snapshot
	last         uint64 // the last revision that was taken from told
}

// newBench opens a workspace over files as prepare leaves them.
func newBench(t *testing.T, prepare func(b *bench), options ...func(*Options)) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{T: t, home: filepath.Join(dir, "user", ".codebot"), folder: filepath.Join(dir, "project"), told: make(chan Snapshot, 1000)}
	b.mkdir(filepath.Dir(b.home), b.folder)
	if prepare != nil {
		prepare(b)
	}
	o := Options{
		Home: b.home, UserHome: filepath.Dir(b.home), Folders: []string{b.folder},
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), OnChange: func(s Snapshot) { b.told <- s },
	}
	for _, f := range options {
		f(&o)
	}
	b.ws = New(o)
	b.last = b.ws.Snapshot().Revision
	t.Cleanup(b.ws.Close)
	return b
}

func (b *bench) userFile() string { return SettingsFile(b.home) }

func (b *bench) projectFile() string { return ProjectSettingsFile(b.folder) }

func (b *bench) mkdir(dirs ...string) {
	b.Helper()
	for _, dir := range dirs {
		b.must(os.MkdirAll(dir, 0o700))
	}
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// write saves in one step, so that nothing is to be seen in between however slow
// this machine is.
func (b *bench) write(path, text string) {
	b.Helper()
	b.writeInPlace(path+".tmp", text)
	b.must(os.Rename(path+".tmp", path))
}

func (b *bench) writeInPlace(path, text string) {
	b.Helper()
	b.mkdir(filepath.Dir(path))
	b.must(os.WriteFile(path, []byte(text), 0o600))
}

// next returns the next snapshot that was told of.
func (b *bench) next(what string) Snapshot {
	b.Helper()
	select {
	case s := <-b.told:
		if s.Revision != b.last+1 {
			b.Errorf("%s: revision %d follows %d", what, s.Revision, b.last)
		}
		b.last = s.Revision
		return s
	case <-time.After(10 * time.Second):
		b.Fatalf("%s: nothing was told", what)
		panic("unreachable")
	}
}

// await returns the first snapshot for which met says yes.
func (b *bench) await(what string, met func(Snapshot) bool) Snapshot {
	b.Helper()
	for {
		if s := b.next(what); met(s) {
			return s
		}
	}
}

// quiet fails if anything was told since the last look: it makes a change that is
// told of for certain, and looks whether that is the next.
func (b *bench) quiet(what string) {
	b.Helper()
	other := filepath.Join(b.folder, "elsewhere")
	b.ws.AddFolder(other)
	if s := b.next(what); len(s.Folders) != 2 {
		b.Errorf("%s: a change was told that is none: %+v", what, s)
	}
	b.ws.RemoveFolder(other)
	b.await(what, func(s Snapshot) bool { return len(s.Folders) == 1 })
}

// servers is a settings file with entries of the given names.
func servers(names ...string) string {
	var entries []string
	for _, n := range names {
		entries = append(entries, fmt.Sprintf("%q: {\"command\": \"srv\", \"args\": [%q]}", n, n))
	}
	return `{"mcp_servers": {` + strings.Join(entries, ", ") + `}}`
}

func names(m map[string]mcp.ServerConfig) string { return strings.Join(sortedKeys(m), " ") }

func userHas(want string) func(Snapshot) bool {
	return func(s Snapshot) bool { return names(s.UserServers()) == want && !s.User.Bad }
}

func (b *bench) projectHas(want string) func(Snapshot) bool {
	return func(s Snapshot) bool { return names(s.ProjectServers(b.folder)) == want }
}

func (b *bench) symlink(to, path string) {
	b.Helper()
	if err := os.Symlink(to, path); err != nil {
		b.Skip("no symbolic links here:", err)
	}
}

// runGit runs git in the folder, without the user's configuration.
func runGit(b *bench, args ...string) {
	b.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		b.Skip("git is not installed")
	}
	cmd := exec.Command(git, append([]string{"-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Dir = b.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (b *bench) text(path string) string {
	b.Helper()
	raw, err := os.ReadFile(path)
	b.must(err)
	return string(raw)
}
