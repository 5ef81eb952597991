package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/workspace"
	"github.com/codebot-ls/codebot-ls/workspace/foreign"
)

// triedName is what an entry without a name is tried under, triedLog how much of its log
// the answer has, and triedEnd how long it gets to end.
const (
	triedName = "test"
	triedLog  = 100
	triedEnd  = 10 * time.Second
)

// folderOf reads the folder of a request, empty for the user's own settings.
func folderParam(folder *string) (string, error) {
	if folder == nil || *folder == "" {
		return "", nil
	}
	return folderPath(*folder)
}

// mcpTest tries an entry that stands in no file. Nothing of it stays.
func (s *Server) mcpTest(ctx context.Context, p wire.MCPTestParams) (wire.MCPTestResult, error) {
	name := cmp.Or(p.Name, triedName)
	root, err := folderParam(p.Folder)
	if err != nil {
		return wire.MCPTestResult{}, refuse(wire.KindUnknownServer, name, err, hintFolder)
	}
	scope, cwd := mcp.ScopeUser, s.userHome
	if root != "" {
		scope, cwd = mcp.ScopeProject, root
	}
	cfg, err := workspace.ReadEntry(name, scope, bytes.Clone(p.Entry), s.lang)
	if err != nil {
		return wire.MCPTestResult{}, s.editError(name, err)
	}
	cfg.Disabled = false
	cfg.Origin.Approved = true // whoever tries it has it before them
	rpc.Release(ctx)
	began := time.Now()
	m := mcp.NewManager(mcp.Options{
		Scope: scope, Folder: root, Cwd: cwd, Roots: s.servers.roots, Home: s.userHome, Lang: s.lang,
		LoginPath: s.loginPath, LookupEnv: s.env.lookup, Environ: s.env.environ, ClientVersion: s.opts.Version, Logger: s.log, Tokens: tokenStore{s},
	})
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), triedEnd)
		defer cancel()
		if err := m.Close(end); err != nil {
			s.log.Warn("a server that was tried did not end", "server", name, "error", err)
		}
	}()
	m.Reconfigure(ctx, map[string]mcp.ServerConfig{name: cfg})
	row, err := m.Wait(ctx, name)
	if err != nil {
		return wire.MCPTestResult{}, err
	}
	result := wire.MCPTestResult{Server: rowOf(row, root), Tools: toolRows(m.Listed(), root), DurationMs: time.Since(began).Milliseconds()}
	entries, err := m.Logs(name, triedLog)
	result.Log = logEntries(entries)
	return result, err
}

// toolRows are tools as the wire has them.
func toolRows(tools []*mcp.MCPTool, root string) []wire.MCPTool {
	rows := []wire.MCPTool{}
	for _, t := range tools {
		meta := t.PermissionMetadata()
		rows = append(rows, wire.MCPTool{
			Name: t.Name(), Server: t.Server(), Folder: uriOf(root), Tool: t.Original(),
			Description: t.Description(), InputSchema: []byte(t.TheirSchema()),
			Permission: wire.MCPToolPermission{Capability: string(meta.Capability), Reason: meta.Reason}, Off: t.Off(),
		})
	}
	return rows
}

// mcpImport lists the servers of other programs, and writes those that were chosen. One
// that cannot be written is a problem and keeps no other from it.
func (s *Server) mcpImport(ctx context.Context, p wire.MCPImportParams) (wire.MCPImportResult, error) {
	root, err := folderParam(p.Folder)
	if err != nil {
		return wire.MCPImportResult{}, err
	}
	rpc.Release(ctx)
	config, ok := s.env.lookup("XDG_CONFIG_HOME")
	if !ok || !filepath.IsAbs(config) {
		config = ""
		if s.userHome == ownHome() { // that of the system is this user's
			config, _ = os.UserConfigDir()
		}
	}
	places := foreign.Places(s.userHome, config, s.servers.roots())
	if p.Source != "" {
		file, err := folderPath(p.Source)
		if err != nil {
			return wire.MCPImportResult{}, err
		}
		places = []foreign.Place{foreign.At(places, file)}
	}
	result := wire.MCPImportResult{Servers: []wire.MCPImportServer{}, Problems: []string{}}
	found, problems := foreign.Find(s.lang, places)
	for _, problem := range problems {
		result.Problems = append(result.Problems, mcp.CleanLine(s.lang.Error(problem)))
	}
	have := s.ws.Snapshot().UserServers()
	if root != "" {
		have = s.ws.Snapshot().ProjectServers(root)
	}
	wrote := false
	for _, f := range found {
		server := wire.MCPImportServer{
			Name: f.Name, Client: f.Client, Source: uriOf(f.File), Entry: []byte(f.Shown), Notes: append([]string{}, f.Notes...),
		}
		_, server.Exists = have[f.Name]
		chosen := slices.IndexFunc(p.Import, func(c wire.MCPImportChoice) bool { return c.Name == f.Name && sameFile(c.Source, f.File) })
		if chosen >= 0 {
			name := cmp.Or(p.Import[chosen].As, f.Name)
			if err := s.ws.EditServer(root, workspace.AddServer(name, json.RawMessage(f.Entry)), s.docs.Overlay); err != nil {
				result.Problems = append(result.Problems, mcp.CleanLine(name)+": "+mcp.CleanLine(s.lang.Error(err)))
			} else {
				server.Imported, wrote = true, true
			}
		}
		result.Servers = append(result.Servers, server)
	}
	if wrote {
		s.settingsChanged(s.ws.Snapshot())
	}
	return result, nil
}

// sameFile reports whether a client's URI or path names a file.
func sameFile(source, file string) bool {
	path, err := folderPath(source)
	return err == nil && path == filepath.Clean(file)
}

func ownHome() string {
	home, _ := os.UserHomeDir()
	return home
}
