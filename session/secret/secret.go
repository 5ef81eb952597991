// Package secret is the one redactor: whatever a person, a log, a trace, a status row
// or an error is told goes through it where a secret could be in it. It knows secrets
// by their values, where whoever tells has them, and by the names they go under.
//
// What a server is sent, and what a model is told of a tool's result, are no telling:
// they are not redacted.
package secret

import (
	"io"
	"regexp"
	"slices"
	"strings"
)

// mask stands where a secret stood.
const mask = "[redacted]"

// MinLength is the shortest value that is taken for a secret, in bytes: blotting out
// every "1" or "true" would make logs unreadable and protect nothing.
const MinLength = 6

// minEnviron is the same for values of our own environment, of which only the name
// says that they may be one.
const minEnviron = 8

// words are what names of secrets hold.
var words = []string{"TOKEN", "KEY", "SECRET", "PASS", "PWD", "AUTH", "CRED", "COOKIE", "SESSION", "DSN"}

// harmless are variables whose values are no secret, whatever their names hold, and
// stand in many messages.
var harmless = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "PWD", "OLDPWD", "TMPDIR", "TERM", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"SSH_AUTH_SOCK", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "SESSION_MANAGER", "SESSIONNAME",
	"XDG_SESSION_CLASS", "XDG_SESSION_DESKTOP", "XDG_SESSION_ID", "XDG_SESSION_PATH", "XDG_SESSION_TYPE", "GDMSESSION",
	"KEYBOARD_LAYOUT", "XKEYSYMDB",
}

// Harmless reports whether the variable of that name holds no secret for certain.
func Harmless(name string) bool { return slices.Contains(harmless, strings.ToUpper(name)) }

// Named reports whether what goes under that name (a variable, a header) sounds like a
// secret.
func Named(name string) bool {
	if Harmless(name) {
		return false
	}
	if Certain(name) {
		return true
	}
	name = strings.ToUpper(name)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// certain is what names of nothing but secrets hold.
var certain = regexp.MustCompile(`(?i)(secret|token|passw|passphrase|api[_-]?key|apikey|access[_-]?key|private[_-]?key|credential|authorization|^cookie$|_pat$|(^|[_-])auth([_-]?key)?$)`)

// Certain reports whether what goes under that name (a variable, a header, a flag) is a
// secret as good as always. It is stricter than Named: to blot out too much costs little,
// to warn of an AUTHOR or a KEYBOARD costs a person's trust in the warnings.
func Certain(name string) bool { return certain.MatchString(name) }

// Redactor takes secrets out of text. The zero value knows no value. It never changes
// and is safe for concurrent use.
type Redactor struct{ values *strings.Replacer }

// New returns a redactor that knows these values. Empty ones are left out; the rest is
// the caller's choice.
func New(values ...string) Redactor {
	values = slices.Clone(values)
	// A secret that begins with another must go first, or its end would stay.
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range values {
		if v != "" {
			pairs = append(pairs, v, mask)
		}
	}
	if len(pairs) == 0 {
		return Redactor{}
	}
	return Redactor{strings.NewReplacer(pairs...)}
}

// OfEnviron returns a redactor that knows the values of those variables of environ
// ("NAME=value") that sound like secrets.
func OfEnviron(environ []string) Redactor { return New(secretsOf(environ)...) }

func secretsOf(environ []string) []string {
	var values []string
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); len(value) >= minEnviron && Named(name) {
			values = append(values, value)
		}
	}
	return values
}

// Text returns s without the values.
func (r Redactor) Text(s string) string {
	if r.values == nil {
		return s
	}
	return r.values.Replace(s)
}

var (
	// member is a member of a JSON object that sounds like a secret.
	member = regexp.MustCompile(`(?i)("(?:key|[^"\\]*(?:api_?key|token|secret|passw|authorization|credential)[^"\\]*)"\s*:\s*)"(?:[^"\\]|\\.)*"`)
	// inner is the same inside a JSON string, as the text of a document is sent.
	inner = regexp.MustCompile(`(?i)(\\"[^"\\]*(?:api_?key|token|secret|passw|authorization|credential)[^"\\]*\\"\s*:\s*)\\"[^"\\]*\\"`)
)

// JSON returns a JSON text without the values, and without those of members that sound
// like secrets, also in documents within it.
func (r Redactor) JSON(b []byte) []byte {
	b = []byte(r.Text(string(b)))
	b = member.ReplaceAll(b, []byte(`${1}"`+mask+`"`))
	return inner.ReplaceAll(b, []byte(`${1}\"`+mask+`\"`))
}

// Writer returns a writer that passes on each write to w without the values. A value
// must not be split over two writes: it is for loggers, which write a line at once.
func (r Redactor) Writer(w io.Writer) io.Writer { return writer{r, w} }

type writer struct {
	r Redactor
	w io.Writer
}

func (w writer) Write(p []byte) (int, error) {
	if _, err := w.w.Write([]byte(w.r.Text(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}
