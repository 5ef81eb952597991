package endpoint

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The bounds of sending a request again.
const (
	maxTries  = 4
	firstWait = 500 * time.Millisecond
	// maxWait bounds all waits of one request together: past it a person decides.
	maxWait = 60 * time.Second
)

// wait decides on the pause before try number next (2 is the first repetition),
// after waited has already been spent. asked is what the provider asked for, 0 for
// nothing; random is in [0, 1). It reports false when the request should not be
// sent again.
func wait(next int, asked, waited time.Duration, random float64) (time.Duration, bool) {
	if next > maxTries {
		return 0, false
	}
	d := firstWait << (next - 2)
	d += time.Duration(float64(d) * random / 4) // many editors behind one limit must not come back together
	d = max(d, asked)
	return d, waited+d <= maxWait
}

// retryAfter reads how long a provider asks to wait, 0 when it does not say: the
// seconds or the date of Retry-After (RFC 9110, section 10.2.3), and the
// milliseconds some send beside it.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return bounded(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return bounded(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// bounded makes seconds a duration; a day is as good as for ever.
func bounded(seconds float64) time.Duration {
	return time.Duration(min(seconds, 24*3600) * float64(time.Second))
}
