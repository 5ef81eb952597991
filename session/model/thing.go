package model

import (
	"strings"
	"unicode/utf8"
)

// saidThing: the service, project or repository that is meant. Without a name of
// its own it is the folder the session is in.
func (f *filler) saidThing(p param) any {
	at, top := -1, 0.0
	for i := range f.c.tokens {
		if s := f.nameLike(p, i); s > top {
			at, top = i, s
		}
	}
	if at >= 0 {
		f.used[at], f.out.thing = true, f.c.tokens[at].text
		for _, j := range []int{at - 1, at + 1} {
			if j >= 0 && j < len(f.c.tokens) && isThingWord(p, f.c.tokens[j]) {
				f.used[j] = true
			}
		}
		return f.c.tokens[at].text
	}
	if !p.required || f.here == "" {
		return nil
	}
	for i, t := range f.c.tokens {
		if t.hasConcept("project") {
			f.used[i] = true
		}
	}
	return f.here
}

// isThingWord reports whether t says what kind of thing a parameter is: "service".
func isThingWord(p param, t token) bool {
	return t.hasConcept("project") && (t.kind == tokHan || best(t, p.words, nil) == 1)
}

// nameLike weighs a token as the name of a thing; 0 means that it is none. A word
// that nobody knows may be a name anywhere, one that has a meaning only where a
// name stands: "the search service", "the orders deployment", "the status of
// billing", "billing 的状态".
func (f *filler) nameLike(p param, i int) float64 {
	c, t := f.c, f.c.tokens[i]
	switch {
	case t.kind != tokWord && t.kind != tokHan, f.used[i], i == c.main, t.function(), t.state, enManner[t.lower()]:
		return 0
	}
	if i+1 < len(c.tokens) && enDeterminer[c.tokens[i+1].lower()] {
		return 0 // "take this live": a verb
	}
	compound := strings.ContainsAny(t.text, "-_0123456789")
	if t.hasConcept("project") && !compound {
		return 0
	}
	// What stands before, articles aside.
	before, bare := i-1, true
	for before >= 0 && enDeterminer[c.tokens[before].lower()] {
		before, bare = before-1, false
	}
	object := before >= 0 && (before == c.main || c.tokens[before].lower() == "of" || c.tokens[before].lower() == "for")

	s := 0.0
	known := f.m.source[i]
	switch next := i + 1; {
	case next < len(c.tokens) && isThingWord(p, c.tokens[next]) && (t.kind == tokWord || t.concepts == nil && utf8.RuneCountInString(t.text) > 1):
		s, known = 3, false
	case t.kind == tokHan:
	case next == c.main && !c.zh && t.form == formBase && c.nominal() && (i > c.start() || t.verb() == nil):
		s, known = 3, false
	case i > 0 && isThingWord(p, c.tokens[i-1]) && t.verb() == nil:
		s, known = 2, false
	case compound:
		s = 2
	case t.concepts == nil && !enOutcome[t.lower()]:
		s = 1
	case t.verb() == nil && bare && (c.zh || object):
		s = 0.5
	}
	if s == 0 || known {
		return 0
	}
	if i > 0 && isThingWord(p, c.tokens[i-1]) {
		s++
	}
	if object {
		s++
	}
	if i > c.main {
		s += 0.5
	}
	return s
}

// tells returns the thing that a clause speaks of in so many words, "the auth
// service"; of one that only tells, also its Chinese sentence's first word:
// "checkout 已经测试完了". Empty when there is none.
func (c clause) tells(only bool) string {
	f := &filler{c: c, m: &match{source: map[int]bool{}}, used: map[int]bool{}}
	for i, t := range c.tokens {
		if s := f.nameLike(anyThing, i); s >= 3 || s >= 1 && c.zh && only && i == 0 && t.kind == tokWord {
			return t.text
		}
	}
	return ""
}

// anyThing is a parameter for a thing of any kind.
var anyThing = param{name: "service", typ: "string", words: identifierTokens("service app application repo repository component package module")}

// nominal reports whether the main verb stands as a noun: by its ending, or
// behind an article and another word.
func (c clause) nominal() bool {
	if c.main < 0 {
		return false
	}
	switch main := c.tokens[c.main]; main.form {
	case formNominal:
		return true
	case formBase:
		return c.main > 0 && enDeterminer[c.tokens[c.main-1].lower()] || c.main > 1 && enDeterminer[c.tokens[c.main-2].lower()]
	}
	return false
}

// enManner are words about how, where or which, never the name of a service.
var enManner = set(`production prod staging online live asap soon today tonight safely carefully immediately newest latest new working on thing stuff whole entire everything
software work job branch main master change changes out last previous next recent earlier ready yesterday own successful failed same other code version build`)
