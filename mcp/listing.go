package mcp

import "github.com/codebot-ls/codebot-ls/session/lang"

// Listing says how servers are, a line each and their sum. For who reads it now, a server
// that waits for a login or for its next try has failed.
func Listing(l lang.Lang, rows []ServerStatus) []string {
	var lines []string
	var connected, failed, tools int
	for _, row := range rows {
		switch row.State {
		case StateConnected, StateDegraded:
			connected++
			tools += row.ToolCount
		case StateFailed, StateNeedsAuth, StateReconnecting:
			failed++
		}
		lines = append(lines, CleanLine(row.Name)+"  "+lineOf(l, row))
	}
	return append(lines, l.Sprintf(zh, textListTotal, connected, failed, tools))
}

// lineOf says on one line how a server is.
func lineOf(l lang.Lang, row ServerStatus) string {
	switch {
	case row.State == StateConnected:
		return l.Sprintf(zh, textListTools, row.ToolCount)
	case row.State == StateUntrusted:
		return l.Text(zh, textListUntrusted)
	case row.Error != nil && row.Error.Message != "":
		return CleanLine(row.Error.Message)
	}
	return row.State.In(l)
}
