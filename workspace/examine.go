package workspace

import (
	"runtime"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// SettingsPlace says whose settings file a path is.
type SettingsPlace struct {
	// Path is the path as the snapshot has it.
	Path  string
	Scope mcp.Scope
	// Root is the folder of a project's file, empty for the user's.
	Root string
}

// SettingsPlace returns whose settings file the path is, and false when it is none.
// It looks at the path alone.
func (s Snapshot) SettingsPlace(path string) (SettingsPlace, bool) {
	if path == "" {
		return SettingsPlace{}, false
	}
	// Editors on Windows do not agree on the case of a drive's letter.
	same := func(a, b string) bool { return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b) }
	if same(path, s.User.Path) {
		return SettingsPlace{Path: s.User.Path, Scope: mcp.ScopeUser}, true
	}
	for _, f := range s.Folders {
		if same(path, f.Project.Path) {
			return SettingsPlace{Path: f.Project.Path, Scope: mcp.ScopeProject, Root: f.Root}, true
		}
	}
	return SettingsPlace{}, false
}

// Examine reads a text as if it stood in the settings file of a place: what it would
// say, and all that is wrong with it, also what depends on the other files. ok is
// false when the file as a whole would be bad.
func (s Snapshot) Examine(at SettingsPlace, text []byte, l lang.Lang) (settings Settings, diagnostics []Diagnostic, ok bool) {
	d := parse(at.Path, at.Scope, text, l)
	if !d.bad && at.Scope == mcp.ScopeProject {
		if problem, bad := modelProblem(d.settings.Model, s.User.Settings, d.model, l); bad {
			d.diagnostics = append(slices.Clone(d.diagnostics), problem)
			sortDiagnostics(d.diagnostics)
		}
		if problems := refuseModelKeys(d.settings, s.User.Settings, l); len(problems) > 0 {
			d.diagnostics = slices.Concat(d.diagnostics, problems)
			sortDiagnostics(d.diagnostics)
		}
	}
	return d.settings, d.diagnostics, !d.bad
}

// modelProblem is what is wrong with a project's model, which stands at place: that
// the user has not configured it.
func modelProblem(model string, user Settings, place Diagnostic, l lang.Lang) (Diagnostic, bool) {
	if model == "" || configured(user, model) {
		return Diagnostic{}, false
	}
	place.Severity, place.Code, place.Message = SeverityWarning, CodeUnknownModel, l.Sprintf(zh, msgModelScope, model)
	return place, true
}

// Nearest returns the one of known that word was probably meant to be, "" when none
// is near: another spelling of it, or at most two slips away.
func Nearest(word string, known []string) string { return suggest(word, known) }
