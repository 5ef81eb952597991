package main

import (
	"strings"
	"testing"
)

// The generated files are committed; a change of the settings without make generate
// must not pass.
func TestGeneratedFilesAreFresh(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if err := stale(root, files); err != nil {
		t.Error(err)
	}
}

// A check that never says "stale" would be worth nothing.
func TestStaleFilesAreNamed(t *testing.T) {
	err := stale(t.TempDir(), []file{{"docs/settings.md", []byte("x")}})
	if err == nil || !strings.Contains(err.Error(), "docs/settings.md cannot be read: run make generate") {
		t.Errorf("a missing file: %v", err)
	}
}
