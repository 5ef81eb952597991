package mcp

import (
	"sync"
	"time"
)

// LogSource says where a line of a server's log came from.
type LogSource string

// The sources of a server's log.
const (
	LogStderr LogSource = "stderr" // the child wrote it to stderr
	LogStdout LogSource = "stdout" // the child wrote it to stdout, where only the protocol belongs
	LogServer LogSource = "server" // a notifications/message of the server
	LogClient LogSource = "client" // our own remark about the server
)

// LogEntry is one line of a server's log, free of secrets and control characters.
type LogEntry struct {
	Time   time.Time
	Level  string // "debug", "info", "warning", "error", ... as MCP names them
	Source LogSource
	Text   string
}

const (
	// logCapacity is how many lines of a server are kept.
	logCapacity = 1000
	// maxLogText bounds one line, in bytes: a server that dumps an object must not
	// push everything else out of a person's view.
	maxLogText = 4096
)

// logRing keeps the last lines of one server across its restarts.
type logRing struct {
	mu      sync.Mutex
	entries []LogEntry // guarded by mu; a ring once it is full
	next    int        // guarded by mu; where the oldest entry is when full
}

func (r *logRing) add(entries ...LogEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range entries {
		if len(r.entries) < logCapacity {
			r.entries = append(r.entries, e)
			continue
		}
		r.entries[r.next] = e
		r.next = (r.next + 1) % logCapacity
	}
}

// last returns the newest limit entries, oldest first; all that are kept when
// limit is not positive.
func (r *logRing) last(limit int) []LogEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.entries)
	if limit <= 0 || limit > n {
		limit = n
	}
	out := make([]LogEntry, 0, limit)
	for i := n - limit; i < n; i++ {
		out = append(out, r.entries[(r.next+i)%n])
	}
	return out
}
