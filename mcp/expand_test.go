package mcp

import (
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// lookupIn makes a Lookup of a map.
func lookupIn(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

var testVars = Vars{
	Lookup:          lookupIn(map[string]string{"A": "alpha", "EMPTY": "", "REF": "${A}", "ProgramFiles(x86)": "pf"}),
	WorkspaceFolder: "/ws",
	UserHome:        "/home/u",
}

func TestExpand(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"$A":                    "$A",
		"$":                     "$",
		"100$":                  "100$",
		"${A}":                  "alpha",
		"x${A}y${A}z":           "xalphayalphaz",
		"${NOPE:-d}":            "d",
		"${NOPE:-}":             "",
		"${EMPTY:-d}":           "d",
		"${EMPTY}":              "",
		"${A:-d}":               "alpha",
		"${NOPE:-a:-b}":         "a:-b",
		"${NOPE:-http://h:1/}":  "http://h:1/",
		"$${A}":                 "${A}",
		"$${":                   "${",
		"$$${A}":                "$${A}",
		"$${A} ${A}":            "${A} alpha",
		"$$A":                   "$$A",
		"${REF}":                "${A}", // once: a value is data
		"${workspaceFolder}/x":  "/ws/x",
		"${userHome}/y":         "/home/u/y",
		"${ProgramFiles(x86)}":  "pf",
		"}{":                    "}{",
		"${A}}":                 "alpha}",
		"${workspaceFolder:-z}": "/ws",
	} {
		got, err := Expand(in, testVars)
		if err != nil || got != want {
			t.Errorf("Expand(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

// An unset variable used to be sent as it stood, or as an empty token
// (anthropics/claude-code#6204, #51581; zed-industries/zed#60457).
func TestExpandRefusesWhatItCannotResolve(t *testing.T) {
	for in, want := range map[string]struct{ variable, says string }{
		"Bearer ${NOPE}":  {"NOPE", "NOPE is not set"},
		"${":              {"", `no closing "}"`},
		"${A":             {"", `no closing "}"`},
		"${A ${A}":        {"", `no closing "}"`},
		"${}":             {"", "is no variable"},
		"${:-x}":          {"", "is no variable"},
		"${A B}":          {"A B", "is no variable"},
		"${1}":            {"1", "is no variable"},
		"${env:A}":        {"env:A", "write ${A}"},
		"${NOPE:-${A}}":   {"NOPE", `another "${"`},
		"ok ${A} ${NOPE}": {"NOPE", "NOPE is not set"},
	} {
		got, err := Expand(in, testVars)
		e, ok := errors.AsType[*ExpandError](err)
		if !ok {
			t.Errorf("Expand(%q) = %q, %v; want an *ExpandError", in, got, err)
			continue
		}
		if got != "" || e.Variable != want.variable || !strings.Contains(e.Error(), want.says) {
			t.Errorf("Expand(%q) = %q, variable %q, %q; want %+v", in, got, e.Variable, e, want)
		}
	}
	for _, in := range []string{"${workspaceFolder}", "${userHome}"} {
		if got, err := Expand(in, Vars{}); err == nil {
			t.Errorf("Expand(%q) without any = %q, want an error", in, got)
		}
	}
}

func TestExpandedTouchesEveryStringFieldAndNothingElse(t *testing.T) {
	entry := ServerConfig{
		Command: "${A}/bin", Args: []string{"-x", "${A}"}, Env: map[string]string{"${A}": "${A}"},
		EnvFrom: []string{"${A}"}, Cwd: "${A}", Disabled: true, CallTimeoutMs: 7,
		Origin: Origin{Scope: ScopeProject},
	}
	before := entry
	before.Args, before.Env = slices.Clone(entry.Args), maps.Clone(entry.Env)
	got, err := entry.Expanded(testVars)
	if err != nil {
		t.Fatal(err)
	}
	want := ServerConfig{
		Command: "alpha/bin", Args: []string{"-x", "alpha"}, Env: map[string]string{"${A}": "alpha"},
		EnvFrom: []string{"${A}"}, Cwd: filepath.Join("/ws", "alpha"), Disabled: true, CallTimeoutMs: 7,
		Origin: Origin{Scope: ScopeProject},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !reflect.DeepEqual(entry, before) {
		t.Errorf("the entry itself changed to %+v", entry)
	}

	remote := ServerConfig{URL: "https://${A}.test/", Headers: map[string]string{"X-${A}": "Bearer ${A}"}}
	got, err = remote.Expanded(testVars)
	if err != nil || got.URL != "https://alpha.test/" || got.Headers["X-${A}"] != "Bearer alpha" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A relative cwd belongs to the folder that contributed the entry, not to wherever
// the editor was started (microsoft/vscode#331302, anthropics/claude-code#17565).
func TestExpandedPutsRelativeCwdUnderTheFolderOfTheEntry(t *testing.T) {
	for _, tc := range []struct {
		scope Scope
		cwd   string
		vars  Vars
		want  string
	}{
		{ScopeProject, "sub", testVars, filepath.Join("/ws", "sub")},
		{ScopeProject, "../other", testVars, filepath.Join("/other")},
		{ScopeUser, "sub", testVars, filepath.Join("/home/u", "sub")},
		{"", "sub", Vars{UserHome: "/home/u"}, filepath.Join("/home/u", "sub")},
		{ScopeProject, "", testVars, ""},
	} {
		got, err := ServerConfig{Command: "a", Cwd: tc.cwd, Origin: Origin{Scope: tc.scope}}.Expanded(tc.vars)
		if err != nil || got.Cwd != tc.want {
			t.Errorf("%s %q: %q, %v; want %q", tc.scope, tc.cwd, got.Cwd, err, tc.want)
		}
	}
}

func TestExpandedNamesEveryFieldAndVariableAndNoValue(t *testing.T) {
	secret := "s3cr3t\nX-Evil: 1"
	entry := ServerConfig{
		Args: []string{"ok", "${NO_ARG}"}, Env: map[string]string{"E": "${NO_ENV}"}, URL: "${NO_URL}",
		Headers: map[string]string{"Authorization": "Bearer ${NO_HDR}", "Z": "${SECRET}"},
	}
	got, err := entry.Expanded(Vars{Lookup: lookupIn(map[string]string{"SECRET": secret})})
	if err == nil {
		t.Fatalf("got %+v", got)
	}
	if !reflect.DeepEqual(got, ServerConfig{}) {
		t.Errorf("half an entry came back: %+v", got)
	}
	for _, want := range []string{
		"args[1]: NO_ARG is not set", "env.E: NO_ENV is not set", "url: NO_URL is not set",
		"headers.Authorization: NO_HDR is not set",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	// The header with a line end is found once the others are mended.
	entry = ServerConfig{URL: "http://h/", Headers: map[string]string{"Z": "${SECRET}"}}
	_, err = entry.Expanded(Vars{Lookup: lookupIn(map[string]string{"SECRET": secret})})
	if e, ok := errors.AsType[*ExpandError](err); !ok || e.Field != "headers.Z" {
		t.Errorf("a header of two lines: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("%q holds the value", err)
	}
	entry = ServerConfig{URL: "${SECRET}"}
	_, err = entry.Expanded(Vars{Lookup: lookupIn(map[string]string{"SECRET": "s3cr3t"})})
	if e, ok := errors.AsType[*ExpandError](err); !ok || e.Field != "url" || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestVariablesNamesAllThatStartingWouldRead(t *testing.T) {
	got := Variables(ServerConfig{
		Command: "${CMD}", Args: []string{"${ARG:-x}", "$${NOT}", "${ARG}"}, Env: map[string]string{"K": "${ENV}"},
		EnvFrom: []string{"FROM"}, Cwd: "${workspaceFolder}/${CWD}", URL: "${URL}",
		Headers: map[string]string{"H": "${userHome} ${HDR} ${broken"},
	})
	want := []string{"ARG", "CMD", "CWD", "ENV", "FROM", "HDR", "URL"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The expander ends and does not panic; what it reads is what Variables said; and
// escaping any text makes it expand to itself.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{"", "${A}", "$${A}", "${A:-b}", "${", "$$$${{}}", "${A:-${B}}", "${env:A}", "\xff${\xff}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		announced := Variables(ServerConfig{Command: s})
		got, err := Expand(s, Vars{Lookup: func(name string) (string, bool) {
			if !slices.Contains(announced, name) {
				t.Errorf("Expand(%q) reads %q, which Variables does not name", s, name)
			}
			return "value", true
		}, WorkspaceFolder: "/ws", UserHome: "/home"})
		if err != nil && got != "" {
			t.Errorf("Expand(%q) = %q beside %v", s, got, err)
		}
		escaped := strings.ReplaceAll(s, "${", "$${")
		if got, err := Expand(escaped, Vars{}); err != nil || got != s {
			t.Errorf("Expand(%q) = %q, %v; want %q", escaped, got, err, s)
		}
	})
}
