package tool

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// What read shows at most at a time.
const (
	readLines    = 2000
	readLineLen  = 2000 // bytes of one line
	readBytes    = 48 << 10
	binarySample = 8 << 10
)

type readTool struct{ w *world }

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

var readSchema = schema(`{"type":"object","properties":{"path":{"type":"string","description":"The file, absolute or relative to the session's folder."},"offset":{"type":"integer","minimum":1,"description":"The first line to read, from 1."},"limit":{"type":"integer","minimum":1,"description":"How many lines to read, 2000 at most."}},"required":["path"],"additionalProperties":false}`)

func (*readTool) Name() string    { return "read" }
func (t *readTool) Label() string { return t.w.say(textLabelRead) }
func (*readTool) Description() string {
	return "Read a text file with line numbers. Unsaved changes in the editor are included. Without offset and limit the file is read from its start, up to 2000 lines; a notice says when there is more. The line numbers and the tab behind them are not part of the file."
}
func (*readTool) Schema() json.RawMessage              { return readSchema }
func (*readTool) ConcurrencySafe(json.RawMessage) bool { return true }

func (t *readTool) PermissionRequest(args []byte) permission.Request {
	var a readArgs
	if decode(args, &a) != nil || a.Path == "" {
		return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label())
	}
	return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label(), t.w.resolve(a.Path))
}

func (t *readTool) Describe(args json.RawMessage) agent.Description {
	var a readArgs
	if decode(args, &a) != nil || a.Path == "" {
		return agent.Description{Title: t.Label()}
	}
	path := t.w.resolve(a.Path)
	title := t.w.say(textRead, t.w.show(path))
	switch {
	case a.Offset > 0 && a.Limit > 0:
		title = t.w.say(textReadLines, t.w.show(path), a.Offset, a.Offset+a.Limit-1)
	case a.Offset > 0:
		title = t.w.say(textReadFrom, t.w.show(path), a.Offset)
	}
	return agent.Description{Title: title, Locations: []agent.Location{{Path: path, Line: a.Offset}}}
}

func (t *readTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var a readArgs
	if err := decode(args, &a); err != nil {
		return agent.Result{}, err
	}
	path := t.w.resolve(a.Path)
	var src io.Reader
	if text, ok := t.w.overlay(a.Path, path); ok {
		src = strings.NewReader(text)
	} else {
		info, err := os.Stat(path)
		if err != nil {
			return agent.Result{}, t.w.pathError(path, err)
		}
		if err := t.w.regular(path, info); err != nil {
			return agent.Result{}, err
		}
		f, err := os.Open(path)
		if err != nil {
			return agent.Result{}, t.w.pathError(path, err)
		}
		defer f.Close()
		src = f
	}
	sum := sha256.New()
	page, err := readPage(ctx, io.TeeReader(src, sum), max(a.Offset, 1), a.Limit)
	var bin *binaryError
	switch {
	case errors.As(err, &bin):
		return agent.Result{}, fmt.Errorf("%s is a binary file (%s): it cannot be read as text", t.w.show(path), bin.mime)
	case ctx.Err() != nil:
		return agent.Result{}, ctx.Err()
	case err != nil:
		return agent.Result{}, t.w.pathError(path, err)
	}
	t.w.seen.noteSum(path, [sha256.Size]byte(sum.Sum(nil)))
	if page.total == 0 {
		return textResult("(the file is empty)"), nil
	}
	if page.text == "" {
		return agent.Result{}, fmt.Errorf("%s has %d lines, fewer than offset %d", t.w.show(path), page.total, a.Offset)
	}
	if page.last < page.total {
		page.text += fmt.Sprintf("(lines %d-%d of %d; read on with offset %d)\n", max(a.Offset, 1), page.last, page.total, page.last+1)
	}
	r := textResult(page.text)
	r.Locations = []agent.Location{{Path: path, Line: max(a.Offset, 1)}}
	return r, nil
}

// page is some numbered lines of a file.
type page struct {
	text        string
	last, total int // number of the last line shown, and of all
}

type binaryError struct{ mime string }

func (e *binaryError) Error() string { return "binary file" }

// readPage reads lines from offset on. It reads src to its end, for the count and
// for what the file was, but keeps no more than it shows.
func readPage(ctx context.Context, src io.Reader, offset, limit int) (page, error) {
	if limit <= 0 || limit > readLines {
		limit = readLines
	}
	br := bufio.NewReaderSize(src, binarySample)
	head, err := br.Peek(binarySample)
	if err != nil && !errors.Is(err, io.EOF) {
		return page{}, err
	}
	if isBinary(head) {
		return page{}, &binaryError{http.DetectContentType(head)}
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = br.Discard(3)
	}
	var p page
	var out strings.Builder
	full := false
	for {
		if p.total%1024 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		line, cut, err := readLine(br)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p, err
		}
		p.total++
		if p.total < offset || p.total >= offset+limit || full {
			continue
		}
		if out.Len()+len(line) > readBytes && out.Len() > 0 {
			full = true
			continue
		}
		p.last = p.total
		fmt.Fprintf(&out, "%6d\t%s", p.total, strings.ToValidUTF8(line, "\uFFFD"))
		if cut > 0 {
			fmt.Fprintf(&out, " … (%d bytes more)", cut)
		}
		out.WriteByte('\n')
	}
	p.text = out.String()
	return p, nil
}

// readLine returns a line without its end, cut to readLineLen bytes; cut is how
// many there were beyond.
func readLine(br *bufio.Reader) (line string, cut int, err error) {
	var buf []byte
	any := false
	for {
		part, err := br.ReadSlice('\n')
		any = any || len(part) > 0
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		room := readLineLen - len(buf)
		if len(part) > room {
			cut += len(part) - room
			part = part[:room]
		}
		buf = append(buf, part...)
		if ended || errors.Is(err, io.EOF) && any {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return "", 0, err
		}
	}
	if cut > 0 {
		for len(buf) > 0 && !utf8.RuneStart(buf[len(buf)-1]) {
			buf = buf[:len(buf)-1]
			cut++
		}
		if r, n := utf8.DecodeLastRune(buf); r == utf8.RuneError && n == 1 {
			buf = buf[:len(buf)-1]
			cut++
		}
	}
	return strings.TrimSuffix(string(buf), "\r"), cut, nil
}

// isBinary reports whether a file that begins with head is no text: it has a NUL,
// or much that is not UTF-8 and no 8-bit text either.
func isBinary(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	odd := 0
	for _, b := range head {
		if b < 0x20 && b != '\n' && b != '\r' && b != '\t' && b != '\f' && b != 0x1b && b != '\b' {
			odd++
		}
	}
	return odd*10 > len(head)
}
