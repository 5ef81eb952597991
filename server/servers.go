package server

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// demoSource is the source of a server that stands in no file.
const demoSource = "codebot:demo"

// servers holds the managers of a connection: one for the user's servers, which run
// once whatever is open, and one for each folder's own.
type servers struct {
	s        *Server
	userHome string
	user     *mcp.Manager

	mu       sync.Mutex
	snapshot workspace.Snapshot      // guarded by mu: what was applied last
	folders  map[string]*mcp.Manager // guarded by mu, by root
	closed   bool                    // guarded by mu
}

func newServers(s *Server, userHome string, folders []string) *servers {
	m := &servers{s: s, userHome: userHome, folders: map[string]*mcp.Manager{}}
	cwd := userHome
	if len(folders) > 0 {
		cwd = folders[0]
	}
	m.user = m.manager(mcp.ScopeUser, "", cwd, m.roots)
	return m
}

func (m *servers) manager(scope mcp.Scope, folder, cwd string, roots func() []string) *mcp.Manager {
	asks := &asker{s: m.s, folder: folder}
	form, url := m.s.elicitModes()
	return mcp.NewManager(mcp.Options{
		Elicit: asks.elicit, ElicitForm: form, ElicitURL: url, Sample: asks.sample,
		Tokens: tokenStore{m.s}, Seen: seenStore{m.s},
		OnResource: func(name, address string) {
			notifyPlugin(m.s, wire.MCPDidChangeResource, wire.MCPDidChangeResourceParams{Server: name, Folder: uriOf(folder), Address: address})
		},
		Scope: scope, Folder: folder, Cwd: cwd, Roots: roots, Home: m.userHome, Lang: m.s.lang,
		LoginPath: m.s.loginPath, LookupEnv: m.s.env.lookup, Environ: m.s.env.environ,
		ClientVersion: m.s.opts.Version, Logger: m.s.log,
		OnChange: m.s.push.poke,
		OnLog:    func(name string, entries []mcp.LogEntry) { m.s.push.log(name, folder, entries) },
	})
}

// roots are the folders the user's servers are told of.
func (m *servers) roots() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var roots []string
	for _, f := range m.snapshot.Folders {
		roots = append(roots, f.Root)
	}
	return roots
}

// apply makes what runs what the settings say. An older snapshot than the last is
// dropped: they come by two ways.
func (m *servers) apply(ctx context.Context, snap workspace.Snapshot) {
	m.mu.Lock()
	if m.closed || snap.Revision < m.snapshot.Revision {
		m.mu.Unlock()
		return
	}
	foldersBefore := len(m.snapshot.Folders)
	m.snapshot = snap
	userServers := maps.Clone(m.s.opts.ExtraServers)
	if userServers == nil {
		userServers = map[string]mcp.ServerConfig{}
	}
	maps.Copy(userServers, snap.UserServers())
	m.user.Reconfigure(ctx, userServers)

	var gone []*mcp.Manager
	for root, manager := range m.folders {
		if _, open := snap.Folder(root); !open {
			gone = append(gone, manager)
			delete(m.folders, root)
		}
	}
	rootsChanged := len(gone) > 0 || foldersBefore != len(snap.Folders)
	for _, f := range snap.Folders {
		manager := m.folders[f.Root]
		if manager == nil {
			manager = m.manager(mcp.ScopeProject, f.Root, f.Root, func() []string { return []string{f.Root} })
			m.folders[f.Root] = manager
			rootsChanged = true
		}
		manager.Reconfigure(ctx, snap.ProjectServers(f.Root))
	}
	m.mu.Unlock()

	for _, manager := range gone {
		m.s.start(func(context.Context) { m.closeManager(manager) })
	}
	if rootsChanged {
		m.user.RootsChanged()
	}
}

func (m *servers) closeManager(manager *mcp.Manager) {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := manager.Close(ctx); err != nil {
		m.s.log.Warn("stopping the servers of a closed folder", "error", err)
	}
}

