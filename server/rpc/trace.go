package rpc

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/secret"
)

// Trace returns a tap that writes a line per message to w, without the secrets that are
// known by then.
func Trace(w io.Writer, r *secret.Live) Tap {
	var mu sync.Mutex
	return func(outgoing bool, body []byte) {
		arrow := " <- "
		if outgoing {
			arrow = " -> "
		}
		line := append([]byte(time.Now().UTC().Format("2006-01-02T15:04:05.000Z")+arrow), r.JSON(body)...)
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
