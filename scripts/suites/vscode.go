package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// extension installs the packages of the VS Code extension beside its sources, where
// TypeScript and Node look for them, and returns its folder. It does nothing when the
// same lock file was installed there before. A row says why it could not.
func (m *machine) extension(ctx context.Context) (string, []row) {
	dir := filepath.Join(m.root, "editors", "vscode")
	if !m.node.ok() {
		return "", leftOut(m.node.problem, m.node.get)
	}
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		fmt.Fprintln(m.out, err)
		return "", failed()
	}
	sum := sha256.Sum256(lock)
	want := hex.EncodeToString(sum[:])
	stamp := filepath.Join(dir, "node_modules", ".codebot-installed")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == want {
		return dir, nil
	}
	fmt.Fprintln(m.out, "installing the npm packages of the VS Code extension")
	if out, err := m.command(ctx, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		fmt.Fprintf(m.out, "npm ci in %s: %v\n%s", dir, err, tail(out, 20))
		return "", leftOut("npm ci failed", "let npm reach its registry")
	}
	if err := os.WriteFile(stamp, []byte(want), 0o644); err != nil {
		fmt.Fprintln(m.out, err)
		return "", failed()
	}
	return dir, nil
}

// typescript checks the types of the extension, of the chat's page and of the tests.
func typescript(ctx context.Context, m *machine) []row {
	dir, why := m.extension(ctx)
	if why != nil {
		return why
	}
	var rows []row
	for _, project := range []string{".", "src/webview", "test"} {
		rows = append(rows, m.check(ctx, nil, "node", filepath.Join(dir, "node_modules", "typescript", "bin", "tsc"), "-p", filepath.Join(dir, project))...)
	}
	return []row{sum(rows)}
}

// sum adds rows of one suite up.
func sum(rows []row) row {
	var all row
	for _, r := range rows {
		all.ran = all.ran || r.ran
		all.passed += r.passed
		all.failed += r.failed
		all.skipped += r.skipped
	}
	return all
}

// vscodeUnit runs the tests of the extension that need no editor.
func vscodeUnit(ctx context.Context, m *machine) []row {
	dir, why := m.extension(ctx)
	if why != nil {
		return why
	}
	if out, err := m.command(ctx, dir, nil, "node", "build.mjs", "tests"); err != nil {
		fmt.Fprintf(m.out, "%s\nbuilding the extension: %v\n", tail(out, 60), err)
		return failed()
	}
	return m.nodeTest(ctx, dir, nil, filepath.Join(dir, "out", "unit"))
}

