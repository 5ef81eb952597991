package permission

import (
	"slices"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// OptionID is what an editor answers a question with; the ids are fixed by the
// protocol.
const (
	OptionAllowOnce    = "allow_once"
	OptionAllowSession = "allow_session"
	OptionAllowAlways  = "allow_always"
	OptionRejectOnce   = "reject_once"
	OptionRejectAlways = "reject_always"
)

// Option is one answer a person may give.
type Option struct {
	ID string
	// Kind is ACP's PermissionOptionKind, by which an editor picks an icon.
	Kind string
	// Name is what the person reads.
	Name string
}

var allOptions = []Option{
	{OptionAllowOnce, "allow_once", textAllowOnce},
	{OptionAllowSession, "allow_always", textAllowSession},
	{OptionAllowAlways, "allow_always", textAllowAlways},
	{OptionRejectOnce, "reject_once", textRejectOnce},
	{OptionRejectAlways, "reject_always", textRejectAlways},
}

// Options returns the five answers, in the order they are shown, with their names
// in a language.
func Options(l lang.Lang) []Option {
	out := append([]Option(nil), allOptions...)
	for i := range out {
		out[i].Name = l.Text(zh, out[i].Name)
	}
	return out
}

// OptionsFor returns the answers that make sense for a decision: where every
// further call is asked for again, those that promise otherwise are left out.
func OptionsFor(d Decision, l lang.Lang) []Option {
	all := Options(l)
	if !d.EachTime {
		return all
	}
	return slices.DeleteFunc(all, func(o Option) bool {
		return o.ID == OptionAllowSession || o.ID == OptionAllowAlways
	})
}
