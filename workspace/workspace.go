package workspace

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Options of a Workspace. All paths are absolute.
type Options struct {
	// Home holds the user's settings, as [Home] returns it.
	Home string
	// UserHome is the user's home directory: as a folder it has no project file.
	UserHome string
	// Folders are the folders that are open at the start.
	Folders []string
	// Lang is the language of diagnostics and of the problems of entries.
	Lang lang.Lang
	// Logger may be nil.
	Logger *slog.Logger
	// OnChange is called with each snapshot after the first one, one call at a time
	// and in order, under no lock. No call comes before Snapshot was called once:
	// until then the owner has not seen what would have changed, nor perhaps kept
	// what New returned. It may call every method but Close. It may be nil.
	OnChange func(Snapshot)

	// newSystem opens the system's watcher; tests make it fail.
	newSystem func() (*fsnotify.Watcher, error)
}

// Workspace is what one process has open: the user's settings and the folders. It
// owns the goroutines that watch the files, read them after a change and deliver
// what they say; Close ends them. Safe for concurrent use.
type Workspace struct {
	options Options
	log     *slog.Logger
	trust   *Trust
	watch   *watcher
	rearm   chan struct{} // capacity 1: the folders are others
	stop    context.CancelFunc
	running sync.WaitGroup

	current atomic.Pointer[Snapshot]
	looked  func()        // closes seen, once
	seen    chan struct{} // closed by the first Snapshot

	mu         sync.Mutex // guards what follows; held while files are read
	user       *source
	folders    []*folder
	notWatched string

	deliverMu sync.Mutex
	pending   []Snapshot // guarded by deliverMu: published, not yet delivered
	delivery  chan struct{}
}

// folder is an open folder.
type folder struct {
	root   string
	source *source
}

// New opens a workspace: it reads the settings (so that Snapshot has them at once)
// and begins to watch them. That they cannot be read or watched is no error but
// said in the snapshot.
func New(o Options) *Workspace {
	w := &Workspace{
		options: o, log: o.Logger, trust: OpenTrust(o.Home), user: newUserSource(o.Home, o.Lang),
		rearm: make(chan struct{}, 1), delivery: make(chan struct{}, 1), seen: make(chan struct{}),
	}
	w.looked = sync.OnceFunc(func() { close(w.seen) })
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	open := o.newSystem
	if open == nil {
		open = fsnotify.NewWatcher
	}
	w.watch = newWatcher(w.log, open)
	w.notWatched = w.watch.polling
	w.addLocked(o.Folders)
	w.readLocked()
	first := w.buildLocked(1)
	w.current.Store(&first)

	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.running.Go(func() { w.follow(ctx) })
	w.running.Go(func() { w.deliver(ctx) })
	return w
}

// Close stops watching. When it has returned, OnChange is not called any more.
func (w *Workspace) Close() {
	w.stop()
	w.watch.close()
	w.running.Wait()
}

// Snapshot returns what the settings say now, as far as it is known. The first call
// lets OnChange begin.
func (w *Workspace) Snapshot() Snapshot {
	w.looked()
	return *w.current.Load()
}

// AddFolder opens a folder. The next Snapshot has it.
func (w *Workspace) AddFolder(root string) { w.ChangeFolders([]string{root}, nil) }

// RemoveFolder closes a folder. The next Snapshot is without it.
func (w *Workspace) RemoveFolder(root string) { w.ChangeFolders(nil, []string{root}) }

// ChangeFolders closes the folders removed, opens the folders added, and publishes
// both as one change. What is open already, or not open, is left alone.
func (w *Workspace) ChangeFolders(added, removed []string) {
	w.mu.Lock()
	n := len(w.folders)
	for _, root := range removed {
		root = filepath.Clean(root)
		w.folders = slices.DeleteFunc(w.folders, func(f *folder) bool { return f.root == root })
	}
	changed := len(w.folders) != n
	if changed = w.addLocked(added) || changed; changed {
		w.publishLocked()
	}
	w.mu.Unlock()
	if changed {
		signal(w.rearm)
	}
}

// addLocked adds folders, with what is in their files now, and reports whether any
// is new.
func (w *Workspace) addLocked(roots []string) (changed bool) {
	for _, root := range roots {
		root = filepath.Clean(root)
		if slices.ContainsFunc(w.folders, func(f *folder) bool { return f.root == root }) {
			continue
		}
		f := &folder{root: root, source: w.projectSource(root)}
		f.source.refresh()
		w.folders = append(w.folders, f)
		changed = true
	}
	return changed
}

// projectSource is the settings file of a folder; that of the user's home is the
// user's and no project's.
func (w *Workspace) projectSource(root string) *source {
	s := newProjectSource(root, w.options.Lang)
	real := resolve(root)
	if real == resolve(w.options.UserHome) || resolve(filepath.Join(root, configDir)) == resolve(w.options.Home) {
		s.path = ""
	}
	return s
}

// Rescan looks at the files soon, as if the system had told of a change. It is for
// what a client says about changed files: told of by two ways, a change is still
// one change.
func (w *Workspace) Rescan() { w.watch.signal() }

// follow is the goroutine that watches and reads.
func (w *Workspace) follow(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	w.watch.arm(w.targets())
	// Never read in the middle of a save, whatever made us look. Arm after it, for
	// it swallows the events by which directories came and went.
	for settle(ctx, w.watch.changed) {
		w.watch.arm(w.targets())
		w.refresh()
		var tick <-chan time.Time
		if w.watch.polling != "" {
			tick = ticker.C
		}
		select {
		case <-ctx.Done():
		case <-w.rearm:
		case <-tick:
		case <-w.watch.changed:
		}
	}
}

// refresh reads everything again and publishes a snapshot if anything is different.
func (w *Workspace) refresh() {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := w.readLocked() || w.notWatched != w.watch.polling
	w.notWatched = w.watch.polling
	if changed {
		w.publishLocked()
	}
}

func (w *Workspace) targets() []target {
	out := []target{{path: SettingsFile(w.options.Home)}, {path: w.trust.path}}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.folders {
		if f.source.path != "" {
			out = append(out, target{path: f.source.path, within: f.root})
		}
	}
	return out
}

// publishLocked publishes a snapshot of what was read and approved.
func (w *Workspace) publishLocked() {
	next := w.buildLocked(w.current.Load().Revision + 1)
	w.current.Store(&next)
	if w.options.OnChange == nil {
		return
	}
	w.deliverMu.Lock()
	w.pending = append(w.pending, next)
	w.deliverMu.Unlock()
	signal(w.delivery)
}

// readLocked reads all files and reports whether any is different.
func (w *Workspace) readLocked() bool {
	changed := w.trust.Refresh()
	changed = w.user.refresh() || changed
	for _, f := range w.folders {
		changed = f.source.refresh() || changed
	}
	return changed
}

// deliver is the goroutine that calls OnChange.
func (w *Workspace) deliver(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-w.seen:
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.delivery:
		}
		w.deliverMu.Lock()
		snapshots := w.pending
		w.pending = nil
		w.deliverMu.Unlock()
		for _, s := range snapshots {
			if ctx.Err() != nil {
				return
			}
			w.options.OnChange(s)
		}
	}
}

// resolve returns path without symbolic links, or path as it is when it cannot be
// resolved.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
