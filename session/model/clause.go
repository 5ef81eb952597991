package model

import (
	"strings"
	"unicode"
)

// clause is one step that a prompt asks for.
type clause struct {
	// text is the clause in the normalised prompt; the tokens' places are in it.
	text   string
	tokens []token
	zh     bool
	// main is the index of the verb that says what to do, -1 when there is none.
	main int
	// effect is what the clause wants done: reads for questions.
	effect   effect
	question bool
	// how says that the clause asks how its verb is done.
	how bool
	// negated says that the clause tells what not to do.
	negated bool
	// statement says that the clause only tells something.
	statement bool
}

// clausesOf splits a prompt into steps. text is normalised.
func clausesOf(text string, zh bool) []clause {
	tokens := tokenize(text)
	var out []clause
	begin := 0
	cut := func(end, next int) {
		if c, ok := newClause(text, tokens[begin:end], zh); ok {
			out = append(out, c)
		}
		begin = next
	}
	for i := 0; i < len(tokens); i++ {
		if i < begin {
			continue
		}
		t := tokens[i]
		switch {
		case t.kind == tokPunct && strings.ContainsAny(t.text, ".!?;。！？；\n"):
			cut(i+1, i+1) // keep the sign: a question mark tells
		case t.kind == tokPunct && strings.ContainsAny(t.text, ",，、"):
			if n := skipLinks(tokens, i+1); n < len(tokens) && opensStep(tokens, begin, n, n > i+1) {
				cut(i, n)
			}
		case t.kind == tokPunct && t.text == ":" && hasVerb(tokens[begin:i]) && pointsAt(tokens, i+1):
			cut(i, i+1)
		case i > begin && isLink(t):
			n := skipLinks(tokens, i)
			strong := false
			for _, l := range tokens[i:n] {
				strong = strong || l.lower() == "then" || l.lower() == "afterwards" || l.text == "然后" || l.text == "接着" || l.text == "随后"
			}
			if n < len(tokens) && opensStep(tokens, begin, n, strong) {
				cut(i, n)
			}
		}
	}
	cut(len(tokens), len(tokens))
	return out
}

// pointsAt reports whether a command on what was just named begins at tokens[at]:
// "get this out: deploy it".
func pointsAt(tokens []token, at int) bool {
	for at < len(tokens) && tokens[at].function() && tokens[at].kind != tokPunct {
		at++
	}
	if at+1 >= len(tokens) || tokens[at].verb() == nil || tokens[at].verb().effect != effectChanges {
		return false
	}
	next := tokens[at+1]
	return enPronoun[next.lower()] || next.text == "它"
}

// isLink reports whether t may join two steps.
func isLink(t token) bool {
	switch t.lower() {
	case "and", "then", "afterwards", "并", "并且", "然后", "接着", "再", "随后", "而后", "之后", "同时", "顺便", "最后":
		return true
	}
	return false
}

func skipLinks(tokens []token, i int) int {
	for i < len(tokens) && (isLink(tokens[i]) || tokens[i].kind == tokPunct && strings.ContainsAny(tokens[i].text, ",，、") ||
		tokens[i].lower() == "also" || tokens[i].lower() == "finally" || tokens[i].lower() == "next") {
		i++
	}
	return i
}

// opensStep reports whether a new step begins at tokens[at]: an imperative, or
// anything at all behind a strong word like "then". begin is where the step
// before began.
func opensStep(tokens []token, begin, at int, strong bool) bool {
	i := at
	polite := false
	for i < len(tokens) && tokens[i].function() && tokens[i].kind != tokPunct {
		polite = true
		// "and what does it say", "并把 X 部署": whole sentences.
		if enQuestion[tokens[i].lower()] || tokens[i].text == "把" || tokens[i].text == "将" {
			return true
		}
		// "and the rest": an object, no step.
		if enDeterminer[tokens[i].lower()] && !strong {
			return false
		}
		i++
	}
	if i >= len(tokens) || tokens[i].verb() == nil {
		return strong && i < len(tokens) && tokens[i].kind != tokHan
	}
	t := tokens[i]
	if t.kind == tokHan {
		// "部署并发布的项目", "构建和部署状态": the second verb belongs to a noun.
		if i+1 < len(tokens) && (tokens[i+1].text == "的" || !strong && !polite && tokens[i+1].hasConcept("status", "policy", "document", "log")) {
			return false
		}
		return hasVerb(tokens[begin:at]) || strong
	}
	if t.form == formNominal || t.form == formGerund {
		return false
	}
	if strong || polite && i > at && enModal[tokens[i-1].lower()] {
		return true
	}
	if t.form == formParticiple {
		return false
	}
	if !hasVerb(tokens[begin:at]) {
		return false
	}
	nounToo := enNounToo[t.lower()]
	free := false // in the topic of a search any word may come
	for _, b := range tokens[begin:at] {
		free = free || enTopicMarker[b.lower()]
	}
	if !nounToo && !free {
		return true
	}
	if i+1 >= len(tokens) || tokens[i+1].kind == tokPunct {
		return !free
	}
	next := tokens[i+1]
	return enDeterminer[next.lower()] || enPronoun[next.lower()] || next.literal()
}

