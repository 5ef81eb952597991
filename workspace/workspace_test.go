package workspace

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/fsnotify/fsnotify"
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

func (b *bench) userFile() string    { return SettingsFile(b.home) }
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

func TestFirstSnapshotHasTheSettings(t *testing.T) {
	b := newBench(t, func(b *bench) {
		b.write(b.userFile(), servers("u"))
		b.write(b.projectFile(), servers("p"))
	})
	s := b.ws.Snapshot()
	if !userHas("u")(s) || !b.projectHas("p")(s) || len(s.Diagnostics()) != 0 {
		t.Errorf("got %+v", s)
	}
	b.quiet("after the start")
}

// Each way of saving is seen, every time, as one change: fsnotify#17, #372,
// thanos#8127.
func TestEverySaveIsSeenOnce(t *testing.T) {
	ways := map[string]func(b *bench, path, text string){
		"in place": (*bench).writeInPlace,
		"in two writes": func(b *bench, path, text string) {
			b.mkdir(filepath.Dir(path))
			f, err := os.Create(path)
			b.must(err)
			_, err = f.WriteString(text[:len(text)/2])
			b.must(err)
			_, err = f.WriteString(text[len(text)/2:])
			b.must(err)
			b.must(f.Close())
		},
		"rename over": (*bench).write,
		"vim backupcopy=no": func(b *bench, path, text string) {
			_ = os.Rename(path, path+"~") // the first time there is none
			b.writeInPlace(path, text)
			_ = os.Remove(path + "~")
		},
		"vim backupcopy=yes": func(b *bench, path, text string) {
			old, _ := os.ReadFile(path)
			b.writeInPlace(path+"~", string(old))
			b.writeInPlace(path, text)
			b.must(os.Remove(path + "~"))
		},
		"delete and create": func(b *bench, path, text string) {
			_ = os.Remove(path)
			b.writeInPlace(path, text)
		},
		"delete and recreate the directory": func(b *bench, path, text string) {
			b.must(os.RemoveAll(filepath.Dir(path)))
			b.writeInPlace(path, text)
		},
		"another directory in its place": func(b *bench, path, text string) {
			dir := filepath.Dir(path)
			b.write(filepath.Join(dir+".new", filepath.Base(path)), text)
			if err := os.Rename(dir, dir+".old"); err == nil {
				b.must(os.RemoveAll(dir + ".old.old"))
				b.must(os.Rename(dir+".old", dir+".old.old"))
			}
			b.must(os.Rename(dir+".new", dir))
		},
	}
	for name, save := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil) // neither directory is there at the start
			for i := range 4 {
				want := fmt.Sprintf("s%d", i)
				b.seenOnce("user "+want, userHas(want), func() { save(b, b.userFile(), servers(want)) })
				b.seenOnce("project "+want, b.projectHas(want), func() { save(b, b.projectFile(), servers(want)) })
			}
			b.quiet("after the saves")
		})
	}
}

// seenOnce fails unless the next thing told after save is what met wants; when this
// machine was too slow to save in one go, what is in between may be told too.
func (b *bench) seenOnce(what string, met func(Snapshot) bool, save func()) {
	b.Helper()
	start := time.Now()
	save()
	if time.Since(start) > quiet/2 {
		b.await(what, met)
		return
	}
	if s := b.next(what); !met(s) {
		b.Errorf("%s: told of something else first: %+v", what, s)
		b.await(what, met)
	}
}

// The directory comes, goes and comes again, and so does the folder: fsnotify#663,
// #279. A file that is gone is no settings, and that is no mistake.
func TestSettingsComeAndGo(t *testing.T) {
	b := newBench(t, nil)
	for range 2 {
		b.write(b.projectFile(), servers("a"))
		b.await("created", b.projectHas("a"))
		b.must(os.RemoveAll(filepath.Dir(b.projectFile())))
		if s := b.await("removed", b.projectHas("")); len(s.Diagnostics()) != 0 {
			t.Errorf("a missing file is a problem: %v", s.Diagnostics())
		}
		b.must(os.RemoveAll(b.folder))
		b.write(b.projectFile(), servers("b"))
		b.await("folder created anew", b.projectHas("b"))
		b.must(os.RemoveAll(b.folder))
		b.await("folder removed", b.projectHas(""))
		b.mkdir(b.folder)
	}
}

