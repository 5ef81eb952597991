package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// legacy serves the transport of 2024-11-05: one GET that brings all messages.
func (l *httpLink) legacy(req *http.Request) (*http.Response, error) {
	res, err := l.exchange(req)
	if err != nil || req.Method != http.MethodGet || res.StatusCode >= 300 {
		return res, err
	}
	if mediaType(res.Header) != "text/event-stream" {
		_ = res.Body.Close()
		return nil, pageFault(res)
	}
	res.Body = &legacyStream{link: l, body: res.Body, events: newEventReader(res.Body)}
	res.ContentLength = -1
	return res, nil
}

// legacyStream mends the messages of the stream of 2024-11-05 and passes on all its
// events.
type legacyStream struct {
	link   *httpLink
	body   io.ReadCloser
	events *eventReader
	out    bytes.Buffer
}

func (s *legacyStream) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		e, err := s.events.next()
		if err != nil {
			return 0, err
		}
		switch {
		case e.tooLarge:
			return 0, lang.Errorf(zh, textTooLarge, maxLine>>20)
		case e.name == "endpoint":
			fmt.Fprintf(&s.out, "event: endpoint\ndata: %s\n\n", CleanLine(string(e.data)))
		case e.isMessage():
			var line bytes.Buffer
			if msg := s.link.filter.message(e.data); msg != nil && json.Compact(&line, msg) == nil {
				fmt.Fprintf(&s.out, "data: %s\n\n", line.Bytes())
			}
		}
	}
	return s.out.Read(p)
}

func (s *legacyStream) Close() error { return s.body.Close() }