func hasVerb(tokens []token) bool {
	for _, t := range tokens {
		if t.verb() != nil || t.kind == tokWord && enSay[t.lower()] {
			return true
		}
	}
	return false
}

// newClause reads one step; ok is false when nothing stands in it.
func newClause(text string, tokens []token, zh bool) (clause, bool) {
	for len(tokens) > 0 && tokens[0].kind == tokPunct {
		tokens = tokens[1:]
	}
	words := 0
	for _, t := range tokens {
		if t.kind != tokPunct {
			words++
		}
	}
	if words == 0 {
		return clause{}, false
	}
	c := clause{text: text, tokens: tokens, zh: zh, main: -1}
	c.keepRoutes()
	c.rollBack()
	c.question = c.isQuestion()
	c.negated = c.isNegated()
	if !zh {
		c.markStates()
	}
	c.findMain()
	c.findEffect()
	if c.asksState() {
		c.main, c.question, c.effect = -1, true, effectReads
	}
	if c.how = c.asksHow(); c.how {
		// What is to be explained is a topic, no command.
		c.main = -1
	}
	c.statement = c.isStatement()
	return c, true
}

// join makes one clause of two neighbours.
func (c clause) join(d clause) clause {
	j, _ := newClause(c.text, append(append([]token{}, c.tokens...), d.tokens...), c.zh)
	return j
}

func (c clause) has(texts ...string) bool {
	for _, t := range c.tokens {
		for _, s := range texts {
			if t.lower() == s {
				return true
			}
		}
	}
	return false
}

func (c clause) hasConcept(ids ...string) bool {
	for _, t := range c.tokens {
		if t.hasConcept(ids...) {
			return true
		}
	}
	return false
}

// start returns the index of the first token behind politeness.
func (c clause) start() int {
	for i, t := range c.tokens {
		if !(t.function() && !enQuestion[t.lower()] && !enAux[t.lower()]) {
			return i
		}
	}
	return 0
}

// isQuestion reports whether the clause asks to be told something, rather than
// asks politely for something to be done.
func (c clause) isQuestion() bool {
	mark := false
	for _, t := range c.tokens {
		mark = mark || t.kind == tokPunct && (t.text == "?" || t.text == "？")
	}
	if c.zh {
		for i, t := range c.tokens {
			switch t.text {
			case "哪些", "哪个", "哪里", "哪儿", "什么", "啥", "怎么", "怎样", "如何", "怎么样", "多少", "几", "为什么", "为何", "是否", "有没有", "是什么":
				return true
			case "吗":
				// "部署了吗", "部署好了吗" ask; "能部署一下吗" begs.
				if i > 0 && (strings.HasSuffix(c.tokens[i-1].text, "了") || c.tokens[i-1].text == "过") {
					return !c.has("能", "可以", "能不能", "可不可以", "能否", "可否", "帮我", "麻烦")
				}
			}
		}
		return mark && !c.has("能", "可以", "能不能", "可不可以", "能否", "可否", "请", "帮我", "麻烦", "帮", "把", "将", "吧")
	}
	for _, t := range c.tokens {
		w := t.lower()
		switch {
		case t.kind == tokPunct:
			continue
		case w == "please" || w == "hey" || w == "hi" || w == "hello" || w == "and" || w == "so" || w == "ok" || w == "okay" || w == "now" || w == "then" || w == "also" || w == "but":
			continue
		case enModal[w]:
			return false // "could you deploy": an order
		case enAdvice[w], w == "any":
			return mark // "should I deploy?", "any news?"
		case enQuestion[w] && w != "that":
			return true
		case enAux[w] && w != "do" && w != "have":
			return true
		case !mark && enSubject[w]:
			return c.has("whether", "wonder") // "I was going to": told, not asked
		case t.function():
			continue
		}
		// "deploy it?" is an order still, "the cleanup policy?" is none.
		return mark && (t.verb() == nil || t.form == formNominal)
	}
	return false
}

