// Package keystore keeps what must not stand in a settings file: keys of model providers
// and tokens of MCP servers. They are in the system's keychain, and where there is none in
// a file that only the user can read.
package keystore

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// service is the name under which a keychain shows what is ours.
const service = "codebot-ls"

// Source says where a secret is kept.
type Source string

// The places.
const (
	Keychain Source = "keychain"
	File     Source = "file"
)

// ErrNotFound answers for a name that nothing is kept under.
var ErrNotFound = errors.New("nothing is kept under this name")

// How long what was read is believed: another window may change it. What is not there is
// looked for sooner, for somebody may just be entering it.
const (
	foundFresh  = time.Minute
	absentFresh = 3 * time.Second
)

// patience bounds one call of the keychain: one that is locked may wait for a person who
// sees no dialog.
const patience = 3 * time.Second

// Options of a Store.
type Options struct {
	// Path of the file that is used where there is no keychain.
	Path string
	// NoKeychain uses the file alone.
	NoKeychain bool
	// Environ looks up a variable; it decides whether Linux has a session to have a
	// keychain in.
	Environ func(name string) string
}

// Store keeps secrets by name. It is safe for concurrent use, also by several processes.
type Store struct {
	file file
	now  func() time.Time

	mu     sync.Mutex
	system bool                  // guarded by mu
	known  map[string]remembered // guarded by mu
}

type remembered struct {
	value  string
	source Source
	err    error
	at     time.Time
}

// New returns a store; nothing is read yet.
func New(o Options) *Store {
	system := !o.NoKeychain
	// Without a session's bus the library would start one, which belongs to nobody.
	if runtime.GOOS == "linux" && (o.Environ == nil || o.Environ("DBUS_SESSION_BUS_ADDRESS") == "") {
		system = false
	}
	return &Store{file: file{path: o.Path}, system: system, now: time.Now, known: map[string]remembered{}}
}

// Get returns what is kept under a name, and where. ErrNotFound says that nothing is.
func (s *Store) Get(name string) (value string, from Source, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.known[name]; ok && s.now().Sub(r.at) < r.fresh() {
		return r.value, r.source, r.err
	}
	r := s.read(name)
	r.at = s.now()
	s.known[name] = r
	return r.value, r.source, r.err
}

func (r remembered) fresh() time.Duration {
	if r.err != nil {
		return absentFresh
	}
	return foundFresh
}

// Fresh is Get without what was read before: another process may have changed it.
func (s *Store) Fresh(name string) (value string, from Source, err error) {
	s.mu.Lock()
	delete(s.known, name)
	s.mu.Unlock()
	return s.Get(name)
}

func (s *Store) read(name string) remembered {
	if s.system {
		value, err := bounded(func() (string, error) { return keyring.Get(service, name) })
		if err == nil {
			return remembered{value: value, source: Keychain}
		}
		s.gaveUp(err)
	}
	value, err := s.file.get(name)
	if err != nil {
		return remembered{err: err}
	}
	return remembered{value: value, source: File}
}

// Set keeps a value under a name, and says where: in the file only when the keychain does
// not take it.
func (s *Store) Set(name, value string) (Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, name)
	if s.system {
		_, err := bounded(func() (string, error) { return "", keyring.Set(service, name, value) })
		if err == nil {
			// One of before must not come back when the keychain is locked.
			return Keychain, s.file.set(name, "")
		}
		s.gaveUp(err)
	}
	return File, s.file.set(name, value)
}

// Delete forgets what is kept under a name, wherever it is. It is no error when nothing
// is.
func (s *Store) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, name)
	var fromSystem error
	if s.system {
		_, fromSystem = bounded(func() (string, error) { return "", keyring.Delete(service, name) })
		if errors.Is(fromSystem, keyring.ErrNotFound) || !s.usable() {
			fromSystem = nil
		}
	}
	return errors.Join(fromSystem, s.file.set(name, ""))
}

// gaveUp leaves a keychain alone that did not answer in time: nobody waits for it twice.
func (s *Store) gaveUp(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		s.system = false
	}
}

// usable reports whether the keychain answers at all.
func (s *Store) usable() bool {
	_, err := bounded(func() (string, error) { return keyring.Get(service, "") })
	return err == nil || errors.Is(err, keyring.ErrNotFound)
}

// bounded calls the keychain and waits no longer than patience; a call that hangs ends
// with its answer, which nobody wants any more.
func bounded(call func() (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	type answer struct {
		value string
		err   error
	}
	ch := make(chan answer, 1)
	go func() { // ends when the keychain answers
		value, err := call()
		ch <- answer{value, err}
	}()
	select {
	case a := <-ch:
		return a.value, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
