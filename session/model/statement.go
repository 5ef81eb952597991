package model

import (
	"regexp"
	"strings"
)

// A statement tells something and asks for nothing: "I deployed it yesterday",
// "I love searching for mushrooms". Nothing is done for it.

// enSubject are the pronouns that only a subject is: in "I want it deployed" the
// "it" is none.
var enSubject = set(`i we they he she`)

// enAdverb may stand between a subject or an auxiliary and its verb.
var enAdverb = set(`already just recently finally also only never now really actually always often sometimes once successfully`)

// enTaste are verbs of liking; with a gerund they tell of a taste. "I'd like to"
// is a wish.
var enTaste = set(`love loves like likes enjoy enjoys hate hates dislike dislikes prefer prefers adore regret regrets`)

// enPast are words that put a clause into the past.
var enPast = set(`yesterday ago`)

// isStatement reports whether a clause asks for nothing that could be done now.
func (c clause) isStatement() bool {
	switch {
	case c.echoes():
		return true
	case c.question:
		return false
	case c.main < 0:
		return c.declares()
	case c.notNow():
		return true
	case c.zh:
		return c.isStatementZh()
	}
	at := c.main - 1 // what the main verb stands behind, adverbs aside
	for at >= 0 && enAdverb[c.tokens[at].lower()] {
		at--
	}
	if at < 0 {
		return c.beginsStatement()
	}
	if c.subordinate(at) || c.nominal() && c.declares() || c.intended() {
		return true
	}
	switch c.tokens[c.main].form {
	case formParticiple:
		return c.isPast(at)
	case formBase:
		return c.isPresent(at)
	case formGerund:
		return at > 0 && enTaste[c.tokens[at].lower()] && !enModal[c.tokens[0].lower()]
	}
	return false
}

// beginsStatement reports whether the main verb, at the clause's beginning, is its
// subject or its past: "deploying it would be fun", "deployments scare me",
// "deployed it".
func (c clause) beginsStatement() bool {
	verb := c.tokens[c.main]
	switch verb.form {
	case formGerund:
		return c.finiteBehind()
	case formParticiple:
		return c.changes()
	case formNominal:
		if !strings.HasSuffix(verb.lower(), "s") || c.main+1 >= len(c.tokens) {
			return false
		}
		next := c.tokens[c.main+1]
		return next.kind == tokWord && !enPreposition[next.lower()]
	}
	return false
}

// isPast reports whether a participle tells what was done: "I deployed it", "it was
// deployed"; in "get it deployed" it is asked for.
func (c clause) isPast(at int) bool {
	switch before := c.tokens[at].lower(); {
	case enSubject[before], before == "was", before == "were", c.changes() && !c.wished():
		return true
	case before == "have", before == "has", before == "had":
		return at > 0 && !enModal[c.tokens[at-1].lower()]
	}
	for _, t := range c.tokens {
		if enPast[t.lower()] {
			return true
		}
	}
	return false
}

// isPresent reports whether a verb tells what somebody does: "we deploy on
// Fridays", "my colleague deploys on Fridays", "the team plans to deploy".
func (c clause) isPresent(at int) bool {
	verb, before := c.tokens[c.main], c.tokens[at]
	switch {
	case before.lower() == "to" && c.changes() && !c.wished():
		return true
	case enSubject[before.lower()] && !verb.hasConcept("report", "use") && !c.modalBefore(at):
		return true // "can we deploy?" is a request
	}
	w := verb.lower()
	if !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || c.main+1 >= len(c.tokens) {
		return false
	}
	subject := isOne(before.lower(), []string{"he", "she", "it"}) || !before.function() && before.kind == tokWord && before.verb() == nil
	next := c.tokens[c.main+1].lower()
	return subject && (enPreposition[next] || enDeterminer[next])
}

// changes reports whether the main verb changes something.
func (c clause) changes() bool { return c.tokens[c.main].verb().effect == effectChanges }

// enWish are words by which a verb behind them is asked for: "it needs to be
// deployed", "get it deployed", "time to ship".
var enWish = set(`want wants need needs like love get have has be please should must let lets let's make time ready able help you me us going go try kindly mind`)

