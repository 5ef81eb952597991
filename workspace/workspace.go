package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/fsnotify/fsnotify"
)

// Errors of Approve, Revoke and TrustFolderForSession that a caller tells apart.
var (
	// ErrUnknownServer: the folder's settings have no entry of that name, or there
	// is no such folder.
	ErrUnknownServer = errors.New("no such server in the project's settings")
	// ErrConsentChanged: the entry is no longer the one whose hash was shown.
	ErrConsentChanged = errors.New("the entry has changed since it was shown: look at it again")
)

// Options of a Workspace. All paths are absolute.
type Options struct {
	// Home holds the user's settings, as [Home] returns it.
	Home string
	// UserHome is the user's home directory: as a folder it has no project file.
	UserHome string
	// Folders are the folders that are open at the start.
	Folders []string
	// Logger may be nil.
	Logger *slog.Logger
	// OnChange is called with each snapshot after the first one, one call at a time
	// and in order, under no lock; the first call may come before New has returned.
	// It may call every method but Close. It may be nil.
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
		options: o, log: o.Logger, trust: OpenTrust(o.Home), user: newUserSource(o.Home),
		rearm: make(chan struct{}, 1), delivery: make(chan struct{}, 1),
	}
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

// Snapshot returns what the settings say now, as far as it is known.
func (w *Workspace) Snapshot() Snapshot { return *w.current.Load() }

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
	s := newProjectSource(root)
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

// Approve keeps a person's approval of the entry name of the folder root. hash must
// be that of the entry as it is in the file now, else ErrConsentChanged.
func (w *Workspace) Approve(root, name, hash string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, entry, err := w.entryNow(root, name)
	if err != nil {
		return err
	}
	bound := entry.ConsentHash(f.Real)
	// The folder may have been shown by the name the client has for it.
	if hash != bound && hash != entry.ConsentHash(f.Root) {
		return fmt.Errorf("mcp server %q: %w", name, ErrConsentChanged)
	}
	if err := w.trust.Approve(f.Real, name, bound); err != nil {
		return err
	}
	w.publishLocked()
	return nil
}

// Revoke takes back the approval of the entry name of the folder root. An entry
// that is no longer in the file can be revoked too.
func (w *Workspace) Revoke(root, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, ok := w.Snapshot().Folder(root)
	if !ok {
		return fmt.Errorf("folder %s: %w", root, ErrUnknownServer)
	}
	err := w.trust.Revoke(f.Real, name)
	w.publishLocked() // also after an error: what held for the session is revoked
	return err
}

// TrustFolderForSession approves the entries that the folder root has in the last
// snapshot, as they are there, until this process ends. Entries that come or change
// later ask as ever: an agent must not start a server by writing one into the file.
func (w *Workspace) TrustFolderForSession(root string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, ok := w.Snapshot().Folder(root)
	if !ok {
		return fmt.Errorf("folder %s is not open", root)
	}
	for name, entry := range f.Project.Settings.MCPServers {
		w.trust.ApproveForSession(f.Real, name, entry.Origin.ConsentHash)
	}
	w.publishLocked()
	return nil
}

// entryNow returns the entry as it is in the file: that counts, and not what we
// last saw of it. The file may be in the middle of a save, so what is found is not
// published; the watcher will see to that.
func (w *Workspace) entryNow(root, name string) (f Folder, entry mcp.ServerConfig, err error) {
	f, _ = w.Snapshot().Folder(root)
	if f.Project.Path != "" {
		found := readProject(f.Root)
		now, _, _ := ParseSettings(f.Project.Path, mcp.ScopeProject, found.text)
		if entry, ok := now.MCPServers[name]; ok {
			return f, entry, nil
		}
	}
	return f, entry, fmt.Errorf("mcp server %q in %s: %w", name, root, ErrUnknownServer)
}

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

// buildLocked puts a snapshot together from what was read.
func (w *Workspace) buildLocked(revision uint64) Snapshot {
	s := Snapshot{Revision: revision, User: w.user.layer, NotWatching: w.notWatched}
	if err := w.trust.Problem(); err != nil {
		s.Trust = []Diagnostic{{
			File: w.trust.path, Line: 1, Column: 1, EndLine: 1, EndColumn: 1,
			Severity: SeverityError, Code: CodeUnreadable, Message: fmt.Sprintf(msgTrust, err),
		}}
	}
	for _, f := range w.folders {
		s.Folders = append(s.Folders, layer(f.root, w.user.layer, f.source, w.trust))
	}
	return s
}

// layer puts a folder together: its file over the user's, with what is approved.
func layer(root string, user Layer, project *source, trust *Trust) Folder {
	f := Folder{Root: root, Real: resolve(root), Project: project.layer}
	model := f.Project.Settings.Model
	if model != "" && !configured(user.Settings, model) {
		d := project.model
		d.Severity, d.Code, d.Message = SeverityWarning, CodeUnknownModel, fmt.Sprintf(msgModelScope, model)
		f.Project.Diagnostics = append(slices.Clone(f.Project.Diagnostics), d)
		sortDiagnostics(f.Project.Diagnostics)
		model = ""
	}
	f.Project.Settings.MCPServers = maps.Clone(f.Project.Settings.MCPServers)
	for name, entry := range f.Project.Settings.MCPServers {
		hash := entry.ConsentHash(f.Real)
		entry.Origin.ConsentHash = hash
		entry.Origin.Approved = trust.Approved(f.Real, name, hash)
		entry.Origin.Changed = trust.Changed(f.Real, name, hash)
		if loser, ok := user.Settings.MCPServers[name]; ok {
			entry.Origin.Shadows = loser.Origin.File
		}
		f.Project.Settings.MCPServers[name] = entry
	}
	f.Merged = merge(user.Settings, f.Project.Settings, model)
	return f
}

// deliver is the goroutine that calls OnChange.
func (w *Workspace) deliver(ctx context.Context) {
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

// LoadAllMCPServers reads the user's settings and those of the folder cwd once,
// without watching them, and returns the MCP servers that are in effect there: the
// user's, each replaced whole by an approved entry of the project of the same name,
// and the project's others, approved or not. It is for one-shot commands; of o only
// Home and UserHome are used.
func LoadAllMCPServers(cwd string, o Options) (map[string]mcp.ServerConfig, []Diagnostic) {
	w := &Workspace{options: o, trust: OpenTrust(o.Home), user: newUserSource(o.Home)}
	w.addLocked([]string{cwd})
	w.readLocked()
	s := w.buildLocked(1)
	return s.Settings(cwd).MCPServers, s.Diagnostics()
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
