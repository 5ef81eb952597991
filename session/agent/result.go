package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// shape makes a result fit for the model: never empty, valid UTF-8, its text
// within the limit (the whole kept by Spill).
func (t *turn) shape(c Call, r Result) Result {
	var content []Content
	size, speaks := 0, false
	for _, x := range r.Content {
		if x.Kind == ContentText && strings.TrimSpace(x.Text) == "" {
			continue
		}
		if hasModelText(x) {
			x.Text = strings.ToValidUTF8(x.Text, "\uFFFD")
			size += len(x.Text)
		}
		speaks = speaks || x.Kind != ContentDiff
		content = append(content, x)
	}
	if !speaks {
		content = append([]Content{Text(textNoOutput)}, content...)
	}
	if size > t.o.ResultLimit {
		content = t.capped(c, content)
	}
	r.Content = content
	return r
}

// capped replaces all texts of content by one that holds the beginning and the
// end of them.
func (t *turn) capped(c Call, content []Content) []Content {
	var texts []string
	var rest []Content
	for _, x := range content {
		if hasModelText(x) {
			texts = append(texts, x.Text)
		} else {
			rest = append(rest, x)
		}
	}
	whole := strings.Join(texts, "\n")
	where := "The rest was not kept."
	if t.o.Spill != nil {
		path, err := t.o.Spill(c.ID, whole)
		switch {
		case err != nil:
			t.o.Logger.Warn("keep a long tool result", "tool", c.Name, "error", err)
		default:
			where = "The whole is in " + path + "."
		}
	}
	return append([]Content{Text(headTail(whole, t.o.ResultLimit, where))}, rest...)
}

func hasModelText(x Content) bool {
	return x.Kind == ContentText || x.Kind == ContentResource && x.Text != ""
}

// headTail keeps the first four fifths and the last fifth of limit bytes of s,
// cut between characters, with a notice between them.
func headTail(s string, limit int, where string) string {
	head := cutBack(s, limit*4/5)
	tail := cutForth(s, len(s)-limit/5)
	left := len(s) - len(head) - len(tail)
	return fmt.Sprintf("%s\n\n[%d of %d bytes left out here. %s]\n\n%s", head, left, len(s), where, tail)
}

// cutBack is s[:n] without half a character at its end.
func cutBack(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

// cutForth is s[n:] without half a character at its start.
func cutForth(s string, n int) string {
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[n:]
}

// excerpt is s on one line's worth of space.
func excerpt(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(cutBack(s, n), "\uFFFD") + "..."
}

func trimSpace(b json.RawMessage) json.RawMessage { return bytes.TrimSpace(b) }
