package tool

import (
	"path/filepath"
	"strings"
	"testing"
)

// What rg prints with --null, recorded from ripgrep 13: names with colons, the
// preview of a long line, a message in between.
func TestReadsRipgrep(t *testing.T) {
	b := newBench(t, func(e *Env) { e.Hide = func(p string) bool { return filepath.Base(p) == "secret" } })
	g := b.tools["grep"].(*grepTool)
	hits, more := g.readRipgrep(strings.NewReader("./a:1.go\x003:x := \"a:b\"\n./secret/k\x001:key\nrg: warning\n./d.txt\x0012:long [... 0 more matches]\n./e\x00bad\n"), b.root)
	if more || len(hits) != 2 {
		t.Fatalf("%+v %v", hits, more)
	}
	for i, want := range []hit{{filepath.Join(b.root, "a:1.go"), 3, `x := "a:b"`}, {filepath.Join(b.root, "d.txt"), 12, "long [... 0 more matches]"}} {
		if hits[i] != want {
			t.Errorf("%+v, want %+v", hits[i], want)
		}
	}
	if hits, more := g.readRipgrep(strings.NewReader(strings.Repeat("./a\x001:x\n", 1000)), b.root); !more || len(hits) != grepMatches+1 {
		t.Errorf("%d hits, more %v", len(hits), more)
	}
}
