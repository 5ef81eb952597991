// Package toolsearch finds tools by what a model writes into tool_search.
package toolsearch

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Tool is what is looked through of one tool. Params are the names and descriptions of
// its arguments, whatever their order.
type Tool struct {
	Name, Description, Params string
}

// What a word counts for by where it is found.
const (
	inName        = 3
	inDescription = 2
	inParams      = 1
	wholeWord     = 1 // added where it is a word, not a part of one
	another       = 3 // added for each word that is found at all
)

// DefaultLimit and MaxLimit are how many tools an answer has.
const (
	DefaultLimit = 5
	MaxLimit     = 30
)

// Find returns the places of the tools that a query means, the best first:
// "select:a,b" names tools, whole or without what is before the last "__"; "/expr/" is a
// regular expression on names and descriptions, without regard to case; everything else
// is words, each of which counts, by where it is found. A limit of 0 is the default. Tools
// that are as good stay in their order.
func Find(tools []Tool, query string, limit int) ([]int, error) {
	query = strings.TrimSpace(query)
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	switch {
	case query == "":
		return nil, fmt.Errorf("the query is empty")
	case strings.HasPrefix(query, "select:"):
		return named(tools, strings.TrimPrefix(query, "select:")), nil
	case len(query) > 2 && query[0] == '/' && query[len(query)-1] == '/':
		expr, err := regexp.Compile("(?i)" + query[1:len(query)-1])
		if err != nil {
			return nil, fmt.Errorf("%s is no regular expression: %w", query, err)
		}
		var found []int
		for i, t := range tools {
			if len(found) < limit && (expr.MatchString(t.Name) || expr.MatchString(t.Description)) {
				found = append(found, i)
			}
		}
		return found, nil
	}
	return ranked(tools, words(query), limit), nil
}

// named are the tools that a list names, all of them.
func named(tools []Tool, list string) []int {
	var found []int
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		for i, t := range tools {
			if name != "" && (strings.EqualFold(t.Name, name) || strings.EqualFold(short(t.Name), name)) && !slices.Contains(found, i) && len(found) < MaxLimit {
				found = append(found, i)
			}
		}
	}
	return found
}

func short(name string) string { return name[strings.LastIndex(name, "__")+len("__"):] }

func ranked(tools []Tool, words []string, limit int) []int {
	type hit struct{ at, score int }
	var hits []hit
	for i, t := range tools {
		score := 0
		name, description, params := spaced(t.Name), spaced(t.Description), spaced(t.Params)
		for _, w := range words {
			if n := count(name, w, inName) + count(description, w, inDescription) + count(params, w, inParams); n > 0 {
				score += n + another
			}
		}
		if score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var found []int
	for _, h := range hits[:min(limit, len(hits))] {
		found = append(found, h.at)
	}
	return found
}

func count(text, word string, weight int) int {
	switch {
	case strings.Contains(" "+text+" ", " "+word+" "):
		return weight + wholeWord
	case len(word) > 2 && strings.Contains(text, word): // "at" is in too many words
		return weight
	}
	return 0
}

// words are the words of a query. Text that is written without spaces (Chinese, Japanese,
// Korean) has its pairs of characters besides the whole.
func words(query string) []string {
	var out []string
	add := func(w string) {
		if w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, w := range strings.Fields(spaced(query)) {
		add(w)
		runes := []rune(w)
		if len(runes) > 2 && unspaced(runes[0]) {
			for i := range len(runes) - 1 {
				add(string(runes[i : i+2]))
			}
		}
	}
	return out
}

// spaced is a text in small letters with a space between its words: at signs, at a
// capital behind a small letter, and between scripts with and without spaces.
func spaced(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last), last != 0 && last != ' ' && unspaced(r) != unspaced(last):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return b.String()
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
