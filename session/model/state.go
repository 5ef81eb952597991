package model

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
