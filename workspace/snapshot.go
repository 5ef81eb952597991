package workspace

import (
	"path/filepath"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// Snapshot is everything the settings say at one moment. It never changes after it
// was published; what it points to is shared and read only.
type Snapshot struct {
	// Revision grows with each published snapshot. Who gets snapshots by two ways
	// (a callback and a question) must drop one that is older than what it has.
	Revision uint64
	User     Layer
	// Folders are in the order they were added.
	Folders []Folder
	// Trust holds what is wrong with the file of approvals, empty when nothing is.
	Trust []Diagnostic
	// NotWatching says why changes are found by looking again and again instead of
	// being told by the system; empty when they are told.
	NotWatching string
}

// Layer is one settings file.
type Layer struct {
	// Path is the absolute path of the file, empty when the layer can have none
	// (the project file of a folder that is the user's home).
	Path string
	// Settings is what the file says; when Bad, what it last said while it was good.
	Settings Settings
	// Diagnostics are in the order of the file.
	Diagnostics []Diagnostic
	// Bad says that the file as a whole cannot be read or parsed now.
	Bad bool
}

// Folder is one workspace folder.
type Folder struct {
	// Root is the absolute path as the client named it; Real has its symbolic links
	// resolved. Consent is bound to Real.
	Root, Real string
	// Project is the folder's own file. Its servers have Approved, Changed,
	// ConsentHash and Shadows filled in Origin.
	Project Layer
	// Merged is the user's settings with the project's laid over: what is in
	// effect in this folder.
	Merged Settings
}

// Folder returns the folder whose Root is root.
func (s Snapshot) Folder(root string) (Folder, bool) {
	root = filepath.Clean(root)
	for _, f := range s.Folders {
		if f.Root == root {
			return f, true
		}
	}
	return Folder{}, false
}

// Settings returns what is in effect in the folder root, or the user's settings
// when root is none of the folders.
func (s Snapshot) Settings(root string) Settings {
	if f, ok := s.Folder(root); ok {
		return f.Merged
	}
	return s.User.Settings
}

// UserServers returns the user's MCP servers: the set of the user's manager.
func (s Snapshot) UserServers() map[string]mcp.ServerConfig { return s.User.Settings.MCPServers }

// ProjectServers returns the MCP servers that the project file of the folder root
// declares, approved or not: the set of that folder's manager.
func (s Snapshot) ProjectServers(root string) map[string]mcp.ServerConfig {
	f, _ := s.Folder(root)
	return f.Project.Settings.MCPServers
}

// Layers returns all settings files, the user's first.
func (s Snapshot) Layers() []Layer {
	out := []Layer{s.User}
	for _, f := range s.Folders {
		if f.Project.Path != "" {
			out = append(out, f.Project)
		}
	}
	return out
}

// Diagnostics returns everything that is wrong, file by file.
func (s Snapshot) Diagnostics() []Diagnostic {
	var out []Diagnostic
	for _, l := range s.Layers() {
		out = append(out, l.Diagnostics...)
	}
	return append(out, s.Trust...)
}
