package keystore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

func fileStore(t *testing.T) (*Store, string) {
	path := filepath.Join(t.TempDir(), "home", "keys.json")
	return New(Options{Path: path, NoKeychain: true}), path
}

func TestAKeyIsKeptInAFileThatOnlyItsOwnerReads(t *testing.T) {
	s, path := fileStore(t)
	if _, _, err := s.Get("anthropic"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("before: %v", err)
	}
	if from, err := s.Set("anthropic", "sk-1"); err != nil || from != File {
		t.Fatalf("kept in %s, %v", from, err)
	}
	for _, of := range []*Store{s, New(Options{Path: path, NoKeychain: true})} {
		if value, from, err := of.Get("anthropic"); value != "sk-1" || from != File || err != nil {
			t.Errorf("got %q from %s, %v", value, from, err)
		}
	}
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v", name, info.Mode(), err)
			}
		}
	}
	if err := s.Delete("anthropic"); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), "sk-1") {
		t.Errorf("the file still says %s, %v", raw, err)
	}
	if err := s.Delete("nobody"); err != nil {
		t.Error(err)
	}
}

// Another window's key is seen after a while, and one that is being entered soon.
func TestAKeyThatAnotherWindowEnteredIsFound(t *testing.T) {
	s, path := fileStore(t)
	now := time.Unix(0, 0)
	s.now = func() time.Time { return now }
	other := New(Options{Path: path, NoKeychain: true})
	get := func() string { v, _, _ := s.Get("a"); return v }
	if get() != "" {
		t.Fatal("there is a key")
	}
	if _, err := other.Set("a", "one"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(absentFresh)
	if get() != "one" {
		t.Error("a key that was entered is not found")
	}
	if _, err := other.Set("a", "two"); err != nil {
		t.Fatal(err)
	}
	if get() != "one" {
		t.Error("the key is read with every request")
	}
	now = now.Add(foundFresh)
	if get() != "two" {
		t.Error("a changed key is never seen")
	}
}

func TestAKeychainIsUsedWhereThereIsOne(t *testing.T) {
	keyring.MockInit()
	s, path := fileStore(t)
	if _, err := s.Set("a", "old"); err != nil {
		t.Fatal(err)
	}
	s = New(Options{Path: path})
	s.system = true
	if value, from, err := s.Get("a"); value != "old" || from != File || err != nil {
		t.Errorf("what is in the file is lost: %q %s %v", value, from, err)
	}
	if from, err := s.Set("a", "new"); err != nil || from != Keychain {
		t.Fatalf("kept in %s, %v", from, err)
	}
	if raw, _ := os.ReadFile(path); strings.Contains(string(raw), "old") {
		t.Errorf("the old one stays in the file: %s", raw)
	}
	if value, from, _ := s.Get("a"); value != "new" || from != Keychain {
		t.Errorf("got %q from %s", value, from)
	}
	if err := s.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Get("a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("after: %v", err)
	}
}

// A keychain that fails, as one without a screen does, is no reason to lose the key.
func TestAKeychainThatFailsGivesWayToTheFile(t *testing.T) {
	keyring.MockInitWithError(errors.New("no such interface"))
	defer keyring.MockInit()
	_, path := fileStore(t)
	s := New(Options{Path: path})
	s.system = true
	if from, err := s.Set("a", "x"); err != nil || from != File {
		t.Fatalf("kept in %s, %v", from, err)
	}
	if value, from, err := s.Get("a"); value != "x" || from != File || err != nil {
		t.Errorf("got %q from %s, %v", value, from, err)
	}
	if err := s.Delete("a"); err != nil {
		t.Error(err)
	}
}

func TestManyWindowsLoseNoKey(t *testing.T) {
	_, path := fileStore(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, err := New(Options{Path: path, NoKeychain: true}).Set(fmt.Sprint(i), "v"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := (file{path}).read()
	if err != nil || len(all) != 20 {
		t.Errorf("%d keys, %v", len(all), err)
	}
}

func TestABrokenFileIsNamedAndNotWrittenOver(t *testing.T) {
	s, path := fileStore(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"a": "sk-secret"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set("b", "x"); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("got %v", err)
	}
	if raw, _ := os.ReadFile(path); !strings.Contains(string(raw), "sk-secret") {
		t.Error("the file was written over")
	}
}
