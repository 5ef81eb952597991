package model

import (
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Bounds of the planner's summary: sections, and characters of each.
const (
	summarySections = 60
	summaryLine     = 300
)

// summaryOf answers a request for a summary. The planner understands nothing of the
// conversation, so it takes down what the user said and what was called, the last of
// it, a line each. It reports false for any other request.
func summaryOf(req *agent.Request) (string, bool) {
	if len(req.System) != 1 || req.System[0].Key != agent.KeySummary {
		return "", false
	}
	var lines []string
	take := false
	for line := range strings.Lines(readTurn(req).prompt) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line == "## User", strings.HasPrefix(line, "## Call of "):
			lines = append(lines, "- "+strings.TrimPrefix(line, "## ")+":")
			take = true
		case strings.HasPrefix(line, "## "):
			take = false
		case take:
			last := &lines[len(lines)-1]
			if r := []rune(*last + " " + line); len(r) <= summaryLine {
				*last = string(r)
			} else {
				*last = string(r[:summaryLine]) + "…"
				take = false
			}
		}
	}
	if n := len(lines) - summarySections; n > 0 {
		lines = lines[n:]
	}
	l := &english
	if isChinese(normalise(strings.Join(lines, "\n")), req.Locale) {
		l = &chinese
	}
	return join(l.intro, strings.Join(lines, "\n")), true
}
