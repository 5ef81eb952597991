package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// target is one fuzz target of a package.
type target struct{ pkg, name string }

// fuzz runs each fuzz target for a while, one after the other. Without a time it is no
// part of a run: the seeds and what was found before are tried by the Go tests, and what
// is new to a fuzzer is no fault of the change under test.
func fuzz(ctx context.Context, m *machine) []row {
	each := m.fuzzTime
	if each == 0 {
		return nil
	}
	out, err := m.command(ctx, m.root, nil, "go", "test", "-list", "^Fuzz", "./...")
	if err != nil {
		fmt.Fprintf(m.out, "%s\nlisting the fuzz targets: %v\n", tail(out, 40), err)
		return failed()
	}
	total := row{ran: true}
	for _, t := range fuzzTargets(out) {
		fmt.Fprintf(m.out, "%s %s for %v\n", t.pkg, t.name, each)
		out, err := m.command(ctx, m.root, nil, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), t.pkg)
		if err == nil || outOfTime(out) {
			total.passed++
			continue
		}
		total.failed++
		fmt.Fprintf(m.out, "%s\n%s %s: %v\n", tail(out, 60), t.pkg, t.name, err)
	}
	if total.passed+total.failed == 0 {
		fmt.Fprintln(m.out, "there is no fuzz target")
		return failed()
	}
	return []row{total}
}

// outOfTime reports whether a target failed for no other reason than that its time was
// over while an input was tried, which go test reports at times (golang/go#75804).
func outOfTime(out []byte) bool {
	return bytes.Contains(out, []byte("context deadline exceeded")) && !bytes.Contains(out, []byte("Failing input written"))
}

// fuzzTargets reads what `go test -list` says: the names of a package, then its line.
func fuzzTargets(list []byte) []target {
	var all []target
	var names []string
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) > 1 && fields[0] == "ok":
			for _, name := range names {
				all = append(all, target{fields[1], name})
			}
			names = nil
		}
	}
	return all
}
