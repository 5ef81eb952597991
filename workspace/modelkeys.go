package workspace

import (
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// modelKeyVariables are the variables that hold keys of model providers: the two that
// are used without any settings, and those that the user's providers take theirs from.
func modelKeyVariables(user Settings) []string {
	names := []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY"}
	for _, p := range user.Providers {
		names = append(names, mcp.Variables(mcp.ServerConfig{Env: map[string]string{"key": p.APIKey}})...)
	}
	return names
}

// refuseModelKeys makes each entry of a project that would read a model's key one that
// cannot be used, approved or not: a URL with a key in it is one click away from being
// sent (CVE-2026-21852). It changes the map of entries of project in place and returns
// a diagnostic for each.
func refuseModelKeys(project Settings, user Settings, l lang.Lang) (diagnostics []Diagnostic) {
	keys := modelKeyVariables(user)
	for _, name := range sortedKeys(project.MCPServers) {
		entry := project.MCPServers[name]
		i := slices.IndexFunc(mcp.Variables(entry), func(v string) bool {
			// Windows does not tell names apart by case; to be strict everywhere costs nothing.
			return slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(key, v) })
		})
		if i < 0 {
			continue
		}
		problem := l.Sprintf(zh, msgModelKey, mcp.Variables(entry)[i])
		if entry.Origin.Problem != "" {
			entry.Origin.Problem += "; "
		}
		entry.Origin.Problem += problem
		project.MCPServers[name] = entry
		o := entry.Origin
		end := o.Column + len(`""`)
		for _, r := range name {
			end += units(r)
		}
		diagnostics = append(diagnostics, Diagnostic{
			File: o.File, Line: o.Line, Column: o.Column, EndLine: o.Line, EndColumn: end,
			Severity: SeverityError, Code: CodeModelKey, Message: l.Sprintf(zh, msgServerProblem, name, problem),
		})
	}
	return diagnostics
}
