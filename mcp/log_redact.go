package mcp

import (
	"slices"
	"strings"
)

// minSecret is the shortest value that is taken for a secret, in bytes: blotting
// out every "1" or "true" would make logs unreadable and protect nothing.
const minSecret = 6

// redactor takes the secrets of one connect attempt out of texts for people. The
// zero value takes out nothing.
type redactor struct{ r *strings.Replacer }

// harmless are variables whose values are no secret and stand in many messages.
var harmless = []string{"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "PWD", "TMPDIR", "TERM", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}

// newRedactor collects what an attempt must not tell: the values of variables it
// read, and what the entry itself gives to names that sound like a secret.
func newRedactor(read map[string]string, expanded ServerConfig) redactor {
	var secrets []string
	add := func(v string) {
		if len(v) >= minSecret && !slices.Contains(secrets, v) {
			secrets = append(secrets, v)
		}
	}
	for name, value := range read {
		if !slices.Contains(harmless, strings.ToUpper(name)) {
			add(value)
		}
	}
	for name, value := range expanded.Env {
		if soundsSecret(name) {
			add(value)
		}
	}
	for name, value := range expanded.Headers {
		if soundsSecret(name) {
			add(value)
			if _, token, ok := strings.Cut(value, " "); ok {
				add(token) // of "Bearer <token>" the token alone is one too
			}
		}
	}
	if len(secrets) == 0 {
		return redactor{}
	}
	// A secret that begins with another must go first, or its end would stay.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, s := range secrets {
		pairs = append(pairs, s, "[redacted]")
	}
	return redactor{r: strings.NewReplacer(pairs...)}
}

func (r redactor) clean(s string) string {
	if r.r == nil {
		return s
	}
	return r.r.Replace(s)
}

func soundsSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"TOKEN", "KEY", "SECRET", "PASS", "PWD", "AUTH", "CRED", "COOKIE", "SESSION", "DSN"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
