package model

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// filled is a tool's arguments as far as a clause gives them.
type filled struct {
	args json.RawMessage
	// missing names the required parameters that nothing was found for.
	missing []string
	// missingText is how many of them are texts.
	missingText int
	// What of the clause was used, for the choice between tools.
	usedLiterals, unusedLiterals   int
	usedTopic, topicLeft, usedCode bool
	usedWildcard                   bool
	// complete says that there are required parameters and all are found.
	complete bool
	// thing is the project or service that was named.
	thing string
}

// paramKind is what a parameter is meant to hold, told by its name and type.
type paramKind uint8

const (
	paramOther   paramKind = iota
	paramText              // query, message, content
	paramPath              // file, dir, source
	paramPattern           // glob, regexp
	paramThing             // service, project, repo
	paramCommand           // command, script
	paramURL
)

var (
	textParams    = set("query q search search_query searchquery term terms keyword keywords topic question message msg text content contents body prompt input phrase string comment note subject value data old_string new_string")
	pathParams    = set("path file filename file_name filepath file_path dir directory folder source destination src dst dest target_path paths files")
	patternParams = set("pattern glob regex regexp")
	thingParams   = set("service project app application repo repository component package module workspace service_name project_name repo_name servicename projectname")
	commandParams = set("command cmd script shell_command")
	urlParams     = set("url uri link href website")
)

func kindOf(p param) paramKind {
	name := strings.ToLower(p.name)
	snake := strings.Join(stemsOf(p), "_")
	for _, k := range []struct {
		names map[string]bool
		kind  paramKind
	}{{commandParams, paramCommand}, {pathParams, paramPath}, {patternParams, paramPattern}, {thingParams, paramThing}, {urlParams, paramURL}, {textParams, paramText}} {
		if k.names[name] || k.names[snake] {
			return k.kind
		}
	}
	if p.format == "uri" || p.format == "url" {
		return paramURL
	}
	for _, w := range p.words {
		switch l := w.lower(); {
		case pathParams[l]:
			return paramPath
		case thingParams[l]:
			return paramThing
		case textParams[l]:
			return paramText
		}
	}
	return paramOther
}

func stemsOf(p param) []string {
	var out []string
	for _, t := range identifierTokens(p.name) {
		out = append(out, t.lower())
	}
	return out
}

// fill takes a tool's arguments from the clause.
func fill(c clause, m *match, here string) filled {
	f := &filler{c: c, m: m, here: here, used: map[int]bool{}}
	return f.fill()
}

type filler struct {
	c    clause
	m    *match
	here string
	used map[int]bool // tokens that went into an argument
	out  filled
}

func (f *filler) fill() filled {
	// "call X with {...}" says all there is to say.
	for _, t := range f.c.tokens {
		if t.kind == tokJSON {
			f.out.args, f.out.usedLiterals = json.RawMessage(t.text), 1
			return f.out
		}
	}
	args := orderedArgs{}
	topics := 0
	for _, p := range f.m.tool.params {
		if p.required && kindOf(p) != paramPath && kindOf(p) != paramThing {
			topics++
		}
	}
	// The given before the said: a quoted or "name: value" argument leaves less to
	// be guessed for the others. Required ones choose first.
	values := make([]any, len(f.m.tool.params))
	for _, pass := range []struct{ required, thing bool }{{true, false}, {true, true}, {false, false}, {false, true}} {
		for i, p := range f.m.tool.params {
			// What a thing is called may also be told by the folder, so it takes what
			// the others leave.
			if p.required == pass.required && (kindOf(p) == paramThing) == pass.thing {
				values[i] = f.given(p)
			}
		}
	}
	// Paths first: what says where is no part of the topic.
	for _, pass := range []struct{ path, required bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		for i, p := range f.m.tool.params {
			if p.required == pass.required && (kindOf(p) == paramPath) == pass.path && values[i] == nil {
				values[i] = f.said(p, topics)
			}
		}
	}
	for i, p := range f.m.tool.params {
		switch {
		case values[i] != nil:
			args = append(args, field{p.name, encode(values[i])})
		case p.required && !p.hasValue:
			f.out.missing = append(f.out.missing, p.name)
			if kindOf(p) == paramText {
				f.out.missingText++
			}
		}
	}
	f.out.args = args.encode()
	f.out.complete = len(f.out.missing) == 0 && len(args) > 0
	for i, t := range f.c.tokens {
		if t.literal() && !f.m.source[i] {
			switch {
			case f.used[i]:
				f.out.usedLiterals++
			case t.kind == tokPath || t.kind == tokURL:
				f.out.unusedLiterals += 3 // hardly a topic
			default:
				f.out.unusedLiterals++
			}
		}
	}
	if !f.out.usedTopic {
		_, f.out.topicLeft = f.topic()
	}
	return f.out
}

