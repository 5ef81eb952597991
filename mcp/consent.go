package mcp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ConsentHash returns what an approval of the entry in folder is bound to: a hash
// over everything of it that acts. Switching it off and on and its time-outs do
// not act. Two entries of the same hash do the same.
func (c ServerConfig) ConsentHash(folder string) string {
	h := newDigest("codebot mcp consent 1")
	h.field("folder", filepath.Clean(folder))
	h.entry(c)
	return h.sum()
}

// ConsentOf returns what a person is shown before the entry in folder may act,
// exactly as it stands in the file: whoever displays it makes control and
// invisible characters visible rather than leaving them out.
func ConsentOf(c ServerConfig, folder string) Consent {
	out := Consent{
		Hash:      c.ConsentHash(folder),
		Variables: Variables(c),
		Changed:   c.Origin.Changed,
		Changes:   c.Origin.Changes,
	}
	switch c.Transport() {
	case TransportHTTP, TransportSSE:
		out.URL = c.URL
		return out
	}
	out.Argv = append([]string{c.Command}, c.Args...)
	out.EnvNames = slices.Compact(slices.Sorted(slices.Values(
		slices.AppendSeq(slices.Clone(c.EnvFrom), maps.Keys(c.Env)))))
	out.Cwd = c.Cwd
	if !strings.Contains(c.Cwd, "${") && !filepath.IsAbs(c.Cwd) {
		out.Cwd = filepath.Join(folder, c.Cwd)
	}
	return out
}

// FieldChange is one field in which an entry differs from the version of it that was
// approved; what is empty was or is not there.
type FieldChange struct {
	// Field is the path within the entry ("command", "args", "env.A").
	Field         string
	Before, After string
}

// Acting returns the entry with nothing in it but what an approval covers.
func (c ServerConfig) Acting() ServerConfig {
	return ServerConfig{
		Type: c.Type, Command: c.Command, Args: c.Args, Env: c.Env, EnvFrom: c.EnvFrom,
		Cwd: c.Cwd, URL: c.URL, Headers: c.Headers, OAuth: c.OAuth,
		// An allow list that grows lets more act; what a deny list says only takes away.
		Tools: ToolFilter{Allow: c.Tools.Allow},
	}
}

// Changes returns what of that which acts is different in two versions of an entry, in
// the order of a settings file. Literal values with names that sound like a secret are
// blotted out.
func Changes(before, after ServerConfig) []FieldChange {
	var out []FieldChange
	add := func(field, a, b string) {
		if a != b {
			out = append(out, FieldChange{field, a, b})
		}
	}
	list := func(field string, a, b []string) {
		if !slices.Equal(a, b) {
			add(field, quoted(a), quoted(b))
		}
	}
	dict := func(field string, a, b map[string]string) {
		names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			old, had := a[name]
			new, has := b[name]
			if had == has && old == new {
				continue
			}
			out = append(out, FieldChange{field + "." + name, shownValue(name, old, had), shownValue(name, new, has)})
		}
	}
	add("type", before.Type, after.Type)
	add("command", before.Command, after.Command)
	list("args", before.Args, after.Args)
	dict("env", before.Env, after.Env)
	list("env_from", before.EnvFrom, after.EnvFrom)
	add("cwd", before.Cwd, after.Cwd)
	add("url", before.URL, after.URL)
	dict("headers", before.Headers, after.Headers)
	was, is := before.OAuth, after.OAuth
	add("oauth.client_id", was.ClientID, is.ClientID)
	add("oauth.client_secret", shownValue("client_secret", was.ClientSecret, was.ClientSecret != ""), shownValue("client_secret", is.ClientSecret, is.ClientSecret != ""))
	list("oauth.scopes", was.Scopes, is.Scopes)
	if was.CallbackPort != is.CallbackPort {
		add("oauth.callback_port", strconv.Itoa(was.CallbackPort), strconv.Itoa(is.CallbackPort))
	}
	add("oauth.grant", was.Grant, is.Grant)
	add("oauth.private_key_file", was.PrivateKeyFile, is.PrivateKeyFile)
	list("tools.allow", before.Tools.Allow, after.Tools.Allow)
	return out
}

// quoted writes a list as it stands in a file; an absent one is empty.
func quoted(list []string) string {
	if len(list) == 0 {
		return ""
	}
	raw, err := json.Marshal(list)
	if err != nil { // strings can always be encoded
		return strings.Join(list, " ")
	}
	return string(raw)
}

// shownValue is the value of a variable or header as a person may see it.
func shownValue(name, value string, there bool) string {
	switch {
	case !there:
		return ""
	case value == "":
		return `""`
	case soundsSecret(name) && len(withoutReferences(value)) >= minSecret:
		return "[redacted]"
	}
	return value
}

// withoutReferences is what a value holds beside its variables and the name of a
// scheme of authentication.
func withoutReferences(value string) string {
	var b strings.Builder
	if scan(value, func(s string) { b.WriteString(s) }, func(reference) error { return nil }) != nil {
		return value
	}
	literal := b.String()
	if scheme, rest, ok := strings.Cut(literal, " "); ok && !strings.ContainsAny(scheme, "0123456789") && len(scheme) <= len("Negotiate") {
		literal = rest
	}
	return strings.TrimSpace(literal)
}

// digest hashes named fields such that different sequences of fields never meet:
// every string is preceded by its length. Empty fields leave no trace, so a field
// that is invented later does not end the approvals given before.
type digest struct{ h hash.Hash }

func newDigest(purpose string) digest {
	d := digest{sha256.New()}
	d.string(purpose)
	return d
}

func (d digest) string(s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	d.h.Write(n[:])
	d.h.Write([]byte(s))
}

func (d digest) field(name, value string) {
	if value != "" {
		d.list(name, []string{value})
	}
}

func (d digest) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	d.string(name)
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(values)))
	d.h.Write(n[:])
	for _, v := range values {
		d.string(v)
	}
}

func (d digest) dict(name string, m map[string]string) {
	var flat []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		flat = append(flat, k, m[k])
	}
	d.list(name, flat)
}

// entry hashes what of an entry acts.
func (d digest) entry(c ServerConfig) {
	d.field("type", c.Type)
	d.field("command", c.Command)
	d.list("args", c.Args)
	d.dict("env", c.Env)
	d.list("env_from", c.EnvFrom)
	d.field("cwd", c.Cwd)
	d.field("url", c.URL)
	d.dict("headers", c.Headers)
	d.field("oauth.client_id", c.OAuth.ClientID)
	d.field("oauth.client_secret", c.OAuth.ClientSecret)
	d.list("oauth.scopes", c.OAuth.Scopes)
	d.field("oauth.grant", c.OAuth.Grant)
	d.field("oauth.private_key_file", c.OAuth.PrivateKeyFile)
	if c.OAuth.CallbackPort != 0 {
		d.field("oauth.callback_port", strconv.Itoa(c.OAuth.CallbackPort))
	}
	d.list("tools.allow", c.Tools.Allow)
}

func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }
