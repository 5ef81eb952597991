package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	var old, before *string
	if _, err := os.Stat(path); err == nil {
		text, _, err := t.w.content(a.Path, path)
		if err != nil {
			return agent.Result{}, err
		}
		if t.w.seen.stale(path, text) {
			return agent.Result{}, staleError(t.w.show(path))
		}
		before = &text
		if !isBinary([]byte(text)) {
			old = &text
		}
		if text == a.Content {
			return textResult(t.w.show(path) + " has this content already"), nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return agent.Result{}, t.w.pathError(path, err)
	}
	if err := ctx.Err(); err != nil {
		return agent.Result{}, err
	}
	if err := t.w.edited(path, before, a.Content); err != nil {
		return agent.Result{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return agent.Result{}, t.w.pathError(filepath.Dir(path), err)
	}
	if err := replaceFile(path, []byte(a.Content)); err != nil {
		return agent.Result{}, t.w.pathError(path, err)
	}
	t.w.seen.note(path, a.Content)
	verb := "Created"
	if old != nil {
		verb = "Wrote"
	}
	return agent.Result{
		Content:   []agent.Content{agent.Text(fmt.Sprintf("%s %s (%s)", verb, t.w.show(path), lines(a.Content))), diff(path, old, a.Content)},
		Locations: []agent.Location{{Path: path}},
	}, nil
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
