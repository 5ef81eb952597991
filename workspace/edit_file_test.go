package workspace

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// still is a workspace whose goroutines do not run: it has read the files once.
func still(t *testing.T, b *bench) *Workspace {
	t.Helper()
	w := &Workspace{
		options: Options{Home: b.home, UserHome: filepath.Dir(b.home), Folders: []string{b.folder}}, log: slog.New(slog.DiscardHandler),
		trust: OpenTrust(b.home), user: newUserSource(b.home, lang.En),
		watch: newWatcher(slog.New(slog.DiscardHandler), func() (*fsnotify.Watcher, error) { return nil, errors.New("still") }),
	}
	w.addLocked(w.options.Folders)
	w.readLocked()
	first := w.buildLocked(1)
	w.current.Store(&first)
	return w
}

// Another program wrote the file after we read it: what it wrote is not lost, and the
// person looks again.
func TestAFileThatChangedSinceItWasReadIsNotEdited(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.userFile(), servers("a")) })
	w := still(t, b)
	b.write(b.userFile(), servers("a", "b"))
	err := w.EditServer("", DisableServer("a"), nil)
	if !errors.Is(err, ErrFileChanged) || !strings.Contains(err.Error(), b.userFile()) {
		t.Errorf("got %v", err)
	}
	if got := b.text(b.userFile()); got != servers("a", "b") {
		t.Errorf("the file is now %s", got)
	}
	w.readLocked() // as the watcher does soon
	b.must(w.EditServer("", DisableServer("a"), nil))

	// What an editor shows and has not saved is no less a change.
	shown := func(path string) (string, bool) { return "{}", path == b.userFile() }
	if err := w.EditServer("", EnableServer("a"), shown); !errors.Is(err, ErrFileChanged) {
		t.Errorf("with unsaved changes: %v", err)
	}
	same := func(path string) (string, bool) {
		return strings.ReplaceAll(b.text(path), "\n", "\r\n"), true
	}
	b.must(w.EditServer("", EnableServer("a"), same))
}

// An edit holds at once, and our own watcher takes it for no second change.
func TestAnEditIsPublishedOnce(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	hash := b.ws.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash
	b.must(b.ws.Approve(b.folder, "a", hash))
	b.next("approved")
	b.must(b.ws.EditServer(b.folder, DisableServer("a"), nil))
	now := b.ws.Snapshot().ProjectServers(b.folder)["a"]
	if !now.Disabled || !now.Origin.Approved {
		t.Errorf("disabled, it is %+v", now)
	}
	b.next("disabled")
	b.quiet("after our own edit")
	// Enabled again it is what was approved.
	b.must(b.ws.EditServer(b.folder, EnableServer("a"), nil))
	if now := b.ws.Snapshot().ProjectServers(b.folder)["a"]; now.Disabled || !now.Origin.Approved {
		t.Errorf("enabled again, it is %+v", now)
	}
	b.must(b.ws.EditServer(b.folder, UpdateServer("a", []byte(`{"command": "srv", "args": ["a", "--evil"]}`)), nil))
	if now := b.ws.Snapshot().ProjectServers(b.folder)["a"]; now.Origin.Approved || !now.Origin.Changed {
		t.Errorf("with another command, it is %+v", now)
	}
}

// Dotfiles are links: a rename over the link would leave the real file behind.
func TestAnEditKeepsModeAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links of unix")
	}
	for _, exists := range []bool{true, false} {
		b := newBench(t, func(b *bench) {
			real := filepath.Join(filepath.Dir(b.home), "dotfiles", "codebot.json")
			b.mkdir(b.home, filepath.Dir(real))
			if exists {
				b.write(real, servers("a"))
				b.must(os.Chmod(real, 0o640))
			}
			b.symlink(filepath.Join("..", "dotfiles", "codebot.json"), b.userFile())
		})
		b.must(b.ws.EditServer("", AddServer("b", []byte(`{"command": "srv"}`)), nil))
		if info, err := os.Lstat(b.userFile()); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is now %v, %v", info, err)
		}
		info, err := os.Stat(b.userFile())
		want := os.FileMode(0o600)
		if exists {
			want = 0o640
		}
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("mode %v, %v, want %v", info, err, want)
		}
		if names, _ := filepath.Glob(filepath.Join(filepath.Dir(b.home), "dotfiles", ".*")); len(names) > 0 {
			t.Errorf("left behind: %q", names)
		}
		if !userHas("b")(b.ws.Snapshot()) && !userHas("a b")(b.ws.Snapshot()) {
			t.Errorf("the servers are %+v", b.ws.Snapshot().User)
		}
	}
}

// A project's file is never written outside its folder, whatever links the repository
// brings along.
func TestAnEditDoesNotLeaveTheFolder(t *testing.T) {
	for _, what := range []string{"file", "missing file", "directory"} {
		t.Run(what, func(t *testing.T) {
			outside := filepath.Join(t.TempDir(), "outside")
			b := newBench(t, func(b *bench) {
				b.mkdir(outside)
				target := filepath.Join(outside, "settings.json")
				if what != "missing file" {
					b.write(target, "{}")
				}
				if what == "directory" {
					b.symlink(outside, filepath.Dir(b.projectFile()))
					return
				}
				b.mkdir(filepath.Dir(b.projectFile()))
				b.symlink(target, b.projectFile())
			})
			if err := b.ws.EditServer(b.folder, AddServer("a", []byte(`{"command": "srv"}`)), nil); err == nil {
				t.Error("it was written")
			}
			if text, err := os.ReadFile(filepath.Join(outside, "settings.json")); err == nil && string(text) != "{}" {
				t.Errorf("outside there is now %s", text)
			} else if err != nil && what != "missing file" {
				t.Error(err)
			}
		})
	}
}

func TestTheFirstEntryMakesFileAndDirectory(t *testing.T) {
	b := newBench(t, func(b *bench) {})
	b.must(os.RemoveAll(b.home))
	b.must(b.ws.EditServer("", AddServer("u", []byte(`{"command": "srv"}`)), nil))
	b.must(b.ws.EditServer(b.folder, AddServer("p", []byte(`{"command": "srv"}`)), nil))
	if s := b.ws.Snapshot(); !userHas("u")(s) || !b.projectHas("p")(s) {
		t.Errorf("got %+v", s)
	}
	for path, want := range map[string]os.FileMode{b.userFile(): 0o600, b.home: 0o700, b.projectFile(): 0o644, filepath.Dir(b.projectFile()): 0o755} {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if err := b.ws.EditServer(filepath.Join(b.folder, "no"), AddServer("p", []byte(`{"command": "srv"}`)), nil); !errors.Is(err, ErrNotOpen) {
		t.Errorf("a folder that is not open: %v", err)
	}
	if err := b.ws.EditServer(b.folder, RemoveServer("u"), nil); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("the user's server in the folder: %v", err)
	}
}
