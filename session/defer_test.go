package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// The more tools are deferred the less the prompt says of each, and never more than its
// bound.
func TestWhatThePromptSaysOfDeferredToolsIsBounded(t *testing.T) {
	for _, c := range []struct {
		servers, each int
		want, not     string
	}{
		{1, 20, "  - mcp__s0__t1: what it is for", "tools, as"},
		{2, 150, "- s1: mcp__s1__t0, mcp__s1__t1, ", "what it is for"},
		{3, 2000, "- s2: 2000 tools, as mcp__s2__t0", "mcp__s2__t1,"},
		{3000, 3, "more servers", "s2999"},
	} {
		var deferred []agent.Tool
		for s := range c.servers {
			for i := range c.each {
				tool := mcpTool(fmt.Sprintf("s%d", s), fmt.Sprintf("t%d", i), false)
				tool.desc = "what it is for"
				deferred = append(deferred, tool)
			}
		}
		got := deferredPart(deferred)
		if !strings.Contains(got, c.want) || strings.Contains(got, c.not) || len(got) > deferredBytes+200 {
			t.Errorf("%d servers with %d tools, %d bytes: %.300s ... want %q, not %q", c.servers, c.each, len(got), got, c.want, c.not)
		}
		if !strings.HasPrefix(got, "They are listed with the request once") {
			t.Errorf("it begins %.80s", got)
		}
	}
	if got := deferredPart(nil); got != "" {
		t.Errorf("none: %q", got)
	}
}
