package session

import (
	"slices"

	"github.com/codebot-ls/codebot-ls/session/permission"
)

// readOption says what an answer to a question means: does the call run, and is
// the answer to be remembered. An answer that was not offered is a no.
func readOption(id string, offered []permission.Option) (allow, remember bool) {
	if !slices.ContainsFunc(offered, func(o permission.Option) bool { return o.ID == id }) {
		return false, false
	}
	switch id {
	case permission.OptionAllowOnce:
		return true, false
	case permission.OptionAllowSession, permission.OptionAllowAlways:
		return true, true
	case permission.OptionRejectAlways:
		return false, true
	default:
		return false, false
	}
}
