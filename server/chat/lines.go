package chat

import (
	"bufio"
	"io"
	"strings"
)

// maxLine bounds one line of input, in bytes.
const maxLine = 1 << 20

// readLines delivers the lines of in, trimmed, and closes the channel at its end.
// A read that is under way when the chat is over cannot be interrupted: the
// goroutine ends with the process or with in.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		if in == nil {
			return
		}
		sc := bufio.NewScanner(in)
		sc.Buffer(nil, maxLine)
		for sc.Scan() {
			lines <- strings.TrimSpace(sc.Text())
		}
	}()
	return lines
}