func (c clause) isNegated() bool {
	for i, t := range c.tokens {
		switch t.lower() {
		case "avoid", "refrain", "skip", "postpone", "delay":
			for _, n := range c.tokens[i+1:] {
				if n.verb() != nil {
					if n.form == formGerund {
						return true
					}
					break
				}
			}
		case "not", "never", "without", "nobody", "noone", "none", "不要", "别", "不":
			for _, n := range c.tokens[i+1:] {
				if v := n.verb(); v != nil {
					return v.effect != effectReads || i == c.start()
				}
			}
		}
	}
	return false
}

// findMain finds the verb that says what to do.
func (c *clause) findMain() {
	if c.zh {
		c.main = c.mainZh()
		return
	}
	c.main = c.mainEn()
}

func (c *clause) mainEn() int {
	first, nominal := -1, -1
	for i, t := range c.tokens {
		if t.kind == tokHan && t.verb() != nil && first < 0 {
			first = i
			break
		}
		if t.kind != tokWord || t.verb() == nil || t.hasConcept("use") || enSay[t.lower()] && c.question {
			continue
		}
		// "I think we should deploy": an opinion brings in what is to be done.
		if t.hasConcept("think") && i+1 < len(c.tokens) && (enSubject[c.tokens[i+1].lower()] || enPronoun[c.tokens[i+1].lower()]) {
			continue
		}
		prev := ""
		if i > 0 {
			prev = c.tokens[i-1].lower()
		}
		// Behind another thing it is a part of a name: "worktree cleanup".
		standsAsNoun := t.form == formNominal || enDeterminer[prev] || enPreposition[prev] && prev != "to" && t.form != formGerund
		if i > 0 && c.tokens[i-1].kind == tokWord && !c.tokens[i-1].function() && t.form == formBase && c.tokens[i-1].verb() == nil {
			standsAsNoun = true
		}
		if standsAsNoun {
			// Of "the orders deployment" the last is the head.
			// "the orders service" is called so.
			if prev != "" && enDeterminer[prev] && i+1 < len(c.tokens) && c.tokens[i+1].hasConcept("project") && t.form != formNominal {
				continue
			}
			if !t.hasConcept("get") && (nominal < 0 || nominal == i-1 && t.form == formNominal) {
				nominal = i
			}
			continue
		}
		if c.question && t.form == formBase && enNounToo[t.lower()] && i == len(c.tokens)-1 {
			continue
		}
		first = i
		break
	}
	if first < 0 {
		return nominal
	}
	w := c.tokens[first]
	// "run a search", "kick off the deployment": what is done is the noun.
	if w.hasConcept("run", "start", "create", "get", "send", "take") {
		for i := first + 1; i < len(c.tokens) && i <= first+5; i++ {
			t := c.tokens[i]
			if t.literal() || enTopicMarker[t.lower()] {
				break
			}
			if v := t.verb(); v != nil && (t.form == formNominal || enDeterminer[c.tokens[i-1].lower()]) && !t.hasConcept("document", "project", "file") {
				// "the deploy status": of two nouns the last is meant.
				if i+1 < len(c.tokens) && c.tokens[i+1].hasConcept("status", "log", "history", "policy", "document", "record", "process", "version") {
					continue
				}
				if w.hasConcept("run", "create", "get", "send") || v.effect == effectChanges {
					return i
				}
			}
		}
	}
	// "push it to production", "put it live".
	if w.hasConcept("push", "write", "send", "move", "upload", "get", "add") {
		for i := first + 1; i < len(c.tokens); i++ {
			if t := c.tokens[i]; isOne(t.lower(), []string{"live", "production", "prod"}) {
				return i
			}
		}
	}
	// "get this project deployed", "I want it shipped".
	if w.hasConcept("get") {
		for i := first + 1; i < len(c.tokens); i++ {
			if t := c.tokens[i]; t.form == formParticiple && t.verb() != nil && t.verb().effect == effectChanges {
				return i
			}
		}
	}
	return first
}