// git writes a file by unlinking and creating it, and removes directories that
// become empty.
func TestGitCheckoutIsSeen(t *testing.T) {
	b := newBench(t, nil)
	git := func(args ...string) { b.Helper(); runGit(b, args...) }
	git("init", "-q", "-b", "main")
	b.write(filepath.Join(b.folder, "README"), "x")
	git("add", "README")
	git("commit", "-q", "-m", "without settings")
	git("checkout", "-q", "-b", "one")
	b.write(b.projectFile(), servers("one"))
	b.await("branch one", b.projectHas("one"))
	git("add", ".codebot")
	git("commit", "-q", "-m", "one")
	git("checkout", "-q", "-b", "two")
	b.write(b.projectFile(), servers("two"))
	b.await("branch two", b.projectHas("two"))
	git("commit", "-q", "-a", "-m", "two")
	for _, branch := range []string{"one", "two", "main", "two", "main", "one"} {
		git("checkout", "-q", branch)
		b.await("checkout "+branch, b.projectHas(strings.TrimPrefix(branch, "main")))
	}
}

// A file that becomes bad or unreadable leaves the last good settings in force and
// says so (PerformanceMonitor#2431); a good one takes over again.
func TestBadFileKeepsTheLastGoodSettings(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(b *bench, path string)
		code        Code
	}{
		"truncated": {
			spoil: func(b *bench, path string) { b.must(os.Truncate(path, 0)) },
			code:  CodeEmpty,
		},
		"half": {
			spoil: func(b *bench, path string) { b.write(path, servers("new")[:20]) },
			code:  CodeSyntax,
		},
		"chmod 000": {
			spoil: func(b *bench, path string) {
				if os.Geteuid() == 0 || runtime.GOOS == "windows" {
					b.Skip("root reads everything")
				}
				b.must(os.Chmod(path, 0))
			},
			mend: func(b *bench, path string) { b.must(os.Chmod(path, 0o600)); b.write(path, servers("new")) },
			code: CodeUnreadable,
		},
		"directory": {
			spoil: func(b *bench, path string) { b.must(os.Remove(path)); b.mkdir(path) },
			mend:  func(b *bench, path string) { b.must(os.Remove(path)); b.write(path, servers("new")) },
			code:  CodeUnreadable,
		},
		"pipe": {
			spoil: func(b *bench, path string) {
				if !makePipe(path + ".pipe") {
					b.Skip("no pipes here")
				}
				b.must(os.Rename(path+".pipe", path))
			},
			mend: func(b *bench, path string) { b.must(os.Remove(path)); b.write(path, servers("new")) },
			code: CodeUnreadable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(b *bench) {
				b.write(b.userFile(), servers("old"))
				b.write(b.projectFile(), servers("old"))
			})
			for _, f := range []struct {
				path  string
				layer func(Snapshot) Layer
			}{
				{b.userFile(), func(s Snapshot) Layer { return s.User }},
				{b.projectFile(), func(s Snapshot) Layer { return s.Folders[0].Project }},
			} {
				c.spoil(b, f.path)
				s := b.await("spoilt", func(s Snapshot) bool { return f.layer(s).Bad })
				l := f.layer(s)
				if names(l.Settings.MCPServers) != "old" {
					t.Errorf("the servers are now %q", names(l.Settings.MCPServers))
				}
				if len(l.Diagnostics) != 1 || l.Diagnostics[0].Code != c.code || l.Diagnostics[0].File != f.path {
					t.Errorf("diagnostics %v, want %s", l.Diagnostics, c.code)
				}
				if c.mend == nil {
					b.write(f.path, servers("new"))
				} else {
					c.mend(b, f.path)
				}
				b.await("mended", func(s Snapshot) bool {
					l := f.layer(s)
					return names(l.Settings.MCPServers) == "new" && !l.Bad && len(l.Diagnostics) == 0
				})
			}
		})
	}
}

