package assist

import (
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// ruleLists are the lists of rules in "permissions".
var ruleLists = []string{"allow", "ask", "deny"}

// rules says which rules of MCP tools speak of nothing.
func (k *check) rules() {
	for _, list := range ruleLists {
		if list == "allow" && k.Place.Scope == mcp.ScopeProject {
			continue // has no effect, which is said already
		}
		rules := k.root.get(k.Text, "permissions", list)
		if rules == nil {
			continue
		}
		for _, v := range rules.elements {
			if v.kind == kindString && v.closed {
				k.rule(v)
			}
		}
	}
}

func (k *check) rule(v *node) {
	r, ok := parseMCPRule(v.str(k.Text))
	if !ok {
		return
	}
	named := r.servers(k.names())
	if len(named) == 0 {
		k.add(v.start, v.end, workspace.SeverityWarning, CodeRuleNoTool, k.word(msgRuleServer), k.nearRules(v, r)...)
		return
	}
	for _, s := range k.reach() {
		if !slices.Contains(named, s.Name) {
			continue
		}
		if !s.State.Usable() || len(r.tools(s)) > 0 {
			return // matches, or nobody knows what tools there are
		}
		named = slices.DeleteFunc(named, func(n string) bool { return n == s.Name })
	}
	if len(named) > 0 { // an entry that has no row yet
		return
	}
	k.add(v.start, v.end, workspace.SeverityWarning, CodeRuleNoTool, k.say(msgRuleTool, mcp.CleanLine(r.server)), k.nearRules(v, r)...)
}

// nearRules offers the rule with the server or the tool that was probably meant.
func (k *check) nearRules(v *node, r mcpRule) []Fix {
	if strings.ContainsAny(r.server+r.tool, `*?[{\`) && r.tool != "*" {
		return nil
	}
	server, tool := r.server, r.tool
	if near := nearest(server, k.names()); near != "" {
		server = near
	}
	if tool != "*" {
		var tools []string
		for _, s := range k.reach() {
			for _, t := range s.Tools {
				if s.Name == server {
					tools = append(tools, t.Name)
				}
			}
		}
		if near := nearest(tool, tools); near != "" {
			tool = near
		}
	}
	if server == r.server && tool == r.tool {
		return nil
	}
	rule := "mcp(" + server + "/" + tool + ")"
	return []Fix{{Title: k.say(fixReplace, rule), Edits: []TextEdit{k.edit(v.start, v.end, quote(rule))}, Preferred: true}}
}

// tools says which globs of an entry's "tools" speak of no tool of its server.
func (k *check) tools(name string, v *node) {
	s, ok := k.server(name)
	if !ok || !s.State.Usable() {
		return // nobody knows what tools there are
	}
	var names []string
	for _, t := range s.Tools {
		names = append(names, t.Name)
	}
	for _, list := range v.members {
		if list.value == nil {
			continue
		}
		for _, glob := range list.value.elements {
			pattern := glob.str(k.Text)
			if glob.kind != kindString || !glob.closed || slices.ContainsFunc(names, func(tool string) bool { return permission.MatchTool(pattern, tool) }) {
				continue
			}
			var fixes []Fix
			if near := nearest(pattern, names); near != "" {
				fixes = []Fix{{Title: k.say(fixReplace, near), Edits: []TextEdit{k.edit(glob.start, glob.end, quote(near))}, Preferred: true}}
			}
			k.add(glob.start, glob.end, workspace.SeverityWarning, CodeRuleNoTool, k.say(msgNoTool, mcp.CleanLine(name)), fixes...)
		}
	}
}

// names are the names of all servers a rule of this file can mean, those of this text
// included.
func (k *check) names() []string {
	var names []string
	for _, e := range k.File.entries() {
		names = append(names, e.name)
	}
	for _, s := range k.reach() {
		names = append(names, s.Name)
	}
	return names
}

// reach are the servers that rules of this file speak of: all for the user's, for a
// project's its own and the user's.
func (c Context) reach() []Server {
	return slices.DeleteFunc(slices.Clone(c.Servers), func(s Server) bool {
		return c.Place.Scope == mcp.ScopeProject && s.Folder != "" && s.Folder != c.Place.Root
	})
}

// mcpRule is a rule of MCP tools. What it matches is asked of the gate itself.
type mcpRule struct {
	rule         permission.Rule
	server, tool string // the globs
}

// parseMCPRule returns the rule when it is a good one of that kind.
func parseMCPRule(s string) (mcpRule, bool) {
	rule, err := permission.ParseRule(s)
	arg, ok := strings.CutPrefix(strings.TrimSpace(s), "mcp(")
	if err != nil || !ok {
		return mcpRule{}, false
	}
	r := mcpRule{rule: rule.Bare()}
	r.server, r.tool, ok = strings.Cut(permission.WithoutConditions(strings.TrimSpace(strings.TrimSuffix(arg, ")"))), "/")
	if !ok {
		r.tool = "*"
	}
	return r, true
}

// servers returns those of the names that the rule speaks of.
func (r mcpRule) servers(names []string) []string {
	whole, err := permission.ParseRule("mcp(" + r.server + "/*)")
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range names {
		if speaks(whole, permission.Request{Kind: permission.KindConnect, Server: name}) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// tools returns the tools of a server that the rule speaks of.
func (r mcpRule) tools(s Server) []string {
	var out []string
	for _, t := range s.Tools {
		if speaks(r.rule, permission.Request{Kind: permission.KindMCP, Server: s.Name, Original: t.Name}) {
			out = append(out, t.Name)
		}
	}
	return out
}

// speaks reports whether a rule matches a request.
func speaks(r permission.Rule, request permission.Request) bool {
	gate := permission.NewEngine(permission.EngineOptions{Rules: func() permission.Rules {
		return permission.Rules{Deny: []permission.Rule{r}}
	}})
	_, yes := gate.DenyRule(request)
	return yes
}
