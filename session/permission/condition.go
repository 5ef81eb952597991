package permission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// condition is what one argument of a call has to be: mcp(deploy/trigger, env=staging*).
type condition struct {
	// path leads to the argument, each step the key of an object.
	path []string
	// pattern is a glob on the argument's text; not says that it must not match.
	pattern string
	not     bool
}

// conditionStart is where the conditions of a rule begin. A name may have a comma in it;
// one that looks like a condition has to be written with a *.
var conditionStart = regexp.MustCompile(`,\s*[A-Za-z0-9_.$-]+\s*!?=`)

// WithoutConditions is what stands in the brackets of an mcp rule before its conditions.
func WithoutConditions(arg string) string {
	if at := conditionStart.FindStringIndex(arg); at != nil {
		return strings.TrimSpace(arg[:at[0]])
	}
	return arg
}

// Bare is the rule without its conditions: what it speaks of, whatever the arguments are.
func (r Rule) Bare() Rule {
	r.conditions = nil
	return r
}

// parseConditions takes the conditions off what stands in the brackets of a rule.
func parseConditions(text, arg string) (rest string, conditions []condition, err error) {
	rest = WithoutConditions(arg)
	for _, part := range splitConditions(arg[len(rest):]) {
		key, pattern, ok := strings.Cut(part, "=")
		c := condition{pattern: strings.TrimSpace(pattern)}
		if name, not := strings.CutSuffix(key, "!"); not {
			key, c.not = name, true
		}
		key = strings.TrimSpace(key)
		c.path = strings.Split(key, ".")
		for _, step := range c.path {
			ok = ok && step != ""
		}
		if !ok || !doublestar.ValidatePattern(opaque(c.pattern)) {
			return "", nil, lang.Errorf(zh, textRuleCondition, text, part)
		}
		conditions = append(conditions, c)
	}
	return rest, conditions, nil
}

// splitConditions cuts ", a=b, c=d" where a condition begins; a pattern may have commas.
func splitConditions(s string) []string {
	var parts []string
	for s != "" {
		rest := strings.TrimLeft(s, ", \t")
		next := conditionStart.FindStringIndex(rest)
		if next == nil {
			return append(parts, rest)
		}
		parts = append(parts, rest[:next[0]])
		s = rest[next[0]:]
	}
	return parts
}

// holds reports whether all conditions are met by the arguments of a call. An argument that
// is not there meets only a "must not". What is no text is compared as JSON writes it.
func (r Rule) holds(req Request) bool {
	if len(r.conditions) == 0 {
		return true
	}
	if req.Listing {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(req.Args))
	dec.UseNumber()
	var all any
	if dec.Decode(&all) != nil {
		all = nil
	}
	for _, c := range r.conditions {
		text, there := argument(all, c.path)
		if (there && MatchTool(c.pattern, text)) == c.not {
			return false
		}
	}
	return true
}

// argument is the text of what lies at a path; false for nothing.
func argument(at any, path []string) (string, bool) {
	for _, step := range path {
		object, ok := at.(map[string]any)
		if !ok {
			return "", false
		}
		if at, ok = object[step]; !ok {
			return "", false
		}
	}
	switch v := at.(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case bool, json.Number:
		return fmt.Sprint(v), true
	}
	raw, err := json.Marshal(at)
	return string(raw), err == nil
}
