package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// globFiles is how many files glob shows.
const globFiles = 1000

type globTool struct{ w *world }

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

var globSchema = schema(`{"type":"object","properties":{"pattern":{"type":"string","minLength":1,"description":"A glob such as **/*.go or cmd/*/main.go; without a slash it is compared to the file's name alone, at any depth."},"path":{"type":"string","description":"The folder to look in; the session's folder by default."}},"required":["pattern"],"additionalProperties":false}`)

func (*globTool) Name() string    { return "glob" }
func (t *globTool) Label() string { return t.w.say(textLabelGlob) }
func (*globTool) Description() string {
	return "Find files by a pattern of their names. What .gitignore leaves out is left out; at most 1000 paths, sorted."
}
func (*globTool) Schema() json.RawMessage              { return globSchema }
func (*globTool) ConcurrencySafe(json.RawMessage) bool { return true }

// base splits the folder off that an absolute or upward pattern begins with, for
// that is where it looks.
func (t *globTool) base(a globArgs) (dir, pattern string) {
	dir, pattern = t.w.resolve(a.Path), filepath.ToSlash(a.Pattern)
	if filepath.IsAbs(filepath.FromSlash(pattern)) || strings.HasPrefix(pattern, "~/") {
		b, rest := doublestar.SplitPattern(pattern)
		return t.w.resolve(b), rest
	}
	if strings.HasPrefix(pattern, "../") || strings.Contains(pattern, "/../") {
		b, rest := doublestar.SplitPattern(path.Clean(pattern))
		return t.w.resolve(filepath.Join(dir, filepath.FromSlash(b))), rest
	}
	return dir, strings.TrimPrefix(pattern, "./")
}

func (t *globTool) PermissionRequest(args []byte) permission.Request {
	var a globArgs
	if decode(args, &a) != nil {
		return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label())
	}
	dir, _ := t.base(a)
	return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label(), dir)
}

func (t *globTool) Describe(args json.RawMessage) agent.Description {
	var a globArgs
	if decode(args, &a) != nil || a.Pattern == "" {
		return agent.Description{Title: t.Label()}
	}
	dir, pattern := t.base(a)
	title := t.w.say(textFind, clean(pattern))
	if dir != t.w.root {
		title = t.w.say(textFindIn, clean(pattern), t.w.show(dir))
	}
	return agent.Description{Title: title, Locations: []agent.Location{{Path: dir}}}
}

func (t *globTool) Execute(ctx context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var a globArgs
	if err := decode(args, &a); err != nil {
		return agent.Result{}, err
	}
	dir, pattern := t.base(a)
	if !doublestar.ValidatePattern(pattern) {
		return agent.Result{}, fmt.Errorf("the pattern %q is not a valid glob: close its brackets and braces", a.Pattern)
	}
	byName := !strings.Contains(pattern, "/")
	var found []string
	more := false
	err := t.w.walk(ctx, dir, func(rel, p string, _ fs.DirEntry) bool {
		name := rel
		if byName {
			name = path.Base(rel)
		}
		if ok, _ := doublestar.Match(pattern, name); !ok {
			return true
		}
		if more = len(found) == globFiles; more {
			return false
		}
		found = append(found, clean(t.w.show(p)))
		return true
	})
	if err != nil && !errors.Is(err, errStop) {
		return agent.Result{}, err
	}
	if len(found) == 0 {
		return textResult(fmt.Sprintf("no file matches %s in %s", a.Pattern, t.w.show(dir))), nil
	}
	text := strings.Join(found, "\n") + "\n"
	if more {
		text += fmt.Sprintf("(only the first %d; narrow the pattern)\n", globFiles)
	}
	return textResult(text), nil
}
