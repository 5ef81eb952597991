package main

import (
	"slices"
	"testing"
)

func TestFuzzTargetsAreReadFromTheList(t *testing.T) {
	got := fuzzTargets([]byte(`ok  	example.test/a	0.012s
FuzzOne
FuzzTwo
ok  	example.test/b	0.003s
?   	example.test/c	[no test files]
FuzzThree
ok  	example.test/d	(cached)
`))
	want := []target{{"example.test/b", "FuzzOne"}, {"example.test/b", "FuzzTwo"}, {"example.test/d", "FuzzThree"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOnlyTheEndOfTheTimeIsForgiven(t *testing.T) {
	for out, want := range map[string]bool{
		"--- FAIL: FuzzX (1.02s)\n    context deadline exceeded\nFAIL\n":                                       true,
		"--- FAIL: FuzzX (0.1s)\n  x_test.go:1: lost\n  Failing input written to testdata/fuzz/FuzzX/1\n":      false,
		"--- FAIL: FuzzX\n context deadline exceeded\n Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n": false,
	} {
		if got := outOfTime([]byte(out)); got != want {
			t.Errorf("%q: %v", out, got)
		}
	}
}
