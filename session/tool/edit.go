package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

type editTool struct{ w *world }

type editArgs struct {
	Path string `json:"path"`
	oneEdit
	Edits []oneEdit `json:"edits"`
}

// oneEdit is one replacement.
type oneEdit struct {
	OldString  string `json:"old_string"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all"`
}

// apply makes all edits, each on what the ones before it made, or none.
func (a editArgs) apply(text string) (replaced, error) {
	if len(a.Edits) == 0 {
		return replace(text, a.OldString, a.NewString, a.ReplaceAll)
	}
	if a.oneEdit != (oneEdit{}) {
		return replaced{}, errors.New("give either old_string and new_string, or edits")
	}
	whole := replaced{text: text}
	for i, e := range a.Edits {
		r, err := replace(whole.text, e.OldString, e.NewString, e.ReplaceAll)
		if err != nil {
			if len(a.Edits) > 1 {
				err = fmt.Errorf("edit %d of %d: %w; none of them was made", i+1, len(a.Edits), err)
			}
			return replaced{}, err
		}
		whole.text = r.text
		whole.n += r.n
		if whole.line == 0 || r.line < whole.line {
			whole.line = r.line
		}
	}
	if whole.text == text {
		return replaced{}, errors.New("the edits together change nothing")
	}
	return whole, nil
}

var editSchema = schema(`{"type":"object","properties":{"path":{"type":"string","description":"The file, absolute or relative to the session's folder."},"old_string":{"type":"string","minLength":1,"description":"The text to replace, exactly as it stands in the file, with enough around it to be found once."},"new_string":{"type":"string","description":"The text to put in its place."},"replace_all":{"type":"boolean","description":"Replace every occurrence instead of the only one."},"edits":{"type":"array","minItems":1,"maxItems":100,"description":"Several replacements in place of old_string and new_string, made one after the other: all or none.","items":{"type":"object","properties":{"old_string":{"type":"string","minLength":1},"new_string":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["old_string","new_string"],"additionalProperties":false}}},"required":["path"],"additionalProperties":false}`)

func (*editTool) Name() string    { return "edit" }
func (t *editTool) Label() string { return t.w.say(textLabelEdit) }
func (*editTool) Description() string {
	return "Replace an exact text in a file by another. The text must be found exactly once, unless replace_all is set. Several places of one file are changed at once with edits. Line endings and the file's mode stay. Read the file first; one that changed since must be read again."
}
func (*editTool) Schema() json.RawMessage { return editSchema }

func (t *editTool) PermissionRequest(args []byte) permission.Request {
	var a editArgs
	if decode(args, &a) != nil || a.Path == "" {
		return t.w.request(t.Name(), permission.KindEdit, permission.CapabilityWrite, t.Label())
	}
	return t.w.request(t.Name(), permission.KindEdit, permission.CapabilityWrite, t.Label(), t.w.resolve(a.Path))
}

func (t *editTool) Describe(args json.RawMessage) agent.Description {
	var a editArgs
	if decode(args, &a) != nil || a.Path == "" {
		return agent.Description{Title: t.Label()}
	}
	path := t.w.resolve(a.Path)
	d := agent.Description{Title: t.w.say(textEdit, t.w.show(path)), Locations: []agent.Location{{Path: path}}}
	if old, _, err := t.w.content(a.Path, path); err == nil {
		if r, err := a.apply(old); err == nil {
			d.Locations[0].Line = r.line
			d.Preview = []agent.Content{diff(path, &old, r.text)}
		}
	}
	return d
}

