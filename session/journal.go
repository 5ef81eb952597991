package session

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Journal is the open, append-only record of one session, owned by this process:
// a lock beside the file keeps others from writing. Each line is handed to the
// operating system in one write before append returns, so the death of this
// process loses nothing that was told. A nil Journal keeps nothing.
type Journal struct {
	path string
	log  Log

	mu     sync.Mutex // guards all below
	file   *os.File   // nil after Close
	lock   *flock.Flock
	size   int64 // of whole lines
	broken error // an earlier failed write that could not be undone
}

// Log is what the journal told when it was opened.
func (j *Journal) Log() Log { return j.log }

// append adds one line. After an error the journal is as it was before.
func (j *Journal) append(e entry) error {
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	line, err := e.line()
	if err != nil {
		return lang.Errorf(zh, textJournal, j.path, err)
	}
	return j.write(line)
}

// write adds whole lines.
func (j *Journal) write(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.file == nil:
		return lang.Errorf(zh, textJournal, j.path, os.ErrClosed)
	case j.broken != nil:
		return j.broken
	}
	n, err := j.file.Write(line)
	if err == nil {
		j.size += int64(n)
		return nil
	}
	err = lang.Errorf(zh, textJournalWrite, j.path, err)
	if n > 0 {
		if terr := os.Truncate(j.path, j.size); terr != nil {
			j.broken = err // the next line would be glued to half of this one
		}
	}
	return err
}

// Close lets go of the journal. One that never got a message is removed: nobody
// said anything in it.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	empty := j.isEmpty()
	err := j.file.Close()
	j.file = nil
	if empty {
		err = errors.Join(err, os.Remove(j.path))
	}
	return errors.Join(err, release(j.lock))
}

// isEmpty reports whether the journal holds nothing but its header and settings.
func (j *Journal) isEmpty() bool {
	f, err := os.Open(j.path)
	if err != nil {
		return false
	}
	defer f.Close()
	if j.size > 4096 {
		return false
	}
	b, err := io.ReadAll(io.LimitReader(f, j.size))
	if err != nil {
		return false
	}
	log, _, err := parse(b)
	return err == nil && len(log.Messages) == 0 && log.Skipped == 0
}

// spill keeps a tool result that was too long for the model in a file beside the
// journal and returns its path.
func (j *Journal) spill(toolCallID, text string) (string, error) {
	dir := filesOf(j.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, safeName(toolCallID)+".txt")
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// filesOf is the folder of a journal's spilled results.
func filesOf(journal string) string { return strings.TrimSuffix(journal, journalExt) + ".files" }

// remove deletes the journal with all that belongs to it, and lets go of it.
func (j *Journal) remove() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return lang.Errorf(zh, textJournal, j.path, os.ErrClosed)
	}
	err := j.file.Close()
	j.file = nil
	return errors.Join(err, os.Remove(j.path), os.RemoveAll(filesOf(j.path)), release(j.lock))
}

// safeName makes a provider's id a file name.
func safeName(id string) string {
	id = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, id)
	return "call-" + id[:min(len(id), 100)]
}

// lockPatience is how long a held lock is waited for. A killed process may leave it
// for a moment to a child that it was about to start: a fork has the descriptors of
// its parent until it runs the command.
const lockPatience = 500 * time.Millisecond

// acquire takes the lock file at path, or reports false when another owner has it and
// keeps it for lockPatience.
func acquire(path string) (*flock.Flock, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	for {
		l := flock.New(path, flock.SetPermissions(0o600))
		ok, err := l.TryLockContext(ctx, 5*time.Millisecond)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, false, l.Close()
		}
		if err != nil || !ok {
			return nil, false, errors.Join(err, l.Close())
		}
		// release removes the file: what we locked may be the one just removed.
		mine, err1 := l.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return l, true, nil
		}
		if err := l.Unlock(); err != nil {
			return nil, false, err
		}
	}
}

// release removes the lock file while it is still ours, then lets go of it.
func release(l *flock.Flock) error {
	err := os.Remove(l.Path())
	if errors.Is(err, os.ErrNotExist) || removeFailsWhileOpen {
		err = nil
	}
	return errors.Join(err, l.Unlock())
}
