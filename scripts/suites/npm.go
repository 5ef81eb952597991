package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// npmInstall brings what the lock file in from names into the folder called name
// below the cache, and returns that folder. It does nothing when the same lock
// file was installed there before.
func (m *machine) npmInstall(ctx context.Context, name, from string) (string, error) {
	dir := m.cache(name)
	sum := sha256.New()
	for _, file := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			return "", err
		}
		sum.Write(data)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
			return "", err
		}
	}
	want := hex.EncodeToString(sum.Sum(nil))
	stamp := filepath.Join(dir, "installed")
	if have, err := os.ReadFile(stamp); err == nil && strings.TrimSpace(string(have)) == want {
		return dir, nil
	}
	fmt.Fprintf(m.out, "installing the npm packages of %s\n", from)
	// No scripts of packages: nothing we use needs one.
	out, err := m.command(ctx, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	if err != nil {
		return "", fmt.Errorf("npm ci in %s: %w\n%s", dir, err, tail(out, 20))
	}
	return dir, os.WriteFile(stamp, []byte(want+"\n"), 0o644)
}
