package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// maxKept is the size of the largest file that is kept to be given back, in bytes.
const maxKept = 16 << 20

// fileEdit is one edit of a file by a tool. It is kept before the edit is made: what a
// crash leaves half done is known.
type fileEdit struct {
	// Prompt is the place, among all messages as they were written, of the one that began
	// the turn.
	Prompt int    `json:"prompt"`
	Path   string `json:"path"`
	// Before and After are hashes of the file's content; Before is empty for a file that
	// was not there.
	Before string `json:"before,omitzero"`
	After  string `json:"after"`
	// Lost: what was there before is too large to be kept.
	Lost bool `json:"lost,omitzero"`
}

// NoteEdit keeps what a file holds before a tool of the running turn changes it; before
// is nil for a file that is not there. Without a turn or a journal it does nothing. On an
// error the edit must not be made.
func (s *Session) NoteEdit(path string, before *string, after string) error {
	s.mu.Lock()
	turn, at := s.turn, 0
	if turn != nil {
		at = turn.prompt
	}
	s.mu.Unlock()
	if turn == nil || s.journal == nil {
		return nil
	}
	e := fileEdit{Prompt: at, Path: path, After: contentHash([]byte(after))}
	if before != nil {
		e.Before = contentHash([]byte(*before))
		if e.Lost = len(*before) > maxKept; !e.Lost {
			if err := s.journal.keepContent(e.Before, []byte(*before)); err != nil {
				return lang.Errorf(zh, textKeepContent, path, err)
			}
		}
	}
	if err := s.keep(entry{Type: entryEdit, Edit: &e}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edits = append(s.edits, e)
	return nil
}

func contentHash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// contents is the folder of what files held, by hash.
func (j *Journal) contents() string { return filepath.Join(filesOf(j.path), "before") }

// keepContent keeps a content once, however often a file has it.
func (j *Journal) keepContent(hash string, content []byte) error {
	path := filepath.Join(j.contents(), hash)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(j.contents(), 0o700); err != nil {
		return err
	}
	// Under its name there is all of it or nothing, also after a crash.
	half := path + ".half"
	if err := os.WriteFile(half, content, 0o600); err != nil {
		return err
	}
	return os.Rename(half, path)
}

// content returns a kept content, and an error when it is not what its hash says.
func (j *Journal) content(hash string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(j.contents(), hash))
	if err == nil && contentHash(content) != hash {
		err = errors.New("it was changed")
	}
	return content, err
}

// hashOfFile is the hash of what a file holds now, empty when it is not there.
func hashOfFile(path string) (string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return contentHash(content), nil
}
