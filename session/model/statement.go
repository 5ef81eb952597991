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
	if c.echoes() {
		return true
	}
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
		// "deploying is scary"
		return verb.form == formGerund && c.main+1 < len(c.tokens) && enBe[c.tokens[c.main+1].lower()]
	}
	before := c.tokens[i].lower()
	if c.subordinate(i) || c.nominal() && c.declares() || c.intended() {
		return true
	}
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
		// "we deploy on Fridays"; "can we deploy?" is a request.
		if enSubject[before] && !verb.hasConcept("report", "use") && !c.modalBefore(i) {
			return true
		}
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

// echoes reports whether the clause only says a verb back as a question: "deploy?"
func (c clause) echoes() bool {
	if c.main < 0 || c.tokens[c.main].verb().effect != effectChanges {
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

var (
	// What is said of a verb behind it makes it a subject: "部署真让人紧张".
	reZhComment = regexp.MustCompile(`^(真|很|太|非常|挺|特别|十分|比较|总是|让人|令人|是)`)
	reZhOthers  = regexp.MustCompile(`^(他们|她们|他|她|人家|大家|有人|别人)`)
	reZhTaste   = regexp.MustCompile(`^(我们|我|咱们|咱|他们|他|她|大家)(很|最|也|都|真|非常|特别|一直|挺|蛮)*(喜欢|喜爱|爱|热爱|讨厌|享受|习惯|后悔)`)
	// What is over: a time or "already" before the verb, an ending behind it.
	reZhPast = regexp.MustCompile(`昨天|昨晚|前天|上周|上个月|去年|上次|刚刚|刚才|早就|早已|已经`)
	// What is done as a rule, or was only meant to be.
	reZhHabit = regexp.MustCompile(`总是|总在|总会|经常|常常|老是|一向|从来|有时|偶尔|本来|原本|差点`)
	reZhDone  = regexp.MustCompile(`^(好|完|成功|上去|上线|过)*[了过]`)
)

func (c clause) isStatementZh() bool {
	text := c.text[c.tokens[0].start:c.tokens[len(c.tokens)-1].end]
	if reZhTaste.MatchString(text) {
		return true
	}
	for _, t := range c.tokens[:c.main] {
		switch t.text {
		case "请", "请你", "请您", "帮", "帮我", "帮忙", "麻烦", "让", "让你", "要你":
			return false
		}
	}
	verb := c.tokens[c.main]
	behind := strings.TrimSpace(c.text[verb.end:c.tokens[len(c.tokens)-1].end])
	if reZhComment.MatchString(behind) || reZhOthers.MatchString(text) ||
		(c.tokens[0].text == "我" || c.tokens[0].text == "我们") && reZhDone.MatchString(behind) {
		return true
	}
	if reZhHabit.MatchString(c.text[c.tokens[0].start:verb.start]) {
		return true
	}
	return reZhPast.MatchString(c.text[c.tokens[0].start:verb.start]) &&
		(strings.HasSuffix(verb.text, "了") || reZhDone.MatchString(behind))
}

// enState are what a thing can be asked to be, enDone what it can be asked to have
// done; behind a form of "be" and of "have" or "do" they ask for its status.
var (
	enState = set(`up down running live alive healthy online offline working responding reachable broken stuck ready stable okay ok fine
done finished complete completed`)
	enDone = set(`done finished completed succeeded failed landed through succeed fail finish complete land`)
	// enHow ask for a state behind "how" alone: "how is it doing".
	enHow = set(`doing going holding faring`)
	enBe  = set(`is are was were been be am`)
)

// enNews ask for the state of what they are about: "any news on the deployment?"
var enNews = set(`news update updates word progress luck`)

// markStates makes the predicate of a question after a state a word for the
// status: "is it up?", "see whether it is running", "did it go through?".
func (c *clause) markStates() {
	asked, how := c.question, false
	for i, t := range c.tokens {
		w := t.lower()
		asked = asked || w == "whether" || w == "if"
		if how = how || w == "how"; how && enHow[w] && i >= 2 && c.predicate(i) {
			c.markState(i)
			continue
		}
		if c.question && enNews[w] && i > 0 && isOne(c.tokens[i-1].lower(), []string{"any", "latest", "more"}) {
			c.markState(i)
			continue
		}
		if !asked || t.kind != tokWord || i < 2 || !enState[w] && !enDone[w] || !c.predicate(i) {
			continue
		}
		c.markState(i)
	}
}

// markState changes the clause's own tokens; those it was made of are the prompt's.
func (c *clause) markState(i int) {
	c.tokens = append([]token{}, c.tokens...)
	c.tokens[i].concepts, c.tokens[i].state = words.en[stem("status")], true
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
		if w := t.lower(); (w == "if" || w == "whether" || w == "how") && i > 0 {
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
	if aux >= 0 && enHow[w] && !enBe[c.tokens[aux].lower()] {
		return false
	}
	if aux < 0 || !enHow[w] && (!enState[w] && enBe[c.tokens[aux].lower()] || !enDone[w] && !enBe[c.tokens[aux].lower()]) {
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
