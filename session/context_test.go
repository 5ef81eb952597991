package session

import (
	"context"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Who pays for a prompt that is no longer cached wants to know what broke it. What
// changes nothing breaks nothing.
func TestContextTellsWhatBrokeTheCache(t *testing.T) {
	remote := []agent.Tool{mcpTool("s", "t", true)}
	for name, test := range map[string]struct {
		change func(r *room)
		want   string
	}{
		"nothing":                 {func(*room) {}, ""},
		"the same tools again":    {func(r *room) { remote = []agent.Tool{mcpTool("s", "t", true)} }, ""},
		"another turn":            {func(r *room) { r.ask(t, "more") }, ""},
		"a new tool":              {func(r *room) { remote = append(remote, mcpTool("s", "u", true)) }, BreakTools},
		"servers' instructions":   {func(r *room) { r.SetMCPInstructions("## s\nuse it") }, keyDynamic},
		"a mode with other tools": {func(r *room) { r.SetMode(permission.ModePlan) }, BreakTools},
		"another model":           {func(r *room) { r.SetModel(&script{id: "test/other"}) }, BreakModel},
		"a compaction": {func(r *room) {
			r.ask(t, "more")
			if _, _, err := r.Compact(t.Context()); err != nil {
				t.Error(err)
			}
		}, BreakMessages},
	} {
		t.Run(name, func(t *testing.T) {
			remote = []agent.Tool{mcpTool("s", "t", true)}
			r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look"), editTool("write")} },
				say(strings.Repeat("one ", 200)), say("two"), say("short"))
			r.SetBeforePrompt(func(context.Context) { r.ReplaceMCPTools(remote) })
			if got := r.Context(t.Context()); got.Break != "" || got.Tools != 3 || got.Messages != 0 {
				t.Errorf("before the first request: %+v", got)
			}
			r.ask(t, "go")
			before := r.Context(t.Context())
			test.change(r)
			after := r.Context(t.Context())
			if before.Break != "" || after.Break != test.want {
				t.Errorf("broken by %q, then %q, want %q", before.Break, after.Break, test.want)
			}
			if same := before.ToolHash == after.ToolHash; same != (test.want != BreakTools) {
				t.Errorf("the hash of the tools is the same: %v", same)
			}
			keys := ""
			for i, b := range after.Blocks {
				keys += b.Key + " "
				if same := b.Hash == before.Blocks[i].Hash; same != (b.Key != keyDynamic || test.want != keyDynamic && name != "a new tool") {
					t.Errorf("%s: the hash is the same: %v", b.Key, same)
				}
				if b.Tokens <= 0 {
					t.Errorf("%s weighs %d", b.Key, b.Tokens)
				}
			}
			if keys != "identity instructions dynamic " || after.Messages < 2 || after.Window != 1000 {
				t.Errorf("%s, %+v", keys, after)
			}
		})
	}
}
