package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The generated files are committed; a change of server/wire without make generate
// must not pass.
func TestGeneratedFilesAreFresh(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(filepath.Join(root, "server", "wire"))
	if err != nil {
		t.Fatal(err)
	}
	if err := stale(root, files); err != nil {
		t.Error(err)
	}
}

// A check that never says "stale" would be worth nothing.
func TestStaleFilesAreNamed(t *testing.T) {
	root := t.TempDir()
	err := stale(root, []file{{"docs/protocol.md", []byte("x")}})
	if err == nil || !strings.Contains(err.Error(), "docs/protocol.md is missing: run make generate") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestNamesInOtherLanguages(t *testing.T) {
	for _, test := range []struct{ in, lower, snake string }{
		{"MCPStatus", "mcpStatus", "mcp_status"},
		{"SessionNew", "sessionNew", "session_new"},
		{"CommandUI", "commandUI", "command_ui"},
		{"Status", "status", "status"},
		{"session_setMode", "session_setMode", "session_set_mode"},
		{"mcp_didChangeStatus", "mcp_didChangeStatus", "mcp_did_change_status"},
	} {
		if got := lowerFirst(test.in); got != test.lower {
			t.Errorf("lowerFirst(%q) = %q, want %q", test.in, got, test.lower)
		}
		if got := snake(test.in); got != test.snake {
			t.Errorf("snake(%q) = %q, want %q", test.in, got, test.snake)
		}
	}
}

// A member that is in no variant of a union would vanish from the plug-ins' types.
func TestUnionsMustCoverTheirMembers(t *testing.T) {
	kinds := &typeDecl{name: "K", values: []constant{{value: `"a"`}, {value: `"b"`}}}
	union := func() *typeDecl {
		return &typeDecl{name: "U", fields: []field{{name: "type", typ: typeRef{kind: "ref", name: "K"}}, {name: "x"}, {name: "y"}}}
	}
	s := &source{byName: map[string]*typeDecl{"K": kinds}}
	for _, test := range []struct {
		name   string
		shapes []shape
		want   string
	}{
		{"complete", []shape{{"a", []string{"x"}, nil}, {"b", nil, []string{"y"}}}, ""},
		{"member left out", []shape{{"a", []string{"x"}, nil}, {"b", nil, nil}}, "member y is in no variant"},
		{"type left out", []shape{{"a", []string{"x", "y"}, nil}}, "no variant for type b"},
		{"no such member", []shape{{"a", []string{"z"}, nil}}, "no member z"},
	} {
		err := s.flatten(union(), test.shapes)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}
