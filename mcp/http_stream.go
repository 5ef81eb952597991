package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

const (
	// streamHealth is how long a standing stream must have lived for its end to be
	// nothing special: proxies cut idle ones after half a minute or more.
	streamHealth = 25 * time.Second
	// streamPause and streamMaxPause are between the end of a standing stream and
	// its next opening: at first, and after many that did not live (go-sdk#1175).
	streamPause    = 500 * time.Millisecond
	streamMaxPause = time.Minute
	// resumeTries bounds how often the stream of one call is resumed in vain.
	resumeTries = 5
	// listenWait is how long a standing stream is waited for before the first list.
	listenWait = 250 * time.Millisecond
	// finishWait is how long the end of an answered stream is waited for.
	finishWait = 100 * time.Millisecond
	// pollGap is the least time between two lists that nobody announced.
	pollGap = time.Minute
)

// codeLost marks the answers that stand for one that did not come.
const codeLost = -32098

// streamDelay is how long to wait before a standing stream is opened again. short
// counts those before it that did not live.
func streamDelay(short int, wanted time.Duration) time.Duration {
	d := min(streamPause<<min(short, 10), streamMaxPause)
	return min(max(d, wanted), streamMaxPause)
}

// shortAfter counts a stream that ended. One that lived for a while is a good one.
// One that numbers its events may well be cut on purpose and misses nothing.
func shortAfter(short int, lived time.Duration, numbered bool) int {
	switch {
	case lived >= streamHealth:
		return 0
	case numbered:
		return min(short+1, 2)
	}
	return short + 1
}

// jitter spreads d over its half: many clients of one server must not come back at
// one moment.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return d + rand.N(d/2+1)
}

// pause waits, for as long as nobody ends ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// feed is a body that the SDK reads events from. It is fed by fill, which is called
// on the SDK's goroutine and ends with ctx: a feed has no goroutine of its own.
type feed struct {
	ctx    context.Context
	cancel context.CancelFunc
	out    bytes.Buffer
	// fill puts at least one byte into out, or says why there are no more.
	fill func() error
	// end lets go of what fill holds.
	end func()
}

// newFeed makes a feed that ends with the request and with the link.
func (l *httpLink) newFeed(asked context.Context) *feed {
	ctx, cancel := context.WithCancel(asked)
	stop := context.AfterFunc(l.life, cancel)
	return &feed{ctx: ctx, cancel: func() { stop(); cancel() }, end: func() {}}
}

func (f *feed) Read(p []byte) (int, error) {
	for f.out.Len() == 0 {
		if err := f.fill(); err != nil && f.out.Len() == 0 {
			return 0, err
		}
	}
	return f.out.Read(p)
}

func (f *feed) Close() error {
	f.cancel()
	f.end()
	return nil
}

// put appends a message as an event. Its id and retry stay behind: streams are
// opened again here, not by the SDK, which ends the session when it cannot.
func (f *feed) put(msg []byte) {
	var line bytes.Buffer
	if json.Compact(&line, msg) != nil {
		return
	}
	f.out.WriteString("data: ")
	f.out.Write(line.Bytes())
	f.out.WriteString("\n\n")
}

// source is an event stream of the server while it is open.
type source struct {
	body   io.ReadCloser
	events *eventReader
	// lastID and retry are the newest the server gave.
	lastID string
	retry  time.Duration
}

func newSource(res *http.Response, lastID string) *source {
	return &source{body: res.Body, events: newEventReader(res.Body), lastID: lastID}
}

// next returns the next message, mended; nil for an event without one. large says
// that it had more than a message may have.
func (s *source) next(filter *lineFilter) (msg []byte, large bool, err error) {
	e, err := s.events.next()
	if err != nil {
		return nil, false, err
	}
	if e.id != "" {
		s.lastID = e.id
	}
	if e.retry > 0 {
		s.retry = e.retry
	}
	switch {
	case e.tooLarge:
		return nil, true, nil
	case !e.isMessage():
		return nil, false, nil
	}
	return filter.message(e.data), false, nil
}

// finish reads the end of a stream that has said all, if it comes soon: only then is
// the connection good for another request.
func (s *source) finish() {
	cut := time.AfterFunc(finishWait, func() { _ = s.body.Close() })
	defer cut.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(s.events.in, maxFaultBody))
}
