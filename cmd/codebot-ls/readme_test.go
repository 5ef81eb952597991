package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A translation that nobody keeps up tells its readers what was true once.
func TestTheChineseReadmeKeepsStep(t *testing.T) {
	english, chinese := readReadme(t, "README.md"), readReadme(t, "README.zh-CN.md")
	for _, part := range []struct {
		what    string
		pattern *regexp.Regexp
		counted bool // else compared
	}{
		{"headings", regexp.MustCompile(`(?m)^#+ `), true},
		{"fences", regexp.MustCompile("(?m)^```.*$"), true},
		{"rows of tables", regexp.MustCompile(`(?m)^\| [^|]* \|`), true},
		{"links", regexp.MustCompile(`\]\([^)]*\)`), false},
		{"pieces of code", regexp.MustCompile(`\x60[^\x60\n]+\x60`), false},
	} {
		en, zh := part.pattern.FindAllString(english, -1), part.pattern.FindAllString(chinese, -1)
		if len(en) == 0 {
			t.Errorf("README.md has no %s: the test looks for them in the wrong way", part.what)
		}
		if part.counted {
			if len(en) != len(zh) {
				t.Errorf("README.md has %d %s, README.zh-CN.md %d: translate what is new", len(en), part.what, len(zh))
			}
			continue
		}
		for _, missing := range without(en, zh) {
			t.Errorf("README.zh-CN.md lacks %s of the %s in README.md: translate what is new", missing, part.what)
		}
		for _, stale := range without(zh, en) {
			t.Errorf("README.zh-CN.md has %s among its %s, which README.md has not", stale, part.what)
		}
	}
}

func readReadme(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	// Each begins with a link to the other.
	_, rest, ok := strings.Cut(string(text), "\n\n[")
	_, rest, linked := strings.Cut(rest, ")\n")
	if !ok || !linked {
		t.Fatalf("%s does not begin with a link to the other README", name)
	}
	return rest
}

// without returns what of a is not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(a))), func(s string) bool { return slices.Contains(b, s) })
}
