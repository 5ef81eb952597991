package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func site(t *testing.T, pages map[string]func(http.ResponseWriter, *http.Request)) *url.URL {
	t.Helper()
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func say(kind, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text))
	}
}

const article = `<html><head><title>How it works - Site</title><script>alert(1)</script></head><body>
<nav><a href="/">Home</a><a href="/about">About us</a></nav>
<article><h1>How it works</h1><p>The first paragraph says, at some length, what this page is about, so that it is known to be one.</p>
<p>The second has a <a href="/more">link</a> and <code>some code</code>, and goes on about it for a while as well, as pages do.</p>
<pre><code>go test ./...</code></pre><ul><li>one</li><li>two</li></ul></article>
<footer>Cookies and other things</footer></body></html>`

// A page of HTML is its article in Markdown, without what is around it; other text is what
// it is, in whatever encoding it came.
func TestPagesBecomeReadableText(t *testing.T) {
	at := site(t, map[string]func(http.ResponseWriter, *http.Request){
		"/article": say("text/html; charset=utf-8", article),
		"/plain":   say("text/plain", "as <it> is"),
		"/json":    say("application/json", `{"a":1}`),
		"/latin":   say("text/plain; charset=iso-8859-1", "caf\xe9"),
		"/links":   say("text/html", `<html><body><h2>Index</h2><ul><li><a href="/a">First</a></li><li><a href="/b">Second</a></li></ul></body></html>`),
		"/bytes":   say("application/zip", "PK\x03\x04"),
		"/gone":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "it moved away", http.StatusGone) },
		"/image":   say("image/png", "\x89PNG\r\n\x1a\n"),
		"/here":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/plain", http.StatusFound) },
		"/circle":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/circle", http.StatusFound) },
		"/long":    say("text/plain", strings.Repeat("x", MaxBytes+10)),
	})
	get := func(path string) (*Page, error) {
		return Get(t.Context(), at.JoinPath(path), Options{Local: true})
	}
	for path, want := range map[string][]string{
		"/article": {"The first paragraph", "[link](" + at.String() + "/more)", "`some code`", "go test ./...", "- one"},
		"/plain":   {"as <it> is"}, "/json": {`{"a":1}`}, "/latin": {"café"}, "/links": {"[First](" + at.String() + "/a)", "Index"}, "/here": {"as <it> is"},
	} {
		page, err := get(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(page.Text, part) {
				t.Errorf("%s lacks %q:\n%s", path, part, page.Text)
			}
		}
		if strings.Contains(page.Text, "alert(1)") || strings.Contains(page.Text, "Cookies") || strings.Contains(page.Text, "<p>") {
			t.Errorf("%s has too much:\n%s", path, page.Text)
		}
	}
	if page, err := get("/article"); err != nil || page.Title != "How it works - Site" && page.Title != "How it works" {
		t.Errorf("the title is %q, %v", page.Title, err)
	}
	if page, err := get("/image"); err != nil || len(page.Data) == 0 {
		t.Errorf("the image: %+v, %v", page, err)
	}
	if page, err := get("/long"); err != nil || len(page.Text) != MaxBytes || !page.Truncated {
		t.Errorf("the long page: %v", err)
	}
	for path, want := range map[string]string{"/bytes": "no text", "/gone": "410 Gone: it moved away", "/circle": "circle", "/none": "404"} {
		if _, err := get(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What was asked for is one host of the internet: neither a name nor a redirect leads to
// another one, or into the machine's own network (server-side request forgery; DNS
// rebinding is met by looking at what is dialled).
func TestNothingButTheHostThatWasAskedForIsReached(t *testing.T) {
	reached := 0
	inner := site(t, map[string]func(http.ResponseWriter, *http.Request){"/": func(http.ResponseWriter, *http.Request) { reached++ }})
	outer := site(t, map[string]func(http.ResponseWriter, *http.Request){
		"/": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inner.String()+"/secret", http.StatusFound)
		},
	})
	_, err := Get(t.Context(), outer, Options{Local: true})
	if elsewhere, ok := errors.AsType[*Elsewhere](err); !ok || elsewhere.URL != inner.String()+"/secret" {
		t.Errorf("a redirect to another host: %v", err)
	}
	for _, host := range []string{inner.Host, "localhost:" + inner.Port(), "[::1]:" + inner.Port()} {
		at := *inner
		at.Host = host
		if _, err := Get(t.Context(), &at, Options{}); err == nil || strings.Contains(host, "127") && !errors.Is(err, ErrLocal) {
			t.Errorf("%s, unasked: %v", host, err)
		}
	}
	if reached != 0 {
		t.Errorf("the inner server was reached %d times", reached)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Get(ctx, inner, Options{Local: true}); err == nil {
		t.Error("a request that was given up was made")
	}
}

func TestAddressesAreReadAsModelsWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"https://go.dev/doc#x": "https://go.dev/doc", " go.dev/doc ": "https://go.dev/doc", "http://localhost:80/": "local http://localhost:80/",
		"http://127.0.0.1": "local http://127.0.0.1", "http://[::1]/": "local http://[::1]/", "http://10.1.2.3/": "local http://10.1.2.3/", "http://169.254.169.254/": "local http://169.254.169.254/",
		"http://100.64.0.1/": "local http://100.64.0.1/", "http://[::ffff:127.0.0.1]/": "local http://[::ffff:127.0.0.1]/", "http://printer/": "local http://printer/", "http://db.internal/": "local http://db.internal/",
		"http://2130706433/": "local http://2130706433/", "http://8.8.8.8/": "http://8.8.8.8/", "http://localhost./": "local http://localhost./",
		"file:///etc/passwd": "error", "ftp://x.test": "error", "https://user:pass@x.test/": "error", "http://": "error", "": "error", "::": "error",
	} {
		at, local, err := Parse(text)
		got := "error"
		if err == nil {
			if got = at.String(); local {
				got = "local " + got
			}
		}
		if got != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}
