package workspace

import (
	"maps"
	"slices"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// LoadAllMCPServers reads the user's settings and those of the folder cwd once,
// without watching them, and returns the MCP servers that are in effect there: the
// user's, each replaced whole by an approved entry of the project of the same name,
// and the project's others, approved or not. It is for one-shot commands; of o only
// Home, UserHome and Lang are used.
func LoadAllMCPServers(cwd string, o Options) (map[string]mcp.ServerConfig, []Diagnostic) {
	w := &Workspace{options: o, trust: OpenTrust(o.Home), user: newUserSource(o.Home, o.Lang)}
	w.addLocked([]string{cwd})
	w.readLocked()
	s := w.buildLocked(1)
	return s.Settings(cwd).MCPServers, s.Diagnostics()
}

// buildLocked puts a snapshot together from what was read.
func (w *Workspace) buildLocked(revision uint64) Snapshot {
	s := Snapshot{Revision: revision, User: w.user.layer, NotWatching: w.notWatched}
	if err := w.trust.Problem(); err != nil {
		s.Trust = []Diagnostic{{
			File: w.trust.path, Line: 1, Column: 1, EndLine: 1, EndColumn: 1,
			Severity: SeverityError, Code: CodeUnreadable, Message: w.options.Lang.Sprintf(zh, msgTrust, err),
		}}
	}
	for _, f := range w.folders {
		s.Folders = append(s.Folders, layer(f.root, w.user.layer, f.source, w.trust))
	}
	return s
}

// layer puts a folder together: its file over the user's, with what is approved.
func layer(root string, user Layer, project *source, trust *Trust) Folder {
	f := Folder{Root: root, Real: resolve(root), Project: project.layer}
	model := f.Project.Settings.Model
	if d, bad := modelProblem(model, user.Settings, project.model, project.lang); bad {
		f.Project.Diagnostics = append(slices.Clone(f.Project.Diagnostics), d)
		sortDiagnostics(f.Project.Diagnostics)
		model = ""
	}
	f.Project.Settings.MCPServers = maps.Clone(f.Project.Settings.MCPServers)
	if ds := refuseModelKeys(f.Project.Settings, user.Settings, project.lang); len(ds) > 0 {
		f.Project.Diagnostics = slices.Concat(f.Project.Diagnostics, ds)
		sortDiagnostics(f.Project.Diagnostics)
	}
	for name, entry := range f.Project.Settings.MCPServers {
		hash := entry.ConsentHash(f.Real)
		entry.Origin.ConsentHash = hash
		entry.Origin.Approved = trust.Approved(f.Real, name, hash)
		if entry.Origin.Changed = trust.Changed(f.Real, name, hash); entry.Origin.Changed {
			if before, known := trust.Version(f.Real, name); known {
				entry.Origin.Changes = mcp.Changes(before, entry)
			}
		}
		if loser, ok := user.Settings.MCPServers[name]; ok {
			entry.Origin.Shadows = loser.Origin.File
		}
		f.Project.Settings.MCPServers[name] = entry
	}
	f.Merged = merge(user.Settings, f.Project.Settings, model)
	return f
}
