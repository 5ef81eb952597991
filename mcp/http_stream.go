package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
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
	// end lets go of what fill held; it may be called beside it.
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

// lostAnswer stands for the answer to a call that did not come.
func lostAnswer(call json.RawMessage, text string) []byte {
	quoted, _ := json.Marshal(text)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, call, codeLost, quoted)
}

// answers reports whether msg is the answer to call.
func answers(msg []byte, call json.RawMessage) bool {
	var env struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
	}
	return json.Unmarshal(msg, &env) == nil && env.Method == nil && bytes.Equal(env.ID, call)
}

// jsonBody reads the whole answer to a call, mended. What is no answer becomes a
// failed one: the SDK would end the session over it, or wait for ever.
func (l *httpLink) jsonBody(asked context.Context, body io.ReadCloser, call json.RawMessage) io.ReadCloser {
	f := l.newFeed(asked)
	f.end = func() { _ = body.Close() }
	read := false
	f.fill = func() error {
		if read {
			return io.EOF
		}
		read = true
		data, err := io.ReadAll(io.LimitReader(body, maxLine+1))
		switch {
		case err != nil && asked.Err() == nil:
			l.check()
			f.out.Write(lostAnswer(call, textAnswerCut))
		case err != nil:
			f.out.Write(lostAnswer(call, asked.Err().Error())) // nobody waits for it
		case len(data) > maxLine:
			f.out.Write(lostAnswer(call, fmt.Sprintf(textTooLarge, maxLine>>20)))
		default:
			f.out.Write(l.jsonAnswer(data, call))
		}
		return nil
	}
	return f
}

// jsonAnswer finds the answer to call in a body, which may be a batch (MCP
// 2025-03-26).
func (l *httpLink) jsonAnswer(data []byte, call json.RawMessage) []byte {
	batch := []json.RawMessage{data}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		batch = nil
		_ = json.Unmarshal(trimmed, &batch)
	}
	for _, raw := range batch {
		if msg := l.filter.message(raw); msg != nil && answers(msg, call) {
			return msg
		}
	}
	return lostAnswer(call, textNotAnAnswer)
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

// callStream is the answer to one call as a stream. When it is cut it is resumed
// after the last event, if the server numbered its events (MCP 2025-11-25,
// "Resumability and Redelivery"); else the call has failed.
func (l *httpLink) callStream(req *http.Request, res *http.Response, call json.RawMessage) io.ReadCloser {
	f := l.newFeed(req.Context())
	src := newSource(res, "")
	f.end = func() { _ = src.body.Close() }
	answered := false
	tries := 0
	give := func(text string) {
		answered = true
		f.put(lostAnswer(call, text))
	}
	f.fill = func() error {
		for f.out.Len() == 0 {
			if answered {
				src.finish()
				return io.EOF
			}
			before := src.lastID
			msg, large, err := src.next(l.filter)
			if src.lastID != before {
				tries = 0
			}
			switch {
			case large:
				l.note("error", fmt.Sprintf(textTooLarge, maxLine>>20))
				give(fmt.Sprintf(textTooLarge, maxLine>>20))
			case msg != nil:
				answered = answers(msg, call)
				f.put(msg)
			case err == nil:
			case req.Context().Err() != nil:
				return req.Context().Err()
			case f.ctx.Err() != nil:
				give(textLinkClosed)
			default:
				_ = src.body.Close()
				if src.lastID == "" || tries >= resumeTries {
					l.check()
					give(textAnswerCut)
					break
				}
				tries++
				if next := l.resume(f.ctx, req, src, tries); next != nil {
					src = next
				}
			}
		}
		return nil
	}
	return f
}

// resume opens the stream of a call again; nil when that did not work this time.
func (l *httpLink) resume(ctx context.Context, req *http.Request, src *source, try int) *source {
	if pause(ctx, jitter(streamDelay(try, src.retry))) != nil {
		return nil
	}
	again := req.Clone(ctx)
	again.Method, again.Body, again.GetBody, again.ContentLength = http.MethodGet, nil, nil, 0
	again.Header.Del("Content-Type")
	again.Header.Set("Accept", "text/event-stream")
	again.Header.Set("Last-Event-ID", src.lastID)
	res, err := l.exchange(again)
	if err != nil {
		return nil
	}
	if res.StatusCode >= 300 || mediaType(res.Header) != "text/event-stream" {
		_ = res.Body.Close()
		return nil
	}
	next := newSource(res, src.lastID)
	next.retry = src.retry
	return next
}

// standing is the stream for what the server says unasked: the GET of the older
// protocol, the subscriptions/listen of 2026-07-28. The SDK gets its head at once
// and its events for as long as the session lasts; the server may take its time for
// either, refuse, or end the stream as often as it likes.
func (l *httpLink) standing(req *http.Request, call json.RawMessage) *http.Response {
	f := l.newFeed(req.Context())
	l.listening.Store(true)
	s := &standing{link: l, req: req, call: call, feed: f, begun: time.Now()}
	f.fill = s.fill
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: f, ContentLength: -1, Request: req,
	}
}

