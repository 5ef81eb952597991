package assist

import (
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// Unwell says what is wrong with a server that does not do what its entry asks for;
// bad is false for one that does, and for one whose entry is bad: that is said of the
// text.
func Unwell(s mcp.ServerStatus, l lang.Lang) (message string, severity workspace.Severity, bad bool) {
	switch s.State {
	case mcp.StateFailed:
		severity = workspace.SeverityError
	case mcp.StateNeedsAuth, mcp.StateDegraded, mcp.StateReconnecting:
		severity = workspace.SeverityWarning
	default:
		return "", 0, false
	}
	name := mcp.CleanLine(s.Name)
	if s.Error == nil {
		return l.Sprintf(zh, msgServerState, name, s.State), severity, true
	}
	if s.Error.Code == string(mcp.KindConfigInvalid) {
		return "", 0, false
	}
	lines := []string{l.Sprintf(zh, msgServerReason, name, s.State, s.Error.Message)}
	if s.Error.Hint != "" {
		lines = append(lines, s.Error.Hint)
	}
	if tail := strings.TrimSpace(s.Error.StderrTail); tail != "" && !strings.Contains(s.Error.Message, tail) {
		lines = append(lines, lastLines(tail, 10))
	}
	return strings.Join(lines, "\n"), severity, true
}

// lastLines returns the last n lines of s.
func lastLines(s string, n int) string {
	lines := strings.Split(s, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
