package model

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token is made of.
type tokenKind uint8

const (
	tokWord   tokenKind = iota // Latin letters, or an identifier
	tokHan                     // a Chinese word of the table, or a run of unknown characters
	tokNumber                  // 3, -2.5
	tokPath                    // README.md, src/x, *.go
	tokURL
	tokQuoted // text between quotes; text is what is inside
	tokCode   // text between backticks
	tokJSON   // a JSON object
	tokPunct
)

// token is one word of a prompt or of a tool's texts.
type token struct {
	kind tokenKind
	// text is the token as written (inside its quotes), start and end its bytes in
	// the normalised text, quotes included.
	text       string
	start, end int
	// stem is text in lower case without endings; for Chinese the word itself.
	stem string
	// form is how an English word ended.
	form     wordForm
	concepts []*concept
	// state says that the word asks for the state of something: "up", "running".
	state bool
}

// wordForm is what an English word's ending tells of its use.
type wordForm uint8

const (
	formBase       wordForm = iota
	formNominal             // deployment, creation
	formGerund              // deploying
	formParticiple          // deployed
)

func (t token) lower() string { return strings.ToLower(t.text) }

// verb returns the first concept of t that is a verb, or nil.
func (t token) verb() *concept {
	for _, c := range t.concepts {
		if c.role == roleVerb {
			return c
		}
	}
	return nil
}

func (t token) hasConcept(ids ...string) bool {
	for _, c := range t.concepts {
		for _, id := range ids {
			if c.id == id {
				return true
			}
		}
	}
	return false
}

// function reports whether t is a word without a topic of its own.
func (t token) function() bool {
	switch t.kind {
	case tokPunct:
		return true
	case tokWord:
		return enFunction[t.lower()] && !t.state
	case tokHan:
		return zhFunction[t.text]
	}
	return false
}

// literal reports whether t is given as it is, not said.
func (t token) literal() bool {
	switch t.kind {
	case tokNumber, tokPath, tokURL, tokQuoted, tokCode, tokJSON:
		return true
	}
	return false
}

// normalise makes full-width ASCII plain, joins Chinese characters that blanks
// were put between, and turns each run of white space outside quotes into one.
func normalise(s string) string {
	var rs []rune
	for _, r := range s {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			r -= 0xFEE0
		case r == 0x3000 || r == 0xA0:
			r = ' '
		case r == '’':
			r = '\''
		}
		rs = append(rs, r)
	}
	var b strings.Builder
	var quote rune
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case closing[r] != 0 && r != '\'':
			for _, later := range rs[i+1:] {
				if later == closing[r] {
					quote = closing[r]
					break
				}
			}
		case unicode.IsSpace(r):
			j := i
			for j < len(rs) && unicode.IsSpace(rs[j]) {
				j++
			}
			if i > 0 && j < len(rs) && unicode.Is(unicode.Han, rs[i-1]) && unicode.Is(unicode.Han, rs[j]) {
				i = j - 1
				continue
			}
			b.WriteByte(' ')
			i = j - 1
			continue
		}
		b.WriteRune(r)
	}
	return reSum.ReplaceAllString(strings.TrimSpace(b.String()), "$1 plus ")
}

// reSum finds "2 + 3": the sign is the only verb in it.
var reSum = regexp.MustCompile(`(\d) ?\+ ?\b`)

var closing = map[rune]rune{'"': '"', '\'': '\'', '`': '`', '“': '”', '‘': '’', '「': '」', '『': '』', '《': '》'}

var (
	reURL    = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^\s，。！？；、）》」"'` + "`" + `]+`)
	reNumber = regexp.MustCompile(`^-?\d+(\.\d+)?`)
	// rePath takes a stretch that may be a path; isPath decides.
	rePath = regexp.MustCompile(`^[A-Za-z0-9_.~*?/\\@+\[\]{}:-]+`)
	reWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*(?:_+[A-Za-z0-9_-]+)?`)
	reExt  = regexp.MustCompile(`[^./\\]\.[A-Za-z][A-Za-z0-9]{0,9}$`)
)

// isPath reports whether a stretch without blanks is a path or a glob.
func isPath(s string) bool {
	switch {
	case s == "." || s == ".." || s == "~":
		return true
	case strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "/") && len(s) > 1:
		return true
	case len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
		return true
	case strings.HasPrefix(s, "*.") || strings.Contains(s, "**") || strings.Contains(s, "/*"):
		return true
	case strings.ContainsAny(s, "/\\"):
		// "docs/deploy tools", "and/or": two words that we know are no path.
		parts := strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' })
		for _, p := range parts {
			if _, known := words.en[stem(p)]; !known && !enFunction[strings.ToLower(p)] {
				return true
			}
		}
		return strings.HasSuffix(s, "/") || len(parts) > 2
	case strings.HasPrefix(s, ".") && len(s) > 2 && s[1] != '.':
		return true
	}
	return reExt.MatchString(s) && !strings.EqualFold(s, "e.g") && !strings.EqualFold(s, "i.e")
}

// trimPath leaves out the sentence's own signs behind a path; Go's "./..." ends in
// dots.
func trimPath(s string) string {
	if strings.HasSuffix(s, "/...") {
		return s
	}
	return strings.TrimRight(s, ".,;:!?")
}

// tokenize splits a normalised text.
func tokenize(s string) []token {
	var out []token
	add := func(t token, from, to int) {
		t.start, t.end = from, to
		out = append(out, t)
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		if c := closing[r]; c != 0 && !(r == '\'' && i > 0 && isWordByte(s[i-1])) {
			if inner, end := quotedAt(s, i, n, c); end > 0 {
				kind := tokQuoted
				if r == '`' {
					kind = tokCode
				}
				add(token{kind: kind, text: inner, stem: strings.ToLower(inner)}, i, end)
				i = end
				continue
			}
		}
		if r == '{' {
			if end := jsonAt(s, i); end > 0 {
				add(token{kind: tokJSON, text: s[i:end]}, i, end)
				i = end
				continue
			}
		}
		if m := reURL.FindString(s[i:]); m != "" {
			m = strings.TrimRight(m, ".,;:!?)")
			add(token{kind: tokURL, text: m, stem: m}, i, i+len(m))
			i += len(m)
			continue
		}
		if m := trimPath(rePath.FindString(s[i:])); (m != "" || strings.HasPrefix(s[i:], ".")) && !(i > 0 && isWordByte(s[i-1])) {
			if m == "" && (s[i:] == "." || strings.HasPrefix(s[i:], ". ")) && (i == 0 || s[i-1] == ' ') {
				m = "."
			}
			if m != "" && reNumber.FindString(m) != m && isPath(m) {
				add(token{kind: tokPath, text: m, stem: strings.ToLower(m)}, i, i+len(m))
				i += len(m)
				continue
			}
		}
		if m := reNumber.FindString(s[i:]); m != "" && (i+len(m) == len(s) || !isLetterAt(s, i+len(m))) &&
			!(m[0] == '-' && i > 0 && isWordByte(s[i-1])) {
			add(token{kind: tokNumber, text: m, stem: m}, i, i+len(m))
			i += len(m)
			continue
		}
		if m := reWord.FindString(s[i:]); m != "" {
			for _, t := range latin(m, i) {
				add(t, t.start, t.end)
			}
			i += len(m)
			// 's and 'd are no words; n't is one.
			if i+1 < len(s) && s[i] == '\'' && isWordByte(s[i+1]) {
				j := i + 1
				for j < len(s) && isWordByte(s[j]) {
					j++
				}
				if strings.EqualFold(s[i:j], "'t") {
					out[len(out)-1].text, out[len(out)-1].stem, out[len(out)-1].concepts = "not", "not", nil
					out[len(out)-1].end = j
				}
				i = j
			}
			continue
		}
		if unicode.Is(unicode.Han, r) {
			j := i
			for j < len(s) {
				r, n := utf8.DecodeRuneInString(s[j:])
				if !unicode.Is(unicode.Han, r) {
					break
				}
				j += n
			}
			for _, t := range segment(s[i:j]) {
				add(t, i+t.start, i+t.end)
			}
			i = j
			continue
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			j := i
			for j < len(s) {
				r, n := utf8.DecodeRuneInString(s[j:])
				if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.Is(unicode.Han, r) {
					break
				}
				j += n
			}
			w := s[i:j]
			add(token{kind: tokWord, text: w, stem: strings.ToLower(w)}, i, j)
			i = j
			continue
		}
		add(token{kind: tokPunct, text: string(r), stem: string(r)}, i, i+n)
		i += n
	}
	return out
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

func isLetterAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) || r == '_'
}