// A touch, or a save of the same bytes by whatever way, is no change: nothing is
// told, so nothing restarts (kilocode#5817).
func TestSameBytesAreNoChange(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.userFile(), servers("a")) })
	for range 5 {
		now := time.Now()
		b.must(os.Chtimes(b.userFile(), now, now))
		b.write(b.userFile(), servers("a"))
	}
	// What comes next is the next thing told of.
	b.write(b.userFile(), servers("b"))
	if s := b.next("the real change"); !userHas("b")(s) {
		t.Errorf("got %q", names(s.UserServers()))
	}
}

// dotfiles: the settings, or their directory, are a link, and what is saved is the
// file behind it.
func TestLinkedUserSettingsAreWatched(t *testing.T) {
	for _, what := range []string{"file", "directory", "two links"} {
		t.Run(what, func(t *testing.T) {
			var real string
			b := newBench(t, func(b *bench) {
				dotfiles := filepath.Join(filepath.Dir(b.home), "dotfiles")
				real = filepath.Join(dotfiles, "settings.json")
				b.write(real, servers("a"))
				if what == "directory" {
					b.symlink(dotfiles, b.home)
					return
				}
				b.mkdir(b.home)
				if what == "two links" {
					b.symlink(real, filepath.Join(filepath.Dir(b.home), "between"))
					b.symlink(filepath.Join("..", "between"), b.userFile())
					return
				}
				b.symlink(real, b.userFile())
			})
			if !userHas("a")(b.ws.Snapshot()) {
				t.Fatalf("at the start: %+v", b.ws.Snapshot().User)
			}
			for _, want := range []string{"b", "c"} {
				b.write(real, servers(want))
				b.await(want, userHas(want))
			}
			b.must(os.Remove(real))
			b.await("dangling", userHas(""))
			b.write(real, servers("d"))
			b.await("d", userHas("d"))
		})
	}
}

func (b *bench) symlink(to, path string) {
	b.Helper()
	if err := os.Symlink(to, path); err != nil {
		b.Skip("no symbolic links here:", err)
	}
}

// A project's settings that are a link out of the folder are not read, not quoted,
// and do not stay in force either.
func TestProjectSettingsOutsideTheFolderAreIgnored(t *testing.T) {
	for _, what := range []string{"file", "directory", "relative"} {
		t.Run(what, func(t *testing.T) {
			b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("good")) })
			outside := filepath.Join(filepath.Dir(b.folder), "project-evil") // the folder's name is its beginning
			b.write(filepath.Join(outside, "settings.json"), `{"secret"`)
			dir := filepath.Dir(b.projectFile())
			b.must(os.Rename(dir, dir+".old"))
			switch what {
			case "file":
				b.mkdir(dir)
				b.symlink(filepath.Join(outside, "settings.json"), b.projectFile())
			case "directory":
				b.symlink(outside, dir)
			case "relative":
				b.mkdir(dir)
				b.symlink(filepath.Join("..", "..", "project-evil", "settings.json"), b.projectFile())
			}
			s := b.await("a link out", func(s Snapshot) bool { return s.Folders[0].Project.Bad })
			if l := s.Folders[0].Project; len(l.Settings.MCPServers) != 0 || len(l.Diagnostics) != 1 || l.Diagnostics[0].Code != CodeOutside || strings.Contains(l.Diagnostics[0].Message, "secret") {
				t.Errorf("got %+v", l)
			}
		})
	}
}