func (c *clause) mainZh() int {
	begin := 0
	// "把 X 部署上去": the verb is behind its object. "对 X 进行部署".
	for i, t := range c.tokens {
		if t.text == "进行" || t.text == "做" && i+1 < len(c.tokens) && c.tokens[i+1].verb() != nil {
			begin = i + 1
		}
		if (t.text == "把" || t.text == "将") && begin == 0 {
			last := -1
			for j := i + 1; j < len(c.tokens); j++ {
				// "将 X 部署出去，结果告诉我": the object's verb is in its own phrase.
				if c.tokens[j].kind == tokPunct && last >= 0 {
					break
				}
				if c.tokens[j].verb() != nil && !c.tokens[j].hasConcept("project") {
					last = j
					// "把 X 部署一下，看看结果": the first verb that ends its phrase.
					if j+1 < len(c.tokens) && (c.tokens[j+1].text == "一下" || c.tokens[j+1].kind == tokPunct || c.tokens[j+1].text == "了") {
						break
					}
				}
			}
			if last >= 0 {
				return last
			}
		}
	}
	weak := -1
	for i := begin; i < len(c.tokens); i++ {
		t := c.tokens[i]
		v := t.verb()
		if v == nil || t.kind == tokPunct {
			continue
		}
		// "部署之前": when, not what.
		if nextIs(*c, i, "之前", "以前", "前", "时", "的时候", "期间") {
			continue
		}
		// "orders 服务": a name.
		if t.kind == tokWord && i+1 < len(c.tokens) && c.tokens[i+1].kind == tokHan && c.tokens[i+1].hasConcept("project") {
			continue
		}
		// "用 X 查", "用 echo 工具回显": how, not what.
		if t.hasConcept("use") {
			for j := i + 1; j <= i+3 && j < len(c.tokens)-1; j++ {
				if isOne(c.tokens[j].text, []string{"工具", "服务器", "服务"}) {
					i = j
				}
			}
			continue
		}
		// "部署状态", "部署的进度": part of a name.
		if i+1 < len(c.tokens) && v.effect == effectChanges && (c.tokens[i+1].hasConcept("status", "policy", "log", "history", "record") ||
			isOne(c.tokens[i+1].text, []string{"相关", "有关", "方面", "类", "相关的"})) {
			if weak < 0 {
				weak = i
			}
			continue
		}
		if zhSay[t.text] && c.question {
			continue
		}
		// "触发 X 的部署", "执行部署", "跑一下部署".
		if t.hasConcept("run", "start", "create") {
			for j := i + 1; j < len(c.tokens); j++ {
				if n := c.tokens[j].verb(); n != nil && (n.effect == effectChanges || t.hasConcept("run")) && !c.tokens[j].hasConcept("project") {
					if j+1 >= len(c.tokens) || c.tokens[j+1].function() || t.hasConcept("run") {
						return j
					}
				}
			}
		}
		return i
	}
	return weak
}

func (c *clause) findEffect() {
	if c.main >= 0 {
		t := c.tokens[c.main]
		for _, k := range t.concepts {
			if k.role == roleVerb && k.effect != effectUnknown {
				c.effect = k.effect
				break
			}
		}
	}
	// A question, or the state of something, wants to be told.
	if c.question {
		c.effect = effectReads
	}
	if c.effect == effectChanges && c.main >= 0 && !c.zh && c.tokens[c.main].form != formBase {
		// "the deployment status", "deployment progress?"
		for _, t := range c.tokens[c.main+1:] {
			if t.hasConcept("status") {
				c.effect = effectReads
			}
		}
	}
	if c.zh && c.effect == effectChanges && c.main+1 < len(c.tokens) && c.tokens[c.main+1].hasConcept("status") {
		c.effect = effectReads
	}
}

// asksHow reports whether the clause asks how to do what its verb says.
func (c clause) asksHow() bool {
	if c.main <= 0 || c.tokens[c.main].verb().effect != effectChanges {
		return false
	}
	for i, t := range c.tokens[:c.main] {
		switch t.lower() {
		case "how":
			return i+1 < len(c.tokens) && isOne(c.tokens[i+1].lower(), []string{"do", "to", "can", "should", "does", "would", "could"})
		case "怎么", "如何", "怎样", "该怎么":
			return i+1 == c.main
		}
	}
	return false
}

