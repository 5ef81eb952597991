package endpoint

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

func message(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// reason says in a few words why a provider cannot be reached.
func (c *Client) reason(err error) string {
	var (
		dns     *net.DNSError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		quiet   *quietError
		timeout interface{ Timeout() bool }
		inURL   *url.Error
	)
	switch {
	case errors.As(err, &quiet):
		return quiet.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return reasonRefused
	case errors.As(err, &dns) && dns.IsNotFound:
		return reasonHost
	case errors.As(err, &unknown), errors.As(err, &name):
		return reasonTLS
	case errors.As(err, &timeout) && timeout.Timeout():
		return reasonTimeout
	case errors.As(err, &inURL):
		err = inURL.Err // without the URL, which the sentence names already
	}
	return clean(err.Error(), c.Secrets)
}

// retryText says why a request is sent again.
func retryText(model string, kind agent.ErrorKind, status, try int) string {
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
	return message(textRetry, model+": "+why, try, maxTries)
}
