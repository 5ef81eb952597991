package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// npmSuite is the row of the tests that drive MCP servers from npm; npmTests is how
// their names begin, whatever package they are in.
const npmSuite = "npm servers"

var npmTests = []string{"TestNPM", "TestTheFieldsOwnServers"}

// event is one line of `go test -json`.
type event struct {
	Action, Package, Test, ImportPath, Output string
	FailedBuild                               string
}

// tally counts the tests of one run.
type tally struct {
	counts map[string]*row // by suite; "" is the run itself
	output map[string]*bytes.Buffer
	// failures holds the output of what failed, in the order it did.
	failures bytes.Buffer
	packages int
}

func newTally() *tally {
	return &tally{counts: map[string]*row{"": {ran: true}}, output: map[string]*bytes.Buffer{}}
}

// suiteOf returns the row a test counts in.
func suiteOf(test string) string {
	if slices.ContainsFunc(npmTests, func(begin string) bool { return strings.HasPrefix(test, begin) }) {
		return npmSuite
	}
	return ""
}

// add counts one event. A test counts once, at its end; so does a package that
// fails without a failing test (it did not build, or a goroutine panicked).
func (t *tally) add(e event) {
	key := e.Package + "." + e.Test
	if e.Action == "build-output" {
		key = e.ImportPath
	}
	if e.Action == "output" || e.Action == "build-output" {
		b := t.output[key]
		if b == nil {
			b = new(bytes.Buffer)
			t.output[key] = b
		}
		b.WriteString(e.Output)
		return
	}
	r := t.counts[suiteOf(e.Test)]
	if r == nil {
		r = &row{suite: suiteOf(e.Test), ran: true}
		t.counts[suiteOf(e.Test)] = r
	}
	switch e.Action {
	case "pass":
		if e.Test == "" {
			t.packages++
			break
		}
		r.passed++
	case "skip":
		if e.Test == "" {
			break // a package without tests
		}
		r.skipped++
		if r.leftOut == "" {
			r.leftOut = e.Test + ": " + skipReason(t.text(key))
		}
	case "fail":
		if e.Test == "" && t.failedIn(e.Package) {
			break
		}
		r.failed++
		fmt.Fprintf(&t.failures, "--- %s %s\n%s\n", e.Package, e.Test, tail([]byte(t.text(e.FailedBuild)+t.text(key)), 40))
		if e.Test != "" {
			t.output["failed "+e.Package] = new(bytes.Buffer)
		}
	default:
		return
	}
	delete(t.output, key)
}

func (t *tally) failedIn(pkg string) bool { return t.output["failed "+pkg] != nil }

func (t *tally) text(key string) string {
	if b := t.output[key]; b != nil {
		return b.String()
	}
	return ""
}

// rows returns the run's own row first, then the others by name.
func (t *tally) rows() []row {
	var rows []row
	for _, r := range t.counts {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.suite, b.suite) })
	return rows
}

// skipReason finds what a test said when it skipped.
func skipReason(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if _, after, ok := strings.Cut(line, ".go:"); ok {
			if _, reason, ok := strings.Cut(after, ": "); ok {
				return reason
			}
		}
	}
	return "it gave no reason"
}

// goTest runs `go test -json` with args and reports its rows. -C, which go wants
// first, may be the first of args.
func (m *machine) goTest(ctx context.Context, env []string, args ...string) []row {
	var first []string
	if args[0] == "-C" {
		first, args = args[:2], args[2:]
	}
	full := slices.Concat([]string{"test"}, first, []string{"-json", "-timeout", "15m"}, args)
	cmd := exec.CommandContext(ctx, "go", full...)
	cmd.Dir = m.root
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(m.out, "go %s: %v\n", strings.Join(full, " "), err)
		return failed()
	}
	t := newTally()
	t.read(stdout)
	err = cmd.Wait()
	m.out.Write(t.failures.Bytes())
	rows := t.rows()
	failures := 0
	for _, r := range rows {
		failures += r.failed
	}
	if err != nil && failures == 0 {
		fmt.Fprintf(m.out, "go %s: %v\n%s\n", strings.Join(full, " "), err, tail(stderr.Bytes(), 40))
		rows[0].failed++
	}
	return rows
}

// read adds every event of a stream; a line that is none is kept as a failure's
// text, for it is go itself speaking.
func (t *tally) read(r io.Reader) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var e event
		if json.Unmarshal(sc.Bytes(), &e) != nil {
			fmt.Fprintf(&t.failures, "%s\n", sc.Bytes())
			continue
		}
		t.add(e)
	}
	// What is left unread would block go test for ever.
	io.Copy(io.Discard, r)
}
