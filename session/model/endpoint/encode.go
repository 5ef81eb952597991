package endpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// AppendString appends s as a JSON string. What is not UTF-8 becomes U+FFFD.
func AppendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // the error tells of invalid UTF-8 that was replaced
	return b
}

// emptyObject is the arguments of a call, or a schema, that is none.
const emptyObject = "{}"

// Object returns raw when it is a JSON object, without needless space, else "{}".
func Object(raw json.RawMessage) []byte {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return []byte(emptyObject)
	}
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return []byte(emptyObject)
	}
	return out.Bytes()
}

// Name makes a tool's name one that providers take back. Models make names up, and
// one that stayed in the history would have every later request refused.
func Name(name string) string { return wireName(name, 64) }

// CallID makes the id of a call one that every provider takes: a conversation may
// go on with another provider than the one that made the id.
func CallID(id string) string { return wireName(id, 40) }

func wireName(s string, limit int) string {
	bad := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}
	if s != "" && len(s) <= limit && strings.IndexFunc(s, bad) < 0 {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	clean := strings.Map(func(r rune) rune {
		if bad(r) {
			return '_'
		}
		return r
	}, s)
	return clean[:min(len(clean), limit-9)] + "_" + hex.EncodeToString(sum[:4])
}

// maxImage bounds an image as providers take it, in bytes of base64.
const maxImage = 5 << 20

// IsImage reports whether c is an image that models take. Any other would have
// every later request of the conversation refused.
func IsImage(c agent.Content) bool {
	if c.Kind != agent.ContentImage || len(c.Data) == 0 || base64.StdEncoding.EncodedLen(len(c.Data)) > maxImage {
		return false
	}
	switch c.MIME {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return true
	}
	return false
}

// AppendBase64 appends data as base64.
func AppendBase64(b, data []byte) []byte { return base64.StdEncoding.AppendEncode(b, data) }

// ContentText is content as text for a model; a diff, which is for people, and
// empty text are "". Content that only an image block could show is named in a note.
func ContentText(c agent.Content) string {
	switch c.Kind {
	case agent.ContentText:
		if strings.TrimSpace(c.Text) == "" {
			return ""
		}
		return c.Text
	case agent.ContentResource:
		if c.Text == "" && len(c.Data) > 0 {
			return fmt.Sprintf(noteBlob, c.URI, c.MIME, len(c.Data))
		}
		return "<resource uri=" + string(AppendString(nil, c.URI)) + ">\n" + c.Text + "\n</resource>"
	case agent.ContentLink:
		if c.Name == "" || c.Name == c.URI {
			return "[" + c.URI + "]"
		}
		return "[" + c.Name + "](" + c.URI + ")"
	case agent.ContentImage:
		return fmt.Sprintf(noteImage, c.MIME, len(c.Data), maxImage>>20)
	case agent.ContentAudio:
		return fmt.Sprintf(noteAudio, c.MIME, len(c.Data))
	}
	return ""
}

// NoteImage stands for an image where only text may be.
func NoteImage(c agent.Content) string { return fmt.Sprintf(noteImagePlain, c.MIME, len(c.Data)) }

// Slice remembers the encoding of slices that are never changed once they are made,
// by their identity. The zero value is ready; it is safe for concurrent use.
type Slice[T any] struct {
	mu    sync.Mutex
	slots [4]struct {
		first   *T
		n       int
		encoded []byte
	}
	next int
}

// Get returns the encoding of s, made by encode the first time it is seen.
func (c *Slice[T]) Get(s []T, encode func([]T) []byte) []byte {
	if len(s) == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.slots {
		if slot := &c.slots[i]; slot.first == &s[0] && slot.n == len(s) {
			return slot.encoded
		}
	}
	slot := &c.slots[c.next]
	c.next = (c.next + 1) % len(c.slots)
	slot.first, slot.n, slot.encoded = &s[0], len(s), encode(s)
	return slot.encoded
}

// Messages remembers the encoding of messages, which are never changed once they
// are part of a conversation, by the identity of their blocks. The zero value is
// ready; it is safe for concurrent use.
type Messages struct {
	mu    sync.Mutex
	known map[messageKey]*messageEntry
	round int
}

type messageKey struct {
	first *agent.Block
	n     int
	role  agent.Role
}

type messageEntry struct {
	encoded []byte
	round   int
}

// keepRounds is how many requests a message stays known without being in one.
const keepRounds = 8

// Get returns the encodings of msgs, in order; encode makes those not known yet.
func (c *Messages) Get(msgs []agent.Message, encode func(agent.Message) []byte) [][]byte {
	out := make([][]byte, 0, len(msgs))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[messageKey]*messageEntry{}
	}
	c.round++
	for _, m := range msgs {
		if len(m.Blocks) == 0 {
			continue
		}
		key := messageKey{&m.Blocks[0], len(m.Blocks), m.Role}
		e := c.known[key]
		if e == nil {
			e = &messageEntry{encoded: encode(m)}
			c.known[key] = e
		}
		e.round = c.round
		if len(e.encoded) > 0 {
			out = append(out, e.encoded)
		}
	}
	if len(c.known) > 2*len(msgs)+16 {
		for key, e := range c.known {
			if c.round-e.round > keepRounds {
				delete(c.known, key)
			}
		}
	}
	return out
}

// Forget makes the next Get encode everything anew.
func (c *Messages) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = nil
}