// A link to another place of the same folder is fine, also an absolute one.
func TestProjectSettingsLinkedInsideTheFolder(t *testing.T) {
	var real string
	b := newBench(t, func(b *bench) {
		real = filepath.Join(b.folder, "config", "codebot.json")
		b.write(real, servers("a"))
		b.mkdir(filepath.Dir(b.projectFile()))
		b.symlink(real, b.projectFile())
	})
	if s := b.ws.Snapshot(); !b.projectHas("a")(s) {
		t.Fatalf("at the start: %+v", s.Folders)
	}
	b.write(real, servers("b"))
	b.await("changed behind the link", b.projectHas("b"))
}

func TestHomeFolderHasNoProjectFile(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.userFile(), servers("u")) })
	b.ws.AddFolder(filepath.Dir(b.home) + string(filepath.Separator))
	s := b.next("home opened")
	f, ok := s.Folder(filepath.Dir(b.home))
	if !ok || f.Project.Path != "" || len(f.Project.Settings.MCPServers) != 0 || names(f.Merged.MCPServers) != "u" || !f.Merged.MCPServers["u"].Origin.Approved {
		t.Errorf("got %+v", f)
	}
}

// The project's entry replaces the user's of the same name whole, but only once it
// is approved; the loser is named.
func TestLayers(t *testing.T) {
	b := newBench(t, func(b *bench) {
		b.write(b.userFile(), `{
  "model": "offline",
  "providers": {"router": {"type": "openai", "models": ["good"]}},
  "mcp_servers": {"both": {"command": "user", "env": {"A": "1"}}, "user": {"command": "u"}},
  "permissions": {"mode": "plan", "allow": ["read(**)"], "ask": ["bash(a *)"], "deny": ["bash(b *)"]}
}`)
		b.write(b.projectFile(), `{
  "model": "router/good",
  "mcp_servers": {"both": {"command": "project"}, "project": {"command": "p"}},
  "permissions": {"ask": ["bash(c *)"], "deny": ["bash(d *)"]}
}`)
	})
	s := b.ws.Snapshot()
	m := s.Settings(b.folder)
	if names(m.MCPServers) != "both project user" || m.MCPServers["both"].Command != "user" || m.MCPServers["project"].Origin.Approved {
		t.Errorf("before approval: %+v", m.MCPServers)
	}
	if m.Model != "router/good" || m.Permissions.Mode != permission.ModePlan || !slices.Equal(m.Permissions.Allow, []string{"read(**)"}) ||
		!slices.Equal(m.Permissions.Ask, []string{"bash(a *)", "bash(c *)"}) || !slices.Equal(m.Permissions.Deny, []string{"bash(b *)", "bash(d *)"}) || len(m.Providers) != 1 {
		t.Errorf("merged: %+v", m)
	}
	entry := s.ProjectServers(b.folder)["both"]
	if entry.Origin.Shadows != b.userFile() || entry.Origin.Approved || entry.Origin.Changed || entry.Origin.ConsentHash == "" {
		t.Errorf("origin %+v", entry.Origin)
	}
	b.must(b.ws.Approve(b.folder, "both", entry.Origin.ConsentHash))
	s = b.next("approved")
	if got := s.Settings(b.folder).MCPServers["both"]; got.Command != "project" || got.Env != nil || !got.Origin.Approved {
		t.Errorf("after approval: %+v", got)
	}
	if s.UserServers()["both"].Command != "user" {
		t.Error("the user's own entry is lost for other folders")
	}
	b.must(b.ws.Revoke(b.folder, "both"))
	if s := b.next("revoked"); s.Settings(b.folder).MCPServers["both"].Command != "user" {
		t.Errorf("after revoking: %+v", s.Settings(b.folder).MCPServers)
	}
	// The same from a one-shot command.
	loaded, diags := LoadAllMCPServers(b.folder, Options{Home: b.home, UserHome: filepath.Dir(b.home)})
	if names(loaded) != "both project user" || loaded["both"].Command != "user" || len(diags) != 0 {
		t.Errorf("LoadAllMCPServers: %+v, %v", loaded, diags)
	}
}

