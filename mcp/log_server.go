package mcp

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/codebot-ls/codebot-ls/session/secret"
)

// serverLog is the log of one server, across its restarts: everything that goes in
// is cleaned, redacted and cut here and nowhere else.
type serverLog struct {
	name   string
	ring   logRing
	redact atomic.Pointer[secret.Redactor] // of the newest attempt; nil before the first
	onLog  func(name string, entries []LogEntry)
}

func (l *serverLog) add(level string, source LogSource, texts ...string) {
	now := time.Now()
	entries := make([]LogEntry, 0, len(texts))
	for _, t := range texts {
		if t = strings.TrimRight(l.clean(t), "\n\t "); t == "" {
			continue
		}
		entries = append(entries, LogEntry{Time: now, Level: level, Source: source, Text: cut(t, maxLogText)})
	}
	if len(entries) == 0 {
		return
	}
	l.ring.add(entries...)
	if l.onLog != nil {
		l.onLog(l.name, entries)
	}
}

// clean makes text fit for a person: valid, visible, without secrets.
func (l *serverLog) clean(text string) string {
	text = Clean(strings.ToValidUTF8(text, "\ufffd"))
	if r := l.redact.Load(); r != nil {
		text = r.Text(text)
	}
	return text
}

// cut shortens s to at most n bytes, at a rune's border, and says so.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(n-len(textCut), 0)], "") + textCut
}
