package mcp

import (
	"testing"
	"time"
)

func waits(r *recovery, f *failure) (all []time.Duration) {
	for {
		d, again := r.next(f)
		if !again {
			return all
		}
		all = append(all, d)
		if len(all) > 100 {
			return all
		}
	}
}

// What fails at the start stays failed, unless time alone may mend it: no child is
// started over and over (claude-code#35287).
func TestFirstFailureIsTriedAgainOnlyWhereTimeHelps(t *testing.T) {
	exited := &failure{StatusError: StatusError{Code: CodeExited}}
	if got := waits(&recovery{base: time.Second}, exited); got != nil {
		t.Errorf("a server that exits at once: %v", got)
	}
	refused := &failure{StatusError: StatusError{Code: CodeHTTP}, transient: true}
	got := waits(&recovery{base: time.Second, address: true}, refused)
	if len(got) != triesAddress || got[0] != time.Second || got[1] != 2*time.Second || got[len(got)-1] != recoveryMax {
		t.Errorf("a refused connection: %v", got)
	}
}

// Logins and wrong entries are a person's business, whenever they show.
func TestLoginIsNotTriedAgain(t *testing.T) {
	for _, code := range []string{string(KindNeedsAuth), string(KindConfigInvalid)} {
		r := recovery{base: time.Second, address: true, connected: true}
		if got := waits(&r, &failure{StatusError: StatusError{Code: code}, transient: true}); got != nil {
			t.Errorf("%s: %v", code, got)
		}
	}
}

// Tries are bounded, and forgotten only after a session that lasted: a server that
// crashes as soon as it is up is given up.
func TestTriesAreForgottenAfterHealth(t *testing.T) {
	crash := &failure{StatusError: StatusError{Code: CodeExited}}
	r := recovery{base: time.Second}
	for n := range 20 {
		r.lasted(healthChild - time.Second)
		if _, again := r.next(crash); again != (n < triesChild) {
			t.Fatalf("try %d: again = %t", n+1, again)
		}
	}
	r.lasted(healthChild)
	if d, again := r.next(crash); !again || d != time.Second {
		t.Errorf("after a minute of health: %s, %t", d, again)
	}
}

// A forgotten session is renewed at once, but not in a circle (go-sdk#715).
func TestForgottenSessionIsRenewedAtOnceOnlyOnce(t *testing.T) {
	r := recovery{base: time.Second, address: true}
	r.lasted(time.Hour)
	forgotten := &failure{forgotten: true}
	if d, again := r.next(forgotten); d != 0 || !again {
		t.Errorf("first: %s, %t", d, again)
	}
	r.lasted(time.Millisecond)
	if d, again := r.next(forgotten); d != 2*time.Second || !again {
		t.Errorf("second: %s, %t", d, again)
	}
}

// A server may ask for more time, not for any.
func TestServerMayAskForTime(t *testing.T) {
	r := recovery{base: time.Second, address: true}
	if d, _ := r.next(&failure{transient: true, after: 40 * time.Second}); d != 40*time.Second {
		t.Errorf("40 s: %s", d)
	}
	if d, _ := r.next(&failure{transient: true, after: 24 * time.Hour}); d != recoveryLast {
		t.Errorf("a day: %s", d)
	}
}

// A stream that ends again and again is opened less and less (go-sdk#1175).
func TestStandingStreamIsOpenedLessAndLess(t *testing.T) {
	short, total := 0, time.Duration(0)
	for range 20 {
		short = shortAfter(short, time.Second, false)
		total += streamDelay(short, 0)
	}
	if d := streamDelay(short, 0); d != streamMaxPause || total < 10*time.Minute {
		t.Errorf("after 20: %s, %s in all", d, total)
	}
	if short = shortAfter(short, streamHealth, false); streamDelay(short, 0) != streamPause {
		t.Errorf("after one that lived: %s", streamDelay(short, 0))
	}
	if d := streamDelay(0, 5*time.Second); d != 5*time.Second {
		t.Errorf("the server wants 5 s: %s", d)
	}
	if d := streamDelay(shortAfter(9, 0, true), 0); d > 2*time.Second {
		t.Errorf("a stream with numbered events: %s", d)
	}
}
