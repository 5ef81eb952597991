//lint:file-ignore SA1019 Roots are deprecated by SEP-2577, but servers of the older handshake know no other way to learn the open folders.

package mcp

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// declareRoots says that servers may ask which folders are open, and are told when
// that changes.
func declareRoots(opts *sdk.ClientOptions) {
	opts.Capabilities.RootsV2 = &sdk.RootCapabilities{ListChanged: true}
}

// setRoots changes what a client answers from the folders before to those after,
// and returns after.
func setRoots(client *sdk.Client, before, after []string) []string {
	after = slices.Clone(after)
	var added []*sdk.Root
	for _, dir := range after {
		if !slices.Contains(before, dir) {
			added = append(added, &sdk.Root{Name: filepath.Base(dir), URI: fileURI(dir)})
		}
	}
	if len(added) > 0 {
		client.AddRoots(added...)
	}
	// Only now, so that a server that asks in between is not told that nothing is open.
	var gone []string
	for _, dir := range before {
		if !slices.Contains(after, dir) {
			gone = append(gone, fileURI(dir))
		}
	}
	if len(gone) > 0 {
		client.RemoveRoots(gone...)
	}
	return after
}

// fileURI is RFC 8089's form of an absolute path, on Windows too.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
