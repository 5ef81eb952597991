package permission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// grantKey is what an answer is bound to. An MCP tool's is its server and name
// with the identity of both (so a changed server or definition is another tool);
// a built-in's is its name in one folder, and beyond that exactly what was asked:
// the command of bash, the paths outside the folder.
type grantKey struct {
	Tool     string `json:"tool,omitempty"`
	Server   string `json:"server,omitempty"`
	Original string `json:"original,omitempty"`
	Identity string `json:"identity,omitempty"`
	Root     string `json:"root,omitempty"`
	Command  string `json:"command,omitempty"`
	// Paths are the sorted paths, each ended by a NUL.
	Paths string `json:"paths,omitempty"`
}

// keyOf returns what an answer to req is bound to, and whether there is anything
// to bind it to.
func keyOf(req Request, e *Engine) (grantKey, bool) {
	switch req.Kind {
	case KindMCP:
		return grantKey{Server: req.Server, Original: req.Original, Identity: req.Identity},
			req.Identity != "" && req.Original != ""
	case KindBash:
		return grantKey{Tool: req.Tool, Root: req.Root, Command: req.Command}, req.Command != ""
	case KindRead, KindEdit:
		k := grantKey{Tool: req.Tool, Root: req.Root}
		near := len(req.Paths) > 0
		for _, p := range req.Paths {
			_, secret := e.credential(p)
			_, protected := e.protectedWrite(p)
			near = near && Inside(req.Root, p) && !secret && !(req.Kind == KindEdit && protected)
		}
		if !near {
			paths := slices.Clone(req.Paths)
			slices.Sort(paths)
			k.Paths = strings.Join(paths, "\x00") + "\x00"
		}
		return k, len(req.Paths) > 0
	case KindFetch:
		return grantKey{Tool: req.Tool, Root: req.Root, Server: req.Host}, req.Host != ""
	case KindConnect:
		return grantKey{Tool: req.Tool, Root: req.Root, Server: req.Server, Identity: req.Identity}, req.Server != ""
	}
	return grantKey{Tool: req.Tool, Root: req.Root}, req.Tool != ""
}

// ErrNoOption says that an answer is none of the five; the call is then rejected.
var ErrNoOption = errors.New("not one of the permission options")

// Grant notes the answer optionID to a question about req. The answers for once
// leave nothing behind. An error means that the answer could not be kept for
// later; what it says of this one call holds all the same, unless it is
// [ErrNoOption].
func (e *Engine) Grant(req Request, optionID string) error {
	switch optionID {
	case OptionAllowOnce, OptionRejectOnce:
		return nil
	case OptionAllowSession, OptionAllowAlways, OptionRejectAlways:
	default:
		return fmt.Errorf("answer %q: %w", optionID, ErrNoOption)
	}
	key, ok := keyOf(req, e)
	if !ok {
		return fmt.Errorf("keeping the answer for %s: the call names nothing it could be bound to", describe(req))
	}
	e.mu.Lock()
	if optionID == OptionRejectAlways {
		e.rejected[key] = describe(req)
		delete(e.allowed, key)
	} else {
		e.allowed[key] = true
	}
	e.mu.Unlock()
	if optionID != OptionAllowAlways {
		return nil
	}
	if e.grants == nil {
		return fmt.Errorf("keeping the answer for %s: there is no folder to keep it in, so it holds for this session", describe(req))
	}
	return e.grants.add(key)
}

func (e *Engine) isRejected(k grantKey) (lang.Message, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	what, ok := e.rejected[k]
	return what, ok
}

func (e *Engine) isAllowed(k grantKey) bool {
	e.mu.Lock()
	ok := e.allowed[k]
	e.mu.Unlock()
	return ok || e.grants != nil && e.grants.has(k)
}

// spells reports whether a glob has the well-known name in it.
func spells(pattern, name string) bool {
	return strings.Contains(strings.ToLower(pattern), strings.ToLower(name))
}

// GrantStore keeps the answers "always allow" in grants.json of our own folder
// (mode 0600). Several processes may use one file: each write is under a lock and
// replaces the file whole, each look notices what others wrote. It is safe for
// concurrent use.
type GrantStore struct {
	path string

	mu     sync.Mutex // guards the picture of the file
	seen   stamp
	grants map[grantKey]bool
}

// stamp tells two states of a file apart.
type stamp struct {
	mod  time.Time
	size int64
	ok   bool
}

type grantFile struct {
	Version int           `json:"version"`
	Grants  []grantRecord `json:"grants"`
}

type grantRecord struct {
	grantKey
	GrantedAt time.Time `json:"granted_at"`
}

// NewGrantStore is the store in configHome; nothing is read or made before it is
// needed.
func NewGrantStore(configHome string) *GrantStore {
	return &GrantStore{path: filepath.Join(configHome, "grants.json")}
}

func (s *GrantStore) has(k grantKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	return s.grants[k]
}

// changed reports whether the same tool of the same server was granted under
// another identity.
func (s *GrantStore) changed(k grantKey) bool {
	if k.Identity == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	for g := range s.grants {
		if g.Identity != k.Identity && g.Server == k.Server && g.Original == k.Original && g.Tool == k.Tool && g.Root == k.Root {
			return true
		}
	}
	return false
}

// look reads the file when it is not the one seen last. A file that cannot be
// read grants nothing.
func (s *GrantStore) look() {
	now := stamp{}
	if fi, err := os.Stat(s.path); err == nil {
		now = stamp{fi.ModTime(), fi.Size(), true}
	}
	if now == s.seen && s.grants != nil {
		return
	}
	s.seen, s.grants = now, map[grantKey]bool{}
	f, err := s.read()
	if err != nil {
		return
	}
	for _, g := range f.Grants {
		s.grants[g.grantKey] = true
	}
}

func (s *GrantStore) read() (grantFile, error) {
	f := grantFile{Version: 1}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("%s is damaged (delete it to be asked anew): %w", s.path, err)
	}
	return f, nil
}

func (s *GrantStore) add(k grantKey) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("keeping a grant: %w", err)
	}
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("keeping a grant: locking %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	f, err := s.read()
	if err != nil {
		return fmt.Errorf("keeping a grant: %w", err)
	}
	for _, g := range f.Grants {
		if g.grantKey == k {
			return nil
		}
	}
	f.Grants = append(f.Grants, grantRecord{grantKey: k, GrantedAt: time.Now().UTC().Truncate(time.Second)})
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping a grant: %w", err)
	}
	// A new file gets the mode of a temporary one, 0600; one that is there keeps
	// its own, which may have been widened.
	if err := atomic.WriteFile(s.path, bytes.NewReader(append(data, '\n'))); err != nil {
		return fmt.Errorf("keeping a grant: %w", err)
	}
	if err := os.Chmod(s.path, 0o600); err != nil {
		return fmt.Errorf("keeping a grant: %w", err)
	}
	s.grants = nil // look again
	return nil
}
