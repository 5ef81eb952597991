package tool

import (
	"os"
	"strings"
)

// environ is what a command gets of the environment: everything but what looks
// like a key, and with what keeps programs from waiting for a person.
func (w *world) environ() []string {
	base := w.Environ
	if base == nil {
		base = os.Environ()
	}
	var out []string
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if !withheld(name) && !w.secret(name) {
			out = append(out, kv)
		}
	}
	return append(out, "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0")
}

// secret reports whether the host knows the variable to hold a secret, whatever its
// name.
func (w *world) secret(name string) bool { return w.Secret != nil && w.Secret(name) }

// withheld reports whether a variable's name says that it holds a secret. What
// the model runs prints its environment sooner or later.
func withheld(name string) bool {
	n := strings.ToUpper(name)
	for _, p := range []string{"ANTHROPIC_", "OPENAI_"} {
		if strings.HasPrefix(n, p) {
			return true
		}
	}
	for _, s := range []string{"_KEY", "_APIKEY", "_TOKEN", "_PASSWORD", "_PASSWD", "_CREDENTIALS"} {
		if strings.HasSuffix(n, s) {
			return true
		}
	}
	return strings.Contains(n, "_SECRET") || n == "API_KEY" || n == "TOKEN" || n == "PASSWORD" || strings.HasPrefix(n, "SECRET")
}
