package main

import (
	"flag"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// A flag that help does not name is found by nobody.
func TestHelpNamesEveryFlagOfChat(t *testing.T) {
	for _, l := range []lang.Lang{lang.En, lang.ZhCN} {
		usage := l.Text(zh, textUsage)
		new(chatFlags).flagSet().VisitAll(func(f *flag.Flag) {
			if !strings.Contains(usage, "[--"+f.Name) {
				t.Errorf("the usage in %q lacks --%s:\n%s", l, f.Name, usage)
			}
		})
	}
}

// A server that waits for a login or for its next try is none a one-shot can use.
func TestTheTotalCountsEveryServerThatIsNotWell(t *testing.T) {
	var rows []mcp.ServerStatus
	for _, state := range []mcp.State{
		mcp.StateConnected, mcp.StateDegraded, mcp.StateFailed, mcp.StateNeedsAuth, mcp.StateReconnecting,
		mcp.StateDisabled, mcp.StateUntrusted, mcp.StateStopped,
	} {
		rows = append(rows, mcp.ServerStatus{State: state, ToolCount: 2})
	}
	lines := mcp.Listing(lang.En, rows)
	if got := lines[len(lines)-1]; got != "Total: 2 connected, 3 failed, 4 tools" {
		t.Error(got)
	}
}