// wished reports whether something before the main verb asks for it: a word of
// wishing, or another verb that is an order itself.
func (c clause) wished() bool {
	for i, t := range c.tokens {
		w := t.lower()
		switch {
		case w == "please":
			return true
		case i >= c.main:
		case w == "you" && i == 0: // "you deployed the wrong thing"
		case enWish[w], t.verb() != nil && t.form == formBase && (i == 0 || c.tokens[i-1].function()) && !strings.HasSuffix(w, "s"):
			return true
		}
	}
	return false
}

// finiteBehind reports whether a finite verb stands behind the main one, whose
// subject that is.
func (c clause) finiteBehind() bool {
	for _, t := range c.tokens[c.main+1:] {
		if w := t.lower(); enBe[w] || enModal[w] || enAdvice[w] {
			return true
		}
	}
	return false
}

var (
	reLater   = regexp.MustCompile(`(?i)\b(tomorrow|later|next (week|month|year|time|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b`)
	reZhLater = regexp.MustCompile(`明天|明晚|后天|下周|下星期|下个月|下月|明年|改天|改日|以后再|回头再|稍后再|晚点再|再说`)
	reZhUntil = regexp.MustCompile(`^等[^，。]+再`)
)

// enCondition bring in a condition behind an order; the planner cannot judge any.
var enCondition = set(`if unless once until when after whenever`)

// notNow reports whether a change is asked for, but later or on a condition: to do
// it at once would be wrong.
func (c clause) notNow() bool {
	if !c.changes() {
		return false
	}
	text := withoutLiterals(c.text[c.tokens[0].start:c.tokens[len(c.tokens)-1].end])
	if c.zh {
		return reZhLater.MatchString(text) || reZhUntil.MatchString(text)
	}
	if reLater.MatchString(text) {
		return true
	}
	for i := c.main + 1; i < len(c.tokens); i++ {
		t := c.tokens[i]
		switch {
		case nextIs(c, i, "that", "this", "possible") || nextIs(c, i, "you") && i+2 < len(c.tokens) && isOne(c.tokens[i+2].lower(), []string{"can", "could", "get", "have", "want", "like"}):
			// "after that", "when you can": no condition of the thing's
		case enCondition[t.lower()]:
			return true
		case t.hasConcept("report", "search", "read", "check"): // "and see if it works"
			return false
		}
	}
	return false
}

// echoes reports whether the clause only says a verb back as a question: "deploy?"
func (c clause) echoes() bool {
	if c.main < 0 || !c.changes() {
		return false
	}
	mark := false
	for i, t := range c.tokens {
		mark = mark || t.text == "?" || t.text == "？"
		if i != c.main && t.kind != tokPunct {
			return false
		}
	}
	return mark
}

// enIntent are words of an intention that was given up or is over.
var enIntent = set(`was were wanted planned meant tried hoped forgot decided refused`)

// intended reports whether the main verb was only meant to be done: "I was going
// to deploy".
func (c clause) intended() bool {
	if !enSubject[c.tokens[0].lower()] || c.tokens[c.main-1].lower() != "to" {
		return false
	}
	for _, t := range c.tokens[1:c.main] {
		if enIntent[t.lower()] {
			return true
		}
	}
	return false
}

// enSubordinate bring in when or why, not what: "before we deploy, look it up".
var enSubordinate = set(`before after until once when whenever while because since as`)

// subordinate reports whether the main verb, with its subject at i, only says when:
// "before we deploy", "after deploying".
func (c clause) subordinate(i int) bool {
	if !enSubordinate[c.tokens[c.start()].lower()] && !enSubordinate[c.tokens[0].lower()] {
		return false
	}
	before := c.tokens[i].lower()
	return enSubject[before] || before == "you" || before == "it" || i == 0 && c.tokens[c.main].form == formGerund
}

func (c clause) modalBefore(i int) bool {
	for _, t := range c.tokens[:i] {
		if w := t.lower(); enModal[w] || enAdvice[w] || w == "let" || w == "lets" {
			return true
		}
	}
	return false
}

// declares reports whether a clause without a command says what something is:
// "version control is confusing".
func (c clause) declares() bool {
	if c.zh {
		return reZhDegree.MatchString(c.text[c.tokens[0].start:c.tokens[len(c.tokens)-1].end])
	}
	if len(c.tokens) == 0 || enAux[c.tokens[0].lower()] {
		return false
	}
	subject := false
	for _, t := range c.tokens {
		switch w := t.lower(); {
		case enQuestion[w]:
			return false
		case enBe[w]:
			return subject
		case !t.function() && t.kind != tokPunct:
			subject = true
		}
	}
	return false
}
