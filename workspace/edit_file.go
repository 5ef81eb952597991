package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Errors of EditServer and ServerEdit.Apply that a caller tells apart, besides
// ErrUnknownServer and ErrNotOpen. All are wrapped in one that names the file.
var (
	// ErrBadFile: the file cannot be read or parsed, so it is not written either.
	ErrBadFile = lang.Errorf(zh, msgEditMend)
	// ErrFileChanged: the file is not what was last read of it, so whoever asked for
	// the edit has not seen what is in it.
	ErrFileChanged = lang.Errorf(zh, msgEditChanged)
	// ErrServerExists: the file has an entry of that name.
	ErrServerExists = lang.Errorf(zh, msgEditExists)
	// ErrInvalidEntry: the new entry could not be used.
	ErrInvalidEntry = lang.Errorf(zh, msgEditUnusable)
	// ErrNoProjectFile: the folder is the user's home and has no settings of its own.
	ErrNoProjectFile = lang.Errorf(zh, msgEditHome)
)

// editLockName is the file that serialises the edits of all processes of a user. It
// lies in the user's directory, for a project's is often under version control.
const editLockName = "edit.lock"

// EditServer changes an entry in the settings file of the open folder root, or in
// the user's when root is empty, and publishes what the file then says. A file, and
// its directory, that does not exist is made. It is replaced in one step, keeps its
// mode, and where it is a symbolic link, what the link leads to is replaced.
//
// current, which may be nil, is the text that an editor shows of the file, saved or not;
// when that is not what the file says, it is as good as a changed file.
func (w *Workspace) EditServer(root string, edit ServerEdit, current func(path string) (string, bool)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.sourceOf(root)
	if err != nil {
		return err
	}
	unlock, err := w.lockEdits()
	if err != nil {
		return err
	}
	defer unlock()
	now := s.read()
	if now.problem != nil {
		return lang.Errorf(zh, msgEditBad, s.path, now.problem, ErrBadFile)
	}
	if !now.equal(s.content) || unsaved(s.path, now.text, current) {
		w.Rescan()
		return lang.Errorf(zh, msgEditFile, s.path, ErrFileChanged)
	}
	if now.present && len(now.text) == 0 {
		return lang.Errorf(zh, msgEditBad, s.path, lang.MessageOf(zh, msgEmpty), ErrBadFile)
	}
	text, err := edit.Apply(s.path, s.scope, now.text, w.options.Lang)
	if err != nil {
		return err
	}
	if bytes.Equal(text, now.text) {
		return nil
	}
	// Whoever else writes it (an editor, git) takes no lock of ours: look once more.
	if !s.read().equal(now) {
		w.Rescan()
		return lang.Errorf(zh, msgEditFile, s.path, ErrFileChanged)
	}
	if err := s.write(root, text); err != nil {
		return lang.Errorf(zh, msgEditWrite, s.path, err)
	}
	if s.refresh() {
		w.publishLocked()
	}
	return nil
}

// sourceOf returns the settings file of an open folder, or the user's.
func (w *Workspace) sourceOf(root string) (*source, error) {
	if root == "" {
		return w.user, nil
	}
	root = filepath.Clean(root)
	for _, f := range w.folders {
		switch {
		case f.root != root:
		case f.source.path == "":
			return nil, lang.Errorf(zh, msgOfFolder, root, ErrNoProjectFile)
		default:
			return f.source, nil
		}
	}
	return nil, lang.Errorf(zh, msgOfFolder, root, ErrNotOpen)
}

// lockEdits keeps other processes from editing until unlock is called.
func (w *Workspace) lockEdits() (unlock func(), err error) {
	if err := os.MkdirAll(w.options.Home, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), trustLockTimeout)
	defer cancel()
	lock := flock.New(filepath.Join(w.options.Home, editLockName), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return nil, lang.Errorf(zh, msgTrustLock, lock.Path(), err)
	}
	return func() { _ = lock.Close() }, nil
}

// unsaved reports whether an editor shows something else than the file. Editors keep
// neither the byte order mark nor always the line breaks.
func unsaved(path string, text []byte, current func(string) (string, bool)) bool {
	if current == nil {
		return false
	}
	shown, open := current(path)
	plain := func(b []byte) []byte {
		return bytes.ReplaceAll(bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF")), []byte("\r\n"), []byte("\n"))
	}
	return open && !bytes.Equal(plain([]byte(shown)), plain(text))
}

// write replaces the file. root is the folder it must stay in, empty for the user's.
func (s *source) write(root string, text []byte) error {
	path := throughLinks(s.path)
	dirMode, mode := fs.FileMode(0o700), fs.FileMode(0o600) // it may hold secrets
	if s.scope == mcp.ScopeProject {
		// What a project says is for all who work on it.
		dirMode, mode = 0o755, 0o644
		real := resolve(root)
		if rel, err := filepath.Rel(real, resolveNew(path)); err != nil || !filepath.IsLocal(rel) {
			return lang.Errorf(zh, msgOutside)
		}
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	return replaceFile(path, text, mode)
}

// replaceFile puts a new file in the place of path, or where none is, in one step.
func replaceFile(path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync() // or a crash could leave an empty file under the name
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return atomic.ReplaceFile(f.Name(), path)
}

// throughLinks follows the symbolic links at path, also where the last leads to
// nothing yet.
func throughLinks(path string) string {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			// The directory may be a link itself, and ".." then counts from where it leads.
			to = filepath.Join(resolve(filepath.Dir(path)), to)
		}
		path = to
	}
	return path
}
