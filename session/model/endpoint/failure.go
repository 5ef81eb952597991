package endpoint

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Failure is how one try failed.
type Failure struct {
	Err *agent.Error
	// Status is the HTTP status, 0 when there was none or it was 200.
	Status int
	// Text is the provider's message as it came, for decisions; it may hold secrets.
	Text string
	// again says that the same request may succeed later; asked is how long the
	// provider wants us to wait.
	again bool
	asked time.Duration
}

// ProviderError is an error in a provider's words: of a body, or of an event that
// came after HTTP 200.
type ProviderError struct {
	// Type and Code as providers give them, such as "overloaded_error".
	Type, Code, Message string
}

// ParseError finds the error in a JSON body, whatever of the known shapes it has:
// {"error": {"type", "code", "message"}}, {"error": "text"}, {"message": ...},
// {"detail": ...}. It reports false when there is none.
func ParseError(body []byte) (ProviderError, bool) {
	var shape struct {
		Error, Detail   json.RawMessage
		Message, Object string
		Type            any
		Code            any
	}
	if json.Unmarshal(body, &shape) != nil {
		var list []json.RawMessage // Gemini's compatible endpoint wraps it in a list
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			return ParseError(list[0])
		}
		return ProviderError{}, false
	}
	if len(shape.Error) > 0 && string(shape.Error) != "null" {
		var inner struct {
			Message, Status string
			Type, Code      any
		}
		var text string
		switch {
		case json.Unmarshal(shape.Error, &inner) == nil:
			p := ProviderError{Type: scalar(inner.Type), Code: scalar(inner.Code), Message: inner.Message}
			if p.Type == "" {
				p.Type = inner.Status
			}
			return p, true
		case json.Unmarshal(shape.Error, &text) == nil:
			return ProviderError{Message: text}, true
		}
		return ProviderError{Message: string(shape.Error)}, true
	}
	if shape.Message != "" && (shape.Object == "error" || shape.Object == "") {
		return ProviderError{Type: scalar(shape.Type), Code: scalar(shape.Code), Message: shape.Message}, true
	}
	if len(shape.Detail) > 0 {
		var text string
		if json.Unmarshal(shape.Detail, &text) != nil {
			text = string(shape.Detail)
		}
		return ProviderError{Message: text}, true
	}
	return ProviderError{}, false
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		if v == float64(int(v)) {
			raw, _ := json.Marshal(int(v))
			return string(raw)
		}
	}
	return ""
}

// Phrases by which providers say what their codes do not.
var (
	saysTooLong = regexp.MustCompile(`(?i)prompt is too long|context[ _-]?(length|window|size)|maximum context|too many tokens|exceed[a-z]* (the )?(available )?context|input (is )?too long|input length and .max_tokens. exceed|reduce the length of the (messages|prompt)`)
	saysQuota   = regexp.MustCompile(`(?i)credit balance|insufficient[ _](quota|balance|credit|fund)|billing|payment required|exceeded your current quota|spend(ing)? limit`)
	saysModel   = regexp.MustCompile(`(?i)model.{0,80}(not found|does not exist|not exist|unknown|not available|decommissioned|no longer)|(unknown|no such|invalid) model|(not found|unknown).{0,20}model`)
	saysKey     = regexp.MustCompile(`(?i)(invalid|incorrect|missing|no|expired|bad).{0,20}(api|auth)[ _-]?(key|token)|api key (is )?(required|missing|not valid|invalid)`)
	saysBusy    = regexp.MustCompile(`(?i)overload|loading model|rate limit|too many requests|server is busy|capacity`)
)

// kindOf tells what kind of failure a status and the provider's words are, and
// whether the same request may succeed later. Words go before the status: a quota
// that is used up and a rate limit are both 429, and a context that is too small
// is a 400 like any other.
func kindOf(status int, p ProviderError) (kind agent.ErrorKind, again bool) {
	code := strings.ToLower(p.Type + " " + p.Code)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(code, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("context_length_exceeded", "request_too_large", "exceed_context_size", "model_context_window_exceeded"),
		status == http.StatusRequestEntityTooLarge,
		(status < 500 && status != http.StatusTooManyRequests) && saysTooLong.MatchString(p.Message):
		return agent.ErrTooLong, false
	case has("insufficient_quota", "billing", "insufficient_balance"), status == http.StatusPaymentRequired,
		(status < 500) && saysQuota.MatchString(p.Message):
		return agent.ErrQuota, false
	case has("overloaded", "rate_limit", "unavailable_error"), status == http.StatusTooManyRequests, status == 529,
		status == http.StatusServiceUnavailable, status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return agent.ErrOverloaded, true
	case has("authentication_error", "permission_error", "invalid_api_key", "unauthorized"),
		status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusBadRequest && saysKey.MatchString(p.Message):
		return agent.ErrAuth, false
	case has("model_not_found", "not_found_error"), status == http.StatusNotFound,
		status < 500 && saysModel.MatchString(p.Message):
		return agent.ErrNotFound, false
	case status == 0 && saysBusy.MatchString(p.Message):
		return agent.ErrOverloaded, true
	case status >= 500, status == http.StatusRequestTimeout, has("api_error", "server_error", "timeout_error"):
		return agent.ErrModel, true
	}
	return agent.ErrModel, false
}

// htmlTitle finds what a web page calls itself.
var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// wordsOf are the provider's words in the body of an error.
func wordsOf(body []byte) ProviderError {
	if p, ok := ParseError(body); ok {
		return p
	}
	text := string(body)
	if looksLikePage(text) {
		title := "a web page"
		if m := htmlTitle.FindStringSubmatch(text); m != nil {
			title = "a web page titled: " + m[1]
		}
		return ProviderError{Type: "html", Message: title}
	}
	return ProviderError{Message: text}
}

func looksLikePage(text string) bool {
	start := strings.ToLower(strings.TrimSpace(text[:min(len(text), 512)]))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}
