package mcp

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Vars is what an expansion may read.
type Vars struct {
	// Lookup finds a variable of the environment and reports whether it is set.
	// Nil means that none is.
	Lookup func(name string) (string, bool)
	// WorkspaceFolder is the absolute path of the folder that ${workspaceFolder}
	// stands for, empty for none; UserHome is that of ${userHome}.
	WorkspaceFolder, UserHome string
}

// The variables that are not of the environment.
const (
	varWorkspaceFolder = "workspaceFolder"
	varUserHome        = "userHome"
)

// ExpandError says which variable of which field could not be expanded. It
// never holds a value.
type ExpandError struct {
	// Field is the path of the field within the entry ("headers.Authorization"),
	// empty when a lone string was expanded.
	Field string
	// Variable is the name between the braces, empty when none could be read.
	Variable string
	// Problem says what is wrong and what to write instead, in English.
	Problem string

	said lang.Message // Problem
}

func expandError(field, variable string, problem lang.Message) *ExpandError {
	return &ExpandError{Field: field, Variable: variable, Problem: problem.String(), said: problem}
}

func (e *ExpandError) Error() string {
	if e.Field == "" {
		return e.Problem
	}
	return e.Field + ": " + e.Problem
}

// In is the text in a language.
func (e *ExpandError) In(l lang.Lang) string {
	if e.Field == "" {
		return e.said.In(l)
	}
	return e.Field + ": " + e.said.In(l)
}

// Expand replaces ${NAME} and ${NAME:-default} in s; the default is taken when
// the variable is unset or empty. $${ stands for a plain ${, and any other $ for
// itself. What a variable holds is not expanded again. A variable that is unset
// and has no default, and a ${ that is never closed, are an [*ExpandError].
func Expand(s string, v Vars) (string, error) {
	if !strings.Contains(s, "${") {
		return s, nil
	}
	var b strings.Builder
	err := scan(s, func(text string) { b.WriteString(text) }, func(r reference) error {
		value, problem := v.value(r)
		if !problem.IsZero() {
			return expandError("", r.name, problem)
		}
		b.WriteString(value)
		return nil
	})
	if err != nil {
		return "", err
	}
	return b.String(), nil
}

// ExpandEnv expands the values of the variables that an entry sets for its
// child. The names stay as they are.
func ExpandEnv(env map[string]string, v Vars) (map[string]string, error) {
	return expandMap("env", env, v)
}

