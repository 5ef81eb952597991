package endpoint

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// maxErrorBody bounds what is read of the body of a failure, in bytes.
const maxErrorBody = 64 << 10

// Client sends the requests of one model. Its fields are not changed once it is in
// use; it is safe for concurrent use.
type Client struct {
	// Model is the model's id, for messages.
	Model string
	// URL takes the POST. Header goes with each request, the key in it.
	URL    string
	Header http.Header
	// Secrets are taken out of everything a person reads.
	Secrets []string

	// HTTP, FirstByte (from the request to the first byte of the answer) and Idle
	// (between two bytes) have defaults when they are zero.
	HTTP            *http.Client
	FirstByte, Idle time.Duration
	// Sleep waits d or until ctx ends; nil uses a timer. Tests give their own clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Decoder turns the events of one try into an answer.
type Decoder interface {
	// Event takes the data of one event. whole says that the answer is complete;
	// the rest of the stream is not read. An error is a *ProviderError that came
	// within the stream, an error of emit, or ErrProtocol.
	Event(data []byte) (whole bool, err error)
	// End takes the end of the stream and reports whether the answer is complete
	// all the same.
	End() bool
	// Response is what has arrived.
	Response() agent.Response
}

// ErrProtocol says that an event is not one of the provider's protocol.
var ErrProtocol = errors.New("not an event of this protocol")

func (p *ProviderError) Error() string { return p.Message }

// Exchange is one model request.
type Exchange struct {
	// Body makes the body of the next try.
	Body func() []byte
	// Decoder makes the decoder of the next try, which hands its deltas to emit.
	Decoder func(emit func(agent.Delta) error) Decoder
	// Adapt looks at a refusal and reports whether Body now makes another body that
	// may be accepted; nil never does.
	Adapt func(Failure) bool
	// Lang is the language of the texts of a retry.
	Lang lang.Lang
}

// maxAdaptions bounds how often one request is changed to suit its endpoint.
const maxAdaptions = 4

// Stream sends the request until it is answered, and hands each delta to emit. It
// sends again only what may succeed then, and only while nothing was emitted; each
// time it emits an agent.DeltaRetry first. On an error, which is an *agent.Error,
// ctx's or emit's, the response holds what had arrived.
func (c *Client) Stream(ctx context.Context, x Exchange, emit func(agent.Delta) error) (agent.Response, error) {
	shown := false
	var waited time.Duration
	adaptions := 0
	for try := 1; ; {
		d := x.Decoder(func(delta agent.Delta) error {
			shown = true
			return emit(delta)
		})
		failure, err := c.try(ctx, x.Body(), d)
		switch {
		case err != nil:
			return d.Response(), err
		case failure == nil:
			return d.Response(), nil
		}
		if !shown && x.Adapt != nil && adaptions < maxAdaptions && x.Adapt(*failure) {
			adaptions++
			continue
		}
		pause, again := wait(try+1, failure.asked, waited, rand.Float64())
		if shown || !failure.again || !again {
			return d.Response(), failure.Err
		}
		try++
		waited += pause
		if err := emit(agent.Delta{Kind: agent.DeltaRetry, Text: retryText(x.Lang, c.Model, failure.Err.Kind, failure.Status, try), RetryAfter: pause}); err != nil {
			return agent.Response{}, err
		}
		if err := c.sleep(ctx, pause); err != nil {
			return agent.Response{}, err
		}
	}
}

// try sends the request once. The error is ctx's or emit's; all else is a failure.
func (c *Client) try(ctx context.Context, body []byte, d Decoder) (*Failure, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	firstByte, idle := c.timeouts()
	var began atomic.Bool
	watch := time.AfterFunc(firstByte, func() {
		if began.Load() {
			cancel(&quietError{after: idle})
		} else {
			cancel(&quietError{after: firstByte, first: true})
		}
	})
	defer watch.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return c.unreachable(err), nil
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "codebot-ls")
	resp, err := c.http().Do(req)
	if err != nil {
		return c.broken(ctx, err, true)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return c.refused(ctx, resp)
	}
	stream := &watchedReader{r: resp.Body, read: func() {
		began.Store(true)
		watch.Reset(idle)
	}}
	es := newEvents(stream)
	// By what it begins with, not by its Content-Type: proxies get that wrong.
	if start, err := es.start(); err == nil && (start == '{' || start == '[' || start == '<') {
		return c.single(ctx, es.r, d)
	}
	for seen := false; ; seen = true {
		data, err := es.next()
		if err == io.EOF && ctx.Err() == nil {
			if d.End() {
				return nil, nil
			}
			return c.cut(lang.Messagef(zh, reasonEnd), seen), nil
		}
		if err != nil {
			return c.broken(ctx, err, false)
		}
		whole, err := d.Event(data)
		if err != nil {
			return c.inStream(ctx, err, seen, data)
		}
		if whole {
			return nil, nil
		}
	}
}

// single takes an answer that is no stream: an error, a web page, or the whole
// answer of an endpoint that does not stream, which is one event.
func (c *Client) single(ctx context.Context, r io.Reader, d Decoder) (*Failure, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxEvent))
	if err != nil {
		return c.broken(ctx, err, false)
	}
	if looksLikePage(string(body)) {
		return c.failure(0, ProviderError{Type: "html", Message: wordsOf(body).Message}), nil
	}
	if p, ok := ParseError(body); ok {
		return c.failure(0, p), nil
	}
	whole, err := d.Event(body)
	if err != nil {
		return c.inStream(ctx, err, false, body)
	}
	if whole || d.End() {
		return nil, nil
	}
	return c.inStream(ctx, ErrProtocol, false, body)
}

