package mcp

import (
	"testing"
	"time"
)

// simulate runs a pacer against notices at given times, each list taking 5 ms, and
// returns when lists began. changed says whether the list begun then was news.
func simulate(t *testing.T, notices []time.Duration, until time.Duration, changed func(list int) bool, onList func(at time.Duration) (notice time.Duration)) []time.Duration {
	t.Helper()
	zero := time.Unix(0, 0)
	p := pacer{}
	p.begin()
	p.end(zero, true)
	var lists []time.Duration
	for now := time.Duration(0); now <= until; now += 5 * time.Millisecond {
		for len(notices) > 0 && notices[0] <= now {
			p.notice(zero.Add(notices[0]))
			notices = notices[1:]
		}
		if at, ok := p.due(); ok && !at.After(zero.Add(now)) {
			lists = append(lists, now)
			p.begin()
			now += 5 * time.Millisecond
			p.end(zero.Add(now), changed(len(lists)))
			if onList != nil {
				notices = append(notices, onList(now))
			}
		}
		if len(lists) > 10_000 {
			t.Fatal("no end of lists")
		}
	}
	return lists
}

func never(int) bool  { return false }
func always(int) bool { return true }

func TestOneNoticeIsListedAtOnce(t *testing.T) {
	got := simulate(t, []time.Duration{time.Second}, time.Minute, always, nil)
	if len(got) != 1 || got[0] != time.Second {
		t.Errorf("lists at %v", got)
	}
}

// A burst is listed at its begin and once after its end (hermes-agent#115502).
func TestBurstIsListedTwice(t *testing.T) {
	var burst []time.Duration
	for at := time.Second; at < 1800*time.Millisecond; at += time.Millisecond {
		burst = append(burst, at)
	}
	for name, changed := range map[string]func(int) bool{"with news": always, "without news": never} {
		got := simulate(t, burst, time.Minute, changed, nil)
		if len(got) != 2 || got[1] < burst[len(burst)-1] {
			t.Errorf("%s: lists at %v", name, got)
		}
	}
}

// A server that announces a change on each list, at once or a second later, is
// listed some times a minute, not for ever as fast as it can.
func TestAnnouncementOnEachListIsBounded(t *testing.T) {
	for _, delay := range []time.Duration{0, 1100 * time.Millisecond} {
		got := simulate(t, []time.Duration{time.Second}, 5*time.Minute, never,
			func(at time.Duration) time.Duration { return at + delay })
		if len(got) > 45 {
			t.Errorf("delay %s: %d lists in five minutes", delay, len(got))
		}
	}
}

// A burst that never ends is still looked at.
func TestEndlessBurstIsListedNowAndThen(t *testing.T) {
	var burst []time.Duration
	for at := time.Second; at < 21*time.Second; at += 10 * time.Millisecond {
		burst = append(burst, at)
	}
	if got := simulate(t, burst, time.Minute, always, nil); len(got) < 8 || len(got) > 30 {
		t.Errorf("%d lists in twenty seconds: %v", len(got), got)
	}
}

func TestRetryDelayGrowsToABound(t *testing.T) {
	if got := retryDelay(1); got != time.Second {
		t.Errorf("first: %s", got)
	}
	last := time.Duration(0)
	for n := range 100 {
		d := retryDelay(n)
		if d < last || d > time.Minute {
			t.Fatalf("delay %d is %s after %s", n, d, last)
		}
		last = d
	}
}
