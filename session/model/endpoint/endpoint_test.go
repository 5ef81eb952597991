package endpoint

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

func TestEventsAreReadHoweverTheyAreCutAndEnded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	stream := "\n: a comment\r\nevent: message\r\ndata: one\r\n\r\nid: 7\ndata:two\n\nevent: empty\n\ndata: three\ndata: lines\n\ndata: " + long + "\n\ndata:\n\ndata: last"
	want := []string{"one", "two", "three\nlines", long, "", "last"}
	for name, r := range map[string]io.Reader{
		"at once": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream)), "with the end": iotest.DataErrReader(strings.NewReader(stream)),
	} {
		e := newEvents(r)
		for i, w := range want {
			got, err := e.next()
			if err != nil || string(got) != w {
				t.Fatalf("%s: event %d is %.20q, %v", name, i, got, err)
			}
		}
		if _, err := e.next(); err != io.EOF {
			t.Errorf("%s: the end is %v", name, err)
		}
	}
}

// A stream that never ends an event must not fill the memory.
func TestAnEndlessEventIsAnError(t *testing.T) {
	for name, piece := range map[string]string{"line": "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "lines": "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"} {
		e := &events{r: bufio.NewReaderSize(&endless{text: piece}, 32<<10)}
		if _, err := e.next(); err != errEventTooLong {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// endless says the same text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	return len(p), nil
}

func TestWaitsGrowAndEnd(t *testing.T) {
	for _, test := range []struct {
		next          int
		asked, waited time.Duration
		random        float64
		want          time.Duration
		again         bool
	}{
		{2, 0, 0, 0, 500 * time.Millisecond, true},
		{3, 0, 0, 0, time.Second, true},
		{4, 0, 0, 0.999, 2*time.Second + 499500*time.Microsecond, true},
		{5, 0, 0, 0, 0, false},
		{2, 30 * time.Second, 0, 0, 30 * time.Second, true},
		{3, 31 * time.Second, 30 * time.Second, 0, 31 * time.Second, false},
		{2, time.Hour, 0, 0, time.Hour, false},
	} {
		got, again := wait(test.next, test.asked, test.waited, test.random)
		if again != test.again || again && got != test.want {
			t.Errorf("try %d, asked %v, waited %v: %v %v", test.next, test.asked, test.waited, got, again)
		}
	}
}

func TestRetryAfterIsReadInAllItsForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, " 1.5 ": 1500 * time.Millisecond, "Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT": 0, "-3": 0, "soon": 0, "1e300": 24 * time.Hour, "NaN": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After": {"3"}, "Retry-After-Ms": {"250"}}, now); got != 250*time.Millisecond {
		t.Errorf("milliseconds: %v", got)
	}
}

// The real pause, on the clock of a bubble.
func TestThePauseIsAsLongAsItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := new(Client).sleep(t.Context(), 7*time.Second); err != nil || time.Since(begin) != 7*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

func TestProvidersTextsAreCleanedAndRedacted(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31m\nb\t c\u202e": "a[31m b c",
		"bad key my-own-secret.": "bad key [redacted].",
		"Incorrect API key provided: sk-proj-********************1234": "Incorrect API key provided: [redacted]",
		"Bearer abc.def failed": "[redacted] failed",
		"key AIzaSyA1234567890": "key [redacted]",
		"half \xff a character": "half a character",
		"task-force and key":    "task-force and key",
	} {
		if got := clean(text, []string{"my-own-secret", "a"}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := clean(strings.Repeat("é", 1000), nil); len(got) > maxProviderText+3 || !strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestIDsAndNamesStayOrBecomeSafe(t *testing.T) {
	for id, want := range map[string]string{"toolu_01Ab-c": "toolu_01Ab-c", "": "_e3b0c442", "a.b:0": "a_b_0_3cd44bcb"} {
		if got := CallID(id); got != want {
			t.Errorf("%q: %q", id, got)
		}
	}
	long := strings.Repeat("a", 100)
	if a, b := CallID(long+"1"), CallID(long+"2"); len(a) != 40 || a == b {
		t.Errorf("%q %q", a, b)
	}
}

// A message is encoded once, whatever comes after it, and forgotten when it is in
// no conversation any more.
func TestMessagesAreEncodedOnce(t *testing.T) {
	var c Messages
	encoded := 0
	encode := func(m agent.Message) []byte { encoded++; return []byte(m.Blocks[0].ID) }
	var all []agent.Message
	for i := range 50 {
		all = append(all[:len(all):len(all)], agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{{ID: string(rune('a' + i%26))}}})
		if got := c.Get(all, encode); len(got) != len(all) {
			t.Fatal(len(got))
		}
	}
	if encoded != 50 {
		t.Errorf("encoded %d times", encoded)
	}
	short := all[:1]
	for range 2 * keepRounds {
		c.Get(short, encode)
	}
	if len(c.known) > 1+16 {
		t.Errorf("%d messages are still known", len(c.known))
	}
}
