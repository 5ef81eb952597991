// Command gen writes what is made from the settings' Go types and their explanations:
// docs/settings.md and the JSON Schema that both plug-ins carry. With -check it writes
// nothing and fails when a file is not what it would write.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/codebot-ls/codebot-ls/workspace/assist"
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
	files, err := generate()
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

//go:embed preamble.md
var preamble string

// escapes are what encoding/json does for HTML, which nobody reads here.
var escapes = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func generate() ([]file, error) {
	var schema bytes.Buffer
	encoder := json.NewEncoder(&schema)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(assist.Schema()); err != nil {
		return nil, fmt.Errorf("encoding the schema of the settings: %w", err)
	}
	text := escapes.Replace(schema.String())
	return []file{
		{"docs/settings.md", []byte(preamble + assist.Reference())},
		{"editors/vscode/schemas/settings.schema.json", []byte(text)},
		{"editors/nvim/schemas/settings.schema.json", []byte(text)},
	}, nil
}

// stale returns an error that names every file that is not as generated.
func stale(root string, files []file) error {
	var errs []error
	for _, f := range files {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.path)))
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s cannot be read: run make generate", f.path))
		case !bytes.Equal(have, f.data):
			errs = append(errs, fmt.Errorf("%s is stale: run make generate", f.path))
		}
	}
	return errors.Join(errs...)
}

// findRoot returns the folder of the module that the working directory is in.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}
