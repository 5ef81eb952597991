package model

import "strings"

// How much a word of the prompt counts, by where the tool has it.
const (
	inName   = 3.0
	inServer = 2.4
	inDesc   = 1.2
	inParam  = 0.8
	// byMeaning is what is left when only the concept is the same.
	byMeaning = 0.8
	// changeFactor raises the verb that says what to change. Verbs that read are
	// taken for one another too easily to weigh more than what is read.
	changeFactor = 1.3
	// vague is the share of a verb that any tool could have: "get".
	vague = 0.35
	// readsToo is for a tool that reads, by another verb than the clause's.
	readsToo = 0.5
	// also is the share of a second place where the tool has a word.
	also = 0.3
	// place is for what the clause says to look into: "search the code for".
	placeKnown, placeUnknown = 1.0, 1.5
	// unsaid is taken off for each word of the tool's name the prompt has not.
	unsaid = 0.4
	// named is added when the prompt calls the tool or its server by name.
	namedTool, namedServer = 8.0, 2.5
	// threshold is the least score a tool is called for.
	threshold = 1.9
)

// match is a tool that may do what a clause asks for.
type match struct {
	tool  *offered
	score float64
	// source marks the clause's tokens that were taken for the tool itself (its
	// server, its kind), not for what it is to work on.
	source map[int]bool
	// verbMatched says that the tool has the clause's main verb.
	verbMatched bool
	// covered says that the tool has all that a clause of several words is about, so
	// that nothing is left to look for. A clause that says where to look wants a search.
	covered bool
	because []string
}

// bestMatch returns the tool that fits a clause best, nil when none does.
func bestMatch(c clause, tools []*offered, here string) *match {
	var best *match
	bestScore := 0.0
	for _, t := range tools {
		if t.spec.Name == connectTool && (c.main < 0 || !c.tokens[c.main].hasConcept("connect")) {
			continue
		}
		m := score(c, t)
		if m == nil {
			continue
		}
		s := m.score + fit(c, m, here)
		if s >= threshold && (best == nil || s > bestScore+1e-9) {
			best, bestScore = m, s
		}
	}
	return best
}

// score compares words; nil means that the tool is out of the question.
func score(c clause, t *offered) *match {
	m := &match{tool: t, source: map[int]bool{}}
	nameSaid := make([]bool, len(t.nameWords))
	markNamed(c, m)
	if t.spec.Name == connectTool {
		// What is connected is a server; its name is the rest.
		for i, w := range c.tokens {
			m.source[i] = m.source[i] || w.stem == "mcp" || w.hasConcept("server") || w.text == "服务"
		}
	}
	byName := m.score > 0
	about, met, placed := 0, 0, false
	for i, w := range c.tokens {
		if w.literal() || w.function() || m.source[i] {
			// A path hints at its tools: "read notes.txt" is about a file.
			if w.kind == tokPath {
				m.score += best(token{stem: "fil", concepts: words.en["fil"]}, t.nameWords, nil) * 0.3
			}
			continue
		}
		isMain := i == c.main
		if !isMain && w.hasConcept("report", "use") && w.verb() != nil && len(w.concepts) == 1 {
			continue
		}
		if !isMain {
			about++
		}
		name := best(w, t.nameWords, nameSaid) * inName
		server := best(w, t.serverWords, nil) * inServer
		desc := best(w, t.descWords, nil) * inDesc
		parameter := 0.0
		for _, p := range t.params {
			parameter = max(parameter, best(w, p.words, nil)*inParam)
		}
		top := max(name, server, desc, parameter)
		top += also * (name + server + desc + parameter - top)
		if c.place(i) {
			placed = true
			if top > 0 {
				m.score += placeKnown
			} else if len(nounConcepts(w)) > 0 {
				m.score -= placeUnknown
			}
		}
		if top == 0 {
			if isMain && c.effect == effectReads && t.effect == effectReads && w.verb().effect != effectChanges {
				m.score += readsToo
			}
			if isMain && c.effect == effectChanges && !w.hasConcept("write", "create") && !byName {
				// To change something the tool must be made for that change.
				m.score -= 3
			}
			continue
		}
		if !isMain {
			met++
		}
		if c.how && w.verb() != nil && w.verb().effect == effectChanges {
			top *= 0.4 // it is asked about, not asked for
		}
		if isMain {
			switch {
			case w.verb() != nil && w.verb().effect == effectChanges:
				top *= changeFactor
			case w.hasConcept("get"):
				top *= vague
			}
			m.verbMatched = true
		} else if w.verb() != nil && w.verb().effect != effectUnknown && len(nounConcepts(w)) == 0 && server == 0 {
			top *= 0.6 // a verb inside the topic
		}
		m.score += top
		m.because = append(m.because, w.text)
		if server > 0 || name > 0 && !isMain || desc > 0 && w.hasConcept("document", "database", "web", "file", "code", "directory") && parameter == 0 {
			m.source[i] = true
		}
	}
	if verb := c.implied(); verb != "" {
		w := token{stem: stem(verb), concepts: words.en[stem(verb)]}
		m.score += 0.8*inName*best(w, t.nameWords, nameSaid) + inDesc*best(w, t.descWords, nil)
	}
	m.keepTopicDocuments(c)
	m.covered = about > 1 && met == about && !placed
	if m.score <= 0 {
		return nil
	}
	for _, said := range nameSaid {
		if !said && !byName {
			m.score -= unsaid
		}
	}
	if t.deprecated {
		m.score -= 2
	}
	if byName {
		return m
	}
	switch {
	case c.effect == effectReads && t.effect == effectChanges:
		return nil
	case c.effect == effectChanges && t.effect == effectReads:
		return nil
	case c.effect == effectUnknown && t.effect == effectChanges && c.main < 0:
		// Nothing is changed by accident.
		return nil
	case c.effect == effectChanges && t.effect == effectChanges && !m.verbMatched:
		return nil
	}
	return m
}

