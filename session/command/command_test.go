package command

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A path at the beginning of a prompt is no command.
func TestAPathIsNoCommand(t *testing.T) {
	for text, want := range map[string][2]string{
		"/compact":               {"compact", ""},
		"/review  a.go b.go ":    {"review", "a.go b.go"},
		"/mcp__f__p x":           {"mcp__f__p", "x"},
		"/git:commit\nall of it": {"git:commit", "all of it"},
		"/评审 a":                  {"评审", "a"},
		"/etc/hosts is wrong":    {},
		"/":                      {},
		"// a comment":           {},
		"see /compact":           {},
		"/-x":                    {},
	} {
		command, input, ok := Parse(text)
		if command != want[0] || input != want[1] || ok != (want[0] != "") {
			t.Errorf("%q is %q with %q, want %q", text, command, input, want)
		}
	}
}

func TestInputFillsATemplate(t *testing.T) {
	for _, c := range []struct{ template, input, want string }{
		{"Look at $1, then $2.", `"my file.go" b.go c`, "Look at my file.go, then b.go."},
		{"Do: $ARGUMENTS", "it's $1", "Do: it's $1"},
		{"$1 costs $15 and $USD", "a", "a costs $15 and $USD"},
		{"Review.", "a.go", "Review.\n\na.go"},
		{"Review.", "", "Review."},
		{"Only $2", "a", "Only "},
	} {
		if got := (File{Template: c.template}).Expand(c.input); got != c.want {
			t.Errorf("%q with %q is %q, want %q", c.template, c.input, got, c.want)
		}
	}
}

func TestWordsBecomeArguments(t *testing.T) {
	for _, c := range []struct {
		input string
		want  map[string]string
	}{
		{"", map[string]string{}},
		{"a", map[string]string{"path": "a"}},
		{`a "very kind" or not`, map[string]string{"path": "a", "tone": "very kind or not"}},
		{`tone="very kind" a b`, map[string]string{"path": "a b", "tone": "very kind"}},
		{"don't", map[string]string{"path": "don't"}},
		{"x=1", map[string]string{"path": "x=1"}},
		{`"open`, map[string]string{"path": `"open`}},
	} {
		if got := Arguments([]string{"path", "tone"}, c.input); !maps.Equal(got, c.want) {
			t.Errorf("%q is %v, want %v", c.input, got, c.want)
		}
	}
}

// A broken file, or a link out of the folder, costs the others nothing and is said.
func TestCommandFilesAreReadWithTheirFrontMatter(t *testing.T) {
	dir := t.TempDir()
	for rel, text := range map[string]string{
		"review.md":       "---\ndescription: Looks at a file\nargument-hint: [path]\n---\nReview $1.\n",
		"plain.md":        "# Plain words\n\nSay hello.",
		"git/commit.md":   "\uFEFFCommit.\r\nWell.\r\n",
		"broken.md":       "---\ndescription: [\n---\nx",
		"open.md":         "---\ndescription: x\n",
		"empty.md":        "---\ndescription: x\n---\n",
		"two words.md":    "x",
		"large.md":        strings.Repeat("x", maxFile+1),
		"deep/er/down.md": "x",
		"other.txt":       "x",
	} {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "stolen.md")); err != nil {
		t.Log(err) // Windows without the right to
	}
	files, problems := Load(dir)
	var got []string
	for _, f := range files {
		got = append(got, f.Name+"|"+f.Description+"|"+f.Hint+"|"+f.Template)
	}
	want := []string{"git:commit|Commit.||Commit.\nWell.", "plain|Plain words||# Plain words\n\nSay hello.", "review|Looks at a file|[path]|Review $1."}
	if !slices.Equal(got, want) {
		t.Errorf("files\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var said []string
	for _, p := range problems {
		said = append(said, p.Error())
	}
	for _, name := range []string{"broken.md", "open.md", "empty.md", "two words.md", "large.md"} {
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, filepath.Join(dir, name)+": ") }) {
			t.Errorf("nothing is said of %s: %q", name, said)
		}
	}
	if files, problems := Load(filepath.Join(dir, "none")); files != nil || problems != nil {
		t.Errorf("a folder that is not there: %v %v", files, problems)
	}
}
