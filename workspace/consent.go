package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Errors of Approve, Revoke and TrustFolderForSession that a caller tells apart.
var (
	// ErrUnknownServer: the folder's settings have no entry of that name, or there
	// is no such folder.
	ErrUnknownServer = lang.Errorf(zh, msgNoServer)
	// ErrConsentChanged: the entry is no longer the one whose hash was shown.
	ErrConsentChanged = lang.Errorf(zh, msgConsentChanged)
	// ErrNotOpen: there is no such folder among those that are open.
	ErrNotOpen = lang.Errorf(zh, msgNotOpen)
)

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
		return lang.Errorf(zh, msgOfServer, name, ErrConsentChanged)
	}
	if err := w.trust.Approve(f.Real, name, bound, entry); err != nil {
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
	f, ok := w.current.Load().Folder(root)
	if !ok {
		return lang.Errorf(zh, msgOfFolder, root, ErrUnknownServer)
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
	f, ok := w.current.Load().Folder(root)
	if !ok {
		return lang.Errorf(zh, msgOfFolder, root, ErrNotOpen)
	}
	for name, entry := range f.Project.Settings.MCPServers {
		w.trust.ApproveForSession(f.Real, name, entry.Origin.ConsentHash, entry)
	}
	w.publishLocked()
	return nil
}

// entryNow returns the entry as it is in the file: that counts, and not what we
// last saw of it. The file may be in the middle of a save, so what is found is not
// published (the watcher will see to that), and while it is bad as a whole the last
// good settings count, as everywhere.
func (w *Workspace) entryNow(root, name string) (f Folder, entry mcp.ServerConfig, err error) {
	f, _ = w.current.Load().Folder(root)
	if f.Project.Path != "" {
		found := readProject(f.Root)
		now, _, ok := ParseSettings(f.Project.Path, mcp.ScopeProject, found.text, w.options.Lang)
		if found.present && !ok {
			now = f.Project.Settings
		}
		if entry, ok := now.MCPServers[name]; ok {
			return f, entry, nil
		}
	}
	return f, entry, lang.Errorf(zh, msgServerIn, name, root, ErrUnknownServer)
}

// CommandApproved reports whether a person has agreed to what a project's slash command
// says; text is all of it, and another one asks again.
func (w *Workspace) CommandApproved(root, name, text string) bool {
	return w.trust.Approved(commandKey(root, name, text))
}

// ApproveCommand keeps a person's consent to a project's slash command.
func (w *Workspace) ApproveCommand(root, name, text string) error {
	folder, key, hash := commandKey(root, name, text)
	return w.trust.Approve(folder, key, hash, mcp.ServerConfig{})
}

// commandKey is what a consent to a command is bound to. The slash and the beginning of
// what is hashed keep it apart from that to a server.
func commandKey(root, name, text string) (folder, key, hash string) {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte("command\x00" + text))
	return root, "/" + name, hex.EncodeToString(sum[:])
}
