package permission

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
	// Name is what the person reads, in English.
	Name string
}

var allOptions = []Option{
	{OptionAllowOnce, "allow_once", "Allow once"},
	{OptionAllowSession, "allow_always", "Allow for this session"},
	{OptionAllowAlways, "allow_always", "Always allow"},
	{OptionRejectOnce, "reject_once", "Reject"},
	{OptionRejectAlways, "reject_always", "Reject for this session"},
}

// Options returns the five answers, in the order they are shown.
func Options() []Option { return append([]Option(nil), allOptions...) }

// OptionsFor returns the answers that make sense for a decision: where every
// further call is asked for again, those that promise otherwise are left out.
func OptionsFor(d Decision) []Option {
	if !d.EachTime {
		return Options()
	}
	var out []Option
	for _, o := range allOptions {
		if o.ID != OptionAllowSession && o.ID != OptionAllowAlways {
			out = append(out, o)
		}
	}
	return out
}
