package server

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/workspace"
	"github.com/codebot-ls/codebot-ls/workspace/assist"
)

// typingPause is how long nobody must have typed before a text is judged: half a word
// is always wrong.
const typingPause = 100 * time.Millisecond

// settingsName is what every settings file is called.
const settingsName = "settings.json"

// settingsLang is what the language features of settings files keep: which of them
// are open, and when somebody typed last. It owns its timers; a poke that comes after
// the end of the connection reaches nobody.
type settingsLang struct {
	s        *Server
	programs *assist.Programs
	names    []string      // of the variables of the environment, sorted
	refresh  chan struct{} // capacity 1: what lenses show is another

	mu    sync.Mutex
	open  map[string]*typed // guarded by mu, by path
	shown []wire.MCPServer  // guarded by mu: the rows that lenses show
}

// typed is an open document that may be a settings file.
type typed struct {
	last  time.Time
	timer *time.Timer
}

func newSettingsLang(s *Server) *settingsLang {
	l := &settingsLang{
		s: s, programs: assist.NewPrograms(s.env.list),
		refresh: make(chan struct{}, 1), open: map[string]*typed{},
	}
	for name := range s.env.values {
		if name != "" {
			l.names = append(l.names, name)
		}
	}
	slices.Sort(l.names)
	return l
}

// touched says that a document was opened or typed into.
func (l *settingsLang) touched(path string) {
	if filepath.Base(path) != settingsName {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.open[path]
	if t == nil {
		// What is opened is not being typed: judge it at once.
		l.open[path] = &typed{timer: time.AfterFunc(0, l.s.push.poke)}
		return
	}
	t.last = time.Now()
	t.timer.Reset(typingPause)
}

// closed says that a document was closed: the file counts again.
func (l *settingsLang) closed(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.open[path]; t != nil {
		t.timer.Stop()
		delete(l.open, path)
		l.s.push.poke()
	}
}

// quiet reports of each open document that may be a settings file whether nobody
// types in it.
func (l *settingsLang) quiet() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(map[string]bool, len(l.open))
	for path, t := range l.open {
		out[path] = time.Since(t.last) >= typingPause
	}
	return out
}

// place returns whose settings file the document at path is, by whatever links it was
// opened.
func (l *settingsLang) place(path string, snap workspace.Snapshot) (workspace.SettingsPlace, bool) {
	if filepath.Base(path) != settingsName {
		return workspace.SettingsPlace{}, false
	}
	if at, ok := snap.SettingsPlace(path); ok {
		return at, true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return workspace.SettingsPlace{}, false
	}
	for _, layer := range snap.Layers() {
		if target, err := filepath.EvalSymlinks(layer.Path); err == nil && target == real {
			return snap.SettingsPlace(layer.Path)
		}
	}
	return workspace.SettingsPlace{}, false
}

// settingsFile is an open settings file at one moment.
type settingsFile struct {
	*assist.File
	assist.Context
	version int32
}

// file returns the settings file that is open at path; false for every other path.
func (l *settingsLang) file(ctx context.Context, path string) (settingsFile, bool) {
	if filepath.Base(path) != settingsName {
		return settingsFile{}, false
	}
	snap := l.s.ws.Snapshot()
	at, ok := l.place(path, snap)
	if !ok {
		return settingsFile{}, false
	}
	text, version, ok := l.s.docs.Text(path)
	if !ok {
		return settingsFile{}, false
	}
	return settingsFile{
		File: assist.Open(text),
		Context: assist.Context{
			Lang: l.s.lang, Place: at, Snapshot: snap, UserHome: l.s.userHome,
			Variables: l.names, Programs: l.programs, Servers: l.s.servers.known(ctx),
			Snippets: l.s.client.features.snippets,
		},
		version: version,
	}, true
}

// known are all servers with their tools, as they are now.
func (m *servers) known(ctx context.Context) []assist.Server {
	var out []assist.Server
	for _, p := range m.places() {
		tools := map[string][]assist.Tool{}
		for _, t := range p.manager.Listed() {
			tools[t.Server()] = append(tools[t.Server()], assist.Tool{Name: t.Original(), Description: t.Description(), Tokens: t.Tokens()})
		}
		statuses, _ := p.manager.Status()
		for _, st := range statuses {
			out = append(out, assist.Server{ServerStatus: st, Folder: p.root, Tools: tools[st.Name]})
		}
	}
	return out
}

// rowsChanged asks the editor to ask again for lenses and hints, when it shows any
// and the rows are others.
func (l *settingsLang) rowsChanged(rows []wire.MCPServer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if reflect.DeepEqual(l.shown, rows) {
		return
	}
	l.shown = rows
	if len(l.open) == 0 {
		return
	}
	select {
	case l.refresh <- struct{}{}:
	default:
	}
}
