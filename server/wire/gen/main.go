// Command gen writes what is made from the package wire: docs/protocol.md and the
// types of the two plug-ins. With -check it writes nothing and fails when a file
// is not what it would write.
//
// The method table comes from the running package, shapes and documentation from
// its source, so neither is said twice.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	check := flag.Bool("check", false, "fail when a generated file is stale instead of writing it")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(check bool) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	files, err := generate(filepath.Join(root, "server", "wire"))
	if err != nil {
		return err
	}
	if check {
		return stale(root, files)
	}
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// file is one generated file; its path is relative to the repository, with slashes.
type file struct {
	path string
	data []byte
}

// generate makes every file from the source of the package wire in dir.
func generate(dir string) ([]file, error) {
	m, err := load(dir)
	if err != nil {
		return nil, err
	}
	return []file{
		{"docs/protocol.md", markdown(m)},
		{"editors/vscode/src/protocol.gen.ts", typescript(m)},
		{"editors/nvim/lua/codebot/protocol_gen.lua", lua(m)},
	}, nil
}

// stale returns an error that names every file that is not as generated.
func stale(root string, files []file) error {
	var errs []error
	for _, f := range files {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			errs = append(errs, fmt.Errorf("%s is missing: run make generate", f.path))
		case err != nil:
			errs = append(errs, err)
		// A checkout may have turned the line ends into CRLF.
		case !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), f.data):
			errs = append(errs, fmt.Errorf("%s is stale: run make generate", f.path))
		}
	}
	return errors.Join(errs...)
}

// findRoot returns the nearest folder above the working directory with a go.mod.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("finding the repository: no go.mod in %s or above it", dir)
		}
	}
}