// quotedAt returns what is between the quote at i (n bytes long) and its closing
// one, and where it ends.
func quotedAt(s string, i, n int, c rune) (inner string, end int) {
	rest := s[i+n:]
	for from := 0; ; {
		j := strings.IndexRune(rest[from:], c)
		if j < 0 {
			return "", 0
		}
		j += from
		end = i + n + j + utf8.RuneLen(c)
		// An apostrophe inside a word closes nothing.
		if c == '\'' && end < len(s) && isWordByte(s[end]) {
			from = j + 1
			continue
		}
		if j == 0 {
			return "", 0
		}
		return rest[:j], end
	}
}

func jsonAt(s string, i int) (end int) {
	dec := json.NewDecoder(strings.NewReader(s[i:]))
	var v map[string]any
	if dec.Decode(&v) != nil {
		return 0
	}
	return i + int(dec.InputOffset())
}

// latin makes the tokens of a Latin word: one, unless blanks were forgotten
// between words we know ("searchthe").
func latin(w string, at int) []token {
	t := token{kind: tokWord, text: w, start: at, end: at + len(w)}
	t.stem, t.form = stemForm(w)
	t.concepts = words.en[t.stem]
	if t.concepts != nil || enFunction[strings.ToLower(w)] || len(w) < 7 || strings.ContainsAny(w, "_-0123456789") {
		return []token{t}
	}
	parts := unglue(strings.ToLower(w))
	if parts == nil {
		return []token{t}
	}
	var out []token
	for _, n := range parts {
		p := token{kind: tokWord, text: w[:n], start: at, end: at + n}
		p.stem, p.form = stemForm(w[:n])
		p.concepts = words.en[p.stem]
		out = append(out, p)
		w, at = w[n:], at+n
	}
	return out
}

// glue are the words that are run together with their neighbours by mistake; two
// words of the table side by side ("worktree") are more likely a name.
var glue = set(`the this that my our your please current for with from about and then to in of`)

// unglue returns the lengths of the known words that w is made of, when one of
// any two neighbours is a small word; else nil.
func unglue(w string) []int {
	known := func(s string) bool {
		if glue[s] {
			return true
		}
		_, ok := words.en[stem(s)]
		return ok && len(s) >= 4
	}
	var split func(rest string, prevGlue, first bool) []int
	split = func(rest string, prevGlue, first bool) []int {
		if rest == "" {
			return []int{}
		}
		for n := len(rest); n >= 2; n-- {
			head := rest[:n]
			if !known(head) || first && n == len(rest) || !first && prevGlue == glue[head] && !glue[head] {
				continue
			}
			// Two-letter words are in too many others to be trusted alone.
			if len(head) < 3 && !prevGlue && !first {
				continue
			}
			if tail := split(rest[n:], glue[head], false); tail != nil {
				return append([]int{n}, tail...)
			}
		}
		return nil
	}
	parts := split(w, false, true)
	if len(parts) < 2 {
		return nil
	}
	for at, i := 0, 0; i < len(parts); i++ {
		if head := w[at : at+parts[i]]; glue[head] && len(head) >= 3 {
			return parts
		}
		at += parts[i]
	}
	return nil
}

