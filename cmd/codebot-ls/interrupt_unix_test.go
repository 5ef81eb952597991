//go:build unix

package main

import (
	"strings"
	"testing"
)

// A script that runs us must see that Ctrl-C ended us, not that all is well. The
// server itself presses it here, and then never answers.
func TestInterruptedCommandsExitWith130(t *testing.T) {
	p := newPlace(t, buildProgram(t), `{"mcp_servers": {"hang": {"command": "sh", "args": ["-c", "kill -INT $PPID; exec sleep 50"]}}}`)
	for _, args := range [][]string{{"mcp", "list"}, {"mcp", "test", "hang"}, {"mcp", "call", "hang", "x"}} {
		if code, out, errOut := p.run("", args...); code != 130 || strings.Contains(out, "Total") {
			t.Errorf("%v: exit code %d:\n%s%s", args, code, out, errOut)
		}
	}
}
