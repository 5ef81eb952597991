package model

import (
	"encoding/json"
	"regexp"
	"strings"
)

// step is what is to be done for one clause: a call, or a word on why not.
type step struct {
	clause clause
	// tool and args of a call; nil when no tool fits.
	tool    *offered
	args    json.RawMessage
	missing []string
	// connect is the server that must be connected first.
	connect string
	negated bool
	// thing is the project or service that the step names.
	thing string
}

func (s step) text() string {
	t := s.clause.tokens
	return strings.TrimRight(s.clause.text[t[0].start:t[len(t)-1].end], " .。!！;；,，")
}

// plan makes the steps of a prompt with the tools there are.
//
// here is the name of the project that is meant where none is named: the folder's,
// or what an earlier step named.
func plan(text string, zh bool, tools []*offered, here string) []step {
	clauses := clausesOf(text, zh)
	var steps []step
	told := "" // the thing that was spoken of last: "The auth service is ready. Deploy it."
	for i := 0; i < len(clauses); i++ {
		c := clauses[i]
		meant := here
		// Chinese leaves the pronoun out.
		if told != "" && (c.has("it", "that", "them", "它") || c.zh && !c.hasConcept("project")) {
			meant = told
		}
		s := planClause(c, tools, meant)
		if t := c.tells(s.tool == nil); t != "" {
			told = t
		}
		// A question and its source in two sentences: "What is X? Look in the docs."
		for i+1 < len(clauses) && s.unfilledRead() {
			n := planClause(clauses[i+1], tools, here)
			if n.tool != nil && n.missing == nil && n.clause.effect == effectChanges {
				break
			}
			j := planClause(c.join(clauses[i+1]), tools, here)
			if j.tool == nil || j.missing != nil {
				break
			}
			s, c = j, j.clause
			i++
		}
		if n := len(steps); n > 0 && (s.unfilledRead() || s.tool == nil && !s.negated && c.effect != effectChanges) &&
			steps[n-1].tool == nil && !steps[n-1].negated && steps[n-1].clause.effect != effectChanges {
			if j := planClause(steps[n-1].clause.join(c), tools, here); j.tool != nil && j.missing == nil {
				steps[n-1] = j
				continue
			}
		}
		// How the step before went is told anyway.
		if len(steps) > 0 && c.isReport() && (s.tool == nil || s.missing != nil || !named(c, s.tool)) {
			continue
		}
		// Small talk beside a request is no step.
		if s.tool == nil && s.connect == "" && !s.negated && !c.hasTopic() && len(clauses) > 1 {
			continue
		}
		// "Time to ship! Deploy the project." says one thing twice.
		if s.repeats(steps) {
			continue
		}
		steps = append(steps, s)
		if s.thing != "" {
			here = s.thing
		}
	}
	return steps
}

func (s step) repeats(steps []step) bool {
	for _, p := range steps {
		if s.tool != nil && p.tool == s.tool && string(p.args) == string(s.args) {
			return true
		}
	}
	return false
}

// named reports whether the clause has a word of the tool's own name or server.
func named(c clause, t *offered) bool {
	for _, w := range c.tokens {
		if !w.function() && !w.hasConcept("result", "report") && (best(w, t.nameWords, nil) > 0 || best(w, t.serverWords, nil) > 0) && w.verb() == nil {
			return true
		}
	}
	return false
}

// hasTopic reports whether anything but small words stands in the clause.
func (c clause) hasTopic() bool {
	for _, t := range c.tokens {
		if !t.function() && !t.hasConcept("report", "result") {
			return true
		}
	}
	return false
}

func (s step) unfilledRead() bool {
	return s.tool != nil && len(s.missing) > 0 && s.tool.effect != effectChanges && s.clause.effect != effectChanges
}

func planClause(c clause, tools []*offered, here string) step {
	s := step{clause: c}
	if c.negated {
		s.negated = true
		return s
	}
	if c.statement {
		return s
	}
	s.connect = unconnected(c, tools, false)
	m := bestMatch(c, tools, here)
	if m == nil {
		if s.connect == "" {
			s.connect = unconnected(c, tools, true)
		}
		return s
	}
	if s.connect != "" && m.tool.spec.Name == connectTool {
		s.connect = ""
	}
	f := fill(c, m, here)
	s.thing = f.thing
	s.tool, s.args, s.missing = m.tool, f.args, f.missing
	return s
}

// unconnected returns the server that the clause names and that could be
// connected, but has no tools here. With meant, another word for its name will do:
// "文档" for docs.
func unconnected(c clause, tools []*offered, meant bool) string {
	var connect *offered
	here := map[string]bool{}
	for _, t := range tools {
		if t.spec.Name == connectTool {
			connect = t
		}
		here[strings.ToLower(t.server)] = true
	}
	if connect == nil {
		return ""
	}
	for _, name := range connectable(connect) {
		if here[strings.ToLower(name)] {
			continue
		}
		words := contentWords(identifierTokens(name))
		for _, t := range c.tokens {
			if t.lower() == strings.ToLower(name) || meant && !t.function() && best(t, words, nil) > 0 {
				return name
			}
		}
	}
	return ""
}

var reNames = regexp.MustCompile(`(?is)\b(?:available|servers?|one of|connect to)\b[^:：]*[:：]\s*(.+)`)

// connectable are the servers that connect_mcp offers: its enum, or the names that
// its description lists.
func connectable(t *offered) []string {
	for _, p := range t.params {
		if len(p.enum) > 0 {
			return p.enum
		}
	}
	texts := []string{t.spec.Description}
	for _, p := range t.params {
		texts = append(texts, p.desc)
	}
	for _, text := range texts {
		if m := reNames.FindStringSubmatch(text); m != nil {
			return strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" ,;`\"'.\n、，", r) })
		}
	}
	return nil
}

// connectArgs are the arguments by which connect_mcp connects a server.
func connectArgs(t *offered, server string) json.RawMessage {
	name := "name"
	for _, p := range t.params {
		if p.typ == "string" {
			name = p.name
			break
		}
	}
	return orderedArgs{{name, encode(server)}}.encode()
}
