package server

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// pathOf returns the absolute path of a file URI, and false for any other.
func pathOf(u string) (string, bool) {
	if len(u) < 5 || !strings.EqualFold(u[:5], "file:") {
		return "", false
	}
	parsed, err := uri.Parse(u)
	if err != nil {
		return "", false
	}
	return filepath.Clean(parsed.FsPath()), true
}

// uriOf returns the file URI of an absolute path, empty for an empty one.
func uriOf(path string) string {
	if path == "" {
		return ""
	}
	return string(uri.File(path))
}

// folderPath reads a folder given as URI or absolute path.
func folderPath(s string) (string, error) {
	if path, ok := pathOf(s); ok {
		return path, nil
	}
	if !filepath.IsAbs(s) {
		return "", lang.Errorf(zh, textNoFolder, s)
	}
	return filepath.Clean(s), nil
}
