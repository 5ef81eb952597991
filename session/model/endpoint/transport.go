package endpoint

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
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

// trusting remembers the clients of files of certificates.
var trusting struct {
	mu      sync.Mutex
	clients map[string]trusted // by path; guarded by mu
}

type trusted struct {
	client *http.Client
	err    error
	size   int64
	mod    time.Time
}

// Trusting is an HTTP client like NewHTTPClient's that trusts the certificates of a PEM
// file beside the system's. An empty path is no such file: nil, which stands for the
// shared client. It reads the file again when it has changed.
func Trusting(path string) (*http.Client, error) {
	if path == "" {
		return nil, nil
	}
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	trusting.mu.Lock()
	defer trusting.mu.Unlock()
	if t, ok := trusting.clients[path]; ok && t.size == stat.Size() && t.mod.Equal(stat.ModTime()) {
		return t.client, t.err
	}
	t := trusted{size: stat.Size(), mod: stat.ModTime()}
	t.client, t.err = newTrusting(path, stat)
	if trusting.clients == nil {
		trusting.clients = map[string]trusted{}
	}
	trusting.clients[path] = t
	return t.client, t.err
}

// maxCAFile bounds a file of certificates, in bytes; a system's own has half of it.
const maxCAFile = 1 << 20

func newTrusting(path string, stat os.FileInfo) (*http.Client, error) {
	if !stat.Mode().IsRegular() || stat.Size() > maxCAFile {
		return nil, lang.Errorf(zh, textNotPEM, path)
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, lang.Errorf(zh, textNotPEM, path)
	}
	client := NewHTTPClient()
	own := newTransport()
	own.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	client.Transport = own
	return client, nil
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
