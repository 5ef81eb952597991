package tool

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// How much of a command's output is kept, in bytes: its beginning and its end.
// The loop shows the model less and keeps the whole of this in a file.
const (
	outputHead = 256 << 10
	outputTail = 768 << 10
	// Of a job, of which there are several at a time, less.
	jobHead = 64 << 10
	jobTail = 192 << 10
)

// output collects what a command writes, in bounded memory. It is safe for
// concurrent use.
type output struct {
	mu         sync.Mutex
	head, tail []byte
	total      int64
	limitHead  int
	limitTail  int
}

func newOutput() *output { return &output{limitHead: outputHead, limitTail: outputTail} }

func newJobOutput() *output { return &output{limitHead: jobHead, limitTail: jobTail} }

// Write never fails.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	o.total += int64(n)
	if room := o.limitHead - len(o.head); room > 0 {
		k := min(room, len(p))
		o.head, p = append(o.head, p[:k]...), p[k:]
	}
	o.tail = append(o.tail, p...)
	// Cut when it has doubled, so that each byte is moved once.
	if len(o.tail) > 2*o.limitTail {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-o.limitTail:]...)
	}
	return n, nil
}

func (o *output) size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total
}

// text is what was kept, with a notice where something was left out.
func (o *output) text() string {
	o.mu.Lock()
	head, tail := string(o.head), o.tail
	if len(tail) > o.limitTail {
		tail = tail[len(tail)-o.limitTail:]
	}
	left := o.total - int64(len(head)) - int64(len(tail))
	s := string(tail)
	o.mu.Unlock()
	if left == 0 {
		return terminalText(head + s)
	}
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
		left++
	}
	return terminalText(head) + fmt.Sprintf("\n[%d bytes left out]\n", left) + terminalText(s)
}

// since is what was written from a place on, as far as it was kept, and the place of its
// end. A character that has come only in part waits for the next time, unless it is the
// last.
func (o *output) since(from int64, last bool) (text string, end int64) {
	o.mu.Lock()
	head, tail := "", o.tail
	if len(tail) > o.limitTail {
		tail = tail[len(tail)-o.limitTail:]
	}
	if from < int64(len(o.head)) {
		head = string(o.head[from:])
		from = int64(len(o.head))
	}
	left := max(o.total-int64(len(tail))-from, 0)
	text, end = string(tail[len(tail)-int(o.total-from-left):]), o.total
	o.mu.Unlock()
	if left == 0 {
		text = head + text
	}
	if !last {
		half := halfRune(text)
		text, end = text[:len(text)-half], end-int64(half)
	}
	if left == 0 {
		return terminalText(text), end
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
		left++
	}
	return terminalText(head) + fmt.Sprintf("\n[%d bytes left out]\n", left) + terminalText(text), end
}

// halfRune is how many bytes at the end of s begin a character that is not whole.
func halfRune(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if at := s[len(s)-n:]; utf8.RuneStart(at[0]) {
			if !utf8.FullRuneInString(at) {
				return n
			}
			return 0
		}
	}
	return 0
}

// progressTail is how much of the end of running output a person is shown.
const progressTail = 4 << 10

func (o *output) last() string {
	o.mu.Lock()
	b := o.tail
	if len(b) < progressTail {
		b = append(append([]byte{}, o.head...), b...)
	}
	s := string(b[max(0, len(b)-progressTail):])
	o.mu.Unlock()
	if i := strings.IndexByte(s, '\n'); len(s) == progressTail && i >= 0 && i < 200 {
		s = s[i+1:]
	}
	return terminalText(s)
}
