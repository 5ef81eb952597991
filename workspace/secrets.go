package workspace

import (
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/secret"
)

// Secrets are the keys and other secrets that stand literally in any settings file, for
// whoever must keep them back. What a variable holds is not among them: it is read
// later, and by others.
func (s Snapshot) Secrets() []string {
	var all []string
	add := func(value string) {
		if value != "" && !strings.Contains(value, "${") && !strings.HasPrefix(value, "keychain:") {
			all = append(all, value)
		}
	}
	for _, layer := range s.Layers() {
		for _, p := range layer.Settings.Providers {
			add(p.APIKey)
		}
		for _, entry := range layer.Settings.MCPServers {
			addEntrySecrets(add, entry)
		}
	}
	return all
}

func addEntrySecrets(add func(string), entry mcp.ServerConfig) {
	for name, value := range entry.Env {
		if secret.Named(name) {
			add(value)
		}
	}
	add(entry.OAuth.ClientSecret)
	for name, value := range entry.Headers {
		if !secret.Named(name) {
			continue
		}
		add(value)
		if _, token, ok := strings.Cut(value, " "); ok {
			add(token) // of "Bearer <token>" the token alone is one too
		}
	}
}
