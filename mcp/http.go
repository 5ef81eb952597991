package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpLink is what one HTTP session needs beside the SDK: the entry's headers,
// kept with their origin, and an end of its own, for the SDK waits for the headers
// of the event stream without a bound (go-sdk#633).
type httpLink struct {
	base    *url.URL
	headers map[string]string
	life    context.Context
	// unauthorized says that the server answered 401 and nothing good since.
	unauthorized atomic.Bool
}

// newHTTPLink makes the link of one attempt. All its requests end with life.
func newHTTPLink(life context.Context, cfg ServerConfig) (*httpLink, error) {
	base, err := url.Parse(cfg.URL)
	if err != nil {
		// The parser's error repeats the address, which may hold a secret.
		return nil, errors.New("url: " + textBadURL)
	}
	return &httpLink{base: base, headers: cfg.Headers, life: life}, nil
}

// transport returns the SDK's transport over the link.
func (l *httpLink) transport(kind string) sdk.Transport {
	client := &http.Client{Transport: l, CheckRedirect: l.redirect}
	if kind == TransportSSE {
		return &sdk.SSEClientTransport{Endpoint: l.base.String(), HTTPClient: client}
	}
	return &sdk.StreamableClientTransport{Endpoint: l.base.String(), HTTPClient: client}
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// redirect refuses to carry the entry's headers, and what the model says, to
// somebody the user did not name.
func (l *httpLink) redirect(req *http.Request, via []*http.Request) error {
	if !sameOrigin(req.URL, l.base) {
		return fmt.Errorf(textOtherOrigin, l.base.Host, req.URL.Host)
	}
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}

// RoundTrip sends one request with the entry's headers, for as long as the link lives.
func (l *httpLink) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	stop := context.AfterFunc(l.life, func() { cancel(context.Cause(l.life)) })
	release := func() { stop(); cancel(nil) }

	req = req.Clone(ctx)
	if sameOrigin(req.URL, l.base) {
		for name, value := range l.headers {
			req.Header.Set(name, value)
		}
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		release()
		return nil, err
	}
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		l.unauthorized.Store(true)
	case res.StatusCode < http.StatusBadRequest:
		l.unauthorized.Store(false)
	}
	res.Body = &releasingBody{ReadCloser: res.Body, release: release}
	return res, nil
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