// A project chooses among models the user named, and no other of a provider that
// would take any.
func TestProjectModelMustBeConfigured(t *testing.T) {
	user := `{"model": "router/mine", "providers": {"router": {"type": "openai", "models": ["a"]}}}`
	for model, ok := range map[string]bool{"router/a": true, "router/mine": true, "offline": true, "router/b": false, "other/a": false} {
		t.Run(strings.ReplaceAll(model, "/", " "), func(t *testing.T) {
			b := newBench(t, func(b *bench) {
				b.write(b.userFile(), user)
				b.write(b.projectFile(), "{\n  \"model\": \""+model+"\"}")
			})
			f := b.ws.Snapshot().Folders[0]
			want := "router/mine"
			if ok {
				want = model
			}
			if f.Merged.Model != want {
				t.Errorf("model %q, want %q", f.Merged.Model, want)
			}
			if d := f.Project.Diagnostics; ok && len(d) != 0 || !ok && (len(d) != 1 || d[0].Code != CodeUnknownModel || d[0].Line != 2 || d[0].Column != 12) {
				t.Errorf("diagnostics %v", d)
			}
		})
	}
}

// An approved entry that changed asks again, and a hash that is not that of the
// entry as it is now approves nothing (CVE-2025-54136).
func TestChangedEntryAsksAgain(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a", "b")) })
	origin := func(s Snapshot, name string) mcp.Origin { return s.ProjectServers(b.folder)[name].Origin }
	hash := origin(b.ws.Snapshot(), "a").ConsentHash
	b.must(b.ws.Approve(b.folder, "a", hash))
	if s := b.next("approved"); !origin(s, "a").Approved || origin(s, "b").Approved {
		t.Errorf("got %+v", s.ProjectServers(b.folder))
	}
	b.write(b.projectFile(), strings.Replace(servers("a", "b"), `["a"]`, `["a", "--evil"]`, 1))
	s := b.next("changed")
	if o := origin(s, "a"); o.Approved || !o.Changed || o.ConsentHash == hash {
		t.Errorf("the changed entry: %+v", o)
	}
	if err := b.ws.Approve(b.folder, "a", hash); !errors.Is(err, ErrConsentChanged) {
		t.Errorf("the old hash: %v", err)
	}
	if err := b.ws.Approve(b.folder, "z", hash); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("an unknown server: %v", err)
	}
	if err := b.ws.Approve(b.home, "a", hash); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("an unknown folder: %v", err)
	}
	// The file was rewritten after the person looked and before we did.
	stale := origin(s, "a").ConsentHash
	b.write(b.projectFile(), strings.Replace(servers("a", "b"), `["a"]`, `["a", "--worse"]`, 1))
	if err := b.ws.Approve(b.folder, "a", stale); !errors.Is(err, ErrConsentChanged) {
		t.Errorf("a hash that is stale on disk: %v", err)
	}
	b.await("rewritten", func(s Snapshot) bool { return slices.Contains(s.ProjectServers(b.folder)["a"].Args, "--worse") })
}

// Time-outs and the switch are not what a person consented to.
func TestHarmlessChangeKeepsApproval(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	b.must(b.ws.Approve(b.folder, "a", b.ws.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash))
	b.next("approved")
	b.write(b.projectFile(), `{"mcp_servers": {"a": {"disabled": true, "args": ["a"], "call_timeout_ms": 9, "command": "srv"}}}`)
	if e := b.next("changed").ProjectServers(b.folder)["a"]; !e.Origin.Approved || !e.Disabled {
		t.Errorf("got %+v", e)
	}
}

// Two windows: what is approved in one holds in the other, for the same content
// only.
func TestApprovalInAnotherWindow(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a", "b")) })
	other := New(Options{Home: b.home, UserHome: filepath.Dir(b.home), Folders: []string{b.folder}})
	defer other.Close()
	b.must(other.Approve(b.folder, "a", other.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash))
	s := b.next("approved elsewhere")
	if e := s.ProjectServers(b.folder); !e["a"].Origin.Approved || e["b"].Origin.Approved {
		t.Errorf("got %+v", e)
	}
	b.must(other.Revoke(b.folder, "a"))
	if s := b.next("revoked elsewhere"); s.ProjectServers(b.folder)["a"].Origin.Approved {
		t.Error("still approved")
	}
}

