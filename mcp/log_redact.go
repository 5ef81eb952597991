package mcp

import (
	"strings"

	"github.com/codebot-ls/codebot-ls/session/secret"
)

// minSecret is the shortest value that is taken for a secret.
const minSecret = secret.MinLength

// soundsSecret reports whether what goes under that name may be a secret.
func soundsSecret(name string) bool { return secret.Named(name) }

// redactorOf collects what an attempt must not tell: the values of variables it read,
// and what the entry itself gives to names that sound like a secret.
func redactorOf(read map[string]string, expanded ServerConfig) secret.Redactor {
	var secrets []string
	add := func(v string) {
		if len(v) >= minSecret {
			secrets = append(secrets, v)
		}
	}
	for name, value := range read {
		if !secret.Harmless(name) {
			add(value)
		}
	}
	for name, value := range expanded.Env {
		if secret.Named(name) {
			add(value)
		}
	}
	for name, value := range expanded.Headers {
		if secret.Named(name) {
			add(value)
			if _, token, ok := strings.Cut(value, " "); ok {
				add(token) // of "Bearer <token>" the token alone is one too
			}
		}
	}
	add(expanded.OAuth.ClientSecret)
	return secret.New(secrets...)
}
