package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Providers accept tool names of up to 64 characters of [a-zA-Z0-9_-].
const (
	maxToolName  = 64
	toolNameHash = 8 // hex digits of the pair's hash
	toolNameHead = maxToolName - 1 - toolNameHash
)

// ToolName returns the name under which the model sees a tool of a server. It is
// a function of the pair alone, so it is the same after a restart and in every
// order of connecting, and it always matches ^[a-zA-Z0-9_-]{1,64}$. Most pairs
// read mcp__<server>__<tool>; one that cannot be told from another that way, or
// does not fit, ends in a hash of the pair. Nothing may parse a name back:
// the pair travels beside it.
func ToolName(server, tool string) string {
	s, t := nameWord(server), nameWord(tool)
	name := "mcp__" + s + "__" + t
	// With a server part that neither holds "__" nor ends in "_", the first "__"
	// after the prefix is where the tool begins, so the pair can be told.
	if s == server && t == tool && len(name) <= maxToolName &&
		!strings.Contains(s, "__") && !strings.HasSuffix(s, "_") {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	if len(name) > toolNameHead {
		name = name[:toolNameHead]
	}
	return name + "_" + hex.EncodeToString(sum[:toolNameHash/2])
}

// nameWord replaces each character that a tool name may not hold by "_".
func nameWord(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
