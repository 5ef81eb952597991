package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// npmInstall brings what the lock file in from names into a folder among the user's
// caches, and returns that folder. It does nothing when the same lock file was
// installed there before.
func (m *machine) npmInstall(ctx context.Context, name, from string) (string, error) {
	files := []string{filepath.Join(from, "package.json"), filepath.Join(from, "package-lock.json")}
	print, err := fingerprint(files...)
	if err != nil {
		return "", err
	}
	return m.install(name+"-"+print, func(dir string) error {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o644); err != nil {
				return err
			}
		}
		fmt.Fprintf(m.out, "installing the npm packages of %s\n", from)
		// No scripts of packages: nothing we use needs one.
		out, err := m.command(ctx, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		if err != nil {
			return fmt.Errorf("npm ci in %s: %w\n%s", dir, err, tail(out, 20))
		}
		return nil
	})
}
