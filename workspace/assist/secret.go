package assist

import (
	"math"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/secret"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// knownSecrets are the beginnings of secrets whose makers have marked them, as secret
// scanners know them.
var knownSecrets = regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abposr]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{20,}|lin_api_\w{20,}|ntn_\w{20,}|sk_live_\w{16,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)`)

// schemes stand before the secret in an Authorization header (RFC 9110, 11.6.2).
var schemes = regexp.MustCompile(`^(?i)(bearer|basic|token|apikey)\s+`)

// random reports whether s looks like chosen by a machine: long enough, and with
// nearly as many different letters as chance would give it.
func random(s string) bool {
	if len(s) < 16 || strings.ContainsFunc(s, unicode.IsSpace) {
		return false
	}
	counts := map[rune]int{}
	n := 0
	for _, r := range s {
		counts[r]++
		n++
	}
	bits := 0.0
	for _, c := range counts {
		p := float64(c) / float64(n)
		bits -= p * math.Log2(p)
	}
	return bits >= 3
}

// secretIn returns the part of value that looks like a secret under that name, by
// its byte offsets. A variable in it says that the writer knows how to do without.
func secretIn(name, value string) (start, end int, found bool) {
	if strings.Contains(value, "${") {
		return 0, 0, false
	}
	if at := knownSecrets.FindStringIndex(value); at != nil {
		return at[0], at[1], true
	}
	start = len(schemes.FindString(value))
	rest := value[start:]
	switch {
	case !secret.Certain(name), placeholder(rest):
		return 0, 0, false
	case start > 0 && len(rest) >= 8, random(rest):
		return start, len(value), true
	}
	return 0, 0, false
}

var placeholders = regexp.MustCompile(`(?i)^(<.*>|\[.*\]|x+|\*+|\.+|your[-_ ]?.*|.*(example|placeholder|changeme|change[-_]me).*|true|false|none|null|\d{1,6})$`)

// placeholder reports whether s is what documentation puts in the place of a secret,
// or a file where it is.
func placeholder(s string) bool {
	return s == "" || placeholders.MatchString(s) || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "~") || strings.HasPrefix(s, "keychain:")
}

// secret looks at the value of a variable or header.
func (k *check) secret(name string, v *node) {
	if v.kind != kindString || !v.closed {
		return
	}
	start, _ := v.inner()
	raw := k.Text[start : v.end-1]
	if from, to, found := secretIn(name, raw); found {
		k.addSecret(variableFor(name), start+from, start+to)
	}
}

func (k *check) addSecret(variable string, start, end int) {
	fix := Fix{Title: k.say(fixMoveSecret, variable), Edits: []TextEdit{k.edit(start, end, "${"+variable+"}")}, Preferred: true}
	k.add(start, end, workspace.SeverityWarning, CodeSecret, k.word(msgSecret), fix)
}

// apiKey looks at the key of a provider: everything that is no variable is one.
func (k *check) apiKey(provider string, v *node) {
	start, end := v.inner()
	raw := k.Text[start:end]
	if len(raw) < 12 || strings.Contains(raw, "${") || placeholder(raw) {
		return
	}
	k.addSecret(variableFor(provider+"_api_key"), start, end)
}

// argument looks at one argument, with the flag before it or in it.
func (k *check) argument(all []*node, i int) {
	v := all[i]
	if v.kind != kindString || !v.closed {
		return
	}
	start, _ := v.inner()
	raw := k.Text[start : v.end-1]
	if flag, value, ok := strings.Cut(raw, "="); ok && strings.HasPrefix(flag, "-") {
		if from, to, found := secretIn(flag, value); found {
			at := start + len(flag) + 1
			k.addSecret(variableFor(flag), at+from, at+to)
		}
		return
	}
	name := ""
	if i > 0 {
		name = all[i-1].str(k.Text)
	}
	if !strings.HasPrefix(name, "-") || strings.Contains(name, "=") {
		name = ""
	}
	if from, to, found := secretIn(name, raw); found {
		k.addSecret(variableFor(name), start+from, start+to)
	}
}

// secretURL looks at a password or a query parameter of an address.
func (k *check) secretURL(v *node) {
	if v.kind != kindString || !v.closed {
		return
	}
	start, _ := v.inner()
	raw := k.Text[start : v.end-1]
	u, err := url.Parse(raw)
	if err != nil || strings.Contains(raw, "${") {
		return
	}
	if password, ok := u.User.Password(); ok && password != "" {
		if at := strings.Index(raw, ":"+password+"@"); at > 0 {
			k.addSecret(variableFor("password"), start+at+1, start+at+1+len(password))
		}
		return
	}
	_, query, _ := strings.Cut(raw, "?")
	query, _, _ = strings.Cut(query, "#")
	at := start + strings.IndexByte(raw, '?') + 1
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		if from, to, found := secretIn(name, value); found || queryKey(name) && random(value) {
			if !found {
				from, to = 0, len(value)
			}
			valueAt := at + len(name) + 1
			k.addSecret(variableFor(name), valueAt+from, valueAt+to)
		}
		at += len(part) + 1
	}
}

// queryKey reports whether a parameter of an address is where keys are put.
func queryKey(name string) bool {
	return strings.EqualFold(name, "key") || strings.EqualFold(name, "sig")
}

// variableFor is a good name for the variable that holds the secret of that name.
func variableFor(name string) string {
	if strings.EqualFold(name, "authorization") {
		name = "token"
	}
	name = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(mcp.CleanLine(name)), "-"), "-")
	var b strings.Builder
	for _, r := range strings.ToUpper(name) {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = '_'
		}
		b.WriteRune(r)
	}
	out := strings.Trim(b.String(), "_")
	if out == "" || unicode.IsDigit(rune(out[0])) {
		return strings.TrimSuffix("SECRET_"+out, "_")
	}
	return out
}