// given finds a value that stands in the clause as it is.
func (f *filler) given(p param) any {
	if v := f.keyed(p); v != nil {
		return v
	}
	switch p.typ {
	case "integer", "number":
		for i, t := range f.c.tokens {
			if t.kind == tokNumber && !f.used[i] && (p.required || f.near(p, i)) {
				if v := number(t.text, p.typ); v != nil {
					f.used[i] = true
					return v
				}
			}
		}
		return nil
	case "boolean":
		for i, t := range f.c.tokens {
			if best(t, p.words, nil) == 1 && !t.function() && i != f.c.main && len(p.words) == 1 {
				f.used[i] = true
				return true
			}
		}
		if p.required {
			on, off := f.c.has("true", "on", "yes", "enable", "enabled", "开启", "打开", "启用"), f.c.has("false", "off", "no", "disable", "disabled", "关闭", "关掉", "禁用")
			if on != off {
				return on
			}
		}
		return nil
	case "array":
		return f.list(p)
	case "object":
		return nil
	}
	if len(p.enum) > 0 {
		return f.choice(p)
	}
	switch kindOf(p) {
	case paramPath:
		return f.take(p, tokPath, tokQuoted, tokCode)
	case paramPattern:
		if v := f.take(p, tokQuoted, tokCode); v != nil {
			return v
		}
		if reRegexp.MatchString(p.desc) || reRegexp.MatchString(f.m.tool.spec.Description) && p.required {
			return nil
		}
		for i, t := range f.c.tokens {
			if t.kind == tokPath && !f.used[i] && (wildcard(t.text) || f.c.implied() == "find") {
				f.used[i] = true
				f.out.usedWildcard = p.required
				return t.text
			}
		}
		return nil
	case paramURL:
		return f.take(p, tokURL)
	case paramCommand:
		if v := f.take(p, tokCode, tokQuoted); v != nil {
			f.out.usedCode = true
			return v
		}
		return nil
	case paramThing:
		for i, t := range f.c.tokens {
			// "ann/shop"
			if t.kind == tokPath && !f.used[i] && strings.Count(t.text, "/") == 1 && !strings.ContainsAny(t.text[:1], "./~*") && !wildcard(t.text) {
				f.used[i], f.out.thing = true, t.text
				return t.text
			}
		}
		v := f.take(p, tokQuoted, tokCode)
		if s, ok := v.(string); ok {
			f.out.thing = s
		}
		return v
	}
	if !p.required {
		return nil
	}
	return f.take(p, tokQuoted, tokCode)
}

// take uses the first literal of the given kinds that is still free. Kinds in
// front are preferred.
func (f *filler) take(p param, kinds ...tokenKind) any {
	for _, k := range kinds {
		for i, t := range f.c.tokens {
			if t.kind != k || f.used[i] || f.m.source[i] || k == tokPath && wildcard(t.text) {
				continue
			}
			if !p.required && k != tokPath && k != tokURL {
				continue
			}
			f.used[i] = true
			return t.text
		}
	}
	return nil
}

func wildcard(s string) bool { return strings.ContainsAny(s, "*?[") }

