package main

import (
	"strings"
	"testing"
)

// A package that does not build has no failing test, yet must count as a failure.
func TestTallyCountsWhatTestsAndPackagesSay(t *testing.T) {
	const stream = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: it broke\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB/one"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
{"Action":"output","Package":"q","Test":"TestC","Output":"    c_test.go:9: needs a moon\n"}
{"Action":"skip","Package":"q","Test":"TestC"}
{"Action":"pass","Package":"q","Test":"TestNPMEverything"}
{"Action":"pass","Package":"q"}
{"Action":"skip","Package":"empty"}
{"ImportPath":"r [r.test]","Action":"build-output","Output":"r.go:3: undefined: x\n"}
{"ImportPath":"r [r.test]","Action":"build-fail"}
{"Action":"fail","Package":"r","FailedBuild":"r [r.test]"}
`
	tl := newTally()
	tl.read(strings.NewReader(stream))
	rows := tl.rows()
	if len(rows) != 2 {
		t.Fatalf("got %d rows, want the run's and the npm servers': %+v", len(rows), rows)
	}
	run, npm := rows[0], rows[1]
	if run.passed != 2 || run.failed != 2 || run.skipped != 1 {
		t.Errorf("run: %+v, want 2 passed, 2 failed, 1 skipped", run)
	}
	if run.leftOut != "TestC: needs a moon" {
		t.Errorf("left out because %q", run.leftOut)
	}
	if npm.suite != npmSuite || npm.passed != 1 {
		t.Errorf("npm: %+v", npm)
	}
	for _, want := range []string{"it broke", "undefined: x"} {
		if !strings.Contains(tl.failures.String(), want) {
			t.Errorf("failures do not show %q:\n%s", want, tl.failures.String())
		}
	}
}

func TestExitCode(t *testing.T) {
	ok := row{ran: true, passed: 3}
	for _, test := range []struct {
		name   string
		rows   []row
		strict bool
		want   int
	}{
		{"all passed", []row{ok}, true, 0},
		{"one failed", []row{ok, {ran: true, failed: 1}}, false, 1},
		{"left out", append([]row{ok}, leftOut("no node", "get it")...), false, 0},
		{"left out under CI", append([]row{ok}, leftOut("no node", "get it")...), true, 1},
		{"nothing ran", nil, false, 1},
	} {
		if got := exitCode(test.rows, test.strict); got != test.want {
			t.Errorf("%s: exit code %d, want %d", test.name, got, test.want)
		}
	}
}

func TestTableEndsWithTheSum(t *testing.T) {
	var b strings.Builder
	printTable(&b, append([]row{{suite: "go test", ran: true, passed: 5, failed: 1}}, leftOut("no node", "get it")...))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if got, want := lines[len(lines)-1], "5 passed, 1 failed, 1 skipped"; got != want {
		t.Errorf("last line %q, want %q", got, want)
	}
	if !strings.Contains(b.String(), "no node") || !strings.Contains(b.String(), "get it") {
		t.Errorf("the table does not say why something was left out:\n%s", &b)
	}
}

func TestVersions(t *testing.T) {
	for _, test := range []struct {
		text, min string
		want      bool
	}{
		{"go1.26.8\n", "1.26", true},
		{"go1.25.9\n", "1.26", false},
		{"v20.18.0\n", "20.18", true},
		{"v20.9.0\n", "20.18", false},
		{"v24.1.0\n", "20.18", true},
		{"go1.27rc1\n", "1.26", true},
		{"no version here", "1.26", false},
	} {
		if got := atLeast(versionIn(test.text), test.min); got != test.want {
			t.Errorf("atLeast(%q, %q) = %v, want %v", test.text, test.min, got, test.want)
		}
	}
}

func TestChoosingSuites(t *testing.T) {
	all := []suite{{name: "a", quick: true}, {name: "b"}, {name: "c", quick: true}}
	for _, test := range []struct {
		quick bool
		only  string
		want  string
	}{
		{false, "", "a b c"},
		{true, "", "a c"},
		{false, "c,b", "b c"},
		{false, "d", "no such suite: d"},
	} {
		var got []string
		chosen, err := choose(all, test.quick, test.only)
		for _, s := range chosen {
			got = append(got, s.name)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("choose(%v, %q) = %q, want %q", test.quick, test.only, got, test.want)
		}
	}
}

// The npm servers' tests skip by themselves without Node; that is one thing left
// out, not two.
func TestLeftOutRowsAreMerged(t *testing.T) {
	rows := merge([]row{{suite: "go test"}, {suite: npmSuite, skipped: 3, leftOut: "TestNPM: no node"}},
		[]row{{suite: npmSuite, skipped: 1, leftOut: "node is not on PATH", get: "install it"}, {suite: "race detector", skipped: 1}})
	if len(rows) != 3 || rows[1].skipped != 3 || rows[1].get != "install it" || rows[2].suite != "race detector" {
		t.Errorf("%+v", rows)
	}
}
