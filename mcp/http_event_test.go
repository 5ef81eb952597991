package mcp

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// Event streams as servers write them, also where the SDK's reader ends the session.
func TestEventReader(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []event
	}{
		"plain":           {"data: a\n\ndata:b\n\n", []event{{data: []byte("a")}, {data: []byte("b")}}},
		"all fields":      {"event: x\nid: 7\nretry: 1500\ndata: a\n\n", []event{{name: "x", id: "7", retry: 1500 * time.Millisecond, data: []byte("a")}}},
		"CRLF and BOM":    {"\ufeffdata: a\r\n\r\n", []event{{data: []byte("a")}}},
		"several lines":   {"data: a\ndata:  b\n\n", []event{{data: []byte("a\n b")}}},
		"comments":        {": hi\n\n:\ndata: a\n\n", []event{{data: []byte("a")}}},
		"no colon":        {"data\nping\n\ndata: a\n\n", []event{{}, {data: []byte("a")}}},
		"ping":            {"event: ping\ndata:\n\n", []event{{name: "ping"}}},
		"end without gap": {"data: a", []event{{data: []byte("a")}}},
		"bad retry":       {"retry: soon\n\n", nil},
		"nothing":         {"\n\n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				r := newEventReader(in)
				for i, want := range c.want {
					got, err := r.next()
					if err != nil || got.name != want.name || got.id != want.id || got.retry != want.retry || string(got.data) != string(want.data) {
						t.Fatalf("event %d = %+v, %v; want %+v", i, got, err, want)
					}
				}
				if got, err := r.next(); err != io.EOF {
					t.Errorf("then %+v, %v", got, err)
				}
			}
		})
	}
}

// An event above the bound is told and skipped, whether one line or many.
func TestEventAboveTheBoundIsSkipped(t *testing.T) {
	big := strings.Repeat("x", maxLine)
	half := big[:maxLine/2+1]
	for name, in := range map[string]string{"one line": "id: 1\ndata: " + big + "\n\n", "many": "id: 1\ndata: " + half + "\ndata: " + half + "\n\n"} {
		r := newEventReader(strings.NewReader(in + "data: a\n\n"))
		got, err := r.next()
		if err != nil || !got.tooLarge || got.id != "1" || len(got.data) > 0 {
			t.Errorf("%s: %d bytes, too large %t, id %q, %v", name, len(got.data), got.tooLarge, got.id, err)
		}
		if got, err = r.next(); err != nil || string(got.data) != "a" {
			t.Errorf("%s: then %.20q, %v", name, got.data, err)
		}
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "soon": 0, "99999": maxRetryAfter, "-1": 0,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