// keyed finds "name: value", "name=value", "name 为 value", `name "value"`.
func (f *filler) keyed(p param) any {
	for i, t := range f.c.tokens {
		if t.function() && len(t.text) > 1 || f.used[i] || t.kind != tokWord && t.kind != tokHan {
			continue
		}
		exact := strings.EqualFold(t.text, p.name)
		if !exact && (len(p.words) != 1 || best(t, p.words, nil) < 1 || t.kind != tokHan && t.stem != p.words[0].stem) {
			continue
		}
		j := i + 1
		sign := false
		for j < len(f.c.tokens) {
			switch f.c.tokens[j].lower() {
			case "=", ":", "is", "为", "是", "设为", "：":
				sign = true
				j++
				continue
			case "of", "to", "the":
				if exact && !sign && p.typ != "string" {
					j++
					continue
				}
			}
			break
		}
		if j >= len(f.c.tokens) || f.used[j] {
			continue
		}
		v := f.c.tokens[j]
		if v.kind == tokPunct || !sign && v.kind != tokQuoted && v.kind != tokCode && !(v.kind == tokNumber && (p.typ == "number" || p.typ == "integer")) {
			continue
		}
		// "what is the query": a question is no value.
		if f.c.question && !v.literal() {
			continue
		}
		var val any
		switch p.typ {
		case "integer", "number":
			val = number(v.text, p.typ)
		case "boolean":
			if b, err := strconv.ParseBool(v.lower()); err == nil {
				val = b
			}
		case "string":
			val = v.text
			if k := kindOf(p); !v.literal() && k == paramText || k == paramCommand && v.kind == tokWord {
				// The rest of the clause: "message: good morning".
				end := len(f.c.tokens)
				for end > j && f.c.tokens[end-1].kind == tokPunct {
					end--
				}
				for k := j; k < end; k++ {
					f.used[k] = true
				}
				val = f.c.text[v.start:f.c.tokens[end-1].end]
			}
			if len(p.enum) > 0 {
				val = nil
				for _, e := range p.enum {
					if strings.EqualFold(e, v.text) {
						val = e
					}
				}
			}
		}
		if val != nil {
			f.used[i], f.used[j] = true, true
			return val
		}
	}
	return nil
}

// near reports whether a number belongs to an optional parameter: the
// parameter's word stands beside it ("limit 5", "5 steps").
func (f *filler) near(p param, i int) bool {
	for _, j := range []int{i - 1, i + 1, i - 2} {
		if j >= 0 && j < len(f.c.tokens) && best(f.c.tokens[j], p.words, nil) > 0 {
			return true
		}
	}
	return false
}

func (f *filler) choice(p param) any {
	text := " " + strings.ToLower(f.c.text) + " "
	longest := ""
	for _, e := range p.enum {
		if len(e) > len(longest) && containsWord(text, strings.ToLower(e)) {
			longest = e
		}
	}
	if longest != "" {
		for i, t := range f.c.tokens {
			if containsWord(" "+strings.ToLower(longest)+" ", t.lower()) && !t.function() {
				f.used[i] = true
			}
		}
		return longest
	}
	for _, e := range p.enum {
		for _, w := range contentWords(identifierTokens(e)) {
			for i, t := range f.c.tokens {
				if !t.function() && i != f.c.main && similar(t, w) > 0 && !f.m.source[i] {
					f.used[i] = true
					return e
				}
			}
		}
	}
	return nil
}

func containsWord(text, w string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], w)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(w)
		if (i == 0 || !isWordByte(text[i-1]) || !isWordByte(w[0])) && (end >= len(text) || !isWordByte(text[end]) || !isWordByte(w[len(w)-1])) {
			return true
		}
		from = i + 1
	}
}

