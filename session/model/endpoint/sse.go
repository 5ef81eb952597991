package endpoint

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one event of a stream, in bytes: an endpoint that never ends a
// line must not fill the memory.
const maxEvent = 16 << 20

var errEventTooLong = errors.New("an event of the stream is larger than 16 MiB")

// events reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html):
// any line ending, comments, events without a name, data over several lines, and a
// last event that no blank line ends.
type events struct {
	r *bufio.Reader
	// data is reused from event to event.
	data []byte
}

func newEvents(r io.Reader) *events {
	return &events{r: bufio.NewReaderSize(r, 32<<10)}
}

// next returns the next event that has data, valid until the next call. At the end
// of the stream it returns io.EOF, or what else broke it.
func (e *events) next() (data []byte, err error) {
	e.data = e.data[:0]
	lines := 0
	for {
		line, err := e.line()
		if err != nil && len(line) == 0 {
			if err == io.EOF && lines > 0 {
				return e.data, nil
			}
			return nil, err
		}
		if len(line) == 0 {
			if lines > 0 {
				return e.data, nil
			}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		if string(field) != "data" { // the name of an event stands in its data, too
			continue
		}
		if lines > 0 {
			e.data = append(e.data, '\n')
		}
		lines++
		e.data = append(e.data, bytes.TrimPrefix(value, []byte(" "))...)
		if len(e.data) > maxEvent {
			return nil, errEventTooLong
		}
	}
}

// start returns the first byte that is no space, and leaves it to be read.
func (e *events) start() (byte, error) {
	for {
		b, err := e.r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, e.r.UnreadByte()
		}
	}
}

// line returns the next line without its ending: \n, \r\n, or what is left at the
// end. A lone \r ends no line: no provider sends one, and to wait for the byte
// after it would hold an event back.
func (e *events) line() ([]byte, error) {
	var long []byte
	for {
		part, err := e.r.ReadSlice('\n')
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			if long != nil {
				part = append(long, part...)
			}
			return bytes.TrimRight(part, "\r\n"), err
		}
		long = append(long, part...)
		if len(long) > maxEvent {
			return nil, errEventTooLong
		}
	}
}