// To trust a folder for the session is to trust what it has now: an entry that an
// agent writes later does not start by itself (CVE-2025-54135).
func TestSessionTrustIsForWhatIsThere(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	b.must(b.ws.TrustFolderForSession(b.folder))
	if s := b.next("trusted"); !s.ProjectServers(b.folder)["a"].Origin.Approved {
		t.Error("not trusted")
	}
	b.write(b.projectFile(), servers("a", "evil"))
	if e := b.next("grown").ProjectServers(b.folder); !e["a"].Origin.Approved || e["evil"].Origin.Approved {
		t.Errorf("got %+v", e)
	}
	if _, err := os.Stat(filepath.Join(b.home, trustName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("trust for the session was kept on disk: %v", err)
	}
	if err := b.ws.TrustFolderForSession(b.home); err == nil {
		t.Error("a folder that is not open was trusted")
	}
}

func TestBrokenTrustFileIsToldOf(t *testing.T) {
	b := newBench(t, func(b *bench) { b.mkdir(b.home) })
	b.write(filepath.Join(b.home, trustName), "{")
	s := b.next("broken")
	if d := s.Diagnostics(); len(d) != 1 || d[0].File != filepath.Join(b.home, trustName) || !strings.Contains(d[0].Message, "approvals") {
		t.Errorf("diagnostics %v", d)
	}
}

func TestFolders(t *testing.T) {
	b := newBench(t, nil)
	second := filepath.Join(filepath.Dir(b.folder), "second")
	b.write(ProjectSettingsFile(second), servers("x"))
	b.ws.AddFolder(second)
	if s := b.ws.Snapshot(); names(s.ProjectServers(second)) != "x" {
		t.Errorf("a new folder is not in the next snapshot: %+v", s)
	}
	b.next("added")
	b.ws.AddFolder(second + string(filepath.Separator)) // open already: no change
	b.write(ProjectSettingsFile(second), servers("y"))
	if s := b.next("changed in the new folder"); names(s.ProjectServers(second)) != "y" {
		t.Errorf("got %+v", s.Folders)
	}
	b.ws.ChangeFolders([]string{b.folder, b.home}, []string{second, "/nowhere"})
	s := b.next("changed folders")
	var roots []string
	for _, f := range s.Folders {
		roots = append(roots, f.Root)
	}
	if !slices.Equal(roots, []string{b.folder, b.home}) {
		t.Errorf("folders %v", roots)
	}
	if _, ok := s.Folder(second); ok || s.ProjectServers(second) != nil {
		t.Error("a closed folder is still there")
	}
	b.ws.ChangeFolders(nil, []string{b.home})
	b.next("one folder")
	b.write(ProjectSettingsFile(second), servers("z"))
	b.quiet("after a change in a closed folder")
}

// A published snapshot does not change under its reader.
func TestSnapshotIsImmutable(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	before := b.ws.Snapshot()
	kept := maps.Clone(before.ProjectServers(b.folder))
	b.must(b.ws.Approve(b.folder, "a", kept["a"].Origin.ConsentHash))
	b.next("approved")
	b.write(b.projectFile(), servers("b"))
	b.await("changed", b.projectHas("b"))
	if got := before.ProjectServers(b.folder); len(got) != 1 || got["a"].Origin.Approved {
		t.Errorf("the old snapshot now says %+v", got)
	}
}

// When the system gives us no watcher (its limit is reached: notify#109), we say so
// and look at the files instead.
func TestNoWatcherIsSaidAndPolled(t *testing.T) {
	b := newBench(t, nil, func(o *Options) {
		o.newSystem = func() (*fsnotify.Watcher, error) { return nil, syscall.EMFILE }
	})
	if why := b.ws.Snapshot().NotWatching; !strings.Contains(why, syscall.EMFILE.Error()) {
		t.Errorf("NotWatching = %q", why)
	}
	b.write(b.userFile(), servers("a"))
	b.await("polled", userHas("a"))
	b.write(b.projectFile(), servers("b"))
	b.ws.Rescan()
	b.await("rescanned", b.projectHas("b"))
}

// The same when the limit is reached later, by a folder that is opened.
func TestWatchLimitReachedLater(t *testing.T) {
	b := newBench(t, nil)
	b.must(b.ws.watch.system.Close()) // no watch can be added any more
	second := filepath.Join(filepath.Dir(b.folder), "second")
	b.ws.AddFolder(second)
	b.await("not watching", func(s Snapshot) bool { return s.NotWatching != "" })
	b.write(ProjectSettingsFile(second), servers("a"))
	b.await("polled", func(s Snapshot) bool { return names(s.ProjectServers(second)) == "a" })
}

// When the system lost events it says so, and everything is looked at.
func TestOverflowRescans(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.userFile(), servers("a")) })
	b.write(b.userFile(), servers("b"))
	b.await("b", userHas("b"))
	for _, dir := range b.ws.watch.system.WatchList() { // from here on we are deaf
		b.must(b.ws.watch.system.Remove(dir))
	}
	b.write(b.userFile(), servers("c"))
	b.ws.watch.system.Errors <- fsnotify.ErrEventOverflow
	b.await("c", userHas("c"))
}

