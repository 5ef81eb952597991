package secret

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// Live is a redactor that learns: of the keys and headers that stand in settings files,
// as soon as they are read. What it has learned it keeps, for a log may tell of what was
// there before. The zero value knows no value; it is safe for concurrent use.
type Live struct {
	now atomic.Pointer[Redactor]

	mu     sync.Mutex
	values []string // guarded by mu, sorted
}

// Learn adds values. Those that are too short to be secrets are left out.
func (l *Live) Learn(values ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	learned := false
	for _, v := range values {
		if at, known := slices.BinarySearch(l.values, v); !known && len(v) >= MinLength {
			l.values = slices.Insert(l.values, at, v)
			learned = true
		}
	}
	if learned {
		r := New(l.values...)
		l.now.Store(&r)
	}
}

// LearnEnviron adds the values of those variables of environ that sound like secrets.
func (l *Live) LearnEnviron(environ []string) { l.Learn(secretsOf(environ)...) }

// Redactor is what is known by now.
func (l *Live) Redactor() Redactor {
	if r := l.now.Load(); r != nil {
		return *r
	}
	return Redactor{}
}

// Text returns s without the values.
func (l *Live) Text(s string) string { return l.Redactor().Text(s) }

// JSON is Redactor.JSON with what is known by now.
func (l *Live) JSON(b []byte) []byte { return l.Redactor().JSON(b) }

// Writer is Redactor.Writer with what is known at each write.
func (l *Live) Writer(w io.Writer) io.Writer { return liveWriter{l, w} }

type liveWriter struct {
	l *Live
	w io.Writer
}

func (w liveWriter) Write(p []byte) (int, error) { return w.l.Redactor().Writer(w.w).Write(p) }
