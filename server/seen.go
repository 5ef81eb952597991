package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/natefinch/atomic"
)

// Bounds of what is kept of servers that start on demand.
const (
	maxSeenFiles = 200
	maxSeenBytes = 16 << 20
)

// seenStore keeps a file for each server in <home>/cache/tools. It is a cache, so what
// goes wrong is logged and no more.
type seenStore struct{ s *Server }

func (t seenStore) dir() string { return filepath.Join(t.s.home, "cache", "tools") }

func (t seenStore) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(t.dir(), hex.EncodeToString(sum[:16])+".json")
}

// Load implements mcp.SeenStore.
func (t seenStore) Load(key string) []byte {
	path := t.path(key)
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxSeenBytes) {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.s.log.Warn("what a server offered cannot be read", "path", path, "error", err)
	}
	return data
}

// Save implements mcp.SeenStore.
func (t seenStore) Save(key string, data []byte) {
	path := t.path(key)
	if before, err := os.ReadFile(path); len(data) > maxSeenBytes || err == nil && bytes.Equal(before, data) {
		return
	}
	err := os.MkdirAll(t.dir(), 0o700)
	if err == nil {
		err = atomic.WriteFile(path, bytes.NewReader(data))
	}
	if err != nil {
		t.s.log.Warn("what a server offers cannot be kept", "path", path, "error", err)
		return
	}
	t.prune()
}

// prune takes the oldest files away where there are too many: entries that were edited
// leave theirs behind.
func (t seenStore) prune() {
	files, err := filepath.Glob(filepath.Join(t.dir(), "*.json"))
	if err != nil || len(files) <= maxSeenFiles {
		return
	}
	age := map[string]int64{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			age[file] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(files, func(a, b string) int { return int(min(max(age[a]-age[b], -1), 1)) })
	for _, file := range files[:len(files)-maxSeenFiles] {
		_ = os.Remove(file)
	}
}
