package server

import (
	"errors"
	"sync"

	"github.com/codebot-ls/codebot-ls/session/permission"
)

// ruleCache keeps the parsed rules of a folder until the settings change.
type ruleCache struct {
	s    *Server
	root func() string

	mu       sync.Mutex
	revision uint64
	at       string
	rules    permission.Rules
	filled   bool
}

func (c *ruleCache) get() permission.Rules {
	root := c.root()
	settings, revision := c.s.servers.settingsAt(root)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.filled || c.revision != revision || c.at != root {
		p := settings.Permissions
		// The rules in a snapshot are those that could be parsed; the others are
		// diagnostics of their file.
		rules, errs := permission.ParseRules(p.Allow, p.Ask, p.Deny)
		if len(errs) > 0 {
			c.s.log.Error("permission rules", "errors", errors.Join(errs...))
		}
		c.rules, c.revision, c.at, c.filled = rules, revision, root, true
	}
	return c.rules
}
