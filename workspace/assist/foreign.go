package assist

import (
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// foreign converts what another program writes differently.
func (k *check) foreign(m *member, around *node) []Fix {
	name := m.key.str(k.Text)
	if around == k.root {
		return k.foreignServers(m, name)
	}
	switch name {
	case "transport":
		return k.transport(m, around)
	case "command":
		return k.commandList(m, around)
	case "type":
		return k.foreignType(m)
	case "enabled":
		if m.value == nil || around.find(k.Text, "disabled") != nil {
			return nil
		}
		not := map[string]string{"true": "false", "false": "true"}[m.value.raw(k.Text)]
		if not == "" {
			return nil
		}
		text := field("disabled", not)
		return []Fix{k.fix(true, k.say(fixConvert, text), k.replaceMember(m, text))}
	case "bearer_token_env_var":
		text := field("headers", "{"+field("Authorization", quote("Bearer ${"+m.value.str(k.Text)+"}"))+"}")
		if around.find(k.Text, "headers") != nil || !variableName(m.value.str(k.Text)) {
			return nil
		}
		return []Fix{k.fix(true, k.say(fixConvert, text), k.replaceMember(m, text))}
	case "requestInit":
		headers := m.value.get(k.Text, "headers")
		if headers == nil || around.find(k.Text, "headers") != nil {
			return nil
		}
		return []Fix{k.fix(true, k.say(fixFlatten, name), k.replaceMember(m, field("headers", headers.raw(k.Text))))}
	case "autoApprove", "alwaysAllow", "autoApproved", "envFile", "env_file":
		return []Fix{k.removal(m, around)}
	}
	if to := renamed[name]; to != "" && around.find(k.Text, to) == nil {
		return []Fix{k.fix(true, k.say(fixRename, to), k.renameKey(m, to))}
	}
	return nil
}

// renamed are other programs' keys that differ in nothing but their name.
var renamed = map[string]string{
	"httpUrl": "url", "serverUrl": "url", "server_url": "url", "uri": "url", "endpoint": "url",
	"environment": "env", "http_headers": "headers", "env_vars": "env_from",
	"workingDirectory": "cwd", "working_directory": "cwd",
}

// foreignServers is for another program's key of all servers. VS Code has them one
// level deeper, in "mcp".
func (k *check) foreignServers(m *member, name string) []Fix {
	if k.root.find(k.Text, "mcp_servers") != nil {
		return nil
	}
	edits := []TextEdit{k.renameKey(m, "mcp_servers")}
	if name == "mcp" {
		for _, key := range []string{"servers", "mcpServers"} {
			if inner := m.value.get(k.Text, key); inner != nil && inner.kind == kindObject {
				edits = append(edits, k.edit(m.value.start, m.value.end, inner.raw(k.Text)))
				break
			}
		}
	}
	return []Fix{k.fix(true, k.say(fixRename, "mcp_servers"), edits...)}
}

// transport is a "transport" object, or a string that is a type.
func (k *check) transport(m *member, around *node) []Fix {
	if m.value == nil {
		return nil
	}
	if m.value.kind == kindString {
		if around.find(k.Text, "type") != nil {
			return []Fix{k.removal(m, around)}
		}
		text := field("type", quote(typeFor(m.value.str(k.Text))))
		return []Fix{k.fix(true, k.say(fixConvert, text), k.replaceMember(m, text))}
	}
	var parts []string
	for _, inner := range m.value.members {
		name := inner.key.str(k.Text)
		if inner.value == nil || around.find(k.Text, name) != nil {
			return nil
		}
		value := inner.value.raw(k.Text)
		if name == "type" {
			value = quote(typeFor(inner.value.str(k.Text)))
		}
		parts = append(parts, field(name, value))
	}
	if len(parts) == 0 {
		return []Fix{k.removal(m, around)}
	}
	return []Fix{k.fix(true, k.say(fixFlatten, "transport"), k.replaceMember(m, strings.Join(parts, ", ")))}
}

// typeFor is our word for another program's type.
func typeFor(s string) string {
	switch strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s)) {
	case "local", "command", "process", "stdio":
		return mcp.TransportStdio
	case "sse":
		return mcp.TransportSSE
	case "streamablehttp", "httpstream", "streaminghttp", "remote", "http":
		return mcp.TransportHTTP
	}
	return s
}

// commandList is a command written as a list.
func (k *check) commandList(m *member, around *node) []Fix {
	var words []string
	for _, e := range m.value.elements {
		if e.kind != kindString {
			return nil
		}
		words = append(words, e.str(k.Text))
	}
	if len(words) == 0 {
		return nil
	}
	return []Fix{k.fix(true, k.word(fixSplit), k.commandAndArgs(m, around, words)...)}
}

func (k *check) foreignType(m *member) []Fix {
	use := typeFor(m.value.str(k.Text))
	return []Fix{k.fix(true, k.say(fixReplace, use), k.edit(m.value.start, m.value.end, quote(use)))}
}

func variableName(s string) bool { return s != "" && expandProblem("${"+s+"}") == nil }

// maxRounds bounds a conversion: mending one thing can bring another to light.
const maxRounds = 8

// Convert converts all that another program writes differently, and reports whether
// there is any.
func (f *File) Convert(c Context) (Fix, bool) {
	c.Programs, c.Servers = nil, nil // not needed to know a foreign key
	now := f
	for range maxRounds {
		var edits []TextEdit
		for _, d := range now.Check(c) {
			if d.Code != workspace.CodeForeignShape && d.Code != CodeVariable {
				continue
			}
			for _, fix := range d.Fixes {
				if fix.Preferred && !overlap(edits, fix.Edits) {
					edits = append(edits, fix.Edits...)
				}
			}
		}
		if len(edits) == 0 {
			break
		}
		now = Open(now.Apply(edits))
	}
	if now.Text == f.Text {
		return Fix{}, false
	}
	return Fix{Title: c.word(fixConvertAll), Edits: f.difference(now.Text)}, true
}

// overlap reports whether any of two lists of edits touch.
func overlap(a, b []TextEdit) bool {
	before := func(p, q workspace.Position) bool {
		return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
	}
	for _, x := range a {
		for _, y := range b {
			if !before(x.Range.End, y.Range.Start) && !before(y.Range.End, x.Range.Start) {
				return true
			}
		}
	}
	return false
}
