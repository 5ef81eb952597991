package chat

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// maxResultLines and maxInput bound what a tool call takes on the screen; the
// model and an editor get all of it.
const (
	maxResultLines = 16
	maxInput       = 300
)

// screen prints. Every text that came from elsewhere loses its control characters
// before it reaches the terminal.
type screen struct {
	out   io.Writer
	lang  lang.Lang
	color bool
	// inText says that the answer is being streamed and the line may be open.
	inText bool
	// column counts what stands on the open line; 0 when the next text starts one.
	column int
	// invited says that the open line is an invitation with nothing typed yet, as far
	// as is known.
	invited bool
	// last is the call whose head was printed last.
	last *call
}

// style is an SGR parameter.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

func (s *screen) paint(st style, text string) string {
	if !s.color || text == "" || st == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

// line prints on a line of its own.
func (s *screen) line(format string, args ...any) {
	s.endText()
	fmt.Fprintf(s.out, format+"\n", args...)
}

// endText closes the line of a streamed text.
func (s *screen) endText() {
	switch {
	case s.invited && s.color:
		fmt.Fprint(s.out, "\r\x1b[K") // it is shown anew below what comes now
	case s.column > 0:
		fmt.Fprintln(s.out)
	}
	s.column, s.inText, s.invited = 0, false, false
}

// say gives a text for people in the language of the chat.
func (s *screen) say(format string, args ...any) string { return s.lang.Sprintf(zh, format, args...) }

func (s *screen) note(format string, args ...any) {
	s.line("%s", s.paint(dim, mcp.CleanLine(s.say(format, args...))))
}

func (s *screen) failure(err error) {
	s.line("%s %s", s.paint(red, s.say(textError)), mcp.Clean(s.lang.Error(err)))
}

func (s *screen) message(m message) {
	st := dim
	switch m.kind {
	case protocol.MessageTypeError:
		st = red
	case protocol.MessageTypeWarning:
		st = yellow
	}
	s.line("%s", s.paint(st, mcp.Clean(m.text)))
}

// finding shows what is wrong with a settings file as compilers do.
func (s *screen) finding(f finding) {
	st := dim
	switch f.severity {
	case protocol.DiagnosticSeverityError:
		st = red
	case protocol.DiagnosticSeverityWarning:
		st = yellow
	}
	s.line("%s:%d:%d: %s", mcp.CleanLine(f.file), f.line, f.column, s.paint(st, mcp.CleanLine(f.message)))
}

// prompt shows what is sent; ask invites a person to type.
func (s *screen) prompt(text string) {
	s.line("\n%s %s", s.paint(cyan, ">"), s.paint(bold, mcp.Clean(text)))
}

func (s *screen) ask() {
	s.endText()
	fmt.Fprint(s.out, s.paint(cyan, "> "))
	s.column, s.invited = len("> "), true
}

// entered says that a person ended the line.
func (s *screen) entered() { s.column, s.invited = 0, false }

// text streams a piece of the answer.
func (s *screen) text(b wire.ContentBlock) {
	if !s.inText {
		s.endText()
		s.inText = true
	}
	s.stream(mcp.Clean(blockText(b)), "")
}

func (s *screen) thought(b wire.ContentBlock) { s.stream(mcp.Clean(blockText(b)), dim) }

func (s *screen) stream(text string, st style) {
	if text == "" {
		return
	}
	fmt.Fprint(s.out, s.paint(st, text))
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		s.column = 0
		text = text[i+1:]
	}
	s.column += utf8.RuneCountInString(text)
}

// servers prints the MCP servers and their sum. badSettings says that the settings
// have errors: then there being none is no news about what was configured.
func (s *screen) servers(ss *servers, badSettings bool) {
	rows := ss.sorted()
	switch {
	case len(rows) == 0 && badSettings:
		s.note(textNotRead)
		return
	case len(rows) == 0:
		s.note(textNoServers)
		return
	}
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(mcp.CleanLine(row.Name)))
	}
	s.line("%s", s.paint(bold, s.say(textServers)))
	for _, row := range rows {
		s.serverRow(row, width)
	}
	s.line("  %s", s.say(textTotal, ss.totals.Connected, ss.totals.Failed, ss.totals.Tools))
}

