package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

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
