package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// httpLink stands between the SDK and the network for one HTTP session. It adds
// the entry's headers and keeps them with their origin, mends answers as the line
// filter does for stdio, keeps the standing stream open by itself, and turns what
// goes wrong into errors of single exchanges: the SDK ends a session at an idle
// event stream (go-sdk#1175) and waits without a bound for its headers (go-sdk#633).
type httpLink struct {
	base    *url.URL
	headers map[string]string
	// tokens are for an entry without credentials of its own; nil for none.
	tokens bearer
	kind   string // TransportHTTP or TransportSSE
	life   context.Context
	raw    http.RoundTripper
	filter *lineFilter
	// note puts a remark of ours into the server's log.
	note func(level, text string)
	// check asks for a sign of life of the server: an exchange was cut.
	check func()
	// missed says that notices may have been lost while no stream was open.
	missed func()

	// listening says that there is a standing stream; heard is closed when it was first
	// opened, or refused.
	listening atomic.Bool
	heard     chan struct{}
	heardOnce sync.Once

	// unwanted is why no request of this handshake can do better than the first: it wants
	// a login, or goes to another origin. The SDK takes that for a server which does not
	// know server/discover and goes on to ask as an older client would, to which the answer
	// may be another, or only that the connection is closed.
	unwanted atomic.Pointer[httpFault]

	// armed says that the session is up: from here on a fault may end it.
	armed atomic.Bool
	// down is closed when the session is of no use any more; fault says why.
	down  chan struct{}
	once  sync.Once
	fault *httpFault // valid once down is closed
}

// newHTTPLink makes the link of one attempt. All its requests end with life.
func newHTTPLink(life context.Context, cfg ServerConfig, raw http.RoundTripper, filter *lineFilter) (*httpLink, error) {
	base, err := url.Parse(cfg.URL)
	if err != nil {
		// The parser's error repeats the address, which may hold a secret.
		return nil, fieldError("url", lang.Messagef(zh, textBadURL))
	}
	return &httpLink{
		base: base, headers: cfg.Headers, kind: cfg.Transport(), life: life, raw: raw, filter: filter,
		note: func(string, string) {}, check: func() {}, missed: func() {}, down: make(chan struct{}), heard: make(chan struct{}),
	}, nil
}

// idleConnTimeout is below the five seconds after which many servers (Node, uvicorn)
// close an idle connection: a call that meets that moment is lost, and nobody knows
// whether it was carried out.
const idleConnTimeout = 4 * time.Second

// newRoundTripper makes the network side of one link. Each has its own, so that a
// link that ends takes its connections along.
func newRoundTripper() *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if d, ok := http.DefaultTransport.(*http.Transport); ok {
		t = d.Clone()
	}
	t.IdleConnTimeout = idleConnTimeout
	return t
}

// transport returns the SDK's transport over the link.
func (l *httpLink) transport() sdk.Transport {
	client := &http.Client{Transport: l, CheckRedirect: l.redirect}
	if l.kind == TransportSSE {
		return &sdk.SSEClientTransport{Endpoint: l.base.String(), HTTPClient: client, MaxEventSize: -1}
	}
	return &sdk.StreamableClientTransport{Endpoint: l.base.String(), HTTPClient: client, MaxEventSize: -1}
}

// lose ends the use of the session, if it is up. The first cause counts.
func (l *httpLink) lose(f *httpFault) {
	if l.armed.Load() {
		l.once.Do(func() {
			l.fault = f
			close(l.down)
		})
	}
}

// forgotten reports whether the session is of no use because the server forgot it.
func (l *httpLink) forgotten() bool {
	select {
	case <-l.down:
		return l.fault.kind == faultSession
	default:
		return false
	}
}

// listen waits a moment for the standing stream: what is read before it is open may
// change unheard. A stream that opens later is taken as a missed notice.
func (l *httpLink) listen(ctx context.Context) {
	if !l.listening.Load() {
		return
	}
	t := time.NewTimer(listenWait)
	defer t.Stop()
	select {
	case <-l.heard:
	case <-l.down:
	case <-ctx.Done():
	case <-t.C:
	}
}

// sameOrigin compares as RFC 6454 does: the default port is the one left out.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case strings.EqualFold(u.Scheme, "https"):
		return "443"
	}
	return "80"
}

// redirect refuses to carry the entry's headers, and what the model says, to
// somebody the user did not name, and to make a question of a request.
func (l *httpLink) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case !sameOrigin(req.URL, l.base):
		return &httpFault{text: lang.Messagef(zh, textOtherOrigin, l.base.Host, req.URL.Scheme+"://"+req.URL.Host)}
	case len(via) >= 10:
		return &httpFault{text: lang.Messagef(zh, textRedirects)}
	case via[0].Method != req.Method:
		return &httpFault{text: lang.Messagef(zh, textRedirectMethod, CleanLine(req.URL.Path))}
	}
	return nil
}

// authorized reports whether the entry brings credentials of its own.
func (l *httpLink) authorized() bool {
	for name := range l.headers {
		if soundsSecret(name) {
			return true
		}
	}
	return false
}

