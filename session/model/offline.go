package model

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Offline is a small deterministic planner in the place of a language model: it
// matches the words of a prompt to the words of the tools, fills simple arguments
// from the prompt, calls the tools through the same loop as any model, and reports
// what they answered. It keeps no state: each request holds all it needs, the ids
// of its calls say which step they were.
type Offline struct{}

// NewOffline returns the planner.
func NewOffline() *Offline { return &Offline{} }

// ID implements [agent.Model].
func (*Offline) ID() string { return OfflineID }

// ContextTokens implements [agent.Model]; the planner has no window.
func (*Offline) ContextTokens() int { return 0 }

// Stream implements [agent.Model].
func (*Offline) Stream(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
	var a answered
	if summary, ok := summaryOf(req); ok {
		a.text = summary
	} else {
		a = answer(readTurn(req), readOffered(req.Tools), req)
	}
	out := agent.Response{Message: agent.Message{Role: agent.RoleAssistant}, StopReason: agent.StopEndTurn}
	var shown strings.Builder
	keep := func() {
		if s := shown.String(); strings.TrimSpace(s) != "" {
			c := agent.Text(s)
			out.Message.Blocks = append(out.Message.Blocks, agent.Block{Kind: agent.BlockContent, Content: &c})
		}
	}
	for _, piece := range pieces(a.text) {
		if err := ctx.Err(); err != nil {
			keep()
			return out, err
		}
		if err := emit(agent.Delta{Kind: agent.DeltaText, Text: piece}); err != nil {
			keep()
			return out, err
		}
		shown.WriteString(piece)
	}
	keep()
	if a.call == nil {
		return out, nil
	}
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if err := emit(agent.Delta{Kind: agent.DeltaToolUse, ID: a.call.ID, Name: a.call.Name}); err != nil {
		return out, err
	}
	out.Message.Blocks = append(out.Message.Blocks, *a.call)
	out.StopReason = agent.StopToolUse
	return out, nil
}

// pieceLen is about how many bytes one delta carries: a few words, as a language
// model streams.
const pieceLen = 32

// pieces cuts a text for streaming, behind blanks where there are any.
func pieces(s string) []string {
	var out []string
	for len(s) > pieceLen {
		n := strings.IndexAny(s[pieceLen:], " \n")
		if n < 0 || n > pieceLen {
			n = pieceLen
			for n < len(s) && !utf8.RuneStart(s[n]) {
				n++
			}
		} else {
			n += pieceLen + 1
		}
		out, s = append(out, s[:n]), s[n:]
	}
	if s != "" {
		out = append(out, s)
	}
	return out
}

// turnState is what a request says of the turn so far.
type turnState struct {
	prompt string
	// index is the number of the prompt's message, a part of our calls' ids.
	index int
	calls []pastCall
}

type pastCall struct {
	id, name string
	input    string
	done     bool
	result   string
	isError  bool
}

// readTurn finds the last prompt and what was called since.
func readTurn(req *agent.Request) turnState {
	var t turnState
	at := -1
	for i, m := range req.Messages {
		if m.Role != agent.RoleUser {
			continue
		}
		var texts []string
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockContent && b.Content != nil && b.Content.Kind == agent.ContentText && strings.TrimSpace(b.Content.Text) != "" {
				texts = append(texts, b.Content.Text)
			}
		}
		if texts != nil {
			t, at = turnState{prompt: strings.Join(texts, "\n"), index: i}, i
		}
	}
	if at < 0 {
		return t
	}
	for _, m := range req.Messages[at+1:] {
		for _, b := range m.Blocks {
			switch b.Kind {
			case agent.BlockToolUse:
				t.calls = append(t.calls, pastCall{id: b.ID, name: b.Name, input: string(b.Input)})
			case agent.BlockToolResult:
				for i := range t.calls {
					if t.calls[i].id == b.ID {
						t.calls[i].done, t.calls[i].isError, t.calls[i].result = true, b.IsError, resultText(b.Result)
					}
				}
			}
		}
	}
	return t
}

