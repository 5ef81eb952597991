package main

import (
	"slices"
	"testing"
)

// A tick of the suite is no evidence: it gives one to a client that does nothing. A
// scenario that passes although it is excused, and one that is excused and does not
// exist, are faults too.
func TestATickWithoutChecksIsNoPass(t *testing.T) {
	out := []byte("✓ early: 9 passed, 0 failed\n=== SUITE SUMMARY ===\n\n✓ initialize: 1 passed, 0 failed\n✓ empty: 0 passed, 0 failed\n✗ auth/dpop: 11 passed, 3 failed\n✗ auth/wif: 13 passed, 1 failed, 1 warnings\n✓ warned: 3 passed, 0 failed, 2 warnings\n✓ good: 3 passed, 0 failed\n\nTotal: 31 passed, 4 failed\n")
	ran := parseScenarios(out)
	if len(ran) != 6 || ran[3] != (scenario{"auth/wif", 13, 1, 1}) {
		t.Fatalf("read %+v", ran)
	}
	excused := map[string]string{"auth/dpop": "x", "auth/wif": "x", "good": "x", "gone": "x"}
	want := []string{
		"empty: 0 passed, 0 failed, 0 warnings",
		"gone is excused in docs/conformance.md and there is no such scenario",
		"good passes and is excused in docs/conformance.md: take it out there",
		"warned: 3 passed, 0 failed, 2 warnings",
	}
	if got := judgeScenarios(ran, excused, true); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := judgeScenarios(ran, excused, false); slices.Contains(got, want[1]) {
		t.Errorf("a set misses what it has not: %q", got)
	}
}
