package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/codebot-ls/codebot-ls/"

// mayImport says what of ours each part of the house may import, besides what lies
// in the part itself: docs/architecture.md, "Imports go down only". A part covers
// the folders below it that are not named themselves.
var mayImport = map[string][]string{
	"cmd/codebot-ls":           {"server", "server/chat", "server/rpc", "mcp", "mcp/demo", "workspace", "session/lang", "session/secret"},
	"server":                   {"server/wire", "server/rpc", "server/loginshell", "workspace", "workspace/foreign", "mcp", "mcp/demo", "session", "session/agent", "session/permission", "session/model", "session/tool", "session/lang", "session/secret", "session/keystore", "session/command"},
	"server/chat":              {"server/wire", "server/rpc", "mcp", "session/lang"},
	"server/rpc":               {"session/secret"},
	"server/loginshell":        {},
	"server/servertest":        {"server", "server/wire", "server/rpc", "workspace", "mcp", "mcp/demo", "mcp/mcptest", "session", "session/agent", "session/permission", "session/model", "session/tool"},
	"server/wire":              {},
	"server/wire/gen":          {"server/wire"},
	"workspace":                {"mcp", "session/permission", "session/lang", "session/secret"},
	"workspace/foreign":        {"session/lang", "session/secret"},
	"session":                  {"session/agent", "session/permission", "session/model", "session/tool", "session/lang", "session/toolsearch", "session/worktree"},
	"session/tool":             {"session/proc", "session/fetch", "session/agent", "session/permission", "session/lang"},
	"session/model":            {"session/agent", "session/permission", "session/lang", "session/secret"},
	"session/agent":            {"session/lang"},
	"session/permission":       {"session/lang", "session/permission/shell"},
	"session/permission/shell": {},
	"session/lang":             {},
	"session/secret":           {},
	"session/keystore":         {},
	"session/command":          {},
	"session/toolsearch":       {},
	"session/fetch":            {},
	"session/worktree":         {},
	"session/proc":             {},
	"mcp":                      {"mcp/toolschema", "session/proc", "session/agent", "session/permission", "session/lang", "session/secret"},
	"mcp/demo":                 {},
	"mcp/toolschema":           {},
	"mcp/mcptest":              {},
}

// onlyIn says which parts may import a library, by a prefix of its path. The tests
// of a part may, where that is said.
var onlyIn = []struct {
	library  string
	parts    []string
	andTests bool
}{
	{"go.lsp.dev/", []string{"server", "cmd"}, false},
	{"github.com/modelcontextprotocol/go-sdk", []string{"mcp"}, true},
	{"github.com/anthropics/", []string{"session/model"}, false},
	{"mvdan.cc/sh/", []string{"session/permission/shell"}, false},
	{"github.com/openai/", []string{"session/model"}, false},
}

// testsMayImport is what tests may import in addition, whatever part they are in:
// the servers to test against, and the check of translations.
var testsMayImport = []string{"mcp/mcptest", "mcp/demo", "server/servertest", "session/lang"}

// An arrow upward turns the house into a ball; each one is found here, whatever the
// build tags of its file are.
func TestImportsGoDownOnly(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	for _, top := range []string{"cmd", "server", "mcp", "session", "workspace"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") {
				return err
			}
			files++
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range f.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if problem := arrow(filepath.ToSlash(rel), imported); problem != "" {
					t.Errorf("%s imports %s: %s", filepath.ToSlash(rel), imported, problem)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 10 {
		t.Fatalf("only %d files were looked at", files)
	}
}

// arrow says what is wrong with an import, "" when nothing is.
func arrow(file, imported string) string {
	dir := path.Dir(file)
	isTest := strings.HasSuffix(file, "_test.go")
	if ours, ok := strings.CutPrefix(imported, module); ok {
		from, to := partOf(dir), partOf(ours)
		allowed := mayImport[from]
		if isTest {
			allowed = slices.Concat(allowed, testsMayImport)
		}
		switch {
		case from == "":
			return "the folder is in no part of the house; see mayImport"
		case from == to, slices.Contains(allowed, to):
			return ""
		}
		return from + " must not know " + to
	}
	for _, rule := range onlyIn {
		if !strings.HasPrefix(imported, rule.library) || isTest && rule.andTests {
			continue
		}
		if !slices.ContainsFunc(rule.parts, func(part string) bool { return within(dir, part) }) {
			return "only " + strings.Join(rule.parts, ", ") + " may know it"
		}
	}
	return ""
}

// partOf returns the longest part that dir lies in.
func partOf(dir string) string {
	best := ""
	for part := range mayImport {
		if within(dir, part) && len(part) > len(best) {
			best = part
		}
	}
	return best
}

func within(dir, part string) bool { return dir == part || strings.HasPrefix(dir, part+"/") }

// A rule that forbids nothing would pass for ever.
func TestArrowsUpwardAreFound(t *testing.T) {
	for _, test := range []struct {
		file, imported string
		bad            bool
	}{
		{"session/session.go", module + "session/agent", false},
		{"session/session.go", module + "mcp", true},
		{"mcp/tool.go", module + "session", true},
		{"mcp/tool.go", module + "session/permission", false},
		{"mcp/mcptest/faulty/main.go", module + "mcp/mcptest", false},
		{"session/agent/loop.go", module + "session/permission", true},
		{"server/wire/mcp.go", module + "mcp", true},
		{"workspace/workspace.go", module + "server", true},
		{"workspace/workspace.go", module + "session/model", true},
		{"session/session.go", "github.com/modelcontextprotocol/go-sdk/mcp", true},
		{"workspace/documents.go", "go.lsp.dev/protocol", true},
		{"server/chat/client.go", "go.lsp.dev/protocol", false},
		{"session/session.go", "github.com/anthropics/anthropic-sdk-go", true},
		{"session/model/anthropic/client.go", "github.com/anthropics/anthropic-sdk-go", false},
		{"elsewhere/x.go", module + "mcp", true},
	} {
		if problem := arrow(test.file, test.imported); (problem != "") != test.bad {
			t.Errorf("%s imports %s: %q", test.file, test.imported, problem)
		}
	}
}