func (t *editTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var a editArgs
	if err := decode(args, &a); err != nil {
		return agent.Result{}, err
	}
	path := t.w.resolve(a.Path)
	old, open, err := t.w.content(a.Path, path)
	if err != nil {
		return agent.Result{}, err
	}
	name := t.w.show(path)
	if isBinary([]byte(old[:min(len(old), binarySample)])) {
		return agent.Result{}, fmt.Errorf("%s is a binary file: it cannot be edited as text", name)
	}
	if t.w.seen.stale(path, old) {
		return agent.Result{}, staleError(name)
	}
	r, err := a.apply(old)
	if err != nil {
		return agent.Result{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := ctx.Err(); err != nil {
		return agent.Result{}, err
	}
	made, err := t.w.change(ctx, path, &old, open, r.text)
	if err != nil {
		return agent.Result{}, err
	}
	text := fmt.Sprintf("Edited %s (%s, first at line %d)", name, count(r.n, "place"), r.line) + made.note()
	return agent.Result{
		Content:   []agent.Content{agent.Text(text), diff(path, &old, made.text)},
		Locations: []agent.Location{{Path: path, Line: r.line}},
	}, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// replaced is a text after an edit.
type replaced struct {
	text string
	n    int
	line int // of the first change, from 1
}

// replace puts new in the place of old. Models write "\n" where a file has
// "\r\n": an old text that is not found as it stands is looked for with either
// ending, and the new one gets the file's.
func replace(text, old, new string, all bool) (replaced, error) {
	switch {
	case old == "":
		return replaced{}, errors.New("old_string is empty: to create or replace a whole file use write")
	case old == new:
		return replaced{}, errors.New("old_string and new_string are the same: nothing to change")
	}
	places := indexAll(text, old)
	if len(places) == 0 && strings.Contains(text, "\r\n") && strings.Contains(old, "\n") {
		parts := strings.Split(strings.ReplaceAll(old, "\r\n", "\n"), "\n")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		re, err := regexp.Compile(strings.Join(parts, `\r?\n`))
		if err != nil {
			return replaced{}, err
		}
		places = re.FindAllStringIndex(text, -1)
	}
	switch {
	case len(places) == 0:
		return replaced{}, notFound(text, old)
	case len(places) > 1 && !all:
		var at []string
		for _, p := range places[:min(len(places), 5)] {
			at = append(at, fmt.Sprint(lineAt(text, p[0])))
		}
		return replaced{}, fmt.Errorf("old_string was found %d times (lines %s): add more of the text around it to mean one, or set replace_all", len(places), strings.Join(at, ", "))
	}
	if !strings.Contains(new, "\r") && strings.Count(text, "\r\n")*2 > strings.Count(text, "\n") {
		new = strings.ReplaceAll(new, "\n", "\r\n")
	}
	var b strings.Builder
	at := 0
	for _, p := range places {
		b.WriteString(text[at:p[0]])
		b.WriteString(new)
		at = p[1]
	}
	b.WriteString(text[at:])
	return replaced{b.String(), len(places), lineAt(text, places[0][0])}, nil
}

func indexAll(text, s string) [][]int {
	var out [][]int
	for from := 0; ; {
		i := strings.Index(text[from:], s)
		if i < 0 {
			return out
		}
		out = append(out, []int{from + i, from + i + len(s)})
		from += i + len(s)
	}
}

func lineAt(text string, i int) int { return strings.Count(text[:i], "\n") + 1 }

// notFound says why a text is not in the file, as far as that can be guessed.
func notFound(text, old string) error {
	const plain = "old_string was not found"
	if line := regexp.MustCompile(`(?m)^ *\d+\t`); line.MatchString(old) {
		return errors.New(plain + ": leave out the line numbers that read puts in front, and the tab behind them")
	}
	blank := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if b := blank(old); b != "" && strings.Contains(blank(text), b) {
		return errors.New(plain + " exactly, but its words are there with other blanks or line breaks: read the lines again and copy them as they are")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(old), "\n")
	if first = strings.TrimSpace(first); first != "" {
		if i := strings.Index(text, first); i >= 0 {
			return fmt.Errorf(plain+": its first line stands at line %d, but what follows differs; read there again", lineAt(text, i))
		}
	}
	return errors.New(plain + ": read the file again and copy the text as it is")
}