// standing keeps one standing stream open. It belongs to the goroutine that reads
// the feed.
type standing struct {
	link *httpLink
	req  *http.Request
	call json.RawMessage // of subscriptions/listen; nil for a GET
	feed *feed

	begun    time.Time
	src      *source // nil while none is open
	opened   time.Time
	numbered bool // whether it brought the id of an event
	worked   bool // whether one was ever open
	short    int  // streams and attempts in a row that did not live
	lastID   string
	retry    time.Duration
}

func (s *standing) fill() error {
	for s.feed.out.Len() == 0 {
		if s.feed.ctx.Err() != nil {
			// An end before the SDK's own would make it look for a new stream.
			<-s.req.Context().Done()
			return io.EOF
		}
		if s.src == nil {
			s.open()
			continue
		}
		msg, large, err := s.src.next(s.link.filter)
		s.numbered = s.numbered || s.src.lastID != s.lastID
		s.lastID, s.retry = s.src.lastID, s.src.retry
		switch {
		case large:
			s.link.note("error", fmt.Sprintf(textTooLarge, maxLine>>20))
		case err != nil:
			_ = s.src.body.Close()
			s.src = nil
			s.short = shortAfter(s.short, time.Since(s.opened), s.numbered)
			_ = pause(s.feed.ctx, jitter(streamDelay(s.short, s.retry)))
		case msg != nil && (s.call == nil || !answers(msg, s.call)):
			s.feed.put(msg)
		}
	}
	return nil
}

// open tries once to open the stream.
func (s *standing) open() {
	l, ctx := s.link, s.feed.ctx
	req := s.req.Clone(ctx)
	if s.req.GetBody != nil {
		body, err := s.req.GetBody()
		if err != nil {
			s.refused(&httpFault{text: lang.Plain(err.Error()), err: err})
			return
		}
		req.Body = body
	}
	if s.lastID != "" && s.call == nil {
		req.Header.Set("Last-Event-ID", s.lastID)
	}
	res, err := s.client().Do(req)
	switch {
	case ctx.Err() != nil:
		if err == nil {
			_ = res.Body.Close()
		}
	case err != nil:
		f, ok := faultOf(err)
		if !ok {
			f = &httpFault{text: lang.Plain(err.Error()), err: err}
		}
		s.failed(f)
	case res.StatusCode >= 400:
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxFaultBody))
		_ = res.Body.Close()
		f := answerFault(req, res, body, l.authorized())
		if f == nil { // a JSON-RPC error
			f = &httpFault{status: res.StatusCode, text: lang.Plain(http.StatusText(res.StatusCode))}
		}
		s.failed(f)
	case res.StatusCode >= 300 || mediaType(res.Header) != "text/event-stream":
		_ = res.Body.Close()
		s.refused(pageFault(res))
	default:
		s.src, s.opened, s.numbered = newSource(res, s.lastID), time.Now(), false
		if s.worked || time.Since(s.begun) > listenWait {
			l.missed()
		}
		s.worked = true
		l.heardOnce.Do(func() { close(l.heard) })
	}
}

// client follows redirects as the SDK's own does.
func (s *standing) client() *http.Client {
	return &http.Client{Transport: roundTripFunc(s.link.send), CheckRedirect: s.link.redirect}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// failed takes the failure of an attempt: a refusal is final, all else is tried
// again. What it means for the session is only concluded where a stream had worked:
// many servers have none, and say so in many ways.
func (s *standing) failed(f *httpFault) {
	l := s.link
	switch {
	case f.kind == faultUnreachable:
		l.lose(f)
	case s.worked && (f.kind == faultSession || f.kind == faultUnauthorized):
		l.check() // the answer to a request of ours shows what it is
	case f.kind == faultDropped || f.transient || f.status == http.StatusInternalServerError || f.status == http.StatusRequestTimeout:
	default:
		s.refused(f)
		return
	}
	s.short++
	_ = pause(s.feed.ctx, max(jitter(streamDelay(s.short, s.retry)), f.after))
}

// refused gives the stream up. A server that announces changes only there is asked
// now and then.
func (s *standing) refused(f *httpFault) {
	s.link.heardOnce.Do(func() { close(s.link.heard) })
	s.link.note("info", fmt.Sprintf(textNoStream, f.text))
	for s.call != nil && pause(s.feed.ctx, pollGap) == nil {
		s.link.missed()
	}
	<-s.feed.ctx.Done()
}

// legacyStream mends the messages of the stream of 2024-11-05 and passes on all its
// events.
type legacyStream struct {
	link   *httpLink
	body   io.ReadCloser
	events *eventReader
	out    bytes.Buffer
}

func (s *legacyStream) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		e, err := s.events.next()
		if err != nil {
			return 0, err
		}
		switch {
		case e.tooLarge:
			return 0, lang.Errorf(zh, textTooLarge, maxLine>>20)
		case e.name == "endpoint":
			fmt.Fprintf(&s.out, "event: endpoint\ndata: %s\n\n", CleanLine(string(e.data)))
		case e.isMessage():
			var line bytes.Buffer
			if msg := s.link.filter.message(e.data); msg != nil && json.Compact(&line, msg) == nil {
				fmt.Fprintf(&s.out, "data: %s\n\n", line.Bytes())
			}
		}
	}
	return s.out.Read(p)
}

func (s *legacyStream) Close() error { return s.body.Close() }
