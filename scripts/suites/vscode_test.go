package main

import "testing"

func TestFailureIsBuriedUnderWhatPassed(t *testing.T) {
	const tap = `TAP version 13
# Subtest: one
ok 1 - one
  ---
  duration_ms: 1
  ...
# measured: 5 ms
# Subtest: two
not ok 2 - two
  ---
  error: it broke
  ...
# Subtest: three
ok 3 - three
  ---
  ...
1..3
# fail 1
`
	const want = `TAP version 13
# measured: 5 ms
not ok 2 - two
  ---
  error: it broke
  ...
1..3
# fail 1
`
	if got := string(tapFailures([]byte(tap))); got != want {
		t.Fatalf("got\n%s", got)
	}
}
