package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A page that names a test as proof proves nothing once the test has another name.
func TestTheTestsThatPagesNameAreThere(t *testing.T) {
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	for _, top := range []string{"cmd", "server", "mcp", "session", "workspace", "scripts"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range declared.FindAllSubmatch(text, -1) {
				there[string(found[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`")
	yes := regexp.MustCompile(`(?m)^\| [^|*]+ \| Y \|`)
	for page, least := range map[string]int{"features.md": 50, "regressions.md": 60} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		found := named.FindAllSubmatch(text, -1)
		if len(found) < least {
			t.Errorf("%s names %d tests: the test looks for them in the wrong way", page, len(found))
		}
		for _, name := range found {
			if !there[string(name[1])] {
				t.Errorf("%s names %s, and there is no such test", page, name[1])
			}
		}
		if bare := yes.Find(text); bare != nil {
			t.Errorf("%s claims without a test: %s", page, bare)
		}
	}
}