// implied returns the verb that a question leaves out: "what is in README.md".
func (c clause) implied() string {
	path, files := false, false
	for _, t := range c.tokens {
		path = path || t.kind == tokPath && !wildcard(t.text)
		files = files || t.hasConcept("file", "directory")
	}
	switch {
	case path && c.has("where", "哪里", "哪儿", "find", "locate"):
		return "find"
	case c.question && c.asksDocument():
		return "search"
	case !c.question && !c.has("有哪些", "哪些"):
		return ""
	case files && (c.has("what", "which", "哪些", "什么")):
		return "list"
	case path:
		return "read"
	}
	return ""
}

// asksDocument reports whether the clause asks for a text or for what it says: "do
// the docs describe X", "docs on X?", "where are the docs for X".
func (c clause) asksDocument() bool {
	where := c.has("where", "哪里", "哪儿", "哪")
	for i, t := range c.tokens {
		if !t.hasConcept("document") {
			continue
		}
		if where {
			return true
		}
		if i+1 >= len(c.tokens) {
			break
		}
		next := c.tokens[i+1]
		if next.kind != tokWord || !enSay[next.lower()] && (c.main >= 0 || !enTopicMarker[next.lower()]) {
			continue
		}
		for _, topic := range c.tokens[i+2:] {
			if !topic.function() {
				return true
			}
		}
	}
	return false
}

// rollBack reads "roll X back" as one verb: it is the contrary of "roll X out".
func (c *clause) rollBack() {
	for i, t := range c.tokens {
		if t.stem != "roll" || !t.hasConcept("deploy") {
			continue
		}
		for _, later := range c.tokens[i+1 : min(i+5, len(c.tokens))] {
			if later.lower() == "back" {
				c.tokens = append([]token{}, c.tokens...)
				c.tokens[i].concepts = words.en[stem("rollback")]
			}
		}
	}
}

// keepRoutes takes what looks like a path but is called an endpoint for the name
// that it is.
func (c *clause) keepRoutes() {
	for i, t := range c.tokens {
		if t.kind == tokPath && strings.HasPrefix(t.text, "/") && i+1 < len(c.tokens) && c.tokens[i+1].hasConcept("network") {
			c.tokens = append([]token{}, c.tokens...)
			c.tokens[i].kind = tokQuoted
		}
	}
}

// inDocument reports whether the clause names a text to look into.
func (c clause) inDocument() bool {
	for i, t := range c.tokens {
		if t.hasConcept("document") && c.inDocumentAt(i) {
			return true
		}
	}
	return false
}

func (c clause) inDocumentAt(i int) bool {
	return c.place(i) || prevIs(c, i, "in", "inside", "within", "of", "on")
}

// isReport reports whether the clause only asks to be told how the step before
// went; the planner reports anyway.
func (c clause) isReport() bool {
	told := false
	for i, t := range c.tokens {
		switch {
		case t.function(), t.hasConcept("result"):
			told = told || t.hasConcept("result")
		case t.hasConcept("report", "get", "read", "check", "explain", "summarize", "list"):
			told = true
		case c.zh && nextIs(c, i, "完", "完成", "完成后", "好", "之后", "后", "以后"):
			// "部署完告诉我": when, not what.
		case t.kind == tokWord && enOutcome[t.lower()], t.hasConcept("status"), t.hasConcept("start", "stop") && c.zh:
			told = told || t.kind == tokWord
		default:
			return false
		}
	}
	return told || c.has("how", "怎么样", "如何", "know")
}

// enOutcome are ways to ask how something went.
var enOutcome = set(`went goes go going gone work works worked happen happens happened succeed succeeds succeeded success successful fail fails failed back
know done finished finish complete completed completes outcome end ended came come out good well fine turn turned turns`)

// isChinese decides the language of an answer.
func isChinese(text, locale string) bool {
	han, latin, en, zh := 0, 0, 0, 0
	for _, t := range tokenize(text) {
		switch {
		case t.kind == tokHan:
			han++
			if zhFunction[t.text] {
				zh++
			}
		case t.kind == tokWord:
			latin++
			if enFunction[t.lower()] {
				en++
			}
		}
	}
	switch {
	case han == 0 && latin == 0:
		for _, r := range text {
			if unicode.Is(unicode.Han, r) {
				return true
			}
		}
		return strings.HasPrefix(strings.ToLower(locale), "zh")
	case han == 0:
		return false
	case en != zh:
		return zh > en
	case en > 0:
		return han >= latin
	}
	// No small words: the language of the first word.
	for _, t := range tokenize(text) {
		if t.kind == tokHan || t.kind == tokWord {
			return t.kind == tokHan || han >= latin
		}
	}
	return true
}