// close stops all servers, side by side.
func (m *servers) close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	all := append(slices.Collect(maps.Values(m.folders)), m.user)
	m.mu.Unlock()
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, manager := range all {
		wg.Go(func() { errs[i] = manager.Close(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// place is a manager and the root of its folder, empty for the user's.
type place struct {
	manager *mcp.Manager
	root    string
}

// places are the managers: the user's, then the folders' in the order they were
// opened.
func (m *servers) places() []place {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := []place{{manager: m.user}}
	for _, f := range m.snapshot.Folders {
		if manager := m.folders[f.Root]; manager != nil {
			all = append(all, place{manager: manager, root: f.Root})
		}
	}
	return all
}

// at returns the place of a root, empty for the user's.
func (m *servers) at(root string) (place, bool) {
	for _, p := range m.places() {
		if p.root == root {
			return p, true
		}
	}
	return place{}, false
}

// folderOf returns the open folder that holds the path, the innermost, and its
// manager; none for a path outside all folders.
func (m *servers) folderOf(path string) place {
	best := place{}
	real := permission.Resolve(path)
	for _, p := range m.places() {
		if p.root == "" || len(p.root) <= len(best.root) {
			continue
		}
		if permission.Inside(p.root, path) || permission.Inside(permission.Resolve(p.root), real) {
			best = p
		}
	}
	return best
}

// settingsAt returns what is in effect in a folder, empty for the user's own.
func (m *servers) settingsAt(root string) (workspace.Settings, uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snapshot.Settings(root), m.snapshot.Revision
}

// find returns the place of the server a request names. Without a folder the name
// must be unique; an empty folder is the user's.
func (m *servers) find(name string, folder *string) (place, error) {
	var wanted string
	if folder != nil && *folder != "" {
		path, err := folderPath(*folder)
		if err != nil {
			return place{}, refuse(wire.KindUnknownServer, name, err, hintFolder)
		}
		wanted = path
	}
	var found []place
	for _, p := range m.places() {
		if folder != nil && p.root != wanted {
			continue
		}
		if hasServer(p.manager, name) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return place{}, refuse(wire.KindUnknownServer, name, lang.Errorf(zh, textNoServer, mcp.CleanLine(name)), hintServers)
	case 1:
		return found[0], nil
	}
	var folders []string
	for _, p := range found {
		folders = append(folders, uriOf(p.root))
	}
	return place{}, &refusal{
		why:  lang.Errorf(zh, textAmbiguous, len(found), mcp.CleanLine(name)),
		data: wire.ActionError{Kind: wire.KindAmbiguousServer, Name: name, Folders: folders, Hint: hintAmbiguous},
	}
}

func hasServer(m *mcp.Manager, name string) bool {
	rows, _ := m.Status()
	return slices.ContainsFunc(rows, func(r mcp.ServerStatus) bool { return r.Name == name })
}

// rows are all servers as the wire shows them.
func (m *servers) rows() []wire.MCPServer {
	rows := []wire.MCPServer{}
	for _, p := range m.places() {
		statuses, _ := p.manager.Status()
		for _, st := range statuses {
			rows = append(rows, rowOf(st, p.root))
		}
	}
	return rows
}

func totalsOf(rows []wire.MCPServer) wire.MCPTotals {
	var t wire.MCPTotals
	for _, r := range rows {
		switch r.State {
		case wire.MCPConnected, wire.MCPDegraded:
			t.Connected++
			t.Tools += r.ToolCount
		case wire.MCPFailed:
			t.Failed++
		}
	}
	return t
}

// answerRow is the answer to what was done with a server. The plug-in has been told of
// the row, in the order of changes, when the answer comes.
func (s *Server) answerRow(st mcp.ServerStatus, root string) wire.MCPServerResult {
	s.push.tell()
	return wire.MCPServerResult{Server: rowOf(st, root)}
}

func rowOf(st mcp.ServerStatus, root string) wire.MCPServer {
	r := wire.MCPServer{
		Name: st.Name, Folder: uriOf(root), State: wire.MCPState(st.State), Scope: wire.MCPScope(st.Scope),
		Source: uriOf(st.Source), Shadows: uriOf(st.Shadows), Transport: wire.MCPTransport(st.Transport), Autostart: autostartOf(st.Autostart),
		ToolCount: st.ToolCount, PromptCount: st.PromptCount, ResourceCount: st.ResourceCount,
		Pid: st.Pid, ProtocolVersion: st.ProtocolVersion, Since: isoTime(st.Since), NextRetryAt: isoTime(st.NextRetryAt),
		ToolTokens: st.ToolTokens,
	}
	if st.Source == "" {
		r.Source = demoSource
	}
	if e := st.Error; e != nil {
		r.Error = &wire.MCPError{Code: e.Code, Message: e.Message, Hint: e.Hint, ExitCode: e.ExitCode, StderrTail: e.StderrTail}
	}
	if c := st.Consent; c != nil {
		r.Consent = consentOf(c)
	}
	return r
}

// consentOf makes a consent fit to be read: what a person decides on hides nothing.
func consentOf(c *mcp.Consent) *wire.MCPConsent {
	out := &wire.MCPConsent{
		Hash: c.Hash, Argv: mcp.VisibleAll(c.Argv), Cwd: mcp.Visible(c.Cwd), EnvNames: mcp.VisibleAll(c.EnvNames),
		URL: mcp.Visible(c.URL), Variables: mcp.VisibleAll(c.Variables), Changed: c.Changed,
	}
	for _, change := range c.Changes {
		out.Changes = append(out.Changes, wire.MCPConsentChange{
			Field: mcp.Visible(change.Field), Before: mcp.Visible(change.Before), After: mcp.Visible(change.After),
		})
	}
	return out
}

// isoTime is empty for no time.
func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func sessionsDir(home string) string { return filepath.Join(home, "sessions") }

// autostartOf is when a server that does not start by itself is started.
func autostartOf(autostart string) wire.MCPAutostart {
	if autostart == mcp.AutostartAlways {
		return ""
	}
	return wire.MCPAutostart(autostart)
}
