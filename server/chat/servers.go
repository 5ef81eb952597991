package chat

import (
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

// servers is the client's picture of the MCP servers.
type servers struct {
	rows   map[wire.MCPKey]wire.MCPServer
	totals wire.MCPTotals
}

func keyOf(row wire.MCPServer) wire.MCPKey { return wire.MCPKey{Name: row.Name, Folder: row.Folder} }

func (s *servers) reset(rows []wire.MCPServer, totals wire.MCPTotals) {
	s.rows, s.totals = map[wire.MCPKey]wire.MCPServer{}, totals
	for _, row := range rows {
		s.rows[keyOf(row)] = row
	}
}

// apply takes over changed rows and returns those whose state or tools are new.
func (s *servers) apply(p wire.MCPDidChangeStatusParams) []wire.MCPServer {
	var changed []wire.MCPServer
	for _, row := range p.Servers {
		old, known := s.rows[keyOf(row)]
		if !known || old.State != row.State || old.ToolCount != row.ToolCount {
			changed = append(changed, row)
		}
		s.rows[keyOf(row)] = row
	}
	for _, key := range p.Removed {
		delete(s.rows, key)
	}
	s.totals = p.Totals
	return changed
}

// sorted returns the rows by name.
func (s *servers) sorted() []wire.MCPServer {
	rows := make([]wire.MCPServer, 0, len(s.rows))
	for _, row := range s.rows {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b wire.MCPServer) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Folder, b.Folder)
	})
	return rows
}

// isStarting reports whether a server of that name may still come up.
func (s *servers) isStarting(name string) bool { return slices.Contains(s.starting(), name) }

// starting returns the names of the servers that may still come up.
func (s *servers) starting() []string {
	var names []string
	for _, row := range s.sorted() {
		if row.State == wire.MCPStarting {
			names = append(names, row.Name)
		}
	}
	return names
}

func joinNames(names []string) string { return strings.Join(names, ", ") }