// serverRow prints one server, its name padded to width.
func (s *screen) serverRow(row wire.MCPServer, width int) {
	name := fmt.Sprintf("%-*s", width, mcp.CleanLine(row.Name))
	st, detail := dim, ""
	switch row.State {
	case wire.MCPConnected:
		st, detail = green, s.count(row.ToolCount, textTool, textTools)
	case wire.MCPDegraded:
		st, detail = yellow, s.count(row.ToolCount, textTool, textTools)
	case wire.MCPFailed:
		st = red
	case wire.MCPUntrusted:
		st, detail = yellow, s.say(textUntrusted)
	case wire.MCPNeedsAuth:
		st = yellow
	}
	if row.Error != nil {
		if detail != "" {
			detail += s.say(textAnd)
		}
		detail += row.Error.Message
		if row.Error.Hint != "" {
			detail += s.say(textHint, row.Error.Hint)
		}
	}
	s.line("  %s  %s  %s", name, s.paint(st, mcp.State(row.State).In(s.lang)), mcp.CleanLine(detail))
}

// callHead prints what is called with what, once per call.
func (s *screen) callHead(c *call) {
	if c.shown {
		return
	}
	c.shown = true
	input := ""
	if len(c.RawInput) > 0 {
		input = " " + shorten(mcp.CleanLine(string(c.RawInput)), maxInput)
	}
	s.line("%s%s %s%s", c.indent(), s.paint(cyan, "*"), s.paint(bold, mcp.CleanLine(c.name())), input)
	s.last = c
}

// callResult prints what a call answered.
func (s *screen) callResult(c *call) {
	st := green
	if c.Status == wire.ToolFailed {
		st = red
	}
	whose := ""
	if s.last != c { // another one began meanwhile
		whose = " " + mcp.CleanLine(c.name())
	}
	s.line("%s  %s%s", c.indent(), s.paint(st, s.lang.Text(zh, string(c.Status))), whose)
	s.content(c.Content)
}

func (s *screen) content(content []wire.ToolCallContent) {
	for _, part := range content {
		switch part.Type {
		case wire.ToolDiff:
			var before, after string
			if part.OldText != nil {
				before = *part.OldText
			}
			if part.NewText != nil {
				after = *part.NewText
			}
			s.indented(udiff.Unified(part.Path, part.Path, before, after))
		case wire.ToolContent:
			if part.Content != nil {
				s.indented(blockText(*part.Content))
			}
		}
	}
}

// indented prints the first lines of a text and says how many more there are.
func (s *screen) indented(text string) {
	text = strings.TrimRight(mcp.Clean(text), "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i == maxResultLines {
			s.line("    %s", s.paint(dim, "... "+s.count(len(lines)-i, textLine, textLines)))
			break
		}
		s.line("    %s", l)
	}
}

func (s *screen) plan(entries []wire.PlanEntry) {
	for _, e := range entries {
		s.line("  [%s] %s", s.lang.Text(zh, string(e.Status)), mcp.CleanLine(e.Content))
	}
}

// question prints what a person is asked, with what would change.
func (s *screen) question(q *question, c *call) {
	what := mcp.CleanLine(c.name())
	if title := mcp.CleanLine(c.Title); title != "" && !strings.HasSuffix(what, title) {
		what += " (" + title + ")"
	}
	s.line("%s %s", s.paint(yellow, "?"), s.say(textMayRun, what))
	s.content(q.ToolCall.Content)
}

func (s *screen) choices(options []wire.PermissionOption) {
	for i, o := range options {
		s.line("  %d  %s", i+1, mcp.CleanLine(o.Name))
	}
	fmt.Fprintf(s.out, "  %s ", s.paint(yellow, s.say(textYourAnswer)))
}

func (s *screen) answered(id, why string) {
	if why != "" {
		id = s.say(textBecause, id, why)
	}
	s.line("  %s %s", s.paint(yellow, s.say(textAnswer)), id)
}

// blockText is a content block as a terminal can show it.
func blockText(b wire.ContentBlock) string {
	switch b.Type {
	case wire.BlockText:
		if b.Text != nil {
			return *b.Text
		}
		return ""
	case wire.BlockResource:
		if b.Resource != nil && b.Resource.Text != nil {
			return *b.Resource.Text
		}
		if b.Resource != nil {
			return "[" + b.Resource.URI + "]"
		}
	case wire.BlockResourceLink:
		return "[" + b.Name + "](" + b.URI + ")"
	}
	return "[" + string(b.Type) + " " + b.MimeType + "]"
}

// count says how many there are, by a text for one and a format for others.
func (s *screen) count(n int, one, many string) string {
	if n == 1 {
		return s.lang.Text(zh, one)
	}
	return fmt.Sprintf(s.lang.Text(zh, many), n)
}

// shorten cuts a line to n characters.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-3]) + "..."
}
