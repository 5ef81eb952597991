package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// maxLine bounds one line of a server's stdout, in bytes.
const maxLine = 16 << 20

// errUnknownAnswer ends a session whose server answered more than fits in a way
// that does not show which request it answers: that request would wait for ever.
var errUnknownAnswer = lang.Errorf(zh, textTooLong, maxLine>>20)

// lineFilter stands between a child's stdout and the SDK, for which one line that
// is no JSON-RPC message ends the session (go-sdk#1209). It passes on messages only,
// each one line, and mends what it can below the SDK's strict decoding.
type lineFilter struct {
	in *bufio.Reader
	// noise receives what was not passed on, as text for the log.
	noise func(level, text string)
	// refused is called when the server answers a message without saying which,
	// as servers do that cannot read server/discover.
	refused func()
	// notice is called with each notification, in its order among the answers, and
	// reports whether that was all that is needed. The SDK queues notifications and
	// delivers them after answers that came later; 20 000 of them keep it busy for
	// seconds.
	notice func(method string, params json.RawMessage) (done bool)
}

func newLineFilter(src io.Reader, noise func(level, text string), refused func(), notice func(string, json.RawMessage) bool) *lineFilter {
	return &lineFilter{in: bufio.NewReaderSize(src, 64<<10), noise: noise, refused: refused, notice: notice}
}

// filterStream runs src through a filter in a goroutine that ends with src, which it
// closes; ended is closed then. It reads to the end even when out is closed long
// before: the last words of a child that goes belong into its log, and a child must
// not be stopped by a full pipe while it is asked to go.
func filterStream(f *lineFilter, src io.Closer) (out io.ReadCloser, ended <-chan struct{}) {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = src.Close() }()
		for {
			line, err := f.line()
			if err != nil {
				_ = w.CloseWithError(err)
				if errors.Is(err, io.EOF) {
					return
				}
				continue
			}
			if msg := f.message(line); msg != nil {
				_, _ = w.Write(append(msg, '\n')) // an error when nobody reads any more
			}
		}
	}()
	return r, done
}

// line returns the next line without its end. A line above the bound comes back as
// the failed answer it stands for.
func (f *lineFilter) line() ([]byte, error) {
	var buf []byte
	for {
		part, err := f.in.ReadSlice('\n')
		if len(buf)+len(part) > maxLine+1 {
			return f.oversized(append(buf, part...), err)
		}
		buf = append(buf, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(buf, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(bytes.TrimSpace(buf)) > 0:
			return buf, nil // the last line, without its newline
		default:
			return nil, io.EOF // a deadline or a closed pipe is an end like any other
		}
	}
}

var (
	headID = regexp.MustCompile(`^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,18})\s*,`)
	tailID = regexp.MustCompile(`,\s*"id"\s*:\s*(\d{1,18})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// oversized skips the rest of a line that began with head and makes of it a failed
// answer to the same request. Servers write the id first or last; both places are
// at the outermost level for certain, so nothing inside the result is mistaken.
func (f *lineFilter) oversized(head []byte, err error) ([]byte, error) {
	const edge = 256
	size := len(head)
	end := append([]byte(nil), head[max(0, len(head)-edge):]...)
	head = append([]byte(nil), head[:edge]...)
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = f.in.ReadSlice('\n')
		size += len(part)
		end = append(end, part...)
		end = append([]byte(nil), end[max(0, len(end)-edge):]...)
	}
	id := answerID(head)
	if id == nil {
		id = answerID(end)
	}
	f.noise("error", fmt.Sprintf("a message of %d bytes was dropped: %d MiB is the most one message may have", size, maxLine>>20))
	if id == nil {
		return nil, errUnknownAnswer
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"the answer has %d bytes, more than the %d MiB one message may have"}}`, id, size, maxLine>>20), nil
}

// message returns the message in line as the SDK can read it; nil when there is none.
func (f *lineFilter) message(line []byte) []byte {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	if len(trimmed) == 0 {
		return nil
	}
	var env struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if trimmed[0] == '{' && nesting(trimmed) > maxNesting {
		if flat, ok := f.flattened(trimmed); ok {
			trimmed = flat
		} else {
			return f.unreadable(trimmed, answerID(trimmed), fmt.Sprintf("nested deeper than %d levels", maxNesting))
		}
	}
	if trimmed[0] != '{' || json.Unmarshal(trimmed, &env) != nil || env.Version != "2.0" {
		f.noise("info", string(trimmed[:min(len(trimmed), maxLogText)]))
		return nil
	}
	if env.Method != nil && len(env.ID) == 0 && f.notice(*env.Method, env.Params) {
		return nil
	}
	if env.Method == nil {
		if len(env.ID) == 0 || string(env.ID) == "null" {
			f.noise("warning", "an answer without an id: "+string(trimmed[:min(len(trimmed), maxLogText)]))
			if env.Error != nil {
				f.refused()
			}
			return nil
		}
		trimmed = f.mend(trimmed, env.ID, env.Result)
	}
	// What the SDK cannot decode would end the session; the log is a better place.
	if _, err := jsonrpc.DecodeMessage(trimmed); err != nil {
		var id json.RawMessage
		if env.Method == nil {
			id = env.ID
		}
		return f.unreadable(trimmed, id, err.Error())
	}
	return trimmed
}

// unreadable is what becomes of a message that the SDK cannot read: a failed answer where
// it is one, so that nobody waits for it, else a line of the log.
func (f *lineFilter) unreadable(msg []byte, id json.RawMessage, why string) []byte {
	f.noise("warning", fmt.Sprintf("not a message: %s: %s", why, msg[:min(len(msg), maxLogText)]))
	if len(id) == 0 || id[0] != '"' && (id[0] < '0' || id[0] > '9') {
		return nil
	}
	text, err := json.Marshal("the answer cannot be read: " + why)
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, id, text)
}

// answerID is the id of an answer that is not decoded; nil where it does not show.
func answerID(msg []byte) json.RawMessage {
	if id := headID.FindSubmatch(msg); id != nil {
		return id[1]
	}
	if id := tailID.FindSubmatch(msg); id != nil {
		return id[1]
	}
	return nil
}

// mend rewrites an answer where servers are known to be careless: an id of ours
// that came back as a string, and the list of tools.
func (f *lineFilter) mend(msg []byte, id, result json.RawMessage) []byte {
	var number int64
	var text string
	asText := json.Unmarshal(id, &text) == nil
	if asText {
		n, err := strconv.ParseInt(text, 10, 64)
		asText = err == nil
		number = n
	}
	repaired, fresh := uncache(result)
	repaired, dropped, changed := repairToolList(repaired)
	changed = changed || fresh
	for _, d := range dropped {
		f.noise("warning", d)
	}
	if !asText && !changed {
		return msg
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(msg, &whole) != nil {
		return msg
	}
	if asText {
		whole["id"] = strconv.AppendInt(nil, number, 10)
	}
	if changed {
		whole["result"] = repaired
	}
	out, err := json.Marshal(whole)
	if err != nil {
		return msg
	}
	return out
}
