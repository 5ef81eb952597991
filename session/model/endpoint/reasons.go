package endpoint

import (
	"errors"
	"net"
	"net/url"
	"syscall"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// modelError makes a failure whose message can be read in every language.
func modelError(kind agent.ErrorKind, format string, args ...any) *agent.Error {
	err := lang.Errorf(zh, format, args...)
	return &agent.Error{Kind: kind, Message: err.Error(), Err: err}
}

// reason says in a few words why a provider cannot be reached.
func (c *Client) reason(err error) lang.Message {
	var (
		dns     *net.DNSError
		quiet   *quietError
		timeout interface{ Timeout() bool }
		inURL   *url.Error
	)
	switch {
	case errors.As(err, &quiet):
		return quiet.message()
	case errors.Is(err, syscall.ECONNREFUSED):
		return lang.Messagef(zh, reasonRefused)
	case errors.As(err, &dns) && dns.IsNotFound:
		return lang.Messagef(zh, reasonHost)
	case errors.As(err, &timeout) && timeout.Timeout():
		return lang.Messagef(zh, reasonTimeout)
	case errors.As(err, &inURL):
		err = inURL.Err // without the URL, which the sentence names already
	}
	return lang.Plain(clean(err.Error(), c.Secrets))
}

// retryText says why a request is sent again.
func retryText(l lang.Lang, model string, kind agent.ErrorKind, status, try int) string {
	why := whyServer
	switch {
	case status == 429:
		why = whyRate
	case kind == agent.ErrOverloaded:
		why = whyOverloaded
	case kind == agent.ErrUnreachable:
		why = whyUnreachable
	case kind == agent.ErrStreamCut:
		why = whyCut
	}
	return l.Sprintf(zh, textRetry, model, l.Text(zh, why), try, maxTries)
}