// ExpandHeaders expands the values of HTTP headers. A value that no longer is
// one line is an error: it could start a header of its own.
func ExpandHeaders(headers map[string]string, v Vars) (map[string]string, error) {
	out, err := expandMap("headers", headers, v)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if !validHeaderValue(out[name]) {
			errs = append(errs, expandError("headers."+CleanLine(name), "", lang.Messagef(zh, textHeaderValue)))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

func expandMap(field string, m map[string]string, v Vars) (map[string]string, error) {
	if m == nil {
		return nil, nil
	}
	x := expander{vars: v}
	out := make(map[string]string, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out[name] = x.expand(field+"."+CleanLine(name), m[name])
	}
	if err := errors.Join(x.errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// Expanded returns a copy of the entry with every string field expanded: command,
// args, env values, cwd, url, header values and those of oauth. A relative cwd is put under the
// folder that holds the entry. All that is wrong is reported at once, each as an
// [*ExpandError]. The result holds secrets: use it for one attempt, keep the
// entry.
func (c ServerConfig) Expanded(v Vars) (ServerConfig, error) {
	x := expander{vars: v}
	out := c
	out.Command = x.expand("command", c.Command)
	out.Args = slices.Clone(c.Args)
	for i, a := range c.Args {
		out.Args[i] = x.expand(fmt.Sprintf("args[%d]", i), a)
	}
	out.EnvFrom = slices.Clone(c.EnvFrom)
	var err error
	if out.Env, err = ExpandEnv(c.Env, v); err != nil {
		x.errs = append(x.errs, err)
	}
	out.Cwd = x.expand("cwd", c.Cwd)
	out.URL = x.expand("url", c.URL)
	if out.Headers, err = ExpandHeaders(c.Headers, v); err != nil {
		x.errs = append(x.errs, err)
	}
	out.OAuth.Scopes = slices.Clone(c.OAuth.Scopes)
	out.OAuth.ClientID = x.expand("oauth.client_id", c.OAuth.ClientID)
	out.OAuth.ClientSecret = x.expand("oauth.client_secret", c.OAuth.ClientSecret)
	if out.OAuth.PrivateKeyFile = x.expand("oauth.private_key_file", c.OAuth.PrivateKeyFile); out.OAuth.PrivateKeyFile != "" && !filepath.IsAbs(out.OAuth.PrivateKeyFile) {
		out.OAuth.PrivateKeyFile = filepath.Join(c.home(v), out.OAuth.PrivateKeyFile)
	}
	if len(x.errs) == 0 && out.URL != c.URL && !validURL(out.URL) {
		x.errs = append(x.errs, expandError("url", "", lang.Messagef(zh, textExpandedURL)))
	}
	if err := errors.Join(x.errs...); err != nil {
		return ServerConfig{}, err
	}
	if out.Cwd != "" && !filepath.IsAbs(out.Cwd) {
		out.Cwd = filepath.Join(c.home(v), out.Cwd)
	}
	return out, nil
}

// home is the folder that holds the entry: the workspace folder of a project
// entry, the user's home for one of the user's own.
func (c ServerConfig) home(v Vars) string {
	if c.Origin.Scope == ScopeUser || v.WorkspaceFolder == "" {
		return v.UserHome
	}
	return v.WorkspaceFolder
}

// Variables returns the sorted names of the environment variables that starting
// c would read: those its fields mention, and its env_from.
func Variables(c ServerConfig) []string {
	names := make(map[string]bool)
	for _, s := range c.fields() {
		_ = scan(s, func(string) {}, func(r reference) error { // a broken field reads nothing more
			if r.name != varWorkspaceFolder && r.name != varUserHome {
				names[r.name] = true
			}
			return nil
		})
	}
	for _, name := range c.EnvFrom {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// fields returns every string that [ServerConfig.Expanded] expands.
func (c ServerConfig) fields() []string {
	all := append([]string{c.Command, c.Cwd, c.URL, c.OAuth.ClientID, c.OAuth.ClientSecret, c.OAuth.PrivateKeyFile}, c.Args...)
	all = slices.AppendSeq(all, maps.Values(c.Env))
	return slices.AppendSeq(all, maps.Values(c.Headers))
}

// expander expands field after field and collects what went wrong.
type expander struct {
	vars Vars
	errs []error
}

func (x *expander) expand(field, s string) string {
	out, err := Expand(s, x.vars)
	if e, ok := errors.AsType[*ExpandError](err); ok {
		e.Field = field
	}
	if err != nil {
		x.errs = append(x.errs, err)
	}
	return out
}

// reference is one ${...} of a string.
type reference struct {
	name       string
	fallback   string
	hasDefault bool
}

// value returns what r stands for, or what keeps it from standing for anything.
func (v Vars) value(r reference) (value string, problem lang.Message) {
	var set bool
	switch r.name {
	case varWorkspaceFolder:
		value, set, problem = v.WorkspaceFolder, v.WorkspaceFolder != "", lang.Messagef(zh, textNoFolder)
	case varUserHome:
		value, set, problem = v.UserHome, v.UserHome != "", lang.Messagef(zh, textNoHome)
	default:
		if v.Lookup != nil {
			value, set = v.Lookup(r.name)
		}
		problem = lang.Messagef(zh, textUnset, r.name)
	}
	switch {
	case value == "" && r.hasDefault:
		return r.fallback, lang.Message{}
	case !set:
		return "", problem
	}
	return value, lang.Message{}
}

// scan walks s once, from left to right, and hands over its plain texts and its
// references. It ends at the first error.
func scan(s string, text func(string), ref func(reference) error) error {
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			text(s)
			return nil
		}
		if i > 0 && s[i-1] == '$' {
			text(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		text(s[:i])
		inside, rest, closed := strings.Cut(s[i+2:], "}")
		if !closed {
			return expandError("", "", lang.Messagef(zh, textUnclosed))
		}
		r, err := parseReference(inside)
		if err != nil {
			return err
		}
		if err := ref(r); err != nil {
			return err
		}
		s = rest
	}
}

func parseReference(inside string) (reference, error) {
	name, fallback, has := strings.Cut(inside, ":-")
	switch {
	case strings.Contains(name, "${"):
		return reference{}, expandError("", "", lang.Messagef(zh, textUnclosed))
	case !validVariable(name):
		// ${env:NAME} is VS Code's way to write ${NAME}.
		if short, ok := strings.CutPrefix(name, "env:"); ok && validVariable(short) {
			return reference{}, expandError("", name, lang.Messagef(zh, textEditorStyle, name, short))
		}
		shown := CleanLine(name)
		return reference{}, expandError("", shown, lang.Messagef(zh, textBadVariable, shown))
	case strings.Contains(fallback, "${"):
		// A nested reference would end at the wrong brace, in silence.
		return reference{}, expandError("", name, lang.Messagef(zh, textNested, name))
	}
	return reference{name: name, fallback: fallback, hasDefault: has}, nil
}

// validVariable reports whether name can be the name of a variable. Windows has
// some with parentheses: ProgramFiles(x86).
func validVariable(name string) bool {
	for i, r := range name {
		switch {
		case r == '_' || unicode.IsLetter(r):
		case i > 0 && (unicode.IsDigit(r) || strings.ContainsRune("()-.", r)):
		default:
			return false
		}
	}
	return name != ""
}
