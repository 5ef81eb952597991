package workspace

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/permission"
)

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

// A file that becomes bad or unreadable leaves the last good settings in force and
// says so (PerformanceMonitor#2431); a good one takes over again.
func TestBadFileKeepsTheLastGoodSettings(t *testing.T) {
	cases := map[string]struct {
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
			spoil: func(b *bench, path string) { b.must(os.Chmod(path, 0)) },
			mend:  func(b *bench, path string) { b.must(os.Chmod(path, 0o600)); b.write(path, servers("new")) },
			code:  CodeUnreadable,
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
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		// Root reads everything; the error itself is in the tests of the reader.
		delete(cases, "chmod 000")
	}
	for name, c := range cases {
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

// The callback may use the workspace, of which it is told nothing before its owner
// looked at it, and after Close it is not called.
func TestCallbackMayAct(t *testing.T) {
	var ws *Workspace // written without a lock: the race detector judges
	done := make(chan struct{})
	dir := t.TempDir()
	ws = New(Options{Home: filepath.Join(dir, "home"), UserHome: dir, OnChange: func(s Snapshot) {
		if len(s.Folders) == 1 {
			ws.AddFolder(filepath.Join(dir, "two"))
			ws.Rescan()
		}
		if len(s.Folders) == 2 {
			close(done)
		}
	}})
	ws.AddFolder(filepath.Join(dir, "one"))
	select {
	case <-ws.seen:
		t.Fatal("a change counts as a look")
	default:
	}
	if n := len(ws.Snapshot().Folders); n != 1 {
		t.Errorf("%d folders", n)
	}
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the callback's own change was not told")
	}
	ws.Close()
	ws.AddFolder(filepath.Join(dir, "three")) // a third call would close done again: panic
}
