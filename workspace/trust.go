package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Trust is the store of what a person has approved: at most one hash for each
// folder and server name, so that going back to an older version of an entry asks
// again like every other change. It is kept in <home>/trust.json (0600), shared
// with every other process of the user; a process sees what another has approved
// when it reads the file again. Safe for concurrent use.
type Trust struct {
	path string

	mu      sync.Mutex // guards what follows
	raw     []byte     // the file as last read
	problem error      // why it could not be used; nothing is approved then
	kept    map[approvalKey]approved
	session map[approvalKey]approved // until this process ends
}

// approvalKey is what a hash is approved for.
type approvalKey struct{ folder, server string }

// approved is what is approved: the hash decides, the entry is for a person who is
// asked again and wants to know what is different. It is nil where it is not known.
type approved struct {
	hash  string
	entry *mcp.ServerConfig
}

// maxKeptEntry bounds the entry that is kept beside a hash, in bytes: no project may
// make the file grow until it cannot be read.
const maxKeptEntry = 8 << 10

// trustVersion is the version of the file's shape that this code reads and writes.
const trustVersion = 1

// trustLockTimeout bounds the wait for other processes that write the file; each
// holds the lock for a few milliseconds.
const trustLockTimeout = 10 * time.Second

// trustFile is the shape of the file.
type trustFile struct {
	Version   int        `json:"version"`
	Approvals []approval `json:"approvals"`
}

// approval is one decision of a person.
type approval struct {
	Folder     string    `json:"folder"`
	Server     string    `json:"server"`
	Hash       string    `json:"hash"`
	ApprovedAt time.Time `json:"approved_at"`
	// Entry is what of the entry acts, unexpanded as it was in the project's file.
	Entry *mcp.ServerConfig `json:"entry,omitempty"`
}

// OpenTrust returns the store of a user's directory, as [Home] returns it, with
// what is in it now. A missing file is an empty store; one that cannot be used is
// too, and Problem tells.
func OpenTrust(home string) *Trust {
	t := &Trust{path: filepath.Join(home, trustName), session: make(map[approvalKey]approved)}
	t.Refresh()
	return t
}

// Refresh reads the file again and reports whether it says something else than before.
func (t *Trust) Refresh() bool {
	raw, err := readTrust(t.path)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept != nil && bytes.Equal(raw, t.raw) && fmt.Sprint(err) == fmt.Sprint(t.problem) {
		return false
	}
	file, parseErr := parseTrust(raw)
	if err == nil {
		err = parseErr
	}
	t.raw, t.problem, t.kept = raw, err, file.approvals()
	return true
}

// Problem says why the file cannot be used, nil when it can.
func (t *Trust) Problem() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.problem
}

// Approved reports whether exactly this version of the entry is approved, for good
// or for the life of this process.
func (t *Trust) Approved(folder, server, hash string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := approvalKey{folder, server}
	return hash != "" && (t.kept[k].hash == hash || t.session[k].hash == hash)
}

// Changed reports whether another version of the entry was approved and this one
// is not.
func (t *Trust) Changed(folder, server, hash string) bool {
	if t.Approved(folder, server, hash) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	k := approvalKey{folder, server}
	return t.kept[k].hash != "" || t.session[k].hash != ""
}

// Version returns the version of the entry that was approved, where it is known.
func (t *Trust) Version(folder, server string) (mcp.ServerConfig, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := approvalKey{folder, server}
	for _, of := range []map[approvalKey]approved{t.session, t.kept} {
		if a := of[k]; a.entry != nil {
			return *a.entry, true
		}
	}
	return mcp.ServerConfig{}, false
}

// Approve keeps the approval of one version of an entry, in place of any other.
func (t *Trust) Approve(folder, server, hash string, entry mcp.ServerConfig) error {
	a := approval{Folder: folder, Server: server, Hash: hash, ApprovedAt: time.Now().UTC().Truncate(time.Second), Entry: kept(entry)}
	err := t.edit(func(f *trustFile) {
		f.remove(folder, server)
		f.Approvals = append(f.Approvals, a)
	})
	if err != nil {
		return lang.Errorf(zh, msgTrustKeep, server, err)
	}
	return nil
}

// ApproveForSession approves one version of an entry until this process ends.
func (t *Trust) ApproveForSession(folder, server, hash string, entry mcp.ServerConfig) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session[approvalKey{folder, server}] = approved{hash, kept(entry)}
}

// kept is the entry as it is kept beside its hash, nil when it is too large for that.
func kept(entry mcp.ServerConfig) *mcp.ServerConfig {
	acting := entry.Acting()
	if raw, err := json.Marshal(acting); err != nil || len(raw) > maxKeptEntry {
		return nil
	}
	return &acting
}

// Revoke takes back every approval of the entry, also one for the session.
func (t *Trust) Revoke(folder, server string) error {
	t.mu.Lock()
	delete(t.session, approvalKey{folder, server})
	t.mu.Unlock()
	if err := t.edit(func(f *trustFile) { f.remove(folder, server) }); err != nil {
		return lang.Errorf(zh, msgTrustRevoke, server, err)
	}
	return nil
}

// edit changes the file: under a lock all processes respect, from what is in it
// now, by renaming a new one over it. A file it does not understand it leaves alone.
func (t *Trust) edit(change func(*trustFile)) error {
	dir := filepath.Dir(t.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), trustLockTimeout)
	defer cancel()
	// A file of its own: the lock of a file that is renamed over is lost.
	lock := flock.New(t.path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return lang.Errorf(zh, msgTrustLock, lock.Path(), err)
	}
	defer lock.Close()

	raw, err := readTrust(t.path)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	file, err := parseTrust(raw)
	if err != nil {
		return lang.Errorf(zh, msgTrustMend, t.path, err)
	}
	change(&file)
	if err := file.write(t.path); err != nil {
		return err
	}
	t.Refresh()
	return nil
}

// readTrust returns the text of the file, nil when there is none.
func readTrust(path string) ([]byte, error) {
	raw, err := readRegular(path, os.Stat, os.Open)
	switch {
	case err == nil && len(raw) > maxSettingsBytes:
		return nil, lang.Errorf(zh, msgTrustLarge)
	case err == nil:
		return raw, nil
	case absent(err):
		return nil, nil
	default:
		return nil, err
	}
}

// parseTrust reads the text of a file of approvals; none is an empty one.
func parseTrust(raw []byte) (trustFile, error) {
	if raw == nil {
		return trustFile{Version: trustVersion}, nil
	}
	var f trustFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return trustFile{}, lang.Errorf(zh, msgTrustJSON, err)
	}
	if f.Version != trustVersion {
		return trustFile{}, lang.Errorf(zh, msgTrustVersion, f.Version)
	}
	return f, nil
}

func (f *trustFile) remove(folder, server string) {
	f.Approvals = slices.DeleteFunc(f.Approvals, func(a approval) bool { return a.Folder == folder && a.Server == server })
}

func (f *trustFile) approvals() map[approvalKey]approved {
	out := make(map[approvalKey]approved, len(f.Approvals))
	for _, a := range f.Approvals {
		out[approvalKey{a.Folder, a.Server}] = approved{a.Hash, a.Entry}
	}
	return out
}

func (f *trustFile) write(path string) error {
	f.Version = trustVersion
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	// Where the file is a link, the file behind it is replaced and not the link.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	// A new file gets 0600; of an old one the mode would be kept, whatever it is.
	if err := os.Chmod(path, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomic.WriteFile(path, bytes.NewReader(append(text, '\n')))
}