// keepTopicDocuments leaves to the topic the documents that are looked for, where
// another word says where to look: "the deployment guide in the documentation".
func (m *match) keepTopicDocuments(c clause) {
	in := -1
	for i, t := range c.tokens {
		if m.source[i] && t.hasConcept("document") && c.inDocumentAt(i) {
			in = i
		}
	}
	for i, t := range c.tokens {
		if in >= 0 && i != in && t.hasConcept("document") {
			delete(m.source, i)
		}
	}
}

// place reports whether the token says where to look: what stands between a verb
// that searches and its "for", in Chinese before "里".
func (c clause) place(i int) bool {
	if c.zh {
		return nextIs(c, i, "里", "里面", "中", "里的", "中的", "内", "里头", "当中")
	}
	if c.main < 0 || i <= c.main || c.tokens[i].function() || !c.tokens[c.main].hasConcept("search", "grep", "check", "read") {
		return false
	}
	for j := c.main + 1; j < len(c.tokens); j++ {
		if enTopicMarker[c.tokens[j].lower()] {
			return i < j
		}
	}
	return false
}

func nounConcepts(t token) []*concept {
	var out []*concept
	for _, c := range t.concepts {
		if c.role == roleNoun {
			out = append(out, c)
		}
	}
	return out
}

// best compares a word to a list: 1 for the same stem, less for the same meaning.
// It marks in said which of the list it met.
func best(w token, list []token, said []bool) float64 {
	top := 0.0
	for i, f := range list {
		s := similar(w, f)
		if s > 0 && said != nil {
			said[i] = true
		}
		top = max(top, s)
	}
	return top
}

func similar(a, b token) float64 {
	if a.stem == b.stem {
		return 1
	}
	for _, x := range a.concepts {
		for _, y := range b.concepts {
			if x == y {
				return byMeaning
			}
		}
	}
	// Unknown Chinese words: two characters in common.
	if a.kind == tokHan && b.kind == tokHan && a.concepts == nil && b.concepts == nil && sharesBigram(a.text, b.text) {
		return byMeaning
	}
	return 0
}

func sharesBigram(a, b string) bool {
	ra := []rune(a)
	for i := 0; i+1 < len(ra); i++ {
		if strings.Contains(b, string(ra[i:i+2])) {
			return true
		}
	}
	return false
}

// markNamed finds the tool's or its server's own name in the clause.
func markNamed(c clause, m *match) {
	t := m.tool
	for i, w := range c.tokens {
		if w.kind != tokWord && w.kind != tokCode && w.kind != tokQuoted {
			continue
		}
		text := w.lower()
		switch {
		case text == strings.ToLower(t.spec.Name) && t.server != "":
		case text == strings.ToLower(t.name) && (len(t.nameWords) > 1 || nextIs(c, i, "tool", "工具")):
		case t.server != "" && text == strings.ToLower(t.server) && (nextIs(c, i, "server", "服务器", "服务", "mcp") || prevIs(c, i, "using", "with", "via", "through", "use", "用", "使用", "通过", "调用", "从", "让")):
			m.score += namedServer
			m.source[i] = true
			if i > 0 && c.tokens[i-1].hasConcept("use") {
				m.source[i-1] = true
			}
			if nextIs(c, i, "server", "服务器", "服务", "mcp") {
				m.source[i+1] = true
			}
			continue
		default:
			continue
		}
		m.score += namedTool
		m.source[i] = true
		m.because = append(m.because, w.text)
		if nextIs(c, i, "tool", "工具") {
			m.source[i+1] = true
		}
	}
}

func nextIs(c clause, i int, list ...string) bool {
	return i+1 < len(c.tokens) && isOne(c.tokens[i+1].lower(), list)
}

func prevIs(c clause, i int, list ...string) bool {
	if i > 0 && c.tokens[i-1].lower() == "the" {
		i--
	}
	return i > 0 && isOne(c.tokens[i-1].lower(), list)
}

func isOne(s string, list []string) bool {
	for _, l := range list {
		if s == l {
			return true
		}
	}
	return false
}

// fit weighs how well the clause fills the tool's arguments.
func fit(c clause, m *match, here string) float64 {
	a := fill(c, m, here)
	// A text to search for may stand in a sentence beside this one.
	s := -1.2*float64(len(a.missing)) + 0.6*float64(a.missingText)
	if a.complete {
		s += 0.4
	}
	s += 0.5 * float64(a.usedLiterals)
	s -= 0.5 * float64(a.unusedLiterals)
	if a.usedTopic {
		s += 0.8
	} else if m.covered && c.effect != effectChanges {
		s += 0.8
	} else if a.topicLeft && c.effect != effectChanges {
		s -= 0.8
	}
	if a.thing != "" {
		s += 0.8
	}
	if a.usedWildcard {
		s += 2
	}
	if a.usedCode && m.tool.name == "bash" {
		s += 3
	}
	return s
}
