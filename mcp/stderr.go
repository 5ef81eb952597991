package mcp

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// tailBytes is how much of the end of a child's stderr is kept for its status.
const tailBytes = 4096

// tail keeps the end of a stream, cut at nothing but its own size: a server that
// writes a gigabyte without a newline costs no more than one that writes a line.
type tail struct {
	mu  sync.Mutex
	buf []byte // guarded by mu; at most 2*tailBytes
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= tailBytes {
		t.buf = append(t.buf[:0], p[len(p)-tailBytes:]...)
		return len(p), nil
	}
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*tailBytes {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailBytes:]...)
	}
	return len(p), nil
}

// text returns the end of the stream as valid text of at most tailBytes.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf
	if len(b) > tailBytes {
		b = b[len(b)-tailBytes:]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
}

// drain reads r to its end, keeping the tail and handing whole lines (or pieces of
// maxLogText of a line that does not end) to line. Somebody must always drain a
// child's stderr: an unread pipe stops the child at 64 KiB.
func drain(r io.Reader, t *tail, lines func([]string)) {
	buf := make([]byte, 32<<10)
	var rest []byte
	for {
		n, err := r.Read(buf)
		if n > 0 {
			_, _ = t.Write(buf[:n])
			var out []string
			rest = append(rest, buf[:n]...)
			for {
				i := bytes.IndexByte(rest, '\n')
				if i < 0 && len(rest) < maxLogText {
					break
				}
				if i < 0 || i > maxLogText {
					i = maxLogText
				}
				out = append(out, string(rest[:i]))
				rest = bytes.TrimPrefix(rest[i:], []byte{'\n'})
			}
			if len(out) > 0 {
				lines(out)
			}
			rest = append([]byte(nil), rest...) // let go of what was consumed
		}
		if err != nil {
			if len(rest) > 0 {
				lines([]string{string(rest)})
			}
			return
		}
	}
}
