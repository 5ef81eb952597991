package workspace

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// SetTool switches a tool of the server name on or off, by the server's own name of it,
// in the "tools" of its entry.
func SetTool(name, tool string, on bool) ServerEdit {
	return ServerEdit{name: name, kind: editTool, tool: tool, on: on}
}

// literally is the glob that speaks of exactly that tool.
var literally = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

// switched is a choice of tools with one of them switched. A glob that keeps the tool
// off together with others is a person's own and is not touched: that is an error.
func switched(f mcp.ToolFilter, tool string, on bool) (mcp.ToolFilter, error) {
	f = mcp.ToolFilter{Allow: slices.Clone(f.Allow), Deny: slices.Clone(f.Deny)}
	exact := literally.Replace(tool)
	if !on {
		if f.Offers(tool) {
			f.Deny = append(f.Deny, exact)
		}
		return f, nil
	}
	f.Deny = slices.DeleteFunc(f.Deny, func(pattern string) bool { return pattern == exact || pattern == tool })
	for _, pattern := range f.Deny {
		if permission.MatchTool(pattern, tool) {
			return f, lang.Errorf(zh, msgEditToolGlob, ErrInvalidEntry, tool, pattern)
		}
	}
	if !f.Offers(tool) {
		f.Allow = append(f.Allow, exact)
	}
	return f, nil
}

// setTool writes what differs from the choice before.
func (edit ServerEdit) setTool(e *settingsText, before mcp.ToolFilter) error {
	after, err := switched(before, edit.tool, edit.on)
	if err != nil {
		return err
	}
	for _, list := range []struct {
		name     string
		old, new []string
	}{{"allow", before.Allow, after.Allow}, {"deny", before.Deny, after.Deny}} {
		if slices.Equal(list.old, list.new) {
			continue
		}
		path := []string{serversKey, edit.name, "tools", list.name}
		if len(list.new) == 0 {
			err = e.removeAll(path...)
		} else {
			err = e.set(stringsValue(list.new), path...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func stringsValue(list []string) *hujson.Value {
	array := &hujson.Array{}
	for _, s := range list {
		array.Elements = append(array.Elements, hujson.Value{Value: hujson.String(s)})
	}
	return &hujson.Value{Value: array}
}

// wantTools makes a decoded entry say what setTool writes.
func (edit ServerEdit) wantTools(entry map[string]any, before mcp.ToolFilter) {
	after, err := switched(before, edit.tool, edit.on)
	if err != nil {
		return
	}
	tools, _ := entry["tools"].(map[string]any)
	for name, lists := range map[string][2][]string{"allow": {before.Allow, after.Allow}, "deny": {before.Deny, after.Deny}} {
		if slices.Equal(lists[0], lists[1]) {
			continue
		}
		if tools == nil {
			tools = map[string]any{}
			entry["tools"] = tools
		}
		delete(tools, name)
		if len(lists[1]) > 0 {
			list := make([]any, len(lists[1]))
			for i, s := range lists[1] {
				list[i] = s
			}
			tools[name] = list
		}
	}
}
