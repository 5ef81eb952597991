package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// row is one line of the closing table.
type row struct {
	suite                   string
	ran                     bool
	took                    time.Duration
	passed, failed, skipped int
	// leftOut says why something of it did not run, get how to get it.
	leftOut, get string
}

func passed() []row { return []row{{ran: true, passed: 1}} }
func failed() []row { return []row{{ran: true, failed: 1}} }

func leftOut(why, get string) []row { return []row{{skipped: 1, leftOut: why, get: get}} }

// exitCode is 1 when anything failed and, in strict mode, when anything was left
// out; also when nothing ran at all, for that proves nothing.
func exitCode(rows []row, strict bool) int {
	var sum row
	for _, r := range rows {
		sum.passed += r.passed
		sum.failed += r.failed
		sum.skipped += r.skipped
	}
	if sum.failed > 0 || sum.passed == 0 || strict && sum.skipped > 0 {
		return 1
	}
	return 0
}

func printTable(w io.Writer, rows []row) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "suite\tran\tpassed\tfailed\tskipped\tleft out because\thow to get it")
	var sum row
	for _, r := range rows {
		ran := "no"
		if r.ran {
			ran = fmt.Sprintf("%.1f s", r.took.Seconds())
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%s\t%s\n", r.suite, ran, r.passed, r.failed, r.skipped, dash(r.leftOut), dash(r.get))
		sum.passed += r.passed
		sum.failed += r.failed
		sum.skipped += r.skipped
	}
	tw.Flush()
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", sum.passed, sum.failed, sum.skipped)
}

// dash keeps a cell of the table on one line and never empty.
func dash(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "-"
	}
	return s
}
