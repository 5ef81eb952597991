package mcp

import (
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// failure is the end of an attempt or a session as its row shows it.
type failure struct {
	StatusError
	// transient says that time alone may mend it.
	transient bool
	// forgotten says that the server only does not know the session any more.
	forgotten bool
	// after is how long the server wants to be left alone.
	after time.Duration
}

func (f *failure) state() State {
	if f.Code == string(KindNeedsAuth) {
		return StateNeedsAuth
	}
	return StateFailed
}

// whyEnded says why a session ended by itself. It waits a moment for the exit of a
// child that closed its output first.
func (c *connection) whyEnded(lv *live) *failure {
	if known := lv.why.Load(); known != nil {
		return known
	}
	if c.ctx.Err() != nil {
		return &failure{StatusError: StatusError{Code: CodeExited, Message: c.say(textStopped, c.name)}}
	}
	if lv.link != nil {
		select {
		case <-lv.link.down:
			return c.httpFailure(lv.link.fault)
		default:
		}
		if f, ok := faultOf(lv.cause()); ok {
			return c.httpFailure(f)
		}
	}
	if p := lv.proc; p != nil {
		if p.gone(pipeGrace) {
			return c.exited(p, textExited, textSignal)
		}
		return &failure{StatusError: StatusError{Code: CodeExited, Message: c.say(textClosedOutput, c.name), StderrTail: c.tail(p)}}
	}
	code, cause := CodeHTTP, lv.cause()
	if lv.link == nil {
		code = CodeExited
	}
	if cause == nil {
		cause = lang.Errorf(zh, textItEnded)
	}
	return &failure{StatusError: StatusError{Code: code, Message: c.say(textSessionLost, c.name, c.theirs(cause))}}
}

// exited describes the end of a child. What it wrote is read to the end first, which
// is bounded.
func (c *connection) exited(p *process, byCode, bySignal string) *failure {
	<-p.drained
	<-p.read
	f := &failure{StatusError: StatusError{Code: CodeExited, ExitCode: p.exitCode(), StderrTail: c.tail(p)}}
	if f.ExitCode != nil {
		f.Message = c.say(byCode, c.name, *f.ExitCode)
	} else {
		f.Message = c.say(bySignal, c.name, p.state)
	}
	return f
}

// theirs is the text of an error that a server had a hand in, fit for a status row.
// It is made at once, in English and in the manager's language: what is secret is
// known now.
func (c *connection) theirs(err error) words {
	fit := func(l lang.Lang) string { return cut(CleanLine(c.log.clean(rootText(l.Error(err)))), maxErrorText) }
	return words{english: fit(lang.En), local: fit(c.m.opts.Lang)}
}

// words are a text in English and in one other language.
type words struct{ english, local string }

func (w words) String() string { return w.english }

// In implements what package lang looks for in an argument.
func (w words) In(l lang.Lang) string {
	if l == lang.En {
		return w.english
	}
	return w.local
}

// say gives a text for people in the manager's language.
func (c *connection) say(format string, args ...any) string { return c.m.say(format, args...) }

func (c *connection) tail(p *process) string { return c.log.clean(p.stderr.text()) }

// httpFailure is a failed exchange as the end of an attempt or a session.
func (c *connection) httpFailure(f *httpFault) *failure {
	fail := &failure{
		StatusError: StatusError{Code: CodeHTTP, Message: c.httpMessage(f).In(c.m.opts.Lang), Hint: c.m.opts.Lang.Text(zh, f.hint)},
		transient:   f.transient, forgotten: f.kind == faultSession, after: f.after,
	}
	if f.kind == faultUnauthorized || f.kind == faultScope {
		fail.Code = string(KindNeedsAuth)
	}
	return fail
}

// httpMessage says of a failed exchange what happened.
func (c *connection) httpMessage(f *httpFault) lang.Message {
	text := c.theirs(f)
	switch f.kind {
	case faultUnauthorized:
		return lang.Messagef(zh, textNeedsAuth, c.name, text)
	case faultUnreachable:
		return lang.Messagef(zh, textUnreachable, c.name, text)
	}
	return lang.Messagef(zh, textHTTPFailed, c.name, text)
}
