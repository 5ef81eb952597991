package workspace

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long nothing may happen before a save counts as done; editors
	// save in up to four steps. atMost bounds the wait while something always does.
	quiet  = 50 * time.Millisecond
	atMost = 250 * time.Millisecond
	// pollInterval is how often to look where the system does not tell.
	pollInterval = time.Second
	// maxLinks bounds a chain of symbolic links, as systems do.
	maxLinks = 16
)

// target is a file to watch, there or not.
type target struct {
	path string
	// within, when set, is the folder out of which no link is followed.
	within string
}

// watcher tells when one of its targets may have changed: not which, not how, and
// at times without a reason. It watches directories, for a file that is renamed
// over takes the watch on it away: the target's own, that one's parent or else the
// nearest existing ancestor, and the same for what symbolic links lead to.
//
// One goroutine of its own does nothing but drain the system's events (adding or
// removing a watch there can deadlock: fsnotify#502). arm is called by one other
// goroutine, the owner's.
type watcher struct {
	log     *slog.Logger
	changed chan struct{} // capacity 1

	system   *fsnotify.Watcher               // nil: polling from the start
	interest atomic.Pointer[map[string]bool] // folded paths whose events matter
	drained  sync.WaitGroup

	mu   sync.Mutex
	gone []string // directories the system may have stopped watching, since the last arm

	watched map[string]fs.FileInfo // arm's
	polling string                 // arm's: why not all is watched, empty when all is
}

// newWatcher starts a watcher without targets. open is fsnotify.NewWatcher; when it
// fails, the watcher is one that never tells and says so.
func newWatcher(log *slog.Logger, open func() (*fsnotify.Watcher, error)) *watcher {
	w := &watcher{log: log, changed: make(chan struct{}, 1), watched: make(map[string]fs.FileInfo)}
	w.interest.Store(&map[string]bool{})
	system, err := open()
	if err != nil {
		w.poll(err)
		return w
	}
	w.system = system
	w.drained.Go(w.drain)
	return w
}

// close ends the watcher and its goroutine.
func (w *watcher) close() {
	if w.system != nil {
		w.system.Close()
	}
	w.drained.Wait()
}

func (w *watcher) drain() {
	for {
		select {
		case event, ok := <-w.system.Events:
			if !ok {
				return
			}
			w.event(event)
		case err, ok := <-w.system.Errors:
			if !ok {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.log.Warn("watching settings files", "err", err)
			}
			w.signal() // whatever was lost: look at everything
		}
	}
}

func (w *watcher) event(e fsnotify.Event) {
	if !(*w.interest.Load())[fold(e.Name)] {
		return
	}
	// A change of mode matters too: it makes a file unreadable. A mere touch ends
	// at the comparison of bytes.
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		w.mu.Lock()
		w.gone = append(w.gone, filepath.Clean(e.Name))
		w.mu.Unlock()
	}
	w.signal()
}

func (w *watcher) signal() {
	select {
	case w.changed <- struct{}{}:
	default: // one is waiting already
	}
}

// arm makes the watches fit the targets and what exists now. Whoever reads the
// files after it misses no later change.
func (w *watcher) arm(targets []target) {
	if w.system == nil {
		return
	}
	w.forget()
	// Directories can come to be while we look for them: until it is stable, but a
	// few times only, for the next event leads here again.
	for range 4 {
		dirs, names := plan(targets)
		w.interest.Store(&names)
		if !w.adjust(dirs) {
			return
		}
	}
	w.signal()
}

// forget drops the directories that an event said are gone. The system may still
// watch them, when the event was about the name seen from the parent.
func (w *watcher) forget() {
	w.mu.Lock()
	gone := w.gone
	w.gone = nil
	w.mu.Unlock()
	for _, dir := range gone {
		if _, ok := w.watched[dir]; ok {
			_ = w.system.Remove(dir) // mostly no longer watched, and then an error
			delete(w.watched, dir)
		}
	}
}

// adjust adds and removes watches so that dirs are watched, and reports whether it
// changed any.
func (w *watcher) adjust(dirs map[string]bool) (changed bool) {
	for dir, was := range w.watched {
		now, err := os.Stat(dir)
		if dirs[dir] && err == nil && os.SameFile(was, now) {
			continue
		}
		_ = w.system.Remove(dir) // as in forget
		delete(w.watched, dir)
		changed = true
	}
	for _, dir := range sortedKeys(dirs) {
		if _, ok := w.watched[dir]; ok {
			continue
		}
		info, err := os.Stat(dir)
		if err == nil {
			err = w.system.Add(dir)
		}
		switch {
		case err == nil:
			w.watched[dir] = info
			changed = true
		case absent(err):
			changed = true // since it was planned: plan again
		case errors.Is(err, fs.ErrPermission):
			// The parent of what we want to see; what we want to see itself would be
			// unreadable, and that is said elsewhere.
			w.log.Debug("cannot watch a directory", "dir", dir, "err", err)
		default:
			w.poll(err)
		}
	}
	return changed
}

func (w *watcher) poll(err error) {
	if w.polling != "" {
		return
	}
	w.polling = err.Error()
	w.log.Warn("not watching settings files, looking at them every second instead", "err", err)
}

// plan returns the directories to watch for the targets as things are now, and the
// folded names whose events matter.
func plan(targets []target) (dirs, names map[string]bool) {
	dirs, names = make(map[string]bool), make(map[string]bool)
	for _, t := range targets {
		for _, path := range follow(t) {
			// Every ancestor: it may be missing now, or go.
			for p := path; !names[fold(p)]; p = filepath.Dir(p) {
				names[fold(p)] = true
			}
			dir := filepath.Dir(path)
			nearest := dir
			for !isDir(nearest) && filepath.Dir(nearest) != nearest {
				nearest = filepath.Dir(nearest)
			}
			dirs[nearest] = true
			if parent := filepath.Dir(dir); nearest == dir {
				dirs[parent] = true // sees dir go and come
			}
		}
	}
	return dirs, names
}

// follow returns the path of t and, where it or its directory is a symbolic link,
// the paths that leads to.
func follow(t target) []string {
	paths := []string{t.path}
	for i := 0; i < len(paths) && len(paths) < maxLinks; i++ {
		path := paths[i]
		for _, link := range []string{path, filepath.Dir(path)} {
			to, err := os.Readlink(link)
			if err != nil {
				continue
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(link), to)
			}
			if link != path {
				to = filepath.Join(to, filepath.Base(path))
			}
			if to = filepath.Clean(to); (t.within == "" || contains(t.within, to)) && !slices.Contains(paths, to) {
				paths = append(paths, to)
			}
		}
	}
	return paths
}

// contains reports whether path is dir or below it, by their names.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// fold makes paths equal that a system which ignores case might call by either
// name. Elsewhere it costs a needless look at the files.
func fold(path string) string { return strings.ToLower(filepath.Clean(path)) }

// settle waits until changed was silent for quiet, but not longer than atMost, and
// reports whether ctx is still alive.
func settle(ctx context.Context, changed <-chan struct{}) bool {
	end := time.NewTimer(atMost)
	defer end.Stop()
	for {
		pause := time.NewTimer(quiet)
		select {
		case <-changed:
			pause.Stop()
		case <-pause.C:
			return true
		case <-end.C:
			pause.Stop()
			return true
		case <-ctx.Done():
			pause.Stop()
			return false
		}
	}
}
