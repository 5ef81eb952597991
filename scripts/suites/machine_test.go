package main

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// testCaches gives the test caches of its own.
func testCaches(t *testing.T) (*machine, string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return &machine{root: t.TempDir()}, filepath.Join(user, "codebot-ls-tests")
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func TestInstallThatFailedCountsAsInstalled(t *testing.T) {
	m, base := testCaches(t)
	broken := errors.New("no network")
	_, err := m.install("thing-1", func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "half"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if left := entries(t, base); len(left) > 0 {
		t.Fatalf("left behind: %q", left)
	}
	built := 0
	for range 2 {
		dir, err := m.install("thing-1", func(dir string) error {
			built++
			return os.WriteFile(filepath.Join(dir, "whole"), nil, 0o644)
		})
		if err != nil || !exists(filepath.Join(dir, "whole")) || filepath.Base(dir) != "thing-1" {
			t.Fatalf("%s, %v", dir, err)
		}
	}
	if built != 1 {
		t.Fatalf("built %d times", built)
	}
}

func TestTwoRunsThatInstallAtOnceBreakEachOther(t *testing.T) {
	m, base := testCaches(t)
	var both, done sync.WaitGroup
	both.Add(2)
	for range 2 {
		done.Go(func() {
			dir, err := m.install("thing-1", func(dir string) error {
				both.Done()
				both.Wait() // neither is first
				return os.WriteFile(filepath.Join(dir, "whole"), nil, 0o644)
			})
			if err != nil || !exists(filepath.Join(dir, "whole")) {
				t.Errorf("%s, %v", dir, err)
			}
		})
	}
	done.Wait()
	if left := entries(t, base); len(left) != 1 {
		t.Fatalf("there are %q", left)
	}
}

func TestDraftsOfRunsThatWereKilledStayForEver(t *testing.T) {
	m, base := testCaches(t)
	for name, age := range map[string]time.Duration{"old": 48 * time.Hour, "new": time.Minute} {
		dir := filepath.Join(base, draftPrefix+name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(dir, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.install("thing-1", func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	left := entries(t, base)
	if len(left) != 2 || left[0] != draftPrefix+"new" || left[1] != "thing-1" {
		t.Fatalf("there are %q", left)
	}
}
