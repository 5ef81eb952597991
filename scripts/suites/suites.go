package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// suite is one thing that can be run. A suite may report several rows.
type suite struct {
	name string
	// quick suites need Go and no network.
	quick bool
	run   func(context.Context, *machine) []row
}

// suites lists everything there is to run, the fastest to fail first.
func suites() []suite {
	return []suite{
		{"gofmt", true, gofmt},
		{"go vet", true, command("go", "vet", "./...")},
		{"staticcheck", false, staticcheck},
		{"generated files", true, command("go", "run", "./server/wire/gen", "-check")},
		{"vet for windows", false, crossVet("windows")},
		{"vet for darwin", false, crossVet("darwin")},
		{"test runner", true, goTests("-C", "scripts", "./...")},
		{"go test", true, goTestsRace},
		{"fuzz", true, fuzz},
		{"conformance", false, conformance},
		{"jsonrpc2poison", false, goTests("-tags", "jsonrpc2poison", "./server/...", "./cmd/...")},
		{"typescript", false, typescript},
		{"vscode unit", false, vscodeUnit},
		{"vscode workbench", false, vscodeWorkbench},
		{"lua", false, lua},
		{"neovim", false, neovim},
		{"make demo", false, demo},
	}
}

// command is a suite of one command that passes when the command does.
func command(name string, args ...string) func(context.Context, *machine) []row {
	return func(ctx context.Context, m *machine) []row {
		return m.check(ctx, nil, name, args...)
	}
}

func crossVet(goos string) func(context.Context, *machine) []row {
	return func(ctx context.Context, m *machine) []row {
		return m.check(ctx, []string{"GOOS=" + goos, "CGO_ENABLED=0"}, "go", "vet", "./...")
	}
}

func gofmt(ctx context.Context, m *machine) []row {
	out, err := m.command(ctx, m.root, nil, "gofmt", "-l", "cmd", "mcp", "server", "session", "workspace", "scripts")
	if err != nil || len(out) > 0 {
		fmt.Fprintf(m.out, "not formatted, gofmt -w would:\n%s", out)
		return failed()
	}
	return passed()
}

func staticcheck(ctx context.Context, m *machine) []row {
	bin := m.cache("bin", "staticcheck")
	if out, err := m.command(ctx, filepath.Join(m.root, "scripts", "tools"), nil, "go", "build", "-o", bin, "honnef.co/go/tools/cmd/staticcheck"); err != nil {
		fmt.Fprintf(m.out, "building staticcheck: %v\n%s", err, tail(out, 20))
		return leftOut("staticcheck could not be built", "let go reach its module proxy")
	}
	return m.check(ctx, nil, bin, "./...")
}

// goTestsRace runs every Go test, under the race detector where a C compiler
// allows it, and with the npm servers where Node does.
func goTestsRace(ctx context.Context, m *machine) []row {
	if m.quick {
		return m.goTest(ctx, nil, "./...")
	}
	var extra []row
	var env, flags []string
	dir, err := "", error(nil)
	if m.node.ok() {
		dir, err = m.npmServers(ctx)
	}
	switch {
	case !m.node.ok():
		extra = append(extra, row{suite: npmSuite, skipped: 1, leftOut: m.node.problem, get: m.node.get})
	case err != nil:
		fmt.Fprintln(m.out, err)
		extra = append(extra, row{suite: npmSuite, skipped: 1, leftOut: "npm ci failed", get: "let npm reach its registry"})
	default:
		env = append(env, "CODEBOT_TEST_NPM="+filepath.Join(dir, "node_modules"))
	}
	// A real model server, where packages of a newer suite can be had.
	if program, err := m.llama(ctx); err != nil {
		fmt.Fprintln(m.out, err)
	} else {
		env = append(env, "CODEBOT_TEST_LLAMA_SERVER="+program)
	}
	if m.cc.ok() {
		env = append(env, "CGO_ENABLED=1")
		flags = append(flags, "-race")
	} else {
		extra = append(extra, row{suite: "race detector", skipped: 1, leftOut: m.cc.problem, get: m.cc.get})
	}
	return merge(m.goTest(ctx, env, append(flags, "./...")...), extra)
}

// npmServers brings the MCP servers from npm that the tests talk to.
func (m *machine) npmServers(ctx context.Context) (string, error) {
	return m.npmInstall(ctx, "npm-servers", filepath.Join(m.root, "server", "servertest", "npm"))
}

