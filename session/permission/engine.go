package permission

import (
	"fmt"
	"path/filepath"
	"sync"
)

// EngineOptions are what an Engine decides by.
type EngineOptions struct {
	// Rules returns the rules of this moment; they change as settings are saved.
	// Nil means none.
	Rules func() Rules
	// Grants are the lasting answers, shared by all sessions. Nil means the file
	// in ConfigHome, or none when that is empty.
	Grants *GrantStore
	// Home is the user's home folder, ConfigHome our own (~/.codebot).
	Home, ConfigHome string
}

// Engine decides the calls of one session: the settings' rules, the answers given
// so far and the mode table. Answers for the session live in it and end with it.
// It is safe for concurrent use.
type Engine struct {
	rules            func() Rules
	grants           *GrantStore
	home, configHome string

	mu       sync.Mutex          // guards what follows
	allowed  map[grantKey]bool   // allow_session, and allow_always beside its file
	rejected map[grantKey]string // reject_always
}

// NewEngine makes the engine of a new session.
func NewEngine(o EngineOptions) *Engine {
	e := &Engine{rules: o.Rules, grants: o.Grants,
		allowed: map[grantKey]bool{}, rejected: map[grantKey]string{}}
	if o.Home != "" {
		e.home = Resolve(o.Home)
	}
	if o.ConfigHome != "" {
		e.configHome = Resolve(o.ConfigHome)
		if e.grants == nil {
			e.grants = NewGrantStore(o.ConfigHome)
		}
	}
	if e.rules == nil {
		e.rules = func() Rules { return Rules{} }
	}
	return e
}

// Decide answers one call: deny rules, then ask rules, then grants, then allow
// rules, then the mode. Three things stand above that order: what the mode "plan"
// refuses stays refused, a write into a protected folder is asked for each time,
// and an answer "reject for this session" holds like a deny rule.
func (e *Engine) Decide(req Request, mode Mode) Decision {
	rules := e.rules()
	if r, ok := e.denies(rules, req); ok {
		return Decision{Verdict: Refuse, Reason: fmt.Sprintf(textDenied, r)}
	}
	key, keyed := keyOf(req, e)
	if keyed {
		if what, ok := e.isRejected(key); ok {
			return Decision{Verdict: Refuse, Reason: fmt.Sprintf(textRejected, what)}
		}
	}
	byMode := e.byMode(req, mode)
	allow, allowedByRule := e.allows(rules, req)
	// A rule of the user says that an MCP tool only reads; its own word that it
	// destroys weighs more while planning.
	if mode == ModePlan && byMode.Verdict == Refuse {
		lifted := allowedByRule && (req.Kind == KindMCP && !req.Destructive || req.Kind == KindRead)
		if !lifted {
			return byMode
		}
	}
	if byMode.EachTime {
		return byMode
	}
	if r, ok := e.asks(rules, req); ok {
		return Decision{Verdict: Ask, Reason: fmt.Sprintf(textAskRule, r), EachTime: true}
	}
	if keyed && e.isAllowed(key) {
		return Decision{Verdict: Run, Reason: textGranted}
	}
	if allowedByRule {
		return Decision{Verdict: Run, Reason: fmt.Sprintf(textAllowRule, allow)}
	}
	if byMode.Verdict == Ask && keyed && e.grants != nil && e.grants.changed(key) {
		byMode.Reason = textChanged
	}
	return byMode
}

// DenyRule returns the deny rule that speaks of the call. It is all that is asked
// where a person makes the call.
func (e *Engine) DenyRule(req Request) (string, bool) {
	r, ok := e.denies(e.rules(), req)
	return r.String(), ok
}

// Hides reports whether a tool that looks through many files must pass by the
// resolved path p of a session in root: it holds credentials, or a deny or ask
// rule speaks of reading it, so it is read only when it is asked for by name.
func (e *Engine) Hides(root, p string) bool {
	if _, ok := e.credential(p); ok {
		return true
	}
	rules := e.rules()
	for _, list := range [][]Rule{rules.Deny, rules.Ask} {
		for _, r := range list {
			if r.kind == KindRead && r.matchPath(p, root, e.home) {
				return true
			}
		}
	}
	return false
}

func (e *Engine) denies(rules Rules, req Request) (Rule, bool) {
	return e.speaksOfAny(rules.Deny, req)
}

func (e *Engine) asks(rules Rules, req Request) (Rule, bool) {
	return e.speaksOfAny(rules.Ask, req)
}

// speaksOfAny returns the first rule that speaks of any part of the call.
func (e *Engine) speaksOfAny(list []Rule, req Request) (Rule, bool) {
	for _, r := range list {
		switch r.kind {
		case KindMCP:
			if r.matchMCP(req) {
				return r, true
			}
		case KindBash:
			if req.Kind == KindBash && r.forbidsCommand(req.Command) {
				return r, true
			}
		default:
			if req.Kind != r.kind {
				continue
			}
			for _, p := range req.Paths {
				if r.matchPath(p, req.Root, e.home) {
					return r, true
				}
			}
		}
	}
	return Rule{}, false
}

// allows returns the rule, or for several paths the last of the rules, that
// together cover all of the call.
func (e *Engine) allows(rules Rules, req Request) (Rule, bool) {
	switch req.Kind {
	case KindMCP, KindConnect:
		for _, r := range rules.Allow {
			if r.kind == KindMCP && r.matchMCP(req) {
				return r, true
			}
		}
	case KindBash:
		if _, ok := mentionsProtected(req.Command); ok {
			return Rule{}, false
		}
		for _, r := range rules.Allow {
			if r.kind == KindBash && r.allowsCommand(req.Command) {
				return r, true
			}
		}
	case KindRead, KindEdit:
		var by Rule
		for _, p := range req.Paths {
			r, ok := e.allowsPath(rules.Allow, req, p)
			if !ok {
				return Rule{}, false
			}
			by = r
		}
		return by, len(req.Paths) > 0
	}
	return Rule{}, false
}

