// Package fetch gets a page of the web as text that a model can read.
package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html/charset"
)

const (
	// MaxBytes bounds what is read of a page.
	MaxBytes = 8 << 20
	// MaxTime bounds a request, redirects and all.
	MaxTime = 30 * time.Second
	// maxRedirects bounds redirects within one host.
	maxRedirects = 5
)

// Options of one request. The zero value is usable.
type Options struct {
	// Local says that addresses of this machine and of its network may be reached; the
	// user was asked for just that.
	Local bool
	// Proxy chooses a proxy, as in http.Transport; nil uses none. What is behind a proxy
	// is the proxy's to judge.
	Proxy func(*http.Request) (*url.URL, error)
	// UserAgent is who we say we are.
	UserAgent string
}

// Page is what was there.
type Page struct {
	// URL is where it was found in the end.
	URL string
	// Title is empty where there is none. Text is Markdown where the page was HTML.
	Title, Text string
	// MIME is the type the server said, without its parameters. Data is what an image
	// holds; its Text is empty.
	MIME string
	Data []byte
	// Truncated says that there is more than MaxBytes.
	Truncated bool
}

// Elsewhere is a redirect to another host, which is not followed: that host is one that
// nobody was asked for.
type Elsewhere struct{ URL string }

func (e *Elsewhere) Error() string { return "it leads to another host: " + e.URL }

// ErrLocal is an address that is not of the public internet.
var ErrLocal = errors.New("the name leads to an address of this machine or of its network")

// Parse reads an address as a model writes it. local says that its host is one of this
// machine or its network by what is written; a name may turn out to be one as well.
func Parse(text string) (at *url.URL, local bool, err error) {
	text = strings.TrimSpace(text)
	at, err = url.Parse(text)
	if err == nil && at.Scheme == "" && strings.Contains(text, ".") {
		at, err = url.Parse("https://" + text)
	}
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%q is no address: %w", text, err)
	case at.Scheme != "http" && at.Scheme != "https":
		return nil, false, fmt.Errorf("%q is no http or https address", text)
	case at.Hostname() == "":
		return nil, false, fmt.Errorf("%q names no host", text)
	case at.User != nil:
		return nil, false, errors.New("an address with a user and a password in it is not fetched")
	}
	at.Fragment = ""
	host := strings.TrimSuffix(strings.ToLower(at.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return at, !public(ip), nil
	}
	plain := !strings.Contains(host, ".") // a name of the local network, or a number
	return at, plain || host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal"), nil
}

// public reports whether an address is of the internet at large.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	shared := netip.MustParsePrefix("100.64.0.0/10") // of providers, and of some clouds' services
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !shared.Contains(ip) && !ip.IsLoopback()
}

// Get fetches a page. Errors are an [*Elsewhere], ErrLocal, ctx's, or what went wrong.
func Get(ctx context.Context, at *url.URL, o Options) (*Page, error) {
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !o.Local {
		// Judged where it is dialled: a name may lead elsewhere the second time it is asked.
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			ip, err := netip.ParseAddrPort(address)
			if err != nil || !public(ip.Addr()) {
				return ErrLocal
			}
			return nil
		}
	}
	transport := &http.Transport{DialContext: dialer.DialContext, Proxy: o.Proxy, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, DisableKeepAlives: true}
	if o.Proxy != nil {
		transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
		if target, err := o.Proxy(&http.Request{URL: at}); err == nil && target == nil {
			transport.DialContext = dialer.DialContext // no proxy for this one
		}
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		switch {
		case !strings.EqualFold(req.URL.Host, at.Host) || at.Scheme == "https" && req.URL.Scheme == "http":
			return &Elsewhere{req.URL.String()}
		case len(via) > maxRedirects:
			return errors.New("it leads in a circle")
		}
		return nil
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", o.UserAgent)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5")
	res, err := client.Do(req)
	if err != nil {
		if elsewhere, ok := errors.AsType[*Elsewhere](err); ok {
			return nil, elsewhere
		}
		if errors.Is(err, ErrLocal) {
			return nil, ErrLocal
		}
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	page := &Page{URL: res.Request.URL.String(), Truncated: len(data) > MaxBytes}
	data = data[:min(len(data), MaxBytes)]
	page.MIME, _, _ = mime.ParseMediaType(res.Header.Get("Content-Type"))
	if page.MIME == "" {
		page.MIME, _, _ = mime.ParseMediaType(http.DetectContentType(data))
	}
	if err := page.read(data, res); err != nil {
		return nil, err
	}
	if res.StatusCode >= 400 {
		return nil, fmt.Errorf("the server answered %s: %s", res.Status, short(page.Text))
	}
	return page, nil
}

// read makes text of what came.
func (p *Page) read(data []byte, res *http.Response) error {
	switch {
	case strings.HasPrefix(p.MIME, "image/"):
		p.Data = data
		return nil
	case !isText(p.MIME):
		return fmt.Errorf("%s is of type %s (%d bytes), which is no text", p.URL, p.MIME, len(data))
	}
	r, err := charset.NewReader(bytes.NewReader(data), res.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	p.Text = strings.ToValidUTF8(string(text), "\uFFFD")
	if p.MIME == "text/html" || p.MIME == "application/xhtml+xml" {
		p.markdown(res.Request.URL)
	}
	return nil
}

func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		strings.Contains(" application/json application/xml application/javascript application/x-ndjson application/yaml application/x-yaml application/toml application/x-sh application/sql ", " "+kind+" ")
}

// markdown turns HTML into Markdown: the article in it, or all of it where that is not
// told from the rest.
func (p *Page) markdown(at *url.URL) {
	source := p.Text
	parser := readability.NewParser()
	article, err := parser.Parse(strings.NewReader(source), at)
	if err == nil {
		p.Title = strings.TrimSpace(article.Title())
	}
	domain := converter.WithDomain(at.Scheme + "://" + at.Host)
	var text string
	if err == nil && article.Node != nil {
		if data, err := htmltomarkdown.ConvertNode(article.Node, domain); err == nil {
			text = strings.TrimSpace(string(data))
		}
	}
	// A list of links or a reference is no article, and most of it would be lost.
	if whole, err := htmltomarkdown.ConvertString(source, domain); err == nil {
		if whole = strings.TrimSpace(whole); text == "" || len(text)*10 < len(whole) && utf8.RuneCountInString(text) < 400 {
			text = whole
		}
	}
	if text != "" {
		p.Text = text
	}
}

// short is the beginning of a text, on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}