// Ten editors on one workspace all see what is approved in one of them.
func TestTenWindows(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	approved := make(chan int, 100)
	for i := range 10 {
		ws := New(Options{Home: b.home, UserHome: filepath.Dir(b.home), Folders: []string{b.folder}, OnChange: func(s Snapshot) {
			if s.ProjectServers(b.folder)["a"].Origin.Approved {
				approved <- i
			}
		}})
		t.Cleanup(ws.Close)
	}
	b.must(b.ws.Approve(b.folder, "a", b.ws.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash))
	seen := make(map[int]bool)
	for len(seen) < 10 {
		select {
		case i := <-approved:
			seen[i] = true
		case <-time.After(10 * time.Second):
			t.Fatalf("only %v saw it", seen)
		}
	}
}

// The callback may use the workspace, and after Close it is not called.
func TestCallbackMayAct(t *testing.T) {
	var ws *Workspace
	ready, done := make(chan struct{}), make(chan struct{})
	dir := t.TempDir()
	ws = New(Options{Home: filepath.Join(dir, "home"), UserHome: dir, OnChange: func(s Snapshot) {
		<-ready
		if len(s.Folders) == 1 {
			ws.AddFolder(filepath.Join(dir, "two"))
			ws.Rescan()
		}
		if len(s.Folders) == 2 {
			close(done)
		}
	}})
	close(ready)
	ws.AddFolder(filepath.Join(dir, "one"))
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the callback's own change was not told")
	}
	ws.Close()
	ws.AddFolder(filepath.Join(dir, "three")) // a third call would close done again: panic
}

// A save is over after 50 ms of silence, and at the latest after 250 ms.
func TestSettle(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		times int
		want  time.Duration
	}{
		"one event":     {0, 0, 50 * time.Millisecond},
		"four steps":    {20 * time.Millisecond, 3, 110 * time.Millisecond},
		"never silent":  {20 * time.Millisecond, 1000, 250 * time.Millisecond},
		"separate save": {60 * time.Millisecond, 1, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				changed := make(chan struct{}, 1)
				stop := make(chan struct{})
				go func() {
					for range c.times {
						select {
						case <-time.After(c.every):
							signal(changed)
						case <-stop:
							return
						}
					}
				}()
				start := time.Now()
				if !settle(t.Context(), changed) {
					t.Error("not alive")
				}
				if took := time.Since(start); took != c.want {
					t.Errorf("settled after %v, want %v", took, c.want)
				}
				close(stop)
			})
		})
	}
}
