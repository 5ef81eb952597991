package assist

import (
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// ItemKind says what a completion stands for.
type ItemKind string

// The kinds of items.
const (
	ItemKey      ItemKind = "key"
	ItemWord     ItemKind = "word"
	ItemVariable ItemKind = "variable"
	ItemProgram  ItemKind = "program"
	ItemServer   ItemKind = "server"
	ItemTool     ItemKind = "tool"
	ItemSnippet  ItemKind = "snippet"
)

// Item is one suggestion.
type Item struct {
	Label string
	Kind  ItemKind
	// Detail is a short text beside the label, Doc a long one in Markdown.
	Detail, Doc string
	// Edit is what accepting it does. Snippet says that its text has places to fill
	// in, in the notation of the LSP.
	Edit    TextEdit
	Snippet bool
	// Filter is what is compared with what stands in the range of Edit.
	Filter string
}

// Completions are the suggestions at one place, the best first.
type Completions struct {
	Items []Item
	// Incomplete says that there are more, which typing on would show.
	Incomplete bool
}

// maxItems is how many suggestions are given at once.
const maxItems = 200

// Complete suggests what could stand at a position.
func (f *File) Complete(c Context, at workspace.Position) Completions {
	offset := f.positions.Offset(at)
	if f.inComment(offset) {
		return Completions{}
	}
	k := &completer{File: f, Context: c, offset: offset, place: f.locate(offset)}
	switch p := k.place; {
	case f.root == nil && strings.TrimSpace(f.Text) == "":
		k.add(Item{Label: "{}", Kind: ItemSnippet, Detail: k.word(docKnownEmpty), Edit: f.edit(offset, offset, k.blank("{\n  $0\n}", "{}")), Snippet: c.Snippets})
	case f.root == nil, p.in == nil:
	case p.onKey, p.in.kind == kindObject && p.member == nil:
		k.keys()
	case p.in.kind == kindObject && p.value == nil && (p.member.value != nil || offset <= p.member.colon):
	default:
		k.value()
	}
	return k.out
}

// completer gathers the suggestions for one place.
type completer struct {
	*File
	Context
	offset int
	place  place
	out    Completions
}

func (k *completer) add(i Item) {
	if len(k.out.Items) >= maxItems {
		k.out.Incomplete = true
		return
	}
	if i.Filter == "" {
		i.Filter = i.Label
	}
	k.out.Items = append(k.out.Items, i)
}

// blank is snippet where the editor takes one, else plain.
func (k *completer) blank(snippet, plain string) string {
	if k.Snippets {
		return snippet
	}
	return plain
}

// keys suggests keys of the object around the cursor.
func (k *completer) keys() {
	s := settingsShape().at(k.place.path)
	if s == nil || s.types != "object" {
		return
	}
	start, end, hasValue := k.offset, k.offset, false
	if k.place.onKey {
		m := k.place.member
		start, end, hasValue = m.key.start, m.key.end, m.colon >= 0
	} else if !k.between() {
		return
	}
	taken := map[string]bool{}
	for _, m := range k.place.in.members {
		if m != k.place.member {
			taken[m.key.str(k.Text)] = true
		}
	}
	for _, key := range s.keys {
		if !taken[key.name] && (!key.userOnly || k.Place.Scope == mcp.ScopeUser) {
			k.addKey(key.name, k.word(key.means), key.template(), start, end, hasValue)
		}
	}
	switch s.source {
	case fromServers:
		k.knownServers(taken, start, end, hasValue)
	case fromHeaders:
		if !taken["Authorization"] {
			k.addKey("Authorization", "", `"Bearer \${${1:TOKEN}}"`, start, end, hasValue)
		}
	case fromVariables:
		for _, name := range k.Variables {
			if !taken[name] {
				k.addKey(name, "", `"\${`+snippetText(name)+`}"`, start, end, hasValue)
			}
		}
	}
	if s.entry != nil && len(s.entry.keys) > 0 && s.source == fromNowhere { // providers
		for _, p := range []struct{ name, value string }{
			{"anthropic", "{\n  \"api_key\": \"\\${${1:ANTHROPIC_API_KEY}}\"\n}"},
			{"openai", "{\n  \"api_key\": \"\\${${1:OPENAI_API_KEY}}\"\n}"},
			{"local", "{\n  \"type\": \"openai\",\n  \"base_url\": \"${1:http://127.0.0.1:11434/v1}\"\n}"},
		} {
			if !taken[p.name] {
				k.addKey(p.name, "", p.value, start, end, hasValue)
			}
		}
	}
}

// between reports whether the cursor is where a key can begin: behind the bracket or
// a comma. Behind a whole member a comma is missing, which keys may bring along.
func (k *completer) between() bool {
	for _, m := range k.place.in.members {
		if m.colon >= 0 && m.value == nil && k.offset > m.colon && (m.comma < 0 || k.offset <= m.comma) {
			return false
		}
	}
	return k.offset > k.place.in.start
}

// addKey suggests a key with its value. What separates it from its neighbours comes
// with it.
func (k *completer) addKey(name, doc, value string, start, end int, hasValue bool) {
	text, snippet := quote(name), false
	if !hasValue {
		snippet = k.Snippets
		text = snippetText(text) + ": " + k.indent(value)
		if !snippet {
			text = quote(name) + ": " + k.indent(plainText(value))
		}
		if k.followed(end) {
			text += ","
		}
	}
	if k.needsComma(start) {
		text = "," + text
	}
	k.add(Item{Label: name, Kind: ItemKey, Doc: doc, Edit: k.edit(start, end, text), Snippet: snippet, Filter: k.filter(start, end, name)})
}

// filter is what the editor compares with the text from start to end: with quotes
// where that has them.
func (k *completer) filter(start, end int, name string) string {
	if start < end && k.Text[start] == '"' {
		return quote(name)
	}
	return name
}

// followed reports whether another member comes next without a comma before it.
func (k *completer) followed(end int) bool {
	for _, m := range k.place.in.members {
		if m.key.start > end {
			return !strings.Contains(k.Text[end:m.key.start], ",")
		}
	}
	return false
}

// needsComma reports whether a member ends before start and lacks its comma.
func (k *completer) needsComma(start int) bool {
	lacks := false
	for _, m := range k.place.in.members {
		if m.key.start < start {
			lacks = m.comma < 0 || m.comma >= start
		}
	}
	return lacks
}

// indent gives the lines of a value the indentation of the line of the cursor.
func (k *completer) indent(value string) string {
	line := strings.LastIndexByte(k.Text[:k.offset], '\n') + 1
	end := line
	for end < len(k.Text) && (k.Text[end] == ' ' || k.Text[end] == '\t') {
		end++
	}
	if k.Snippets { // editors give a snippet the indentation of its line
		return value
	}
	return strings.ReplaceAll(value, "\n", "\n"+k.Text[line:end])
}

// template is the snippet of the key's value.
func (k *key) template() string {
	switch {
	case k.example != "":
		return k.example
	case len(k.value.words) > 0:
		var words []string
		for _, w := range k.value.words {
			words = append(words, w.word)
		}
		return `"${1|` + strings.Join(words, ",") + `|}"`
	}
	switch k.value.types {
	case "object":
		return "{\n  $1\n}"
	case "array":
		return `["$1"]`
	case "boolean":
		return "${1:true}"
	case "integer", "number":
		return "${1:0}"
	}
	return `"$1"`
}

// snippetText makes a text stand for itself in a snippet.
func snippetText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`, `}`, `\}`).Replace(s)
}

// plainText takes the places to fill in out of a snippet of ours.
func plainText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '$' && i+1 < len(s) && s[i+1] == '{':
			inside, _, _ := strings.Cut(s[i+2:], "}")
			i += len(inside) + 2
			if choices, ok := strings.CutPrefix(strings.TrimLeft(inside, "0123456789"), "|"); ok {
				first, _, _ := strings.Cut(strings.TrimSuffix(choices, "|"), ",")
				b.WriteString(first)
			} else {
				_, text, _ := strings.Cut(inside, ":")
				b.WriteString(text)
			}
		case s[i] == '$' && i+1 < len(s):
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// value suggests values.
func (k *completer) value() {
	v := k.place.value
	s := settingsShape().at(k.place.path)
	if v == nil && k.place.in.kind == kindArray && (k.place.member == nil || k.place.value == nil) {
		s = settingsShape().at(append(slices.Clone(k.place.path), "*"))
	}
	if s == nil {
		return
	}
	start, end := k.offset, k.offset
	switch {
	case v != nil && (v.kind == kindObject || v.kind == kindArray):
		return
	case v != nil:
		start, end = v.start, v.end
	case k.place.in.kind == kindArray && !k.freeElement():
		return
	}
	if v != nil && v.kind == kindString && s.types == "string" && k.inVariable(v) {
		return
	}
	switch s.types {
	case "boolean":
		k.addValue("true", "true", "", ItemWord, start, end)
		k.addValue("false", "false", "", ItemWord, start, end)
	case "string":
		k.strings(s, start, end)
	case "array", "object":
		key := &key{value: s}
		if v == nil {
			text := k.blank(key.template(), plainText(key.template()))
			label := map[string]string{"array": "[]", "object": "{}"}[s.types]
			k.add(Item{Label: label, Kind: ItemSnippet, Edit: k.edit(start, end, text), Snippet: k.Snippets})
		}
	}
}

// freeElement reports whether an element can be put where the cursor is without a
// comma more.
func (k *completer) freeElement() bool {
	behind, ahead := byte('['), byte(']')
	p := &parser{text: k.Text, at: k.place.in.start + 1}
	for p.space(); p.at < k.offset; p.space() {
		behind = k.Text[p.at]
		if e := p.value(0); e == nil {
			p.at++
		}
	}
	if p.at < len(k.Text) {
		ahead = k.Text[p.at]
	}
	return (behind == '[' || behind == ',') && (ahead == ']' || ahead == ',' || ahead == '}')
}

func (k *completer) addValue(label, text, doc string, kind ItemKind, start, end int) {
	k.add(Item{Label: label, Kind: kind, Doc: doc, Edit: k.edit(start, end, text), Filter: k.filter(start, end, label)})
}

// strings suggests strings.
func (k *completer) strings(s *shape, start, end int) {
	addString := func(word, doc string, kind ItemKind) { k.addValue(word, quote(word), doc, kind, start, end) }
	for _, w := range s.words {
		addString(w.word, k.word(w.means), ItemWord)
	}
	typed := ""
	if v := k.place.value; v != nil {
		typed = k.Text[min(v.start+1, k.offset):k.offset]
	}
	switch s.source {
	case fromPrograms:
		for _, name := range k.Programs.list() {
			if strings.HasPrefix(name, typed) {
				addString(name, "", ItemProgram)
			}
		}
	case fromVariables:
		for _, name := range k.Variables {
			addString(name, "", ItemVariable)
		}
	case fromModels:
		k.models(addString)
	case fromFolders:
		for _, w := range folderVariables {
			addString("${"+w.word+"}", k.word(w.means), ItemVariable)
		}
	case fromRules:
		k.rules(start, end)
	case fromTools:
		if server, ok := k.server(k.place.path[1]); ok {
			for _, t := range server.Tools {
				addString(t.Name, mcp.CleanLine(t.Description), ItemTool)
			}
		}
	}
}

func (k *completer) models(add func(word, doc string, kind ItemKind)) {
	add("offline", k.word(docModelOffline), ItemWord)
	user := k.Snapshot.User.Settings
	var models []string
	for name, p := range user.Providers {
		for _, m := range p.Models {
			models = append(models, name+"/"+m)
		}
	}
	if user.Model != "" && user.Model != "offline" && !slices.Contains(models, user.Model) {
		models = append(models, user.Model)
	}
	slices.Sort(models)
	for _, m := range models {
		provider, _, _ := strings.Cut(m, "/")
		add(m, k.say(docModelOf, mcp.CleanLine(provider)), ItemWord)
	}
}

// inVariable suggests names of variables when the cursor is behind a "${" that is not
// closed before it, and reports whether it is.
func (k *completer) inVariable(v *node) bool {
	from, end := v.inner()
	if k.offset < from || k.offset > end {
		return false
	}
	open := strings.LastIndex(k.Text[from:k.offset], "${")
	if open < 0 || strings.ContainsAny(k.Text[from+open:k.offset], "}:") {
		return false
	}
	start := from + open + 2
	if open > 0 && k.Text[from+open-1] == '$' {
		return false
	}
	stop := k.offset
	for stop < end && strings.IndexByte("}:$\" ", k.Text[stop]) < 0 {
		stop++
	}
	closing := "}"
	if stop < end && (k.Text[stop] == '}' || k.Text[stop] == ':') {
		closing = ""
	}
	typed := strings.ToLower(k.Text[start:k.offset])
	add := func(name, doc string) {
		if strings.HasPrefix(strings.ToLower(name), typed) {
			k.add(Item{Label: name, Kind: ItemVariable, Detail: doc, Edit: k.edit(start, stop, name+closing)})
		}
	}
	if k.place.path[0] == "mcp_servers" {
		for _, w := range folderVariables {
			add(w.word, k.word(w.means))
		}
	}
	for _, name := range k.Variables {
		add(name, k.word(docVariable))
	}
	return true
}

// rules suggests rules, and within mcp(...) the servers and their tools.
func (k *completer) rules(start, end int) {
	if v := k.place.value; v != nil && v.kind == kindString && k.inRule(v) {
		return
	}
	for _, r := range []word{{"read(**)", docRuleRead}, {"edit(**)", docRuleEdit}, {"bash(git status *)", docRuleBash}, {"mcp(*/*)", docRuleMCP}} {
		k.addValue(r.word, quote(r.word), k.word(r.means), ItemWord, start, end)
	}
	for _, s := range k.reach() {
		k.addValue("mcp("+s.Name+"/*)", quote("mcp("+s.Name+"/*)"), k.say(docAllTools, mcp.CleanLine(s.Name)), ItemServer, start, end)
		for _, t := range s.Tools {
			rule := "mcp(" + s.Name + "/" + t.Name + ")"
			k.addValue(rule, quote(rule), mcp.Clean(t.Description), ItemTool, start, end)
		}
	}
}

// inRule suggests servers behind "mcp(" and tools behind the slash.
func (k *completer) inRule(v *node) bool {
	from, end := v.inner()
	if k.offset < from || k.offset > end {
		return false
	}
	arg, ok := strings.CutPrefix(k.Text[from:k.offset], "mcp(")
	if !ok || strings.Contains(arg, ")") {
		return false
	}
	stop := k.offset
	for stop < end && strings.IndexByte(")/", k.Text[stop]) < 0 {
		stop++
	}
	closing := ""
	if stop == end {
		closing = ")"
	}
	// Within the quotes of a string: as quote has it, without the quotes.
	inner := func(s string) string { q := quote(s); return q[1 : len(q)-1] }
	server, tool, slash := strings.Cut(arg, "/")
	if !slash {
		start := k.offset - len(arg)
		rest := "/*" + closing
		if stop < end && k.Text[stop] == '/' {
			rest = ""
		}
		seen := map[string]bool{}
		for _, name := range k.serverNames() {
			if !seen[name] {
				seen[name] = true
				k.add(Item{Label: name, Kind: ItemServer, Edit: k.edit(start, stop, inner(name)+rest)})
			}
		}
		return true
	}
	start := k.offset - len(tool)
	k.add(Item{Label: "*", Kind: ItemWord, Detail: k.say(docAllTools, mcp.CleanLine(server)), Edit: k.edit(start, stop, "*"+closing)})
	for _, s := range k.reach() {
		if s.Name != server {
			continue
		}
		for _, t := range s.Tools {
			k.add(Item{Label: t.Name, Kind: ItemTool, Doc: mcp.Clean(t.Description), Edit: k.edit(start, stop, inner(t.Name)+closing)})
		}
	}
	return true
}

func (k *completer) serverNames() []string {
	var names []string
	for _, e := range k.File.entries() {
		names = append(names, e.name)
	}
	for _, s := range k.reach() {
		names = append(names, s.Name)
	}
	return names
}
