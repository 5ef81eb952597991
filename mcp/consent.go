package mcp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"path/filepath"
	"slices"
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
}

func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }
