package mcp

import "time"

// How a server that was lost is tried again. One that crashes over and over, or
// whose address stays dead, must not be started for ever.
const (
	recoveryBase = time.Second      // before the first try, doubled for each further one
	recoveryMax  = 30 * time.Second // between two tries
	recoveryLast = 5 * time.Minute  // the most a server can ask for

	// A child is tried a few times; an address for some minutes, for what is behind
	// it may be restarted or built anew.
	triesChild   = 5
	triesAddress = 10

	// healthChild and healthAddress are how long a session must have lasted for the
	// tries before it to be forgotten.
	healthChild   = time.Minute
	healthAddress = 10 * time.Second
)

// recovery decides whether and when to try again. It is a value of the connection's
// goroutine and reads no clock of its own.
type recovery struct {
	address   bool          // reached by an address, not started as a child
	base      time.Duration // recoveryBase, shorter in tests
	connected bool          // whether there ever was a session
	tries     int           // since the server was well
}

// lasted records the end of a session that lasted so long.
func (r *recovery) lasted(d time.Duration) {
	r.connected = true
	health := healthChild
	if r.address {
		health = healthAddress
	}
	if d >= health {
		r.tries = 0
	}
}

// limit is how many tries in a row are made.
func (r *recovery) limit() int {
	if r.address {
		return triesAddress
	}
	return triesChild
}

// next returns how long to wait before the next try after a failure, and false when
// there shall be none. A server that never was connected is tried again only where
// time alone may help. Zero is for a session that the server forgot, once: a new one
// costs it nothing, and nobody needs to notice.
func (r *recovery) next(f *failure) (wait time.Duration, again bool) {
	switch {
	case f.state() == StateNeedsAuth || f.Code == string(KindConfigInvalid):
		return 0, false
	case !r.connected && !f.transient:
		return 0, false
	case r.tries >= r.limit():
		return 0, false
	}
	r.tries++
	if f.forgotten && r.tries == 1 {
		return 0, true
	}
	wait = min(r.base<<min(r.tries-1, 10), recoveryMax)
	return min(max(wait, f.after), recoveryLast), true
}