// vscodeWorkbench installs the extension's package into a VS Code that runs in a
// browser without a screen, and uses it there as a person would.
func vscodeWorkbench(ctx context.Context, m *machine) []row {
	if runtime.GOOS != "linux" {
		return leftOut("the workbench of the tests runs on Linux", "run make test on Linux, or in a container")
	}
	dir, why := m.extension(ctx)
	if why != nil {
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	browser, why := m.chromium(ctx)
	if why != nil {
		return why
	}
	host, err := m.codeServer(ctx)
	if err != nil {
		fmt.Fprintln(m.out, err)
		return leftOut("the VS Code for the tests could not be installed", "let npm reach its registry, and install ripgrep")
	}
	if out, err := m.command(ctx, m.root, nil, "sh", "scripts/vsix.sh", m.cache("codebot.vsix")); err != nil {
		fmt.Fprintf(m.out, "%s\nscripts/vsix.sh: %v\n", tail(out, 60), err)
		return failed()
	}
	if out, err := m.command(ctx, dir, nil, "node", "build.mjs", "tests"); err != nil {
		fmt.Fprintf(m.out, "%s\nbuilding the tests: %v\n", tail(out, 60), err)
		return failed()
	}
	env := []string{
		"CODEBOT_TEST_HOST=" + host, "CODEBOT_TEST_VSIX=" + m.cache("codebot.vsix"), "CODEBOT_TEST_CHROMIUM=" + browser,
		"CODEBOT_TEST_OUTPUT=" + m.cache("workbench"), "CODEBOT_TEST_ROOT=" + m.root,
	}
	return m.nodeTest(ctx, dir, env, filepath.Join(dir, "out", "workbench"))
}

// codeServer brings a VS Code that runs in a browser, and its Node.
func (m *machine) codeServer(ctx context.Context) (string, error) {
	rg, err := m.program(ctx, []string{"rg"}, "usr/bin/rg", "ripgrep")
	if err != nil {
		return "", err
	}
	script := filepath.Join(m.root, "scripts", "workbench.sh")
	print, err := fingerprint(script, filepath.Join(m.root, "editors", "vscode", "test", "workbench", "host", "package-lock.json"))
	if err != nil {
		return "", err
	}
	return m.install("code-server-"+print, func(dir string) error {
		fmt.Fprintln(m.out, "installing a VS Code that runs in a browser, from npm: 800 MB and some two minutes")
		env := []string{"PATH=" + filepath.Dir(rg) + string(filepath.ListSeparator) + os.Getenv("PATH")}
		if out, err := m.command(ctx, m.root, env, "sh", script, dir); err != nil {
			return fmt.Errorf("scripts/workbench.sh: %w\n%s", err, tail(out, 20))
		}
		return nil
	})
}

// chromium finds a Chromium, or brings Debian's.
func (m *machine) chromium(ctx context.Context) (string, []row) {
	path, err := m.program(ctx, []string{"chromium", "chromium-browser", "google-chrome"}, "usr/lib/chromium/chromium", "chromium", "fonts-dejavu-core", "fonts-noto-cjk")
	if err != nil {
		fmt.Fprintln(m.out, err)
		return "", leftOut("there is no Chromium on PATH", "install chromium with your package manager")
	}
	return path, nil
}

// program finds a program by one of its names on PATH. Where there is none it installs
// Debian's packages, of which the first one has it at a path below the root: on the
// machine where we are root, else for ourselves alone.
func (m *machine) program(ctx context.Context, names []string, path string, packages ...string) (string, error) {
	find := func() (string, bool) {
		for _, name := range names {
			if found, err := exec.LookPath(name); err == nil {
				return found, true
			}
		}
		return "", false
	}
	if found, ok := find(); ok {
		return found, nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return "", fmt.Errorf("%s is not on PATH, and there is no apt-get", names[0])
	}
	fmt.Fprintf(m.out, "installing system packages: %s\n", strings.Join(packages, " "))
	if os.Geteuid() == 0 {
		install := append([]string{"install", "-y", "--no-install-recommends"}, packages...)
		if err := m.apt(ctx, apt, install...); err != nil {
			// A fresh container has no package lists yet.
			_ = m.apt(ctx, apt, "update") // the next line says what is wrong
			if err := m.apt(ctx, apt, install...); err != nil {
				return "", fmt.Errorf("apt-get install: %w", err)
			}
		}
		if found, ok := find(); ok {
			return found, nil
		}
		return "", fmt.Errorf("%s is installed and not on PATH", packages[0])
	}
	script := filepath.Join(m.root, "scripts", "userdebs.sh")
	print, err := fingerprint(script)
	if err != nil {
		return "", err
	}
	dir, err := m.install(packages[0]+"-"+print, func(dir string) error {
		if out, err := m.command(ctx, m.root, nil, "sh", script, dir, strings.Join(packages, " "), path); err != nil {
			return fmt.Errorf("scripts/userdebs.sh: %w\n%s", err, tail(out, 20))
		}
		return nil
	})
	return filepath.Join(dir, "bin", filepath.Base(path)), err
}

// counts are the lines that end the TAP output of node --test.
var counts = regexp.MustCompile(`(?m)^# (pass|fail|cancelled|skipped|todo) (\d+)$`)

// nodeTest runs the tests of one folder, one file after the other, and counts them.
func (m *machine) nodeTest(ctx context.Context, dir string, env []string, folder string) []row {
	files, err := filepath.Glob(filepath.Join(folder, "*.test.mjs"))
	if err != nil || len(files) == 0 {
		fmt.Fprintf(m.out, "no tests in %s\n", folder)
		return failed()
	}
	args := append([]string{"--test", "--test-reporter=tap", "--test-concurrency=1"}, files...)
	out, err := m.command(ctx, dir, env, "node", args...)
	r := row{ran: true}
	for _, match := range counts.FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(match[2]))
		switch string(match[1]) {
		case "pass":
			r.passed = n
		case "fail", "cancelled":
			r.failed += n
		default:
			r.skipped += n
		}
	}
	// What a test says of itself, measurements above all, is worth reading each time.
	for line := range bytes.Lines(out) {
		if text, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("# measured: ")); ok {
			fmt.Fprintf(m.out, "%s\n", text)
		}
	}
	if err != nil || r.failed > 0 || r.passed == 0 {
		fmt.Fprintf(m.out, "%s\nnode --test %s: %v\n", tail(tapFailures(out), 400), folder, err)
		r.failed = max(r.failed, 1)
	}
	return []row{r}
}

// tapFailures is TAP output without the tests that passed.
func tapFailures(out []byte) []byte {
	var rest []byte
	passed := false // a test whose lines are being left out
	for line := range bytes.Lines(out) {
		switch {
		case bytes.HasPrefix(line, []byte("ok ")):
			passed = true
		case passed && bytes.HasPrefix(line, []byte("  ")), bytes.HasPrefix(line, []byte("# Subtest: ")):
		default:
			passed = false
			rest = append(rest, line...)
		}
	}
	return rest
}
