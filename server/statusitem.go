package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/workspace"
)

func (s *Server) status(context.Context, wire.Empty) (wire.StatusResult, error) {
	return s.statusItem(s.servers.rows()), nil
}

// statusItem is what a status bar shows of the rows and the settings.
func (s *Server) statusItem(rows []wire.MCPServer) wire.StatusResult {
	snap := s.ws.Snapshot()
	usable, enabled, starting, unwell := 0, 0, false, false
	for _, r := range rows {
		if r.State == wire.MCPDisabled {
			continue
		}
		enabled++
		switch r.State {
		case wire.MCPConnected:
			usable++
		case wire.MCPDegraded:
			usable++
			unwell = true
		case wire.MCPStarting:
			starting = true
		case wire.MCPFailed, wire.MCPNeedsAuth, wire.MCPUntrusted, wire.MCPReconnecting:
			unwell = true
		}
	}
	item := wire.StatusResult{Busy: starting || s.turns.Load() > 0, Health: wire.HealthOK, Text: "codebot"}
	bad := badFiles(snap)
	switch {
	case len(bad) > 0:
		item.Health = wire.HealthError
	case unwell:
		item.Health = wire.HealthWarning
	case len(rows) == 0:
		item.Health = wire.HealthInactive
	}
	if len(rows) > 0 {
		item.Text = fmt.Sprintf("codebot %d/%d", usable, enabled)
	}
	item.Tooltip = s.tooltip(rows, bad, snap.NotWatching)
	if s.client.codebot != nil {
		item.Command = &wire.Command{Title: s.say(textServers), Command: wire.CommandUI, Arguments: []any{"mcp", struct{}{}}}
	}
	return item
}

// badFiles are the settings files that cannot be read as a whole.
func badFiles(snap workspace.Snapshot) []string {
	var files []string
	for _, l := range snap.Layers() {
		if l.Bad {
			files = append(files, l.Path)
		}
	}
	return files
}

// tooltip is Markdown: what is wrong with the settings, and with watching them (empty
// when nothing is), then a table of servers.
func (s *Server) tooltip(rows []wire.MCPServer, bad []string, notWatching string) string {
	var b strings.Builder
	for _, file := range bad {
		b.WriteString(s.say(textBadFile, mcp.CleanLine(file)) + "\n\n")
	}
	if notWatching != "" {
		b.WriteString(s.say(textNotWatching, cell(notWatching)) + "\n\n")
	}
	if len(rows) == 0 {
		b.WriteString(s.say(textNone))
		return b.String()
	}
	b.WriteString(s.say(textTable) + "\n|---|---|---:|---|\n")
	for _, r := range rows {
		note := ""
		if r.Error != nil {
			note = r.Error.Message
		} else if r.Consent != nil {
			note = s.say(textWaits)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", cell(r.Name), cell(mcp.State(r.State).In(s.lang)), r.ToolCount, cell(note))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var cellEscaper = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "[", `\[`, "`", "\\`", "*", `\*`, "_", `\_`, "!", `\!`)

// cell makes foreign text fit for a cell of a Markdown table: no markup, one line.
func cell(s string) string { return cellEscaper.Replace(mcp.CleanLine(s)) }

// firstSettings is what is in effect where a session would start by default.
func (s *Server) firstSettings() workspace.Settings {
	for _, p := range s.servers.places() {
		if p.root != "" {
			settings, _ := s.servers.settingsAt(p.root)
			return settings
		}
	}
	settings, _ := s.servers.settingsAt("")
	return settings
}
