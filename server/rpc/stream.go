package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// MaxFrame is the size of the largest message body that is read, in bytes. A
// larger one is refused as soon as its header is read.
const MaxFrame = 64 << 20

// maxHeaderLine bounds a line of the header block; what is longer is not a header.
const maxHeaderLine = 8 << 10

// Tap sees every message that passes a stream: body is valid until it returns.
type Tap func(outgoing bool, body []byte)

// Stream is a [jsonrpc2.Stream] with LSP framing that outlives what a peer may do
// wrong: a body that is no JSON is answered with -32700, one that is no JSON-RPC
// message or too large with -32600, both with id null, and reading goes on.
// Only the end of the input ends it.
//
// Its pump goroutine reads ahead of the connection by one message. It ends with
// the input, or with Close; on an input whose Read cannot be interrupted (the
// process's stdin) Close does not wait for it.
type Stream struct {
	in     *bufio.Reader
	out    io.Writer
	tap    Tap
	frames chan frame
	closed chan struct{}
	close  sync.Once
	// ended is closed when the end of the input was handed out.
	ended chan struct{}
	end   sync.Once

	writeMu sync.Mutex
	wbuf    []byte // guarded by writeMu

	afterMu sync.Mutex
	after   map[jsonrpc2.ID]func() // guarded by afterMu
}

type frame struct {
	msg  jsonrpc2.Message
	size int64
	err  error
}

// NewStream starts reading from in. tap may be nil.
func NewStream(in io.Reader, out io.Writer, tap Tap) *Stream {
	if tap == nil {
		tap = func(bool, []byte) {}
	}
	s := &Stream{
		in: bufio.NewReaderSize(in, 64<<10), out: out, tap: tap,
		frames: make(chan frame), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	go s.pump()
	return s
}

// Read implements [jsonrpc2.Stream].
func (s *Stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	select {
	case f := <-s.frames:
		if f.err != nil {
			s.end.Do(func() { close(s.ended) })
		}
		return f.msg, f.size, f.err
	case <-s.closed:
		return nil, 0, io.EOF
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

// Ended is closed when all of the input has been read and its end is known: the
// connection itself is done only when its handlers are.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// Write implements [jsonrpc2.Stream].
func (s *Stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(msg)
	if err != nil {
		return 0, err
	}
	n, err := s.writeBody(body)
	s.answered(body)
	return n, err
}

// answered does what was to be done after the answer that body is. Messages of the
// connection's own come as types of its own: only their text tells an answer.
func (s *Stream) answered(body []byte) {
	s.afterMu.Lock()
	waiting := len(s.after) > 0
	s.afterMu.Unlock()
	if !waiting {
		return
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	response, ok := msg.(*jsonrpc2.Response)
	if err != nil || !ok {
		return
	}
	s.afterMu.Lock()
	then := s.after[response.ID()]
	delete(s.after, response.ID())
	s.afterMu.Unlock()
	if then != nil {
		then()
	}
}

// After calls then, which must not block, once the answer to a request has been
// written: what is said from then on comes behind it.
func (s *Stream) After(id jsonrpc2.ID, then func()) {
	s.afterMu.Lock()
	defer s.afterMu.Unlock()
	if s.after == nil {
		s.after = map[jsonrpc2.ID]func(){}
	}
	s.after[id] = then
}

// Close implements [jsonrpc2.Stream]. It does not close the underlying reader or
// writer.
func (s *Stream) Close() error {
	s.close.Do(func() { close(s.closed) })
	return nil
}

func (s *Stream) writeBody(body []byte) (int64, error) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	s.tap(true, body)
	// One Write per message: a peer must never see half a frame between two.
	s.wbuf = append(s.wbuf[:0], "Content-Length: "...)
	s.wbuf = strconv.AppendInt(s.wbuf, int64(len(body)), 10)
	s.wbuf = append(s.wbuf, "\r\n\r\n"...)
	s.wbuf = append(s.wbuf, body...)
	n, err := s.out.Write(s.wbuf)
	if cap(s.wbuf) > 1<<20 {
		s.wbuf = nil
	}
	return int64(n), err
}

// refuse answers a message whose id could not be known.
func (s *Stream) refuse(code jsonrpc2.Code, text string) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil { // invalid UTF-8 of the peer's own making, quoted as U+FFFD
		quoted, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	}
	// A failed write is seen by the next Write of the connection.
	_, _ = s.writeBody(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`, code, quoted))
}

func (s *Stream) pump() {
	for {
		body, err := s.readBody()
		var f frame
		switch {
		case err != nil:
			f.err = err
		case !jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
			s.refuse(jsonrpc2.ParseError, "the message body is not valid JSON")
			continue
		default:
			s.tap(false, body)
			f.msg, f.err = decode(body)
			if f.err != nil {
				s.refuse(jsonrpc2.InvalidRequest, f.err.Error())
				continue
			}
			f.size = int64(len(body))
		}
		select {
		case s.frames <- f:
		case <-s.closed:
			return
		}
		if f.err != nil {
			return
		}
	}
}

func decode(body []byte) (jsonrpc2.Message, error) {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		// LSP has no batches.
		return nil, errors.New("a message is one JSON-RPC 2.0 object")
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return nil, fmt.Errorf("not a JSON-RPC 2.0 message: %w", err)
	}
	return msg, nil
}

// readBody returns the body of the next frame that is worth reading; it answers
// for the others. Its error is the end of the input.
func (s *Stream) readBody() ([]byte, error) {
	for {
		length, err := s.readHeader()
		if err != nil {
			return nil, err
		}
		switch {
		case length == 0:
			s.refuse(jsonrpc2.InvalidRequest, "Content-Length is 0: a message has a body")
		case length > MaxFrame:
			s.refuse(jsonrpc2.InvalidRequest, fmt.Sprintf("Content-Length %d is over the limit of %d bytes", length, MaxFrame))
			if _, err := io.CopyN(io.Discard, s.in, length); err != nil {
				return nil, unexpected(err)
			}
		default:
			// Grown as bytes arrive: a header alone allocates nothing.
			var body bytes.Buffer
			if _, err := io.CopyN(&body, s.in, length); err != nil {
				return nil, unexpected(err)
			}
			return body.Bytes(), nil
		}
	}
}

// readHeader reads header lines up to the blank one and returns Content-Length.
// Lines that are no header (a byte order mark, stray line ends, noise) are passed
// over, so that the next good header is found again.
func (s *Stream) readHeader() (int64, error) {
	length, seen, begun := int64(-1), false, false
	for {
		line, err := s.readLine()
		if err != nil {
			if begun {
				return 0, unexpected(err)
			}
			return 0, err
		}
		if line == "" {
			if seen {
				return length, nil
			}
			if begun {
				s.refuse(jsonrpc2.InvalidRequest, "the message header has no usable Content-Length")
				begun = false
			}
			continue
		}
		begun = true
		name, value, ok := strings.Cut(line, ":")
		if !ok || !strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(name, "\uFEFF")), "Content-Length") {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < 0 {
			seen = false
			continue
		}
		length, seen = n, true
	}
}

// readLine returns the next line without its end; an overlong one is cut.
func (s *Stream) readLine() (string, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if room := maxHeaderLine - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		switch {
		case err == nil:
			return strings.TrimRight(string(line), "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0 && errors.Is(err, io.EOF):
			return "", io.ErrUnexpectedEOF
		default:
			return "", err
		}
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
