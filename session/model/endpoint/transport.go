package endpoint

import (
	"net"
	"net/http"
	"net/url"
	"time"
)

// The bounds of waiting. A model on this machine may read a long prompt for
// minutes before its first byte.
const (
	connectTimeout   = 10 * time.Second
	firstByteRemote  = 5 * time.Minute
	firstByteLocal   = 15 * time.Minute
	idleTimeout      = 120 * time.Second
	maxIdleEndpoints = 4
)

// transport is shared by all clients of the process, so that a second session finds
// the connection of the first. It keeps no cookies and carries no key: each request
// brings its own.
var transport = newTransport()

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   2,
		MaxIdleConns:          maxIdleEndpoints,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		// A compressed stream arrives in the lumps of its compressor.
		DisableCompression: true,
	}
}

// NewHTTPClient is an HTTP client that follows no redirect: a header with a key
// must not go to an address that nobody configured.
func NewHTTPClient() *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// IsLoopback reports whether a URL names this machine.
func IsLoopback(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
