package permission

import (
	"path/filepath"
	"sync"

	"github.com/codebot-ls/codebot-ls/session/lang"
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
	// Lang is the language of the reasons. Models read them as well, and quote them.
	Lang lang.Lang
}

// Engine decides the calls of one session: the settings' rules, the answers given
// so far and the mode table. Answers for the session live in it and end with it.
// It is safe for concurrent use.
type Engine struct {
	rules            func() Rules
	grants           *GrantStore
	home, configHome string
	lang             lang.Lang

	secrets  secrets
	mu       sync.Mutex                // guards what follows
	allowed  map[grantKey]bool         // allow_session, and allow_always beside its file
	rejected map[grantKey]lang.Message // reject_always
}

// NewEngine makes the engine of a new session.
func NewEngine(o EngineOptions) *Engine {
	e := &Engine{rules: o.Rules, grants: o.Grants, lang: o.Lang,
		allowed: map[grantKey]bool{}, rejected: map[grantKey]lang.Message{}}
	if o.Home != "" {
		e.home = Resolve(o.Home)
	}
	e.secrets.home = e.home
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

// say gives a text for people in the engine's language.
func (e *Engine) say(format string, args ...any) string {
	return e.lang.Sprintf(zh, format, args...)
}

// Decide answers one call: deny rules, then ask rules, then grants, then allow
// rules, then the mode. Three things stand above that order: what the mode "plan"
// refuses stays refused, a write into a protected folder is asked for each time,
// and an answer "reject for this session" holds like a deny rule.
func (e *Engine) Decide(req Request, mode Mode) Decision {
	rules := e.rules()
	if r, ok := e.denies(rules, req); ok {
		return Decision{Verdict: Refuse, Reason: e.say(textDenied, r)}
	}
	key, keyed := keyOf(req, e)
	if keyed {
		if what, ok := e.isRejected(key); ok {
			return Decision{Verdict: Refuse, Reason: e.say(textRejected, what)}
		}
	}
	byMode := e.byMode(req, mode)
	allow, allowedByRule := e.allows(rules, req, mode)
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
		return Decision{Verdict: Ask, Reason: e.say(textAskRule, r), EachTime: true}
	}
	if keyed && e.isAllowed(key) {
		return Decision{Verdict: Run, Reason: e.say(textGranted)}
	}
	if allowedByRule {
		return Decision{Verdict: Run, Reason: e.say(textAllowRule, allow)}
	}
	if byMode.Verdict == Ask && keyed && e.grants != nil && e.grants.changed(key) {
		byMode.Reason = e.say(textChanged)
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
	var files []Request // what a command line itself opens
	if len(list) > 0 {
		files = e.openedBy(req)
	}
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
		case KindFetch:
			if r.matchFetch(req) {
				return r, true
			}
		default:
			for _, part := range append(files, req) {
				if part.Kind != r.kind {
					continue
				}
				for _, p := range part.Paths {
					if r.matchPath(p, req.Root, e.home) {
						return r, true
					}
				}
			}
		}
	}
	return Rule{}, false
}

// allows returns the rule, or for several paths the last of the rules, that
// together cover all of the call.
func (e *Engine) allows(rules Rules, req Request, mode Mode) (Rule, bool) {
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
		return allowsCommand(rules.Allow, req.Command, e.mayOpen(req, mode))
	case KindFetch:
		for _, r := range rules.Allow {
			// fetch(*) was not written with the machine's own services in mind.
			if r.kind == KindFetch && r.matchFetch(req) && (!req.Local || r.pattern == req.Host) {
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
		d.Reason = e.say(textPlan, reason)
	}
	return d
}

// rowOf returns the line of the table that a call falls under, why, and whether
// neither grants nor allow rules lift the question.
func (e *Engine) rowOf(req Request) (r row, reason string, eachTime bool) {
	switch req.Kind {
	case KindFree:
		return rowRun, e.say(textFree), false
	case KindRead:
		if len(req.Paths) == 0 {
			return rowUnknown, e.say(textNoPath), false
		}
		for _, p := range req.Paths {
			if name, ok := e.credential(p); ok {
				return rowFar, e.say(textCredential, p, name), false
			}
			if !Inside(req.Root, p) {
				return rowFar, e.say(textOutsideRead, p, req.Root), false
			}
		}
		return rowRun, e.say(textReads), false
	case KindEdit:
		if len(req.Paths) == 0 {
			return rowUnknown, e.say(textNoPath), false
		}
		for _, p := range req.Paths {
			if name, ok := e.protectedWrite(p); ok {
				return rowFar, e.say(textProtected, p, name), true
			}
		}
		for _, p := range req.Paths {
			if name, ok := e.credential(p); ok {
				return rowFar, e.say(textCredential, p, name), false
			}
			if !Inside(req.Root, p) {
				return rowFar, e.say(textOutsideWrite, p, req.Root), false
			}
		}
		return rowEdit, e.say(textWrites), false
	case KindBash:
		if name, ok := mentionsProtected(req.Command); ok {
			return rowFar, e.say(textProtectedCommand, name), false
		}
		for _, file := range e.openedBy(req) {
			for _, p := range file.Paths {
				if name, ok := e.protectedWrite(p); ok && file.Kind == KindEdit {
					return rowFar, e.say(textProtected, p, name), true
				}
				if name, ok := e.credential(p); ok {
					return rowFar, e.say(textCredential, p, name), false
				}
			}
		}
		return rowRisky, e.say(textRuns), false
	case KindMCP:
		if req.TrustedRead && !req.Destructive {
			return rowRun, e.say(textTrustedRead), false
		}
		switch {
		case req.Destructive:
			return rowRisky, e.say(textDestructive, req.Server), false
		case req.Reason != "":
			return rowRisky, req.Reason, false
		}
		return rowRisky, e.say(textMCP, req.Server), false
	case KindConnect:
		return rowRisky, e.say(textConnect), false
	case KindFetch:
		switch {
		case req.Local:
			return rowFar, e.say(textFetchLocal, req.Host), false
		case req.Host != "":
			return rowRisky, e.say(textFetchHost, req.Host), false
		}
		return rowRisky, e.say(textFetch), false
	}
	return rowUnknown, e.say(textUnknown), false
}

// describe names a call in a few words, for "you rejected ... for this session".
func describe(req Request) lang.Message {
	switch req.Kind {
	case KindMCP:
		return lang.Plain(req.Server + "/" + req.Original)
	case KindBash:
		return lang.Messagef(zh, textTheCommand, req.Command)
	}
	if len(req.Paths) == 1 {
		return lang.Messagef(zh, textToolOf, req.Tool, filepath.Base(req.Paths[0]))
	}
	return lang.Plain(req.Tool)
}
