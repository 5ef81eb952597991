package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// event is one event of a text/event-stream (HTML standard, section 9.2).
type event struct {
	name string // empty means "message"
	id   string
	data []byte
	// retry is what the server wants between two connections; 0 for nothing said.
	retry time.Duration
	// tooLarge says that data was more than one message may have and was dropped.
	tooLarge bool
}

// isMessage reports whether the event carries something of the protocol.
func (e event) isMessage() bool {
	return (e.name == "" || e.name == "message") && (len(e.data) > 0 || e.tooLarge)
}

// eventReader reads events. It takes what the SDK's own reader ends a session for:
// a field without a colon, and an event of any size.
type eventReader struct {
	in    *bufio.Reader
	begun bool
}

func newEventReader(r io.Reader) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(r, 32<<10)}
}

// next returns the next event that says anything. An event that the end of the
// stream cuts off comes too: some servers end without the empty line.
func (r *eventReader) next() (event, error) {
	var e event
	said, hasData := false, false
	for {
		line, large, err := r.line(maxLine)
		if err != nil && len(line) == 0 {
			if said && errors.Is(err, io.EOF) {
				return e, nil
			}
			return event{}, err
		}
		if !r.begun {
			r.begun = true
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if said {
				return e, nil
			}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "event":
			e.name, said = string(value), true
		case "id":
			e.id, said = string(value), true
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.retry, said = time.Duration(ms)*time.Millisecond, true
			}
		case "data":
			said = true
			switch {
			case e.tooLarge || large || len(e.data)+len(value) >= maxLine:
				e.tooLarge, e.data = true, nil
			case hasData:
				e.data = append(append(e.data, '\n'), value...)
			default:
				e.data = append([]byte(nil), value...)
			}
			hasData = true
		}
	}
}

// line returns the next line with its end. Of a line above limit only the begin is
// kept.
func (r *eventReader) line(limit int) (line []byte, large bool, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > limit {
			large = true
			if len(line) == 0 {
				line = append(line, part[:min(len(part), limit)]...)
			}
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, large, err
		}
	}
}
