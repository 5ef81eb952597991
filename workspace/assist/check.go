package assist

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// Codes of what only a look at the surroundings finds; the others are workspace's.
const (
	CodeUnsetVariable workspace.Code = "unsetVariable"   // ${X} where X is not set
	CodeVariable      workspace.Code = "invalidVariable" // ${...} that is none
	CodeNotOnPath     workspace.Code = "programNotFound"
	CodeSecret        workspace.Code = "literalSecret"
	CodeShadows       workspace.Code = "shadows" // of the user's entry, or by a project's
	CodeRuleNoTool    workspace.Code = "ruleNamesNothing"
	CodeServer        workspace.Code = "server"          // a server that is not well
	CodeNoProvider    workspace.Code = "unknownProvider" // of a model
)

// Finding is something wrong with a text, and what can be done about it.
type Finding struct {
	workspace.Diagnostic
	Fixes []Fix
}

// Fix is one way to mend something.
type Fix struct {
	Title string
	Edits []TextEdit
	// Preferred says that it is what nearly everybody wants.
	Preferred bool
}

// Check returns everything that is wrong, in the order of the text. Of a text that is
// not even JSON it says that alone, and how the servers are that run.
func (f *File) Check(c Context) []Finding {
	k := &check{File: f, Context: c}
	settings, diagnostics, ok := c.Snapshot.Examine(c.Place, []byte(f.Text), c.Lang)
	for _, d := range diagnostics {
		k.findings = append(k.findings, Finding{Diagnostic: d})
	}
	if ok {
		for i := range k.findings {
			k.mend(&k.findings[i])
		}
		k.entries(settings)
		k.providers()
		k.models(settings)
		k.rules()
	}
	k.live()
	slices.SortStableFunc(k.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return k.findings
}

// check gathers the findings of one look.
type check struct {
	*File
	Context
	findings []Finding
}

// maxFindings bounds the findings of one look; nobody reads more.
const maxFindings = 400

// add notes something wrong with a part of the text.
func (k *check) add(start, end int, severity workspace.Severity, code workspace.Code, message string, fixes ...Fix) {
	if len(k.findings) >= maxFindings {
		return
	}
	r := k.rangeOf(start, end)
	k.findings = append(k.findings, Finding{
		Diagnostic: workspace.Diagnostic{
			File: k.Place.Path,
			Line: int(r.Start.Line) + 1, Column: int(r.Start.Character) + 1,
			EndLine: int(r.End.Line) + 1, EndColumn: int(r.End.Character) + 1,
			Severity: severity, Code: code, Message: message,
		},
		Fixes: fixes,
	})
}

// entries looks at each entry of "mcp_servers".
func (k *check) entries(settings workspace.Settings) {
	for _, e := range k.File.entries() {
		k.shadow(e)
		object := e.object()
		if object == nil {
			continue
		}
		config := settings.MCPServers[e.name]
		for _, m := range object.members {
			if m.value == nil {
				continue
			}
			switch name := m.key.str(k.Text); name {
			case "command":
				k.program(m.value, config)
				k.variables(e.name, m.value)
			case "args":
				for i, v := range m.value.elements {
					k.variables(e.name, v)
					k.argument(m.value.elements, i)
				}
			case "env", "headers":
				for _, m := range m.value.members {
					if m.value != nil {
						k.variables(e.name, m.value)
						k.secret(m.key.str(k.Text), m.value)
					}
				}
			case "url":
				k.variables(e.name, m.value)
				k.secretURL(m.value)
			case "cwd":
				k.variables(e.name, m.value)
			case "env_from":
				k.envFrom(m.value)
			case "tools":
				k.tools(e.name, m.value)
			}
		}
	}
}

// program looks for the program of an entry.
func (k *check) program(v *node, config mcp.ServerConfig) {
	if v.kind != kindString || config.Origin.Problem != "" || config.Transport() != mcp.TransportStdio {
		return
	}
	if _, own := config.Env["PATH"]; own {
		return // it is looked for there, and only when it starts
	}
	command := v.str(k.Text)
	if problem := k.Programs.find(command, k.Place.Scope == mcp.ScopeUser); problem != "" {
		k.add(v.start, v.end, workspace.SeverityWarning, CodeNotOnPath, k.Lang.Sprintf(zh, problem, mcp.CleanLine(command)))
	}
}

func (k *check) providers() {
	all := k.root.get(k.Text, "providers")
	if all == nil || k.Place.Scope != mcp.ScopeUser {
		return
	}
	for _, p := range all.members {
		if p.value == nil {
			continue
		}
		for _, name := range []string{"base_url", "api_key", "ca_file"} {
			v := p.value.get(k.Text, name)
			if v == nil || v.kind != kindString {
				continue
			}
			k.variables(p.key.str(k.Text), v)
			if name == "api_key" {
				k.apiKey(p.key.str(k.Text), v)
			}
		}
	}
}

// ImpliedProviders are the names of providers that need no entry: those whose key the
// environment or the keychain has, and the programs that are looked for on this machine.
var ImpliedProviders = []string{"anthropic", "openai", "ollama", "lmstudio", "llamacpp", "local"}

// models looks for the providers of the models that the user's file names.
func (k *check) models(settings workspace.Settings) {
	if k.Place.Scope != mcp.ScopeUser {
		return // a project may only name what the user has, which was looked at before
	}
	for _, name := range []string{"model", "fallback_model"} {
		v := k.root.get(k.Text, name)
		if v == nil || v.kind != kindString {
			continue
		}
		provider, _, ok := strings.Cut(v.str(k.Text), "/")
		if _, there := settings.Providers[provider]; !ok || provider == "" || there || slices.Contains(ImpliedProviders, strings.TrimRight(provider, "0123456789")) { // local2: of a list in the environment
			continue
		}
		k.add(v.start, v.end, workspace.SeverityWarning, CodeNoProvider, k.Lang.Sprintf(zh, msgNoProvider, mcp.CleanLine(provider)))
	}
}

// shadow says which entry of another file the entry meets.
func (k *check) shadow(e entry) {
	if k.Place.Scope == mcp.ScopeProject {
		if _, met := k.Snapshot.UserServers()[e.name]; !met {
			return
		}
		message := msgWillReplace
		if f, ok := k.Snapshot.Folder(k.Place.Root); ok && f.Project.Settings.MCPServers[e.name].Origin.Approved {
			message = msgReplaces
		}
		k.add(e.key.start, e.key.end, workspace.SeverityInformation, CodeShadows, k.Lang.Sprintf(zh, message, mcp.CleanLine(e.name)))
		return
	}
	for _, f := range k.Snapshot.Folders {
		if f.Project.Settings.MCPServers[e.name].Origin.Approved {
			k.add(e.key.start, e.key.end, workspace.SeverityInformation, CodeShadows, k.say(msgReplaced, mcp.CleanLine(f.Root)))
		}
	}
}

// live says which servers are not well, each at its entry.
func (k *check) live() {
	for _, e := range k.File.entries() {
		s, ok := k.server(e.name)
		if !ok {
			continue
		}
		if message, severity, bad := Unwell(s.ServerStatus, k.Lang); bad {
			k.add(e.key.start, e.key.end, severity, CodeServer, message)
		}
	}
}

// expandProblem returns what is wrong with the notation of a string's variables.
func expandProblem(s string) *mcp.ExpandError {
	set := func(string) (string, bool) { return "x", true }
	_, err := mcp.Expand(s, mcp.Vars{Lookup: set, WorkspaceFolder: "x", UserHome: "x"})
	if e, ok := errors.AsType[*mcp.ExpandError](err); ok {
		return e
	}
	return nil
}
