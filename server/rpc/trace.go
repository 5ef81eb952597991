package rpc

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Redactor hides secrets in text that is kept or shown: the values of secret
// looking variables of the environment wherever they stand, and the values of
// secret looking JSON members.
type Redactor struct{ values []string }

var (
	secretName   = regexp.MustCompile(`(?i)(api_?key|_key$|token|secret|passw|authorization|credential|private_?key)`)
	secretMember = regexp.MustCompile(`(?i)("[^"\\]*(?:api_?key|token|secret|passw|authorization|credential)[^"\\]*"\s*:\s*)"(?:[^"\\]|\\.)*"`)
	// secretInText is the same inside a JSON string, as a document's text is sent.
	secretInText = regexp.MustCompile(`(?i)(\\"[^"\\]*(?:api_?key|token|secret|passw|authorization|credential)[^"\\]*\\"\s*:\s*)\\"[^"\\]*\\"`)
)

// NewRedactor takes the secrets out of environ ("NAME=value").
func NewRedactor(environ []string) *Redactor {
	r := &Redactor{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= 8 && secretName.MatchString(name) {
			r.values = append(r.values, value)
		}
	}
	// The longest first: one secret may begin with another.
	slices.SortFunc(r.values, func(a, b string) int { return len(b) - len(a) })
	return r
}

// Redact returns text with the secrets replaced.
func (r *Redactor) Redact(text []byte) []byte {
	for _, v := range r.values {
		text = bytes.ReplaceAll(text, []byte(v), []byte("[redacted]"))
	}
	text = secretMember.ReplaceAll(text, []byte(`${1}"[redacted]"`))
	return secretInText.ReplaceAll(text, []byte(`${1}\"[redacted]\"`))
}

// Trace returns a tap that writes a line per message to w.
func Trace(w io.Writer, r *Redactor) Tap {
	var mu sync.Mutex
	return func(outgoing bool, body []byte) {
		arrow := " <- "
		if outgoing {
			arrow = " -> "
		}
		line := append([]byte(time.Now().UTC().Format("2006-01-02T15:04:05.000Z")+arrow), r.Redact(body)...)
		mu.Lock()
		defer mu.Unlock()
		// A trace that cannot be written must not disturb the connection.
		_, _ = w.Write(append(line, '\n'))
	}
}

// Lossy is a writer that never blocks: a slow or unread destination (an editor
// that does not drain our stderr) loses lines, never time. Its goroutine ends
// when Close has been called and what was queued is written, or is abandoned when
// the destination blocks for good.
type Lossy struct {
	queue chan []byte
	done  chan struct{}
	close sync.Once
}

// NewLossy starts writing to w behind a queue of 1 024 lines.
func NewLossy(w io.Writer) *Lossy {
	l := &Lossy{queue: make(chan []byte, 1024), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for line := range l.queue {
			if line == nil {
				return
			}
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	}()
	return l
}

// Write implements io.Writer; it takes p whole or drops it.
func (l *Lossy) Write(p []byte) (int, error) {
	select {
	case l.queue <- bytes.Clone(p):
	default:
	}
	return len(p), nil
}

// Close lets what is queued be written, for at most wait.
func (l *Lossy) Close(wait time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	l.close.Do(func() {
		select {
		case l.queue <- nil:
		case <-ctx.Done():
		}
	})
	select {
	case <-l.done:
	case <-ctx.Done():
	}
}