// RoundTrip serves the SDK. Its errors are an [*httpFault] or a context's.
func (l *httpLink) RoundTrip(req *http.Request) (*http.Response, error) {
	if l.kind == TransportSSE {
		return l.legacy(req)
	}
	switch {
	case req.Method == http.MethodGet:
		// The SDK resumes nothing: events reach it without their ids.
		return l.standing(req, nil), nil
	case req.Method != http.MethodPost:
		return l.send(req)
	}
	call, method := callOf(req)
	if method == "subscriptions/listen" {
		return l.standing(req, call), nil
	}
	res, err := l.exchange(req)
	if err != nil || res.StatusCode >= 300 || call == nil {
		return res, err
	}
	switch mediaType(res.Header) {
	case "application/json":
		res.Body = l.jsonBody(req.Context(), res.Body, call)
		res.ContentLength = -1
		res.Header.Del("Content-Length")
	case "text/event-stream":
		res.Body = l.callStream(req, res, call)
		res.ContentLength = -1
	default:
		_ = res.Body.Close()
		return nil, pageFault(res)
	}
	return res, nil
}

// exchange sends one request and makes an error of an answer that says no.
func (l *httpLink) exchange(req *http.Request) (*http.Response, error) {
	if f := l.unwanted.Load(); f != nil && !l.armed.Load() {
		return nil, f
	}
	res, err := l.send(req)
	if err != nil {
		if f, ok := faultOf(err); ok {
			switch f.kind {
			case faultUnreachable:
				l.lose(f)
			case faultDropped:
				l.check()
			}
		}
		return nil, err
	}
	if res.StatusCode < 400 {
		return res, nil
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxFaultBody))
	_ = res.Body.Close()
	f := answerFault(req, res, body, l.authorized())
	if f == nil {
		res.Body = io.NopCloser(bytes.NewReader(body))
		return res, nil
	}
	if f.kind == faultUnauthorized {
		l.unwanted.CompareAndSwap(nil, f)
	}
	if f.kind == faultSession || f.kind == faultUnauthorized {
		l.lose(f)
	}
	return nil, f
}

// send sends one request with the entry's headers, for as long as the link lives.
func (l *httpLink) send(req *http.Request) (*http.Response, error) {
	if !sameOrigin(req.URL, l.base) {
		// Only an older server's own "endpoint" gets here: redirects were refused.
		f := &httpFault{text: lang.Messagef(zh, textOtherOrigin, l.base.Host, req.URL.Scheme+"://"+req.URL.Host)}
		l.unwanted.CompareAndSwap(nil, f)
		return nil, f
	}
	if l.life.Err() != nil {
		return nil, &httpFault{kind: faultUnsent, text: lang.Messagef(zh, textLinkClosed)}
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	stop := context.AfterFunc(l.life, func() { cancel(context.Cause(l.life)) })
	release := func() { stop(); cancel(nil) }
	asked := req.Context()
	req = req.Clone(ctx)
	for name, value := range l.headers {
		req.Header.Set(name, value)
	}
	token := ""
	bearer := l.tokens != nil && !l.authorized()
	if bearer {
		if token = l.tokens.get(ctx); token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
	}
	res, err := l.raw.RoundTrip(req)
	if err == nil && bearer {
		if no := challengeOf(res); no.status == http.StatusUnauthorized || no.scopeWanted() {
			res, err = l.again(ctx, req, res, token, no)
		}
	}
	if err != nil {
		defer release()
		switch {
		case asked.Err() != nil:
			return nil, asked.Err()
		case l.life.Err() != nil:
			return nil, &httpFault{kind: faultDropped, text: lang.Messagef(zh, textLinkClosed)}
		}
		return nil, sendFault(err)
	}
	res.Body = &releasingBody{ReadCloser: res.Body, release: release}
	return res, nil
}

// again repeats a request whose token was refused, once, with another one; a refused
// request was not carried out. Without another token the refusal stays.
func (l *httpLink) again(ctx context.Context, req *http.Request, refusal *http.Response, refused string, no challenge) (*http.Response, error) {
	token := l.tokens.renew(ctx, refused, no)
	if token == "" || req.Body != nil && req.GetBody == nil {
		return refusal, nil
	}
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return refusal, nil
		}
		req.Body = body
	}
	_ = refusal.Body.Close()
	req.Header.Set("Authorization", "Bearer "+token)
	return l.raw.RoundTrip(req)
}

// releasingBody lets go of the request's context with the body.
type releasingBody struct {
	io.ReadCloser
	release func()
}

func (b *releasingBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

// callOf returns the id and the method of the message in a request of the SDK; no id
// for what wants no answer.
func callOf(req *http.Request) (id json.RawMessage, method string) {
	if req.GetBody == nil {
		return nil, ""
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, ""
	}
	defer func() { _ = body.Close() }()
	var msg struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.NewDecoder(body).Decode(&msg) != nil || msg.Method == "" {
		return nil, ""
	}
	return msg.ID, msg.Method
}
