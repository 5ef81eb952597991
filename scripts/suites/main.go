// Command suites runs the project's test suites and ends with a table of what
// ran, what passed, what failed, and what was left out, why, and how to get it.
//
// Its last line is "N passed, N failed, N skipped". It exits with 1 when a suite
// failed, and also, where CI=true is set, when anything was left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "run only what needs Go and no network")
	only := flag.String("suite", "", "run only the `suites` of these names, separated by commas")
	fuzzTime := flag.Duration("fuzztime", 0, "fuzz each target for this `long`")
	flag.Parse()
	chosen, err := choose(suites(), *quick, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, *quick, *fuzzTime, chosen))
}

func run(ctx context.Context, quick bool, fuzzTime time.Duration, chosen []suite) int {
	root, err := findRoot()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	m := &machine{root: root, quick: quick, fuzzTime: fuzzTime, out: os.Stdout}
	m.look(ctx)
	if !quick {
		m.installPackages(ctx)
	}
	m.report()

	var rows []row
	for _, s := range chosen {
		if ctx.Err() != nil {
			rows = append(rows, row{suite: s.name, skipped: 1, leftOut: "interrupted"})
			continue
		}
		rows = append(rows, runSuite(ctx, m, s)...)
	}
	fmt.Println()
	printTable(os.Stdout, rows)
	return exitCode(rows, os.Getenv("CI") == "true")
}

// choose returns the suites to run, in their order.
func choose(all []suite, quick bool, only string) ([]suite, error) {
	var names []string
	if only != "" {
		names = strings.Split(only, ",")
	}
	var chosen []suite
	for _, s := range all {
		if quick && !s.quick || only != "" && !slices.Contains(names, s.name) {
			continue
		}
		chosen = append(chosen, s)
		names = slices.DeleteFunc(names, func(n string) bool { return n == s.name })
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("no such suite: %s", strings.Join(names, ", "))
	}
	return chosen, nil
}

// runSuite runs one suite, saying so while it does.
func runSuite(ctx context.Context, m *machine, s suite) []row {
	fmt.Printf("\n== %s\n", s.name)
	start := time.Now()
	rows := s.run(ctx, m)
	took := time.Since(start)
	for i := range rows {
		if rows[i].suite == "" {
			rows[i].suite = s.name
		}
		if rows[i].ran && rows[i].took == 0 {
			rows[i].took = took
		}
		switch r := rows[i]; {
		case r.failed > 0:
			fmt.Printf("FAILED %s: %d of %d\n", r.suite, r.failed, r.passed+r.failed)
		case !r.ran:
			fmt.Printf("left out %s: %s\n", r.suite, r.leftOut)
		default:
			fmt.Printf("ok %s: %d passed in %.1f s\n", r.suite, r.passed, r.took.Seconds())
		}
	}
	return rows
}

// findRoot returns the repository's folder: the nearest one above the working
// directory that has a cmd/codebot-ls.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if fi, err := os.Stat(filepath.Join(d, "cmd", "codebot-ls")); err == nil && fi.IsDir() {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("finding the repository: no cmd/codebot-ls in %s or above it", dir)
		}
	}
}
