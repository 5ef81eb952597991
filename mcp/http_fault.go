package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// faultKind says what a failed HTTP exchange means for the session it belongs to.
type faultKind int

const (
	// faultAnswer: this one exchange failed; the session goes on.
	faultAnswer faultKind = iota
	// faultUnreachable: nobody is there to talk to.
	faultUnreachable
	// faultDropped: the connection ended before the answer; the request may have
	// been carried out.
	faultDropped
	// faultSession: the server does not know the session, so did nothing.
	faultSession
	// faultUnsent: the link was closed before anything was sent.
	faultUnsent
	// faultUnauthorized: the server wants a login, or another one.
	faultUnauthorized
	// faultScope: the login is good for other things than this; the session goes on.
	faultScope
)

// httpFault is a failed HTTP exchange. The transport returns it as an error, which
// costs the SDK's session nothing: what becomes of the session is decided by the
// connection, not by the SDK.
type httpFault struct {
	kind   faultKind
	status int // 0 when there was no answer
	// text says what happened, without the server's name.
	text lang.Message
	// hint is what a person can do, in English; empty for nothing in particular.
	hint string
	// after is how long the server wants to be left alone; 0 for nothing said.
	after time.Duration
	// transient says that the same may work a little later.
	transient bool
	err       error
}

func (f *httpFault) Error() string { return f.text.String() }

// In is the text in a language.
func (f *httpFault) In(l lang.Lang) string { return f.text.In(l) }

func (f *httpFault) Unwrap() error { return f.err }

// sendFault describes a request that got no answer.
func sendFault(err error) *httpFault {
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		return &httpFault{kind: faultUnreachable, text: lang.Plain(err.Error()), transient: true, err: err}
	}
	if lost(err) {
		return &httpFault{kind: faultDropped, text: lang.Messagef(zh, textDropped, err), transient: true, err: err}
	}
	return &httpFault{kind: faultAnswer, text: lang.Plain(err.Error()), err: err}
}

// lost reports whether an error is the end of a connection rather than something
// said over it.
func lost(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "server closed idle connection") || strings.Contains(err.Error(), "http2:") || strings.HasPrefix(err.Error(), "stream error:")
}

const (
	// maxFaultBody bounds what is read of an answer that is none.
	maxFaultBody = 256 << 10
	// maxFaultText bounds what of it is shown.
	maxFaultText = 300
)

// answerFault describes an answer that is no success; nil when the SDK makes more
// of its body than we could: a JSON-RPC error is an answer to the call.
func answerFault(req *http.Request, res *http.Response, body []byte, authorized bool) *httpFault {
	rpc, message := rpcError(body), ""
	if rpc != nil {
		message = cut(CleanLine(rpc.Message), maxFaultText)
	}
	f := &httpFault{status: res.StatusCode, after: retryAfter(res.Header.Get("Retry-After"), time.Now())}
	what := "HTTP " + strings.TrimSpace(strconv.Itoa(res.StatusCode)+" "+http.StatusText(res.StatusCode))
	switch {
	case message != "":
		f.text = lang.Plain(what + ": " + message)
	case isText(res.Header) && len(body) > 0:
		f.text = lang.Plain(what + ": " + cut(CleanLine(string(body)), maxFaultText))
	default:
		f.text = lang.Plain(what)
	}
	session := req.Header.Get("Mcp-Session-Id") != ""
	switch res.StatusCode {
	case http.StatusUnauthorized:
		f.kind, f.hint, f.text = faultUnauthorized, textNeedsAuthHint, lang.Messagef(zh, textWantsLogin)
		if authorized {
			f.hint, f.text = textTokenRefusedHint, lang.Messagef(zh, textTokenRefused)
		}
		if why := challengeText(res.Header); why != "" {
			f.text = lang.Messagef(zh, textHTTPFailed, f.text, why)
		}
		return f
	case http.StatusForbidden:
		if no := challengeOf(res); no.scopeWanted() {
			f.kind, f.hint, f.text = faultScope, textScopeHint, lang.Messagef(zh, textScope, CleanLine(strings.Join(no.scopes(), " ")))
			if authorized {
				f.hint = textTokenRefusedHint
			}
			return f
		}
		f.text, f.hint = lang.Messagef(zh, textForbidden, f.text), textForbiddenHint
	case http.StatusNotFound:
		// MCP 2025-11-25, "Session Management", 3: the session is gone.
		if session && (rpc == nil || rpc.Code != jsonrpc.CodeMethodNotFound) {
			f.kind = faultSession
			return f
		}
		f.hint = textNotFoundHint
	case http.StatusBadRequest:
		// Servers built after the SDKs' examples say it so.
		if session && strings.Contains(strings.ToLower(message), "session") {
			f.kind = faultSession
			return f
		}
	case http.StatusMethodNotAllowed:
		f.hint = textNotAllowedHint
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		f.transient = true
		return f
	case http.StatusInternalServerError:
		return f
	}
	if decodable(body) {
		return nil
	}
	return f
}

// pageFault describes a success that is no answer to a call.
func pageFault(res *http.Response) *httpFault {
	f := &httpFault{status: res.StatusCode}
	switch kind := mediaType(res.Header); {
	case kind == "text/html" || kind == "application/xhtml+xml":
		f.text, f.hint = lang.Messagef(zh, textWebPage), textWebPageHint
	case kind == "":
		f.text = lang.Messagef(zh, textNoAnswer, res.StatusCode)
	default:
		f.text, f.hint = lang.Messagef(zh, textOtherType, CleanLine(kind)), textWebPageHint
	}
	return f
}

// rpcError returns the JSON-RPC error in a body; nil when there is none. It takes one
// without an id too: who cannot read a request cannot know its id.
func rpcError(body []byte) *jsonrpc.Error {
	var answer struct {
		Version string         `json:"jsonrpc"`
		Error   *jsonrpc.Error `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Version != "2.0" {
		return nil
	}
	return answer.Error
}

// decodable reports whether the SDK can read a body as an answer that is an error.
func decodable(body []byte) bool {
	msg, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return false
	}
	answer, ok := msg.(*jsonrpc.Response)
	return ok && answer.Error != nil
}

func mediaType(h http.Header) string {
	value := h.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(value)
	if err != nil {
		kind, _, _ = strings.Cut(value, ";")
	}
	return strings.ToLower(strings.TrimSpace(kind))
}

// isText reports whether a body can be shown to a person as it is.
func isText(h http.Header) bool {
	kind := mediaType(h)
	return kind == "text/plain" || kind == "application/json" || kind == "application/problem+json"
}

var challengeDescription = regexp.MustCompile(`error_description="([^"]{1,300})"`)

// challengeText returns the server's own words of a WWW-Authenticate header (RFC
// 6750, section 3).
func challengeText(h http.Header) string {
	for _, value := range h.Values("WWW-Authenticate") {
		if m := challengeDescription.FindStringSubmatch(value); m != nil {
			return CleanLine(m[1])
		}
	}
	return ""
}

// maxRetryAfter bounds how long a server can keep us away.
const maxRetryAfter = 5 * time.Minute

// retryAfter reads RFC 9110, section 10.2.3: seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if value == "" {
		return 0
	}
	var d time.Duration
	if seconds, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31); err == nil {
		d = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}

// faultOf returns the failed exchange that an error of the SDK goes back to.
func faultOf(err error) (*httpFault, bool) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil, false
	}
	return errors.AsType[*httpFault](err)
}
