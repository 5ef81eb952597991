package tool

import (
	"crypto/sha256"
	"sync"
)

// seen remembers the text of each file when the session last read or wrote it, so
// that an edit is not made on top of a change the model knows nothing of.
type seen struct {
	mu    sync.Mutex
	files map[string][sha256.Size]byte // by resolved path
}

func newSeen() *seen { return &seen{files: map[string][sha256.Size]byte{}} }

func (s *seen) note(path, text string) { s.noteSum(path, sha256.Sum256([]byte(text))) }

func (s *seen) noteSum(path string, sum [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = sum
}

// stale reports whether the file was seen with another text than it has now.
func (s *seen) stale(path, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, ok := s.files[path]
	return ok && sum != sha256.Sum256([]byte(text))
}
