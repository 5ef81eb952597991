package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

type writeTool struct{ w *world }

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

var writeSchema = schema(`{"type":"object","properties":{"path":{"type":"string","description":"The file, absolute or relative to the session's folder; folders on the way are made."},"content":{"type":"string","description":"All of the file's new content."}},"required":["path","content"],"additionalProperties":false}`)

func (*writeTool) Name() string    { return "write" }
func (t *writeTool) Label() string { return t.w.say(textLabelWrite) }
func (*writeTool) Description() string {
	return "Create a file or replace all of its content. To change a part of a file use edit. A file that changed since it was read must be read again first."
}
func (*writeTool) Schema() json.RawMessage { return writeSchema }

func (t *writeTool) PermissionRequest(args []byte) permission.Request {
	var a writeArgs
	if decode(args, &a) != nil || a.Path == "" {
		return t.w.request(t.Name(), permission.KindEdit, permission.CapabilityWrite, t.Label())
	}
	return t.w.request(t.Name(), permission.KindEdit, permission.CapabilityWrite, t.Label(), t.w.resolve(a.Path))
}

func (t *writeTool) Describe(args json.RawMessage) agent.Description {
	var a writeArgs
	if decode(args, &a) != nil || a.Path == "" {
		return agent.Description{Title: t.Label()}
	}
	path := t.w.resolve(a.Path)
	d := agent.Description{Title: t.w.say(textWrite, t.w.show(path)), Locations: []agent.Location{{Path: path}}}
	if old, _, err := t.w.content(a.Path, path); err == nil && !isBinary([]byte(old)) {
		d.Preview = []agent.Content{diff(path, &old, a.Content)}
	} else if errors.Is(statError(path), fs.ErrNotExist) {
		d.Preview = []agent.Content{diff(path, nil, a.Content)}
	}
	return d
}

func statError(path string) error {
	_, err := os.Stat(path)
	return err
}

func diff(path string, old *string, text string) agent.Content {
	return agent.Content{Kind: agent.ContentDiff, Path: path, Old: old, New: text}
}

func (t *writeTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var a writeArgs
	if err := decode(args, &a); err != nil {
		return agent.Result{}, err
	}
	if strings.TrimSpace(a.Path) == "" {
		return agent.Result{}, errors.New("path is empty: name the file to write")
	}
	path := t.w.resolve(a.Path)
	name := t.w.show(path)
	old, open, err := t.w.standing(a.Path, path)
	if err != nil {
		return agent.Result{}, err
	}
	var shown *string // what a person sees of it
	if old != nil {
		if t.w.seen.stale(path, *old) {
			return agent.Result{}, staleError(name)
		}
		if *old == a.Content && !t.w.unsaved(path) {
			return textResult(name + " has this content already"), nil
		}
		if !isBinary([]byte(*old)) {
			shown = old
		}
	}
	if err := ctx.Err(); err != nil {
		return agent.Result{}, err
	}
	made, err := t.w.change(ctx, path, old, open, a.Content)
	if err != nil {
		return agent.Result{}, err
	}
	verb := "Created"
	if shown != nil {
		verb = "Wrote"
	}
	return agent.Result{
		Content:   []agent.Content{agent.Text(fmt.Sprintf("%s %s (%s)", verb, name, lines(made.text)) + made.note()), diff(path, shown, made.text)},
		Locations: []agent.Location{{Path: path}},
	}, nil
}

// standing is what a file to be written holds, nil where there is none.
func (w *world) standing(given, path string) (text *string, open bool, err error) {
	if _, err := os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, w.pathError(path, err)
	} else if _, shown := w.overlay(given, path); err != nil && !shown {
		return nil, false, nil
	}
	held, open, err := w.content(given, path)
	if err != nil {
		return nil, false, err
	}
	return &held, open, nil
}

func staleError(name string) error {
	return fmt.Errorf("%s has changed since it was last read in this session: read it again, then repeat the change on what it is now", name)
}

func lines(s string) string {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
