package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// overHTTP is the server of -http: streamable HTTP at a port of 127.0.0.1 that it says on
// stdout, with plain JSON for answers. Its faults, each by -fault:
//
//	forget           the first call of a tool finds its session forgotten (404)
//	forget-always    each call does
//	get-hangs        the event stream never sends its headers
//	get-closes       the event stream ends at once
//	get-pings        it ends after an event that is no message
//	get-status=N     it is refused so
//	login            every request wants a login (401)
//	login-challenge  the same, with a WWW-Authenticate
//	page             every answer is a web page
//
// Its tools: look (reads), counts (how many handshakes, streams, calls and requests it saw).
type overHTTP struct {
	faults map[string]string

	mu                            sync.Mutex // guards what follows
	session                       int
	inits, streams, calls, others int
}

// serveHTTP serves until its stdin ends.
func serveHTTP(faults map[string]string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: &overHTTP{faults: faults}}
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	_ = server.Serve(listener)
}

func (s *overHTTP) has(fault string) bool { _, ok := s.faults[fault]; return ok }

func (s *overHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others++
	switch {
	case s.has("page"):
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><title>Welcome</title></html>")
	case s.has("login"), s.has("login-challenge"):
		if s.has("login-challenge") {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="it has ended"`)
		}
		http.Error(w, "no", http.StatusUnauthorized)
	case r.Method == http.MethodGet:
		s.stream(w, r)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusOK)
	default:
		s.post(w, r)
	}
}

// stream is the standing event stream. s.mu is held.
func (s *overHTTP) stream(w http.ResponseWriter, r *http.Request) {
	s.streams++
	switch status, _ := strconv.Atoi(s.faults["get-status"]); {
	case status > 0:
		http.Error(w, "no stream here", status)
	case s.has("get-hangs"):
		s.mu.Unlock()
		<-r.Context().Done() // the fault itself
		s.mu.Lock()
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		if s.has("get-pings") {
			_, _ = io.WriteString(w, "event: ping\ndata:\n\n")
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		if !s.has("get-closes") && !s.has("get-pings") {
			s.mu.Unlock()
			<-r.Context().Done()
			s.mu.Lock()
		}
	}
}

// post answers a message. s.mu is held.
func (s *overHTTP) post(w http.ResponseWriter, r *http.Request) {
	var m message
	if json.NewDecoder(r.Body).Decode(&m) != nil {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	session := strconv.Itoa(s.session)
	answer := func(result string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}
	switch {
	case m.Method == "initialize":
		s.inits++
		s.session++
		w.Header().Set("Mcp-Session-Id", strconv.Itoa(s.session))
		answer(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"faulty","version":"1"}}`)
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "server/discover":
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID)
	case r.Header.Get("Mcp-Session-Id") != session:
		http.Error(w, "session not found", http.StatusNotFound)
	case m.Method == "tools/list":
		answer(`{"tools":[{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},{"name":"counts","inputSchema":{"type":"object"}}]}`)
	case m.Method == "tools/call" && strings.Contains(string(m.Params), `"counts"`):
		answer(fmt.Sprintf(`{"content":[{"type":"text","text":"%d %d %d %d"}]}`, s.inits, s.streams, s.calls, s.others))
	case m.Method == "tools/call":
		s.calls++
		if s.has("forget-always") || s.has("forget") && s.calls == 1 {
			s.session++ // as after a restart
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		answer(`{"content":[{"type":"text","text":"seen"}]}`)
	default:
		answer(`{}`)
	}
}