func (f *filler) list(p param) any {
	var out []any
	for i, t := range f.c.tokens {
		if f.used[i] || f.m.source[i] {
			continue
		}
		switch {
		case (p.items == "number" || p.items == "integer") && t.kind == tokNumber:
			out = append(out, number(t.text, p.items))
		case kindOf(p) == paramPath && t.kind == tokPath, p.items != "number" && p.items != "integer" && p.items != "object" && p.required && (t.kind == tokQuoted || t.kind == tokCode):
			out = append(out, t.text)
		default:
			continue
		}
		f.used[i] = true
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func number(s, typ string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if typ == "integer" {
		return nil
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n
	}
	return nil
}

// said finds a value in what the words say.
func (f *filler) said(p param, required int) any {
	if p.typ != "string" || len(p.enum) > 0 {
		return nil
	}
	switch kindOf(p) {
	case paramPath:
		return f.saidPath(p)
	case paramThing:
		return f.saidThing(p)
	case paramURL:
		return nil
	case paramCommand:
		return f.saidCommand()
	case paramText, paramPattern:
	default:
		// "location", "name", "city": the topic, when it is the one thing wanted.
		if !p.required || required > 1 && !f.near1(p) {
			return nil
		}
	}
	if !p.required || f.out.usedTopic {
		return nil
	}
	// A glob is for names of files, so those must be spoken of.
	if kindOf(p) == paramPattern && !reRegexp.MatchString(p.desc+" "+f.m.tool.spec.Description) && !f.speaksOfFiles() {
		return nil
	}
	if v, ok := f.topic(); ok {
		f.out.usedTopic = true
		return v
	}
	return nil
}

func (f *filler) speaksOfFiles() bool {
	for _, t := range f.c.tokens {
		if t.hasConcept("file", "directory") {
			return true
		}
	}
	return false
}

// near1 reports whether the clause has the parameter's own word.
func (f *filler) near1(p param) bool {
	for _, t := range f.c.tokens {
		if best(t, p.words, nil) == 1 {
			return true
		}
	}
	return false
}

// saidPath: "in src", "the src folder", "src 目录", the folder itself.
func (f *filler) saidPath(p param) any {
	for i, t := range f.c.tokens {
		if t.kind != tokWord || f.used[i] || t.function() || f.m.source[i] || i == f.c.main {
			continue
		}
		isDir := nextIs(f.c, i, "folder", "directory", "dir", "目录", "文件夹", "file", "文件")
		named := t.concepts == nil || isDir && !t.hasConcept("directory", "file", "list", "read")
		under := prevIs(f.c, i, "in", "under", "inside", "of", "from", "into", "at", "directory", "folder", "file", "called", "named", "目录", "文件夹", "文件", "叫", "名为", "在")
		// "read Makefile": right behind the verb, and nothing else.
		alone := (t.concepts == nil || t.text == strings.ToUpper(t.text)) && p.required && f.c.main >= 0 && f.onlyTopic(i)
		if named && (isDir || under) || alone || prevIs(f.c, i, "called", "named", "叫", "名为", "名叫") {
			f.used[i] = true
			if under || isDir {
				f.out.usedLiterals++
			}
			return t.text
		}
		// A source folder is called like the words of the table.
		if under && enFolder[t.lower()] {
			f.used[i] = true
			f.out.usedLiterals++
			return t.text
		}
	}
	if !p.required {
		return nil
	}
	// "list files": here.
	if isDirectoryTool(f.m.tool, p) {
		return "."
	}
	return nil
}

// onlyTopic reports whether a token is all that the clause is about.
func (f *filler) onlyTopic(i int) bool {
	for j, t := range f.c.tokens {
		if j != i && j != f.c.main && !t.function() && !f.m.source[j] && !t.hasConcept("file") {
			return false
		}
	}
	return true
}

var enFolder = set("src source test tests docs doc lib bin build config app code log logs data")

func isDirectoryTool(t *offered, p param) bool {
	for _, w := range append(append([]token{}, t.nameWords...), p.words...) {
		if w.stem != "path" && w.hasConcept("directory", "list", "tree", "search") && t.effect == effectReads {
			return true
		}
	}
	return false
}

// saidCommand: "run go version", "执行 npm test".
func (f *filler) saidCommand() any {
	if f.c.main < 0 || f.c.main+1 >= len(f.c.tokens) || !f.c.tokens[f.c.main].hasConcept("run", "test", "build") {
		return nil
	}
	from := f.c.main + 1
	for from < len(f.c.tokens) && (isOne(f.c.tokens[from].lower(), []string{"the", "command", "命令", "shell", "bash", "一下", ":"})) {
		from++
	}
	if from >= len(f.c.tokens) || !programs[f.c.tokens[from].lower()] && f.c.tokens[from].kind != tokPath {
		return nil
	}
	end := len(f.c.tokens)
	for end > from && f.c.tokens[end-1].kind == tokPunct && strings.ContainsAny(f.c.tokens[end-1].text, ".?!。？！") {
		end--
	}
	for i := from; i < end; i++ {
		f.used[i] = true
	}
	f.out.usedCode = true
	return f.c.text[f.c.tokens[from].start:f.c.tokens[end-1].end]
}

// programs are commands that are safe to take for one when "run" stands before.
var programs = set(`go git npm npx node yarn pnpm make cargo python python3 pip pytest java mvn gradle ls pwd cat echo date whoami uname env df du ps which
docker kubectl terraform ruby rake bundle php composer dotnet swift rustc gcc clang cmake ninja bazel curl wget grep rg find sed awk head tail wc sort uniq tree hostname uptime tsc eslint prettier jest vitest deno bun uv poetry ruff mypy gofmt golangci-lint staticcheck`)

var reRegexp = regexp.MustCompile(`(?i)regular expression|\bregexp?\b`)

var rePronounOnly = regexp.MustCompile(`(?i)^(it|that|this|them|these|those|something|anything|everything|它|这个|那个|这些)$`)

// topic is what a search is to look for, or a text to pass on: what is left of
// the clause when the command, the tool's own words and the small words at both
// ends are taken away.
func (f *filler) topic() (string, bool) {
	n := len(f.c.tokens)
	out := make([]bool, n) // taken away
	verbatim := false      // what is to be repeated loses none of its words
	main := -1             // the main verb, where it is the command
	if f.c.main >= 0 {
		v := f.c.tokens[f.c.main]
		verbatim = f.m.verbMatched && v.hasConcept("echo", "send", "translate")
		if f.m.verbMatched || v.verb() == nil || v.verb().effect != effectChanges {
			main = f.c.main
		}
	}
	for i := range f.c.tokens {
		out[i] = i == main || f.used[i] || f.m.source[i]
	}
	// Behind "for" and "about", "关于" stands the topic, if anything does.
	begin := 0
	for i := range n {
		w := f.c.tokens[i].lower()
		if (enTopicMarker[w] || w == "关于" || w == "有关" || w == ":" || w == "一下:") && i > main && f.worth(i+1, n, out) &&
			!(i+1 < n && enPronoun[f.c.tokens[i+1].lower()] && i+2 < n) {
			begin = i + 1
			// "look for the docs about X": the last marker before any topic.
			if f.worth(main+1, i, out) && w != ":" {
				begin = 0
				continue
			}
			break
		}
	}
	if verbatim && begin == 0 && main+1 < n {
		begin = main + 1
	}
	if begin == 0 && main >= 0 && f.worth(main+1, n, out) && (!f.c.zh || !f.worth(0, main, out)) {
		begin = main + 1
	}
	from, to := begin, n
	for from < to && (f.edge(from, out, true) && !verbatim || out[from] || f.c.tokens[from].kind == tokPunct) {
		from++
	}
	// "say hello with [echo]"
	for verbatim && to > from && (out[to-1] || f.c.tokens[to-1].function() && to < n && out[to]) {
		to--
	}
	for to > from && (f.edge(to-1, out, false) && !verbatim || out[to-1] || f.c.tokens[to-1].kind == tokPunct) {
		to--
	}
	if from >= to {
		return "", false
	}
	text := f.span(from, to, out)
	if text == "" || rePronounOnly.MatchString(text) {
		return "", false
	}
	return text, true
}

// worth reports whether any token in [from, to) could be a topic.
func (f *filler) worth(from, to int, out []bool) bool {
	for i := max(from, 0); i < to; i++ {
		if !out[i] && !f.c.tokens[i].function() && !f.fluff(i) {
			return true
		}
	}
	return false
}

// edge reports whether a token at an end of the topic is none of it.
func (f *filler) edge(i int, out []bool, leading bool) bool {
	t := f.c.tokens[i]
	return out[i] || t.function() || f.fluff(i) && (!leading || t.kind == tokHan || enSay[t.lower()])
}

// fluff are words that speak of the source or of the asking.
func (f *filler) fluff(i int) bool {
	t := f.c.tokens[i]
	if isOne(t.lower(), []string{"today", "tomorrow", "tonight", "yesterday", "今天", "明天", "后天", "昨天", "今晚"}) {
		return true
	}
	if t.kind == tokHan {
		// "X 的内容", "X 是怎么写的".
		return zhSay[t.text] || t.text == "内容" || t.text == "信息" || t.text == "资料" || t.text == "告诉我" && i > f.c.main
	}
	if t.kind == tokWord && (enSay[t.lower()] || t.hasConcept("report") && t.lower() != "report") {
		return true
	}
	return false
}

// span is the text from one token to another, without those that were taken away.
func (f *filler) span(from, to int, out []bool) string {
	var b strings.Builder
	at := -1
	for i := from; i < to; i++ {
		t := f.c.tokens[i]
		if out[i] {
			at = -1
			continue
		}
		// A small word beside a hole belongs to what was there: "in the [docs]".
		if t.function() && (i+1 < to && out[i+1] || i > from && out[i-1]) {
			out[i] = true
			at = -1
			continue
		}
		switch {
		case b.Len() == 0:
		case at >= 0:
			b.WriteString(f.c.text[at:t.start])
		default:
			b.WriteByte(' ')
		}
		b.WriteString(f.c.text[t.start:t.end])
		at = t.end
	}
	return strings.TrimSpace(b.String())
}

// orderedArgs encodes arguments in the schema's order.
type orderedArgs []field

func (a orderedArgs) encode() json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(f.key))
		b.WriteByte(':')
		b.Write(f.value)
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

func encode(v any) json.RawMessage {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return json.RawMessage(strings.TrimSpace(b.String()))
}