// inStream tells what an error of Decoder.Event is. seen says that an event came
// before it.
func (c *Client) inStream(ctx context.Context, err error, seen bool, data []byte) (*Failure, error) {
	if p, ok := errors.AsType[*ProviderError](err); ok {
		return c.failure(0, *p), nil
	}
	if errors.Is(err, ErrProtocol) {
		f := c.failure(0, wordsOf(data))
		f.again = false
		f.say(agent.ErrModel, textProtocol, c.Model, c.host())
		return f, nil
	}
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
		return c.broken(ctx, err, !seen)
	}
	return nil, err // emit's
}

// refused reads an answer that is not 200.
func (c *Client) refused(ctx context.Context, resp *http.Response) (*Failure, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && len(body) == 0 && ctx.Err() != nil {
		return c.broken(ctx, err, false)
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		to := "another address"
		if u, err := resp.Location(); err == nil {
			to = clean(u.Scheme+"://"+u.Host, c.Secrets)
		}
		f := c.failure(resp.StatusCode, ProviderError{})
		f.again = false
		f.say(agent.ErrModel, textRedirect, c.Model, c.host(), to)
		return f, nil
	}
	if resp.StatusCode == http.StatusProxyAuthRequired {
		f := c.failure(resp.StatusCode, wordsOf(body))
		f.again = false
		f.say(agent.ErrUnreachable, textProxy, c.Model, c.host())
		return f, nil
	}
	f := c.failure(resp.StatusCode, wordsOf(body))
	f.asked = retryAfter(resp.Header, time.Now())
	if f.asked > 0 && f.again {
		f.Err.RetryAt = time.Now().Add(f.asked)
	}
	return f, nil
}

// failure makes a failure of the provider's words.
func (c *Client) failure(status int, p ProviderError) *Failure {
	kind, again := kindOf(status, p)
	text := p.Message
	f := &Failure{Status: status, Text: text, again: again, Err: &agent.Error{Kind: kind, ProviderMessage: clean(text, c.Secrets)}}
	format := textModel
	switch kind {
	case agent.ErrAuth:
		format = textAuth
		if len(c.Secrets) == 0 {
			format = textNoKey
		}
	case agent.ErrQuota:
		format = textQuota
	case agent.ErrNotFound:
		format = textNotFound
	case agent.ErrTooLong:
		f.say(kind, textTooLong, c.Model)
		return f
	case agent.ErrOverloaded:
		format = textOverloaded
	}
	if p.Type == "html" && kind != agent.ErrAuth && kind != agent.ErrOverloaded {
		format, kind = textPage, agent.ErrModel
	}
	f.say(kind, format, c.Model, c.host())
	return f
}

// say gives the failure its kind and its message.
func (f *Failure) say(kind agent.ErrorKind, format string, args ...any) {
	e := modelError(kind, format, args...)
	f.Err.Kind, f.Err.Message, f.Err.Err = e.Kind, e.Message, e.Err
}

// quietError ends a try that heard nothing for too long.
type quietError struct {
	after time.Duration
	first bool
}

func (e *quietError) Error() string { return e.message().String() }

func (e *quietError) message() lang.Message {
	if e.first {
		return lang.Messagef(zh, reasonNoAnswer, e.after.String())
	}
	return lang.Messagef(zh, reasonIdle, e.after.String())
}

// broken tells what a broken connection is: the person's cancel, our own patience,
// a provider that cannot be reached, or an answer that was cut. connecting says
// that no answer had begun.
func (c *Client) broken(ctx context.Context, err error, connecting bool) (*Failure, error) {
	if ctx.Err() != nil {
		quiet, ok := errors.AsType[*quietError](context.Cause(ctx))
		if !ok {
			return nil, ctx.Err()
		}
		if connecting {
			f := c.unreachable(quiet)
			f.again = false // minutes have gone by already
			return f, nil
		}
		f := c.cut(quiet.message(), true)
		f.again = false
		return f, nil
	}
	if connecting {
		return c.unreachable(err), nil
	}
	return c.cut(lang.Plain(clean(err.Error(), c.Secrets)), true), nil
}

func (c *Client) unreachable(err error) *Failure {
	switch certificate, untrusted := errors.AsType[*tls.CertificateVerificationError](err); {
	case untrusted: // it will not be trusted a second later
		return &Failure{Err: modelError(agent.ErrUnreachable, textTLS, c.Model, c.host(), clean(certificate.Err.Error(), c.Secrets))}
	case strings.Contains(err.Error(), http.StatusText(http.StatusProxyAuthRequired)): // net/http has no type for what a CONNECT was answered with
		return &Failure{Status: http.StatusProxyAuthRequired, Err: modelError(agent.ErrUnreachable, textProxy, c.Model, c.host())}
	}
	return &Failure{again: true, Err: modelError(agent.ErrUnreachable, textUnreachable, c.Model, c.host(), c.reason(err))}
}

func (c *Client) cut(reason lang.Message, something bool) *Failure {
	format := textCut
	if !something {
		format = textCutNothing
	}
	return &Failure{again: true, Err: modelError(agent.ErrStreamCut, format, c.Model, c.host(), reason)}
}

func (c *Client) timeouts() (firstByte, idle time.Duration) {
	firstByte, idle = c.FirstByte, c.Idle
	if firstByte == 0 {
		firstByte = firstByteRemote
		if IsLoopback(c.URL) {
			firstByte = firstByteLocal
		}
	}
	if idle == 0 {
		idle = idleTimeout
	}
	return firstByte, idle
}

func (c *Client) http() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return defaultHTTP
}

var defaultHTTP = NewHTTPClient()

// host is the provider's address for messages: no path, no user, no query.
func (c *Client) host() string {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return "the provider"
	}
	return u.Host
}

func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watchedReader tells of each read that brought something.
type watchedReader struct {
	r    io.Reader
	read func()
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.read()
	}
	return n, err
}