// segment splits a run of Chinese characters: the longest word of the table at
// each place, and what no word begins at in runs.
func segment(s string) []token {
	var out []token
	rs := []rune(s)
	unknown := -1
	pos := 0 // bytes
	unknownAt := 0
	flush := func(i, at int) {
		if unknown >= 0 {
			w := string(rs[unknown:i])
			out = append(out, token{kind: tokHan, text: w, stem: w, start: unknownAt, end: at})
			unknown = -1
		}
	}
	for i := 0; i < len(rs); {
		n := 0
		for l := min(words.zhMax, len(rs)-i); l > 0; l-- {
			w := string(rs[i : i+l])
			if _, ok := words.zh[w]; ok || zhFunction[w] || zhSay[w] || zhWhole[w] {
				n = l
				break
			}
		}
		if n == 0 {
			if unknown < 0 {
				unknown, unknownAt = i, pos
			}
			pos += utf8.RuneLen(rs[i])
			i++
			continue
		}
		flush(i, pos)
		w := string(rs[i : i+n])
		out = append(out, token{kind: tokHan, text: w, stem: w, start: pos, end: pos + len(w), concepts: words.zh[w]})
		pos += len(w)
		i += n
	}
	flush(len(rs), pos)
	return out
}

// stem returns the lower-case stem of an English word.
func stem(w string) string {
	s, _ := stemForm(w)
	return s
}

// irregular are forms that no ending tells.
var irregular = map[string]string{"written": "write", "wrote": "write", "ran": "run", "found": "find", "sent": "send",
	"built": "build", "made": "make", "shown": "show", "told": "tell", "got": "get", "gotten": "get", "went": "go", "took": "take",
	"indices": "index", "indexes": "index", "people": "person", "docs": "doc", "production": "prod"}

// stemForm strips the common endings of English, lightly: the stem of a word and
// of its forms are the same, not always a word.
func stemForm(w string) (string, wordForm) {
	w = strings.ToLower(w)
	if base, ok := irregular[w]; ok {
		s, _ := stemForm(base)
		return s, formParticiple
	}
	form := formBase
	switch {
	case strings.HasSuffix(w, "ied") && len(w) > 4:
		w, form = w[:len(w)-3]+"y", formParticiple
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && len(w) > 3 && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	cut := func(suffix string, least int, f wordForm) bool {
		base, ok := strings.CutSuffix(w, suffix)
		if !ok || len(base) < least || !strings.ContainsAny(base, "aeiouy") {
			return false
		}
		form, w = f, base
		if f != formNominal && len(w) > 3 && w[len(w)-1] == w[len(w)-2] && !strings.ContainsAny(w[len(w)-1:], "lsz") {
			w = w[:len(w)-1]
		}
		return true
	}
	_ = cut("ment", 4, formNominal) || cut("ion", 4, formNominal) || cut("ing", 3, formGerund) || cut("ed", 3, formParticiple)
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w, form
}

// identifierTokens splits the name of a tool, server or parameter: at _, -, other
// signs, and where camelCase has its humps.
func identifierTokens(name string) []token {
	var b strings.Builder
	prev := rune(0)
	for i, r := range name {
		switch {
		case unicode.IsUpper(r) && (unicode.IsLower(prev) || unicode.IsDigit(prev)):
			b.WriteByte(' ')
			b.WriteRune(r)
		case unicode.IsUpper(r) && unicode.IsUpper(prev) && i+utf8.RuneLen(r) < len(name):
			// "HTTPServer": the last capital begins the next word.
			if next, _ := utf8.DecodeRuneInString(name[i+utf8.RuneLen(r):]); unicode.IsLower(next) {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
		prev = r
	}
	return tokenize(b.String())
}
