package tool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/natefinch/atomic"
)

// replaceFile writes a file so that nobody ever sees half of it: into a file
// beside it that then takes its place. A file that exists keeps its mode, a new
// one gets what the umask leaves of 0666. path is resolved, so a symlink stays one.
func replaceFile(path string, data []byte) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8]+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		// The folder may be closed to us while the file in it is not.
		if info != nil && errors.Is(err, fs.ErrPermission) {
			return os.WriteFile(path, data, info.Mode().Perm())
		}
		return err
	}
	defer os.Remove(temp) // fails once it has taken the other's place
	_, err = f.Write(data)
	if err == nil && info != nil {
		err = os.Chmod(temp, info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if info != nil {
		later(temp, info.ModTime())
	}
	if info != nil && !writable(path) {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
	}
	return atomic.ReplaceFile(temp, path)
}

// tick is more than the clocks of file systems take to go on.
const tick = 10 * time.Millisecond

// later gives a file a time after that of the one it replaces: editors look at nothing
// else to see a change, and the two may be of one tick of the clock. A file system that
// does not let us is as it is.
func later(path string, before time.Time) {
	if info, err := os.Stat(path); err == nil && !info.ModTime().After(before) {
		_ = os.Chtimes(path, time.Time{}, before.Add(tick))
	}
}

// writable reports whether the file itself may be written: to replace it would
// not ask.
func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}
