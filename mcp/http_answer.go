package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// lostAnswer stands for the answer to a call that did not come.
func lostAnswer(call json.RawMessage, text string) []byte {
	quoted, _ := json.Marshal(text)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, call, codeLost, quoted)
}

// answers reports whether msg is the answer to call.
func answers(msg []byte, call json.RawMessage) bool {
	var env struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
	}
	return json.Unmarshal(msg, &env) == nil && env.Method == nil && bytes.Equal(env.ID, call)
}

// jsonBody reads the whole answer to a call, mended. What is no answer becomes a
// failed one: the SDK would end the session over it, or wait for ever.
func (l *httpLink) jsonBody(asked context.Context, body io.ReadCloser, call json.RawMessage) io.ReadCloser {
	f := l.newFeed(asked)
	f.end = func() { _ = body.Close() }
	read := false
	f.fill = func() error {
		if read {
			return io.EOF
		}
		read = true
		data, err := io.ReadAll(io.LimitReader(body, maxLine+1))
		switch {
		case err != nil && asked.Err() == nil:
			l.check()
			f.out.Write(lostAnswer(call, textAnswerCut))
		case err != nil:
			f.out.Write(lostAnswer(call, asked.Err().Error())) // nobody waits for it
		case len(data) > maxLine:
			f.out.Write(lostAnswer(call, fmt.Sprintf(textTooLarge, maxLine>>20)))
		default:
			f.out.Write(l.jsonAnswer(data, call))
		}
		return nil
	}
	return f
}

// jsonAnswer finds the answer to call in a body, which may be a batch (MCP
// 2025-03-26).
func (l *httpLink) jsonAnswer(data []byte, call json.RawMessage) []byte {
	batch := []json.RawMessage{data}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		batch = nil
		_ = json.Unmarshal(trimmed, &batch)
	}
	for _, raw := range batch {
		if msg := l.filter.message(raw); msg != nil && answers(msg, call) {
			return msg
		}
	}
	return lostAnswer(call, textNotAnAnswer)
}

// callStream is the answer to one call as a stream. When it is cut it is resumed
// after the last event, if the server numbered its events (MCP 2025-11-25,
// "Resumability and Redelivery"); else the call has failed.
func (l *httpLink) callStream(req *http.Request, res *http.Response, call json.RawMessage) io.ReadCloser {
	f := l.newFeed(req.Context())
	src := newSource(res, "")
	f.end = func() { _ = src.body.Close() }
	answered := false
	tries := 0
	give := func(text string) {
		answered = true
		f.put(lostAnswer(call, text))
	}
	f.fill = func() error {
		for f.out.Len() == 0 {
			if answered {
				src.finish()
				return io.EOF
			}
			before := src.lastID
			msg, large, err := src.next(l.filter)
			if src.lastID != before {
				tries = 0
			}
			switch {
			case large:
				l.note("error", fmt.Sprintf(textTooLarge, maxLine>>20))
				give(fmt.Sprintf(textTooLarge, maxLine>>20))
			case msg != nil:
				answered = answers(msg, call)
				f.put(msg)
			case err == nil:
			case req.Context().Err() != nil:
				return req.Context().Err()
			case f.ctx.Err() != nil:
				give(textLinkClosed)
			default:
				_ = src.body.Close()
				if src.lastID == "" || tries >= resumeTries {
					l.check()
					give(textAnswerCut)
					break
				}
				tries++
				if next := l.resume(f.ctx, req, src, tries); next != nil {
					src = next
				}
			}
		}
		return nil
	}
	return f
}

// resume opens the stream of a call again; nil when that did not work this time.
func (l *httpLink) resume(ctx context.Context, req *http.Request, src *source, try int) *source {
	if pause(ctx, jitter(streamDelay(try, src.retry))) != nil {
		return nil
	}
	again := req.Clone(ctx)
	again.Method, again.Body, again.GetBody, again.ContentLength = http.MethodGet, nil, nil, 0
	again.Header.Del("Content-Type")
	again.Header.Set("Accept", "text/event-stream")
	again.Header.Set("Last-Event-ID", src.lastID)
	res, err := l.exchange(again)
	if err != nil {
		return nil
	}
	if res.StatusCode >= 300 || mediaType(res.Header) != "text/event-stream" {
		_ = res.Body.Close()
		return nil
	}
	next := newSource(res, src.lastID)
	next.retry = src.retry
	return next
}