// merge adds rows of what was left out. A row that the tests have already reported,
// for they skipped, gets the better reason.
func merge(rows, extra []row) []row {
	for _, e := range extra {
		i := slices.IndexFunc(rows, func(r row) bool { return r.suite == e.suite })
		if i < 0 {
			rows = append(rows, e)
			continue
		}
		rows[i].leftOut, rows[i].get = e.leftOut, e.get
	}
	return rows
}

// llama brings llama.cpp's server into the cache. Its test says how to get it where
// that fails.
func (m *machine) llama(ctx context.Context) (string, error) {
	dir := m.cache("llama")
	if out, err := m.command(ctx, m.root, nil, "sh", "scripts/llama.sh", dir); err != nil {
		return "", fmt.Errorf("scripts/llama.sh: %w\n%s", err, tail(out, 5))
	}
	return filepath.Join(dir, "bin", "llama-server"), nil
}

func goTests(args ...string) func(context.Context, *machine) []row {
	return func(ctx context.Context, m *machine) []row {
		var env []string
		if m.node.ok() && !m.quick {
			if dir, err := m.npmServers(ctx); err == nil {
				env = append(env, "CODEBOT_TEST_NPM="+filepath.Join(dir, "node_modules"))
			}
		}
		// The whole run before has brought it, where it can be had.
		if program := m.cache("llama", "bin", "llama-server"); exists(program) && !m.quick {
			env = append(env, "CODEBOT_TEST_LLAMA_SERVER="+program)
		}
		return m.goTest(ctx, env, args...)
	}
}

// lua runs the generated Lua in an interpreter of its own; it needs no Neovim.
func lua(ctx context.Context, m *machine) []row {
	bin := m.cache("bin", "luacheck")
	if out, err := m.command(ctx, filepath.Join(m.root, "scripts", "tools"), nil, "go", "build", "-o", bin, "./luacheck"); err != nil {
		fmt.Fprintf(m.out, "building luacheck: %v\n%s", err, tail(out, 20))
		return leftOut("the Lua interpreter could not be built", "let go reach its module proxy")
	}
	files, err := filepath.Glob(filepath.Join(m.root, "editors", "nvim", "lua", "codebot", "*_gen.lua"))
	if err != nil || len(files) == 0 {
		fmt.Fprintln(m.out, "no generated Lua found; make generate writes it")
		return failed()
	}
	return m.check(ctx, nil, bin, files...)
}

// demo runs the demo as a newcomer would, with nothing on stdin.
func demo(ctx context.Context, m *machine) []row {
	if !m.make.ok() {
		return leftOut(m.make.problem, m.make.get)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	out, err := m.command(ctx, m.root, nil, "make", "--no-print-directory", "demo")
	if err != nil {
		fmt.Fprintf(m.out, "%s\nmake demo: %v\n", tail(out, 60), err)
		return failed()
	}
	for _, want := range []string{"mcp__docs__search", "[docs] Found 3 results", "mcp__deploy__trigger", "[deploy] Triggered:", "allow_once"} {
		if !bytes.Contains(out, []byte(want)) {
			fmt.Fprintf(m.out, "%s\nmake demo did not print %q\n", tail(out, 60), want)
			return failed()
		}
	}
	return passed()
}

// check runs a command in the repository and reports one test; its output is
// printed only when it fails.
func (m *machine) check(ctx context.Context, env []string, name string, args ...string) []row {
	out, err := m.command(ctx, m.root, env, name, args...)
	if err != nil {
		fmt.Fprintf(m.out, "%s\n%s %s: %v\n", tail(out, 60), name, strings.Join(args, " "), err)
		return failed()
	}
	return passed()
}

// command runs a command with nothing on stdin and returns its stdout and stderr.
func (m *machine) command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	// A grandchild that keeps the pipe open must not keep us.
	cmd.WaitDelay = 5 * time.Second
	return cmd.CombinedOutput()
}

// maxLine is how much of one line of a failure is shown, in bytes: a log of messages
// would bury the failure itself.
const maxLine = 400

// tail returns the last n lines of out, each of them cut to maxLine.
func tail(out []byte, n int) string {
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(lines) > n {
		lines = append([]string{"..."}, lines[len(lines)-n:]...)
	}
	for i, l := range lines {
		if len(l) > maxLine {
			lines[i] = strings.ToValidUTF8(l[:maxLine], "") + "..."
		}
	}
	return strings.Join(lines, "\n")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
