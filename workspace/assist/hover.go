package assist

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// maxHoverTools is how many tools a hover lists.
const maxHoverTools = 25

// Hover returns what there is to say of the thing at a position, in Markdown, and its
// range; an empty text when there is nothing.
func (f *File) Hover(c Context, at workspace.Position) (string, workspace.Range) {
	offset := f.positions.Offset(at)
	if f.inComment(offset) {
		return "", workspace.Range{}
	}
	p := f.locate(offset)
	h := hover{File: f, Context: c}
	var text string
	var on *node
	switch {
	case p.onKey:
		on, text = p.member.key, h.key(p)
	case p.value != nil && p.value.kind != kindObject && p.value.kind != kindArray:
		if r, ok := h.reference(p.value, offset); ok {
			return h.variable(r), f.rangeOf(r.start, r.end)
		}
		on, text = p.value, h.value(p)
	}
	if text == "" {
		return "", workspace.Range{}
	}
	return text, f.rangeOf(on.start, on.end)
}

type hover struct {
	*File
	Context
}

func (h hover) reference(v *node, offset int) (reference, bool) {
	for _, r := range h.references(v) {
		if offset >= r.start && offset <= r.end {
			return r, true
		}
	}
	return reference{}, false
}

// variable says whether a variable is set, never what it holds.
func (h hover) variable(r reference) string {
	for _, w := range folderVariables {
		if r.name == w.word {
			return h.word(w.means)
		}
	}
	state := wordNotSet
	if h.set(r.name) {
		state = wordSet
	}
	return h.say(wordVariable, codeSpan(r.name), h.word(state))
}

// key is about a key: what it means, and of an entry how its server is.
func (h hover) key(p place) string {
	name := p.member.key.str(h.Text)
	if len(p.path) == 1 && p.path[0] == "mcp_servers" {
		if s, ok := h.server(name); ok {
			return h.entry(s)
		}
		return ""
	}
	s := settingsShape().at(p.path)
	if s == nil {
		return ""
	}
	k := s.key(name)
	if k == nil {
		return ""
	}
	return h.keyText(k)
}

// keyText explains a key, with the words it can be.
func (h hover) keyText(k *key) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n%s", k.name, h.word(k.means))
	if k.userOnly {
		b.WriteString("\n\n" + h.word(docUserOnly))
	}
	if len(k.value.words) > 0 {
		b.WriteString("\n")
	}
	for _, w := range k.value.words {
		fmt.Fprintf(&b, "\n- `%s`: %s", w.word, h.word(w.means))
	}
	return b.String()
}

// value is about a value: a word of an enumeration, a rule.
func (h hover) value(p place) string {
	s := settingsShape().at(p.path)
	if s == nil {
		return ""
	}
	text := p.value.str(h.Text)
	for _, w := range s.words {
		if w.word == text {
			return fmt.Sprintf("`%s`: %s", w.word, h.word(w.means))
		}
	}
	if s.source == fromRules {
		return h.rule(text)
	}
	return ""
}

// rule lists the tools a rule matches.
func (h hover) rule(text string) string {
	r, ok := parseMCPRule(text)
	if !ok {
		return ""
	}
	var b strings.Builder
	n := 0
	for _, s := range h.reach() {
		for _, t := range r.tools(s) {
			if n++; n <= maxHoverTools {
				fmt.Fprintf(&b, "\n- `%s/%s`", codeSpan(s.Name), codeSpan(t))
			}
		}
	}
	if n == 0 {
		return h.word(wordMatchesNone)
	}
	if n > maxHoverTools {
		b.WriteString("\n- " + h.say(rowMore, n-maxHoverTools))
	}
	return h.word(wordMatches) + "\n" + b.String()
}

// entry is how a server is.
func (h hover) entry(s Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n| | |\n|---|---|\n", cell(s.Name))
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", h.word(name), cell(value))
		}
	}
	row(rowState, h.stateText(s))
	if s.State.Usable() {
		row(rowTools, h.say(rowTokens, s.ToolCount, s.ToolTokens))
	}
	row(rowTransport, s.Transport)
	row(rowProtocol, s.ProtocolVersion)
	if s.Pid != 0 {
		row(rowProcess, strconv.Itoa(s.Pid))
	}
	row(rowSince, moment(s.Since))
	row(rowRetry, moment(s.NextRetryAt))
	row(rowSource, s.Source)
	row(rowShadows, s.Shadows)
	if e := s.Error; e != nil {
		b.WriteString("\n" + markdown(e.Message) + "\n")
		if e.Hint != "" {
			b.WriteString("\n" + markdown(e.Hint) + "\n")
		}
		if tail := strings.TrimSpace(e.StderrTail); tail != "" {
			fence := strings.Repeat("`", 3+strings.Count(tail, "```"))
			b.WriteString("\n" + fence + "text\n" + lastLines(tail, 20) + "\n" + fence + "\n")
		}
	}
	h.tools(&b, s)
	return strings.TrimRight(b.String(), "\n")
}

func (h hover) tools(b *strings.Builder, s Server) {
	if len(s.Tools) == 0 {
		return
	}
	b.WriteString("\n")
	for i, t := range s.Tools {
		if i == maxHoverTools {
			b.WriteString("- " + h.say(rowMore, len(s.Tools)-i) + "\n")
			break
		}
		fmt.Fprintf(b, "- `%s` (%s)", codeSpan(t.Name), h.say(rowTool, t.Tokens))
		if line := firstLine(t.Description); line != "" {
			b.WriteString(": " + markdown(clip(line, 100)))
		}
		b.WriteString("\n")
	}
}

// clip shortens s to about n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

var escaper = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "[", `\[`, "`", "\\`", "*", `\*`, "_", `\_`, "!", `\!`, "#", `\#`)

// markdown makes foreign text stand for itself.
func markdown(s string) string { return escaper.Replace(s) }

// cell is markdown on one line.
func cell(s string) string { return markdown(mcp.CleanLine(s)) }

// codeSpan makes foreign text fit between two backquotes.
func codeSpan(s string) string { return strings.ReplaceAll(mcp.CleanLine(s), "`", "'") }