func (e *Engine) allowsPath(list []Rule, req Request, p string) (Rule, bool) {
	secret, isSecret := e.credential(p)
	for _, r := range list {
		if r.kind != req.Kind || !r.matchPath(p, req.Root, e.home) {
			continue
		}
		// read(**) was not written with the keys in mind that lie about: a rule
		// opens them only when it spells their name.
		if isSecret && !spells(r.pattern, secret) {
			continue
		}
		return r, true
	}
	return Rule{}, false
}

// row is a line of the mode table.
type row struct{ standard, acceptEdits, plan, auto Verdict }

var (
	rowRun     = row{Run, Run, Run, Run}
	rowFar     = row{Ask, Ask, Refuse, Ask} // outside the folder, credentials, protected folders
	rowEdit    = row{Ask, Run, Refuse, Run}
	rowRisky   = row{Ask, Ask, Refuse, Run} // bash, MCP, connect, fetch
	rowUnknown = row{Ask, Ask, Refuse, Ask}
)

func (r row) verdict(m Mode) Verdict {
	switch m {
	case ModeAcceptEdits:
		return r.acceptEdits
	case ModePlan:
		return r.plan
	case ModeAuto:
		return r.auto
	}
	return r.standard
}

// byMode is the mode table alone.
func (e *Engine) byMode(req Request, mode Mode) Decision {
	r, reason, eachTime := e.rowOf(req)
	d := Decision{Verdict: r.verdict(mode), Reason: reason, EachTime: eachTime}
	if d.Verdict == Refuse {
		d.Reason = fmt.Sprintf(textPlan, reason)
	}
	return d
}

// rowOf returns the line of the table that a call falls under, why, and whether
// neither grants nor allow rules lift the question.
func (e *Engine) rowOf(req Request) (r row, reason string, eachTime bool) {
	switch req.Kind {
	case KindFree:
		return rowRun, textFree, false
	case KindRead:
		if len(req.Paths) == 0 {
			return rowUnknown, textNoPath, false
		}
		for _, p := range req.Paths {
			if name, ok := e.credential(p); ok {
				return rowFar, fmt.Sprintf(textCredential, p, name), false
			}
			if !Inside(req.Root, p) {
				return rowFar, fmt.Sprintf(textOutsideRead, p, req.Root), false
			}
		}
		return rowRun, textReads, false
	case KindEdit:
		if len(req.Paths) == 0 {
			return rowUnknown, textNoPath, false
		}
		for _, p := range req.Paths {
			if name, ok := e.protectedWrite(p); ok {
				return rowFar, fmt.Sprintf(textProtected, p, name), true
			}
		}
		for _, p := range req.Paths {
			if name, ok := e.credential(p); ok {
				return rowFar, fmt.Sprintf(textCredential, p, name), false
			}
			if !Inside(req.Root, p) {
				return rowFar, fmt.Sprintf(textOutsideWrite, p, req.Root), false
			}
		}
		return rowEdit, textWrites, false
	case KindBash:
		if name, ok := mentionsProtected(req.Command); ok {
			return rowFar, fmt.Sprintf(textProtectedCommand, name), false
		}
		return rowRisky, textRuns, false
	case KindMCP:
		if req.TrustedRead && !req.Destructive {
			return rowRun, textTrustedRead, false
		}
		switch {
		case req.Destructive:
			return rowRisky, fmt.Sprintf(textDestructive, req.Server), false
		case req.Reason != "":
			return rowRisky, req.Reason, false
		}
		return rowRisky, fmt.Sprintf(textMCP, req.Server), false
	case KindConnect:
		return rowRisky, textConnect, false
	case KindFetch:
		return rowRisky, textFetch, false
	}
	return rowUnknown, textUnknown, false
}

// The reasons, in English, for a person and for the model.
const (
	textDenied           = "the rule %s in the settings denies it"
	textRejected         = "you rejected %s for this session"
	textAskRule          = "the rule %s in the settings asks for it"
	textAllowRule        = "the rule %s in the settings allows it"
	textGranted          = "you allowed it before"
	textChanged          = "you allowed this tool before, but its server or its definition has changed since"
	textPlan             = "plan mode only reads: %s"
	textFree             = "it acts on nothing outside the session"
	textReads            = "it reads in the folder"
	textWrites           = "it changes files in the folder"
	textRuns             = "it runs a command"
	textTrustedRead      = "it only reads, on the word of a server whose annotations you trust"
	textMCP              = "the MCP server %s may do anything with it"
	textDestructive      = "the MCP server %s marks the tool as destructive"
	textConnect          = "it starts an MCP server"
	textFetch            = "it reaches the network"
	textUnknown          = "it is not known what the tool does"
	textNoPath           = "it does not say which file it touches"
	textCredential       = "%s may hold credentials (%s)"
	textOutsideRead      = "%s is outside the folder %s"
	textOutsideWrite     = "it changes %s, outside the folder %s"
	textProtected        = "it writes %s: files in %s can make programs run"
	textProtectedCommand = "the command mentions %s, where files can make programs run"
)

// describe names a call in a few words, for "you rejected ... for this session".
func describe(req Request) string {
	switch req.Kind {
	case KindMCP:
		return req.Server + "/" + req.Original
	case KindBash:
		return "the command " + req.Command
	}
	if len(req.Paths) == 1 {
		return req.Tool + " of " + filepath.Base(req.Paths[0])
	}
	return req.Tool
}
