package mcp

import "time"

// How often a server may make us list again. The first notice of a burst is acted
// on at once; what follows waits for quiet. A server that announces changes which
// are none, as those do that notify on each tools/list, is asked less and less.
const (
	listQuiet   = 100 * time.Millisecond // a burst is over when nothing came for so long
	listMaxWait = 2 * time.Second        // a burst that does not end is cut here
	listMinGap  = 250 * time.Millisecond // between two lists, at first
	listMaxGap  = 10 * time.Second       // between two lists, after many empty announcements
)

// pacer decides when to list again. It is a value of the connection's goroutine
// and reads no clock of its own.
type pacer struct {
	listed  time.Time     // end of the last list
	first   time.Time     // first notice that no list has answered yet; zero for none
	latest  time.Time     // newest notice
	gap     time.Duration // least time between two lists
	started bool          // whether there was a list since the connection began
}

// notice records that the server said something changed.
func (p *pacer) notice(now time.Time) {
	if p.first.IsZero() {
		p.first = now
	}
	p.latest = now
}

// due returns when to list, and false when there is nothing to list for.
func (p *pacer) due() (time.Time, bool) {
	if p.first.IsZero() {
		return time.Time{}, false
	}
	earliest := p.listed.Add(max(p.gap, listMinGap))
	if !p.first.Before(earliest) {
		return p.first, true // nothing was listed lately: no reason to wait
	}
	quiet := p.latest.Add(listQuiet)
	if limit := p.first.Add(listMaxWait); quiet.After(limit) {
		quiet = limit
	}
	if quiet.After(earliest) {
		return quiet, true
	}
	return earliest, true
}

// begin records that a list starts: notices from here on need another one.
func (p *pacer) begin() { p.first = time.Time{} }

// end records that a list ended and whether it brought anything new.
func (p *pacer) end(now time.Time, changed bool) {
	p.listed = now
	switch {
	case changed || !p.started:
		p.gap = listMinGap
	default:
		p.gap = min(2*max(p.gap, listMinGap), listMaxGap)
	}
	p.started = true
}

// retryDelay is how long to wait before trying a failed list again: 1 s, doubled
// each time, a minute at most.
func retryDelay(failures int) time.Duration {
	return min(time.Second<<min(max(failures-1, 0), 6), time.Minute)
}
