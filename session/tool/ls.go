package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// lsEntries is how many entries ls shows.
const lsEntries = 1000

type lsTool struct{ w *world }

type lsArgs struct {
	Path string `json:"path"`
}

var lsSchema = schema(`{"type":"object","properties":{"path":{"type":"string","description":"The folder, absolute or relative to the session's folder, which is the default."}},"additionalProperties":false}`)

func (*lsTool) Name() string    { return "ls" }
func (t *lsTool) Label() string { return t.w.say(textLabelLs) }
func (*lsTool) Description() string {
	return "List the files and folders in a folder, hidden ones too; folders end in a slash. For a look deeper down use glob."
}
func (*lsTool) Schema() json.RawMessage              { return lsSchema }
func (*lsTool) ConcurrencySafe(json.RawMessage) bool { return true }

func (t *lsTool) PermissionRequest(args []byte) permission.Request {
	var a lsArgs
	if decode(args, &a) != nil {
		return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label())
	}
	return t.w.request(t.Name(), permission.KindRead, permission.CapabilityRead, t.Label(), t.w.resolve(a.Path))
}

func (t *lsTool) Describe(args json.RawMessage) agent.Description {
	var a lsArgs
	if decode(args, &a) != nil {
		return agent.Description{Title: t.Label()}
	}
	path := t.w.resolve(a.Path)
	return agent.Description{Title: t.w.say(textList, t.w.show(path)), Locations: []agent.Location{{Path: path}}}
}

func (t *lsTool) Execute(_ context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	var a lsArgs
	if err := decode(args, &a); err != nil {
		return agent.Result{}, err
	}
	path := t.w.resolve(a.Path)
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		if info, serr := os.Stat(path); serr == nil && !info.IsDir() {
			return agent.Result{}, fmt.Errorf("%s is a file: read it with read", t.w.show(path))
		}
		return agent.Result{}, t.w.pathError(path, err)
	}
	var b strings.Builder
	for i, e := range entries {
		if i == lsEntries {
			fmt.Fprintf(&b, "(%d more entries)\n", len(entries)-i)
			break
		}
		b.WriteString(clean(e.Name()))
		switch {
		case e.IsDir():
			b.WriteByte('/')
		case e.Type()&fs.ModeSymlink != 0:
			if target, err := os.Readlink(filepath.Join(path, e.Name())); err == nil {
				b.WriteString(" -> " + clean(target))
			}
		}
		b.WriteByte('\n')
	}
	if len(entries) == 0 {
		b.WriteString("(the folder is empty)\n")
	}
	r := textResult(b.String())
	r.Locations = []agent.Location{{Path: path}}
	return r, nil
}
