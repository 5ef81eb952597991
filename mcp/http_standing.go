package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

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
