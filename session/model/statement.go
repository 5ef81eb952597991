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

func (c clause) isStatement() bool {
	if c.question {
		return false
	}
	if c.main < 0 {
		return c.declares()
	}
	if c.zh {
		return c.isStatementZh()
	}
	verb := c.tokens[c.main]
	i := c.main - 1
	for i >= 0 && enAdverb[c.tokens[i].lower()] {
		i--
	}
	if i < 0 {
		return false
	}
	before := c.tokens[i].lower()
	switch verb.form {
	case formParticiple:
		if enSubject[before] || before == "was" || before == "were" {
			return true
		}
		if before == "have" || before == "has" || before == "had" {
			return i > 0 && !enModal[c.tokens[i-1].lower()]
		}
		for _, t := range c.tokens {
			if enPast[t.lower()] {
				return true
			}
		}
	case formBase:
		// "my colleague deploys on Fridays"
		w := verb.lower()
		return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && i >= 0 &&
			(before == "he" || before == "she" || before == "it" || !c.tokens[i].function() && c.tokens[i].kind == tokWord && c.tokens[i].verb() == nil) &&
			c.main+1 < len(c.tokens) && (enPreposition[c.tokens[c.main+1].lower()] || enDeterminer[c.tokens[c.main+1].lower()])
	case formGerund:
		return i > 0 && enTaste[before] && !enModal[c.tokens[0].lower()]
	}
	return false
}

var (
	reZhTaste = regexp.MustCompile(`^(我们|我|咱们|咱|他们|他|她|大家)(很|最|也|都|真|非常|特别|一直|挺|蛮)*(喜欢|喜爱|爱|热爱|讨厌|享受|习惯|后悔)`)
	// What is over: a time or "already" before the verb, an ending behind it.
	reZhPast = regexp.MustCompile(`昨天|昨晚|前天|上周|上个月|去年|上次|刚刚|刚才|早就|早已|已经`)
	// What is done as a rule.
	reZhHabit = regexp.MustCompile(`总是|总在|总会|经常|常常|老是|一向|从来|有时|偶尔`)
	reZhDone  = regexp.MustCompile(`^(好|完|成功|上去|上线|过)*[了过]`)
)

func (c clause) isStatementZh() bool {
	text := c.text[c.tokens[0].start:c.tokens[len(c.tokens)-1].end]
	if reZhTaste.MatchString(text) {
		return true
	}
	for _, t := range c.tokens {
		switch t.text {
		case "请", "请你", "请您", "帮", "帮我", "帮忙", "麻烦":
			return false
		}
	}
	verb := c.tokens[c.main]
	if reZhHabit.MatchString(c.text[c.tokens[0].start:verb.start]) {
		return true
	}
	return reZhPast.MatchString(c.text[c.tokens[0].start:verb.start]) &&
		(strings.HasSuffix(verb.text, "了") || reZhDone.MatchString(strings.TrimSpace(c.text[verb.end:])))
}

// enState are what a thing can be asked to be, enDone what it can be asked to have
// done; behind a form of "be" and of "have" or "do" they ask for its status.
var (
	enState = set(`up down running live alive healthy online offline working responding reachable broken stuck ready stable okay ok fine
done finished complete completed`)
	enDone = set(`done finished completed succeeded failed landed through succeed fail finish complete land`)
	enBe   = set(`is are was were been be am`)
)

// enNews ask for the state of what they are about: "any news on the deployment?"
var enNews = set(`news update updates word progress luck`)

// markStates makes the predicate of a question after a state a word for the
// status: "is it up?", "see whether it is running", "did it go through?".
func (c *clause) markStates() {
	asked := c.question
	for i, t := range c.tokens {
		w := t.lower()
		asked = asked || w == "whether" || w == "if"
		if c.question && enNews[w] && i > 0 && isOne(c.tokens[i-1].lower(), []string{"any", "latest", "more"}) {
			t.concepts, t.state = words.en[stem("status")], true
			c.tokens = append(append(append([]token{}, c.tokens[:i]...), t), c.tokens[i+1:]...)
			continue
		}
		if !asked || t.kind != tokWord || i < 2 || !enState[w] && !enDone[w] || !c.predicate(i) {
			continue
		}
		tokens := append([]token{}, c.tokens...)
		tokens[i].concepts, tokens[i].state = words.en[stem("status")], true
		c.tokens = tokens
	}
}

// enAsking are verbs that bring in an indirect question: "I want to know if".
var enAsking = set(`know see tell find learn ask check verify confirm wonder`)

// asksState reports whether the clause asks for a state and its verb only says so:
// "let me know whether it is up".
func (c clause) asksState() bool {
	if c.main < 0 || !enAsking[c.tokens[c.main].lower()] || c.inDocument() {
		return false
	}
	for i, t := range c.tokens[c.main:] {
		if w := t.lower(); (w == "if" || w == "whether") && i > 0 {
			for _, s := range c.tokens[c.main+i:] {
				if s.state {
					return true
				}
			}
		}
	}
	return false
}

// predicate reports whether token i says something of a subject that stands before
// it, with the auxiliary that fits.
func (c clause) predicate(i int) bool {
	w := c.tokens[i].lower()
	// "clean up", "how to slow down": a part of the verb.
	if before := c.tokens[i-1]; before.verb() != nil && before.form == formBase && w != "through" {
		return false
	}
	aux, subject := -1, false
	for j := i - 1; j >= 0 && aux < 0; j-- {
		switch t := c.tokens[j]; {
		case enAux[t.lower()]:
			aux = j
		case !t.function() || enPronoun[t.lower()]:
			subject = true
		}
	}
	if aux < 0 || !enState[w] && enBe[c.tokens[aux].lower()] || !enDone[w] && !enBe[c.tokens[aux].lower()] {
		return false
	}
	// "whether it is up": the subject stands before the auxiliary.
	for j := aux - 1; j >= 0 && !subject; j-- {
		subject = enPronoun[c.tokens[j].lower()] || !c.tokens[j].function() && c.tokens[j].verb() == nil
	}
	return subject
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

// reZhDegree finds an adjective with its degree; "最新" is a kind, no judgement.
var reZhDegree = regexp.MustCompile(`(很|更|太|非常|真|挺|特别|十分|比较)[^新的，。]`)
