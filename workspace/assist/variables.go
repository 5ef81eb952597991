package assist

import (
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// reference is one ${...} of a string, by byte offsets in the text.
type reference struct {
	name       string
	start, end int // of the whole, with its braces
	hasDefault bool
}

// references returns the variables of a string as it stands in the text. One that is
// not closed is left out.
func (f *File) references(v *node) []reference {
	if v == nil || v.kind != kindString {
		return nil
	}
	var out []reference
	start, end := v.inner()
	for at := start; ; {
		i := strings.Index(f.Text[at:end], "${")
		if i < 0 {
			return out
		}
		i += at
		if i > start && f.Text[i-1] == '$' { // a plain ${
			at = i + 2
			continue
		}
		n := strings.IndexByte(f.Text[i:end], '}')
		if n < 0 {
			return out
		}
		r := reference{start: i, end: i + n + 1}
		r.name, _, r.hasDefault = strings.Cut(f.Text[i+2:i+n], ":-")
		out = append(out, r)
		at = r.end
	}
}

// folderVariables are the variables that are not of the environment.
var folderVariables = []word{{"workspaceFolder", docFolder}, {"userHome", docUserHome}}

func isFolderVariable(name string) bool {
	return name == folderVariables[0].word || name == folderVariables[1].word
}

// variables says what is wrong with the variables of a string of an entry or a
// provider.
func (k *check) variables(owner string, v *node) {
	if v.kind != kindString {
		return
	}
	references := k.references(v)
	if problem := expandProblem(v.str(k.Text)); problem != nil {
		var fixes []Fix
		if fix, ok := k.editorNotation(references); ok {
			fixes = append(fixes, fix)
		}
		k.add(v.start, v.end, workspace.SeverityError, CodeVariable, k.say(msgExpand, mcp.CleanLine(owner), problem), fixes...)
		return
	}
	for _, r := range references {
		if r.hasDefault || isFolderVariable(r.name) || k.set(r.name) {
			continue
		}
		k.add(r.start, r.end, workspace.SeverityWarning, CodeUnsetVariable,
			k.say(msgWouldRead, mcp.CleanLine(owner), mcp.CleanLine(r.name), mcp.CleanLine(r.name)),
			Fix{Title: k.say(fixDefault, r.name), Edits: []TextEdit{k.edit(r.end-1, r.end-1, ":-")}})
	}
}

// editorNotation mends ${env:NAME}, all of a string at once.
func (k *check) editorNotation(references []reference) (Fix, bool) {
	fix := Fix{Preferred: true}
	var first string
	for _, r := range references {
		if short, ok := strings.CutPrefix(r.name, "env:"); ok {
			fix.Edits = append(fix.Edits, k.edit(r.start+2, r.start+2+len("env:"), ""))
			if first == "" {
				first = "${" + short + "}"
			}
		}
	}
	fix.Title = k.say(fixReplace, first)
	return fix, len(fix.Edits) > 0
}

// envFrom names the variables of "env_from" that are not set.
func (k *check) envFrom(list *node) {
	for _, v := range list.elements {
		if v.kind != kindString {
			continue
		}
		if name := v.str(k.Text); name != "" && !k.set(name) {
			k.add(v.start, v.end, workspace.SeverityInformation, CodeUnsetVariable, k.say(msgEnvFrom, mcp.CleanLine(name)))
		}
	}
}
