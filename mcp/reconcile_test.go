package mcp

import (
	"maps"
	"strings"
	"testing"
)

// The variable a server misses must not drown among those of the desktop.
func TestHintNamesTheVariableThatWasMissedFirst(t *testing.T) {
	withheld := []string{"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "B1", "B2", "B3", "B4", "DATABASE_HOST", "GITHUB_TOKEN", "PWD"}
	got := withheldHint(withheld, "error: DATABASE_HOST is required").String()
	if !strings.HasPrefix(got, "these variables were not passed on: DATABASE_HOST, GITHUB_TOKEN, A1, ") || !strings.Contains(got, "and 3 more") || strings.Contains(got, "PWD") {
		t.Errorf("hint = %s", got)
	}
	if got := withheldHint([]string{"PWD", "_"}, ""); !got.IsZero() {
		t.Errorf("hint = %s", got)
	}
}

func TestReconcile(t *testing.T) {
	run := ServerConfig{Command: "run", Args: []string{"${A}"}, Env: map[string]string{"K": "v"}}
	with := func(change func(*ServerConfig)) ServerConfig {
		c := run
		c.Env = maps.Clone(run.Env)
		change(&c)
		return c
	}
	untrusted := with(func(c *ServerConfig) { c.Origin.Scope = ScopeProject })
	approved := with(func(c *ServerConfig) { c.Origin.Scope, c.Origin.Approved = ScopeProject, true })
	disabled := with(func(c *ServerConfig) { c.Disabled = true })
	const none = -1
	one := func(c ServerConfig) map[string]ServerConfig { return map[string]ServerConfig{"s": c} }
	for name, tt := range map[string]struct {
		have, want map[string]ServerConfig
		move       move
	}{
		"nothing":                       {nil, nil, none},
		"new":                           {nil, one(run), moveStart},
		"new and disabled":              {nil, one(disabled), moveUpdate},
		"new and untrusted":             {nil, one(untrusted), moveUpdate},
		"gone":                          {one(run), nil, moveStop},
		"gone, never ran":               {one(disabled), nil, moveUpdate},
		"the same":                      {one(run), one(with(func(*ServerConfig) {})), moveKeep},
		"the same, type spelt out":      {one(run), one(with(func(c *ServerConfig) { c.Type = "stdio" })), moveKeep},
		"the same, empty for nil":       {one(run), one(with(func(c *ServerConfig) { c.EnvFrom, c.Headers = []string{}, map[string]string{} })), moveKeep},
		"moved within its file":         {one(run), one(with(func(c *ServerConfig) { c.Origin.Line, c.Origin.Column = 9, 9 })), moveKeep},
		"moved to another file":         {one(run), one(with(func(c *ServerConfig) { c.Origin.File = "/x" })), moveUpdate},
		"time-outs":                     {one(run), one(with(func(c *ServerConfig) { c.CallTimeoutMs, c.ConnectTimeoutMs = 1, 1 })), moveUpdate},
		"trust in annotations":          {one(run), one(with(func(c *ServerConfig) { c.TrustAnnotations = true })), moveUpdate},
		"command":                       {one(run), one(with(func(c *ServerConfig) { c.Command = "other" })), moveRestart},
		"args":                          {one(run), one(with(func(c *ServerConfig) { c.Args = []string{"a"} })), moveRestart},
		"env":                           {one(run), one(with(func(c *ServerConfig) { c.Env["K"] = "w" })), moveRestart},
		"env_from":                      {one(run), one(with(func(c *ServerConfig) { c.EnvFrom = []string{"A"} })), moveRestart},
		"cwd":                           {one(run), one(with(func(c *ServerConfig) { c.Cwd = "/x" })), moveRestart},
		"disabled":                      {one(run), one(disabled), moveStop},
		"enabled":                       {one(disabled), one(run), moveStart},
		"approved":                      {one(untrusted), one(approved), moveStart},
		"approval taken back":           {one(approved), one(untrusted), moveStop},
		"still untrusted, but changed":  {one(untrusted), one(with(func(c *ServerConfig) { c.Origin.Scope, c.Command = ScopeProject, "x" })), moveUpdate},
		"became wrong":                  {one(run), one(with(func(c *ServerConfig) { c.URL = "http://x.test" })), moveStop},
		"reported wrong by who read it": {one(run), one(with(func(c *ServerConfig) { c.Origin.Problem = "args: no list" })), moveStop},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := reconcile(tt.have, tt.want)["s"]
			if !ok {
				got = none
			}
			if got != tt.move {
				t.Errorf("move = %d, want %d", got, tt.move)
			}
		})
	}
}