func resultText(content []agent.Content) string {
	var parts []string
	for _, c := range content {
		switch c.Kind {
		case agent.ContentText, agent.ContentResource:
			if strings.TrimSpace(c.Text) != "" {
				parts = append(parts, c.Text)
			}
		case agent.ContentLink:
			parts = append(parts, c.Name+" "+c.URI)
		case agent.ContentImage, agent.ContentAudio:
			parts = append(parts, "["+c.MIME+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// answered is one answer of the planner.
type answered struct {
	text string
	call *agent.Block
}

var reCallID = regexp.MustCompile(`^offline_(\d+)_(\d+)(_connect)?`)

func callID(turn turnState, step int, connect bool) string {
	id := fmt.Sprintf("offline_%d_%d", turn.index, step)
	if connect {
		id += "_connect"
	}
	return id
}

// answer decides what to do next: a pure function of the request.
func answer(turn turnState, tools []*offered, req *agent.Request) answered {
	prompt := normalise(turn.prompt)
	zh := isChinese(prompt, req.Locale)
	l := &english
	if zh {
		l = &chinese
	}
	if prompt == "" {
		return answered{text: l.intro + "\n\n" + l.empty}
	}
	if len(turn.calls) == 0 && isMeta(prompt, zh) {
		chosen, named := topical(prompt, tools)
		head := l.listed
		if !named && len(metaTopics(prompt)) > 0 {
			head = l.listedNone
		}
		if len(tools) == 0 {
			head = l.couldDoNone
		}
		return answered{text: join(l.intro, head, listing(chosen, l))}
	}
	here := ""
	if dir := workingDir(req.System); dir != "" {
		here = filepath.Base(filepath.ToSlash(dir))
	}
	steps := plan(prompt, zh, tools, here)
	next, stopped := position(turn, len(steps))
	if stopped {
		return answered{text: report(turn, steps, next, l)}
	}
	for i := next; i < len(steps); i++ {
		s := steps[i]
		if s.connect != "" && !connectedBefore(turn, s.connect) {
			for _, t := range tools {
				if t.spec.Name == connectTool {
					text := fmt.Sprintf(l.connecting, s.connect, connectTool)
					return call(turn, i, true, t, connectArgs(t, s.connect), text, l)
				}
			}
		}
		if s.tool == nil || s.missing != nil || s.negated {
			continue
		}
		form := l.calling
		if len(turn.calls) > 0 {
			form = l.next
		}
		return call(turn, i, false, s.tool, s.args, fmt.Sprintf(form, s.tool.spec.Name, s.args), l)
	}
	if len(turn.calls) == 0 {
		return answered{text: nothingDone(steps, tools, req, l)}
	}
	return answered{text: report(turn, steps, len(steps), l)}
}

func call(turn turnState, i int, connect bool, t *offered, args []byte, text string, l *language) answered {
	if len(turn.calls) == 0 {
		text = l.intro + "\n\n" + text
	}
	return answered{text: text, call: &agent.Block{Kind: agent.BlockToolUse, ID: callID(turn, i, connect), Name: t.spec.Name, Input: args}}
}

// position returns the step to go on with, and whether to stop: a step failed, or
// the calls of this turn are another model's.
func position(turn turnState, steps int) (next int, stopped bool) {
	for _, c := range turn.calls {
		m := reCallID.FindStringSubmatch(c.id)
		if m == nil || m[1] != strconv.Itoa(turn.index) {
			return steps, true
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return steps, true
		}
		if next = n + 1; m[3] != "" {
			next = n
		}
		if c.isError || !c.done {
			return n + 1, true
		}
	}
	return next, false
}

func connectedBefore(turn turnState, server string) bool {
	for _, c := range turn.calls {
		if c.name == connectTool && strings.Contains(c.input, string(encode(server))) {
			return true
		}
	}
	return false
}

// resultShown is how much of a result the report repeats, in runes.
const resultShown = 4000

// report tells what came of the turn's calls; the steps from next on were not
// done.
func report(turn turnState, steps []step, next int, l *language) string {
	var parts []string
	for _, c := range turn.calls {
		result := strings.TrimSpace(c.result)
		if r := []rune(result); len(r) > resultShown {
			result = string(r[:resultShown]) + "…"
		}
		switch lower := strings.ToLower(result); {
		case !c.done:
			parts = append(parts, fmt.Sprintf(l.failed, c.name, l.noResult))
		case c.isError && strings.HasPrefix(lower, "rejected"):
			parts = append(parts, fmt.Sprintf(l.rejected, c.name))
		case c.isError && strings.HasPrefix(lower, "refused"):
			parts = append(parts, fmt.Sprintf(l.refused, c.name, strings.TrimSpace(strings.TrimPrefix(result[len("refused"):], ":"))))
		case c.isError:
			parts = append(parts, fmt.Sprintf(l.failed, c.name, result))
		default:
			if result == "" {
				result = l.noResult
			}
			parts = append(parts, fmt.Sprintf(l.answered, c.name, result))
		}
	}
	var left []string
	for i, s := range steps {
		switch {
		case i >= next && !s.negated:
			left = append(left, s.text())
		case s.negated:
			parts = append(parts, fmt.Sprintf(l.negated, s.text()))
		case s.tool == nil:
			parts = append(parts, fmt.Sprintf(l.nothing, s.text()))
		case s.missing != nil:
			parts = append(parts, fmt.Sprintf(l.missing, s.tool.spec.Name, strings.Join(s.missing, ", ")))
		}
	}
	if left != nil {
		parts = append(parts, fmt.Sprintf(l.unfinished, strings.Join(left, "; ")))
	}
	return join(parts...)
}

// nothingDone says why no tool was called, and what could be.
func nothingDone(steps []step, tools []*offered, req *agent.Request, l *language) string {
	parts := []string{l.intro}
	missing := false
	for _, s := range steps {
		switch {
		case s.negated:
			parts = append(parts, fmt.Sprintf(l.negated, s.text()))
		case s.tool == nil:
			if note := serverNote(s.clause, req.System, l); note != "" {
				parts = append(parts, note)
			} else {
				parts = append(parts, fmt.Sprintf(l.nothing, s.text()))
			}
		default:
			missing = true
			parts = append(parts, fmt.Sprintf(l.missing, s.tool.spec.Name, strings.Join(s.missing, ", ")))
		}
	}
	if !missing {
		if len(tools) == 0 {
			parts = append(parts, l.couldDoNone)
		} else {
			parts = append(parts, l.couldDo, listing(tools, l))
		}
	}
	return join(parts...)
}

var reServerLine = regexp.MustCompile(`(?m)^- ([^:\n]+)(?:: (.*))?$`)

// serverNote says so when the clause names a server whose tools are missing; the
// dynamic block of the system prompt lists those.
func serverNote(c clause, system []agent.SystemBlock, l *language) string {
	for _, b := range system {
		if b.Key != "dynamic" {
			continue
		}
		for section := range strings.SplitSeq(b.Text, "## ") {
			failed, starting := strings.HasPrefix(section, "Unavailable MCP"), strings.HasPrefix(section, "Starting MCP")
			if !failed && !starting {
				continue
			}
			for _, m := range reServerLine.FindAllStringSubmatch(section, -1) {
				if !c.has(strings.ToLower(m[1])) {
					continue
				}
				if starting {
					return fmt.Sprintf(l.serverStarts, m[1])
				}
				return fmt.Sprintf(l.serverFailed, m[1], m[2])
			}
		}
	}
	return ""
}

var reWorkingDir = regexp.MustCompile(`(?m)^\W*Working directory: *(.+?)\s*$`)

// workingDir reads the session's folder from the identity block.
func workingDir(system []agent.SystemBlock) string {
	for _, b := range system {
		if m := reWorkingDir.FindStringSubmatch(b.Text); m != nil {
			return m[1]
		}
	}
	return ""
}

func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n\n")
}
