package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// bench is a folder with a session's tools.
type bench struct {
	t     *testing.T
	root  string
	jobs  *Jobs
	tools map[string]agent.Tool
}

func newBench(t *testing.T, change ...func(*Env)) *bench {
	t.Helper()
	env := Env{Root: t.TempDir(), Jobs: NewJobs()}
	t.Cleanup(env.Jobs.Close)
	for _, c := range change {
		c(&env)
	}
	b := &bench{t: t, root: permission.Resolve(env.Root), jobs: env.Jobs, tools: map[string]agent.Tool{}}
	for _, tool := range New(env) {
		b.tools[tool.Name()] = tool
	}
	return b
}

func (b *bench) put(rel, text string) string {
	b.t.Helper()
	p := filepath.Join(b.root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bench) get(rel string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(rel)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) call(name string, args any) (agent.Result, error) {
	b.t.Helper()
	data, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.tools[name].Execute(b.t.Context(), data, func(agent.Progress) {})
}

// must returns the text of a call that succeeds.
func (b *bench) must(name string, args any) string {
	b.t.Helper()
	r, err := b.call(name, args)
	if err != nil {
		b.t.Fatalf("%s %v: %v", name, args, err)
	}
	return text(r)
}

// fails expects an error that says something.
func (b *bench) fails(name string, args any, says ...string) {
	b.t.Helper()
	r, err := b.call(name, args)
	if err == nil {
		b.t.Errorf("%s %v: no error, but %q", name, args, text(r))
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			b.t.Errorf("%s %v: %q does not say %q", name, args, err, s)
		}
	}
}

func text(r agent.Result) string {
	var b strings.Builder
	for _, c := range r.Content {
		if c.Kind == agent.ContentText {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

type m map[string]any

func TestToolsAreAlwaysTheSameBytes(t *testing.T) {
	a, b := New(Env{Root: t.TempDir()}), New(Env{Root: t.TempDir()})
	var names []string
	for i := range a {
		names = append(names, a[i].Name())
		if a[i].Name() != b[i].Name() || a[i].Description() != b[i].Description() || string(a[i].Schema()) != string(b[i].Schema()) {
			t.Errorf("%s differs", a[i].Name())
		}
		if _, ok := a[i].(permission.Describer); !ok {
			t.Errorf("%s tells the gate nothing", a[i].Name())
		}
		if _, ok := a[i].(agent.Describer); !ok {
			t.Errorf("%s tells a person nothing", a[i].Name())
		}
	}
	if got := strings.Join(names, " "); got != "read ls glob grep write edit bash fetch bash_output bash_stop" {
		t.Error(got)
	}
}

func TestGateSeesResolvedPaths(t *testing.T) {
	b := newBench(t)
	outside := permission.Resolve(t.TempDir())
	if err := os.Symlink(outside, filepath.Join(b.root, "link")); err != nil {
		t.Skip("no symlinks here:", err)
	}
	if err := os.Symlink(filepath.Join(outside, "later"), filepath.Join(b.root, "dangling")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a/b.txt":             filepath.Join(b.root, "a", "b.txt"),
		"a/../c.txt":          filepath.Join(b.root, "c.txt"),
		"link/x.txt":          filepath.Join(outside, "x.txt"),
		"dangling":            filepath.Join(outside, "later"),
		"../x":                filepath.Join(filepath.Dir(b.root), "x"),
		outside + "/./y/../z": filepath.Join(outside, "z"),
	} {
		for _, name := range []string{"read", "write", "edit", "grep", "ls"} {
			args, _ := json.Marshal(m{"path": path})
			r := b.tools[name].(permission.Describer).PermissionRequest(args)
			if len(r.Paths) != 1 || r.Paths[0] != want || r.Root != b.root || r.Tool != name {
				t.Errorf("%s %s: %+v, want %s", name, path, r, want)
			}
		}
	}
	for pattern, want := range map[string]string{"**/*.go": b.root, outside + "/*.go": outside, "../*": filepath.Dir(b.root), "a/../../*": filepath.Dir(b.root)} {
		args, _ := json.Marshal(m{"pattern": pattern})
		if r := b.tools["glob"].(permission.Describer).PermissionRequest(args); len(r.Paths) != 1 || r.Paths[0] != want {
			t.Errorf("glob %s: %v, want %s", pattern, r.Paths, want)
		}
	}
	r := b.tools["bash"].(permission.Describer).PermissionRequest([]byte(`{"command":"rm x"}`))
	if r.Kind != permission.KindBash || r.Command != "rm x" || r.Capability != permission.CapabilityExec {
		t.Errorf("%+v", r)
	}
	if r := b.tools["read"].(permission.Describer).PermissionRequest([]byte(`{`)); r.Kind != permission.KindRead || len(r.Paths) != 0 {
		t.Errorf("broken arguments: %+v", r)
	}
}

func TestRead(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "one\ntwo\r\nthree")
	if got := b.must("read", m{"path": "a.txt"}); got != "     1\tone\n     2\ttwo\n     3\tthree\n" {
		t.Errorf("%q", got)
	}
	if got := b.must("read", m{"path": "a.txt", "offset": 2, "limit": 1}); got != "     2\ttwo\n(lines 2-2 of 3; read on with offset 3)\n" {
		t.Errorf("%q", got)
	}
	b.put("bom.txt", "\ufeffx")
	if got := b.must("read", m{"path": "bom.txt"}); got != "     1\tx\n" {
		t.Errorf("%q", got)
	}
	b.put("empty", "")
	if got := b.must("read", m{"path": "empty"}); got != "(the file is empty)" {
		t.Errorf("%q", got)
	}
	b.put("long", strings.Repeat("é", 3000)+"\nend\n")
	if got := b.must("read", m{"path": "long"}); !strings.Contains(got, "bytes more)\n     2\tend") || strings.Contains(got, "\uFFFD") {
		t.Errorf("%.80q … %.80q", got, got[len(got)-80:])
	}
	b.put("many", strings.Repeat("x\n", 5000))
	if got := b.must("read", m{"path": "many"}); !strings.HasSuffix(got, "(lines 1-2000 of 5000; read on with offset 2001)\n") {
		t.Errorf("%.200q", got[len(got)-100:])
	}
	b.put("wide", strings.Repeat(strings.Repeat("y", 1000)+"\n", 200))
	if got := b.must("read", m{"path": "wide"}); len(got) > readBytes+4096 || !strings.Contains(got, "of 200; read on") {
		t.Errorf("%d bytes", len(got))
	}
	b.put("bin", "PNG\x00\x01\x02")
	b.put("latin1", "caf\xe9 au lait\n")
	if got := b.must("read", m{"path": "latin1"}); got != "     1\tcaf\uFFFD au lait\n" {
		t.Errorf("%q", got)
	}
	b.fails("read", m{"path": "bin"}, "binary")
	b.fails("read", m{"path": "nope"}, "nope does not exist")
	b.fails("read", m{"path": "."}, "is a folder")
	b.fails("read", m{"path": "a.txt", "offset": 9}, "3 lines")
	if runtime.GOOS == "linux" {
		b.fails("read", m{"path": "/dev/zero"}, "not a regular file")
	}
}

// What the editor shows and did not save yet is what the user means.
func TestUnsavedBuffersWin(t *testing.T) {
	buffers := map[string]string{}
	b := newBench(t, func(e *Env) {
		e.Overlay = func(p string) (string, bool) { s, ok := buffers[p]; return s, ok }
		e.OpenFiles = func() []string {
			var out []string
			for p := range buffers {
				out = append(out, p)
			}
			return out
		}
	})
	p := b.put("a.go", "old disk\n")
	buffers[p] = "new buffer\n"
	if got := b.must("read", m{"path": "a.go"}); !strings.Contains(got, "new buffer") {
		t.Errorf("%q", got)
	}
	if got := b.must("grep", m{"pattern": "new|old"}); got != "a.go:1: new buffer\n" {
		t.Errorf("%q", got)
	}
	b.must("edit", m{"path": "a.go", "old_string": "buffer", "new_string": "text"})
	if got := b.get("a.go"); got != "new text\n" {
		t.Errorf("%q", got)
	}
}

func TestEdit(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "alpha\nbeta\nalpha\n")
	r, err := b.call("edit", m{"path": "a.txt", "old_string": "beta", "new_string": "gamma"})
	if err != nil {
		t.Fatal(err)
	}
	var d agent.Content
	for _, c := range r.Content {
		if c.Kind == agent.ContentDiff {
			d = c
		}
	}
	if d.Path != filepath.Join(b.root, "a.txt") || d.Old == nil || *d.Old != "alpha\nbeta\nalpha\n" || d.New != "alpha\ngamma\nalpha\n" || b.get("a.txt") != d.New {
		t.Errorf("%+v", d)
	}
	b.fails("edit", m{"path": "a.txt", "old_string": "alpha", "new_string": "x"}, "found 2 times (lines 1, 3)", "replace_all")
	b.fails("edit", m{"path": "a.txt", "old_string": "nothing", "new_string": "x"}, "not found")
	b.fails("edit", m{"path": "a.txt", "old_string": "alpha  gamma", "new_string": "x"}, "other blanks")
	b.fails("edit", m{"path": "a.txt", "old_string": "     1\talpha", "new_string": "x"}, "line numbers")
	b.fails("edit", m{"path": "a.txt", "old_string": "gamma\nomega", "new_string": "x"}, "line 2")
	b.fails("edit", m{"path": "a.txt", "old_string": "x", "new_string": "x"}, "the same")
	// Several at once: each on what the ones before made, all or none.
	b.put("many.txt", "one\ntwo\nthree\n")
	r, err = b.call("edit", m{"path": "many.txt", "edits": []m{{"old_string": "three", "new_string": "two"}, {"old_string": "two", "new_string": "2", "replace_all": true}, {"old_string": "one\n", "new_string": ""}}})
	if err != nil || b.get("many.txt") != "2\n2\n" || !strings.Contains(r.Content[0].Text, "4 places, first at line 1") || r.Content[1].New != "2\n2\n" {
		t.Errorf("several edits: %+v, %v, %q", r, err, b.get("many.txt"))
	}
	b.fails("edit", m{"path": "many.txt", "edits": []m{{"old_string": "2\n2", "new_string": "x"}, {"old_string": "nothing", "new_string": "y"}}}, "edit 2 of 2", "not found", "none of them")
	b.fails("edit", m{"path": "many.txt", "edits": []m{{"old_string": "2\n2", "new_string": "x"}, {"old_string": "x", "new_string": "2\n2"}}}, "change nothing")
	b.fails("edit", m{"path": "many.txt", "old_string": "2", "new_string": "x", "edits": []m{{"old_string": "2", "new_string": "x"}}}, "either")
	b.fails("edit", m{"path": "many.txt"}, "old_string is empty")
	if got := b.get("many.txt"); got != "2\n2\n" {
		t.Errorf("edits that failed left %q", got)
	}
	b.fails("edit", m{"path": "none.txt", "old_string": "x", "new_string": "y"}, "does not exist")
	b.must("edit", m{"path": "a.txt", "old_string": "alpha", "new_string": "$1", "replace_all": true})
	if got := b.get("a.txt"); got != "$1\ngamma\n$1\n" {
		t.Errorf("%q", got)
	}
}

func TestEditKeepsLineEndings(t *testing.T) {
	for _, tt := range []struct{ file, old, new, want string }{
		{"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"},
		{"a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"},
		{"a\nb\nc\n", "b", "x\ny", "a\nx\ny\nc\n"},
		{"a\r\nb\nc\n", "a\nb", "x", "x\nc\n"},
		{"\ufeffa\r\nb", "a", "x", "\ufeffx\r\nb"},
	} {
		got, err := replace(tt.file, tt.old, tt.new, false)
		if err != nil || got.text != tt.want {
			t.Errorf("%q: %q, %v; want %q", tt.file, got.text, err, tt.want)
		}
	}
}

func TestWriteAndEditKeepTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes")
	}
	b := newBench(t)
	p := b.put("run.sh", "echo a\n")
	if err := os.Chmod(p, 0o750); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(b.root, "link.sh")
	if err := os.Symlink(p, link); err != nil {
		t.Fatal(err)
	}
	b.must("edit", m{"path": "link.sh", "old_string": "a", "new_string": "b"})
	b.must("write", m{"path": "link.sh", "content": "echo c\n"})
	info, err := os.Stat(p)
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if target, err := os.Readlink(link); err != nil || target != p || b.get("run.sh") != "echo c\n" {
		t.Errorf("the link is %q, %v", target, err)
	}
	left, _ := filepath.Glob(filepath.Join(b.root, ".*tmp"))
	if left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// An editor that has just read a file looks at its time to see that it was replaced.
func TestAFileThatIsReplacedIsYounger(t *testing.T) {
	b := newBench(t)
	path := b.put("a.txt", "one\n")
	soon := time.Now().Add(time.Hour) // as if the clock had not gone on
	if err := os.Chtimes(path, soon, soon); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b.must("edit", m{"path": "a.txt", "old_string": "one", "new_string": "two"})
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !after.ModTime().After(before.ModTime()) {
		t.Errorf("it was of %v and is of %v", before.ModTime(), after.ModTime())
	}
}

func TestWrite(t *testing.T) {
	b := newBench(t)
	r, err := b.call("write", m{"path": "new/deep/a.txt", "content": "x\ny\n"})
	if err != nil || b.get("new/deep/a.txt") != "x\ny\n" || text(r) != "Created new/deep/a.txt (2 lines)" {
		t.Errorf("%q, %v", text(r), err)
	}
	if d := r.Content[1]; d.Kind != agent.ContentDiff || d.Old != nil || d.New != "x\ny\n" {
		t.Errorf("%+v", d)
	}
	r, err = b.call("write", m{"path": "new/deep/a.txt", "content": "z"})
	if err != nil || r.Content[1].Old == nil || *r.Content[1].Old != "x\ny\n" {
		t.Errorf("%+v, %v", r, err)
	}
	b.fails("write", m{"path": "new", "content": "z"}, "folder")
	b.put("file", "")
	b.fails("write", m{"path": "file/x", "content": "z"}, "file")
}

// An edit on top of a change that the model has not seen would undo it.
func TestChangedFileMustBeReadAgain(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "one\n")
	b.must("read", m{"path": "a.txt"})
	b.put("a.txt", "one\nuser's line\n")
	b.fails("edit", m{"path": "a.txt", "old_string": "one", "new_string": "two"}, "read it again")
	b.fails("write", m{"path": "a.txt", "content": "two"}, "read it again")
	b.must("read", m{"path": "a.txt"})
	b.must("edit", m{"path": "a.txt", "old_string": "one", "new_string": "two"})
	b.must("edit", m{"path": "a.txt", "old_string": "two", "new_string": "three"}) // our own change is known
	if got := b.get("a.txt"); got != "three\nuser's line\n" {
		t.Errorf("%q", got)
	}
}

func TestLs(t *testing.T) {
	b := newBench(t)
	b.put("b.txt", "")
	b.put("a/x", "")
	b.put(".hidden", "")
	if got := b.must("ls", m{}); got != ".hidden\na/\nb.txt\n" {
		t.Errorf("%q", got)
	}
	if got := b.must("ls", m{"path": "a"}); got != "x\n" {
		t.Errorf("%q", got)
	}
	b.fails("ls", m{"path": "b.txt"}, "is a file")
	b.fails("ls", m{"path": "zz"}, "does not exist")
}

// gitignore(5).
func TestIgnoredFilesAreLeftOut(t *testing.T) {
	b := newBench(t)
	b.put(".git/config", "needle")
	b.put(".gitignore", "*.log\n/build/\n!keep.log\nnode_modules\ndoc/*.txt\na?c\n# comment\n\nsub/deep/\n")
	for _, f := range []string{"a.log", "keep.log", "build/x.go", "src/build/y.go", "node_modules/m/i.js", "src/node_modules/i.js", "doc/a.txt", "src/doc/a.txt", "abc", "abbc",
		"sub/deep/z", "inner/.gitignore", "inner/secret", "inner/z.log", ".hidden/h"} {
		b.put(f, "needle\n")
	}
	b.put("inner/.gitignore", "secret\n!z.log\n")
	want := ".gitignore\n.hidden/h\nabbc\ninner/.gitignore\ninner/z.log\nkeep.log\nsrc/build/y.go\nsrc/doc/a.txt\n"
	if got := b.must("glob", m{"pattern": "**"}); got != want {
		t.Errorf("glob:\n%s\nwant\n%s", got, want)
	}
	if got := b.must("grep", m{"pattern": "needle"}); got != ".hidden/h:1: needle\nabbc:1: needle\ninner/z.log:1: needle\nkeep.log:1: needle\nsrc/build/y.go:1: needle\nsrc/doc/a.txt:1: needle\n" {
		t.Errorf("grep:\n%s", got)
	}
	// From a folder below, the files above still count.
	if got := b.must("glob", m{"pattern": "**", "path": "src"}); got != "src/build/y.go\nsrc/doc/a.txt\n" {
		t.Errorf("from below:\n%s", got)
	}
}

func TestGlob(t *testing.T) {
	b := newBench(t)
	for _, f := range []string{"a.go", "x/b.go", "x/y/c.go", "x/d.txt"} {
		b.put(f, "")
	}
	for pattern, want := range map[string]string{
		"*.go": "a.go\nx/b.go\nx/y/c.go\n", "x/*.go": "x/b.go\n", "**/c.*": "x/y/c.go\n", "*.{txt,md}": "x/d.txt\n", "./x/*.go": "x/b.go\n",
	} {
		if got := b.must("glob", m{"pattern": pattern}); got != want {
			t.Errorf("%s: %q", pattern, got)
		}
	}
	if got := b.must("glob", m{"pattern": "*.rs"}); !strings.Contains(got, "no file matches") {
		t.Errorf("%q", got)
	}
	b.fails("glob", m{"pattern": "[a"}, "not a valid glob")
	b.fails("glob", m{"pattern": "*", "path": "zz"}, "does not exist")
}

func TestGrep(t *testing.T) {
	b := newBench(t)
	b.put("a.go", "package a\n// TODO: x\n")
	b.put("b/b.txt", "todo\nTODO y\n")
	b.put("bin", "TODO\x00")
	for _, tt := range []struct {
		args m
		want string
	}{
		{m{"pattern": "TODO"}, "a.go:2: // TODO: x\nb/b.txt:2: TODO y\n"},
		{m{"pattern": "todo", "ignore_case": true, "glob": "*.txt"}, "b/b.txt:1: todo\nb/b.txt:2: TODO y\n"},
		{m{"pattern": "TODO", "glob": "b/*"}, "b/b.txt:2: TODO y\n"},
		{m{"pattern": "^package", "path": "a.go"}, "a.go:1: package a\n"},
		{m{"pattern": "nix"}, "no line matches nix in ."},
	} {
		if got := b.must("grep", tt.args); got != tt.want {
			t.Errorf("%v: %q", tt.args, got)
		}
	}
	b.fails("grep", m{"pattern": "("}, "regular expression")
	b.put("many", strings.Repeat("hit\n", 1000))
	got := b.must("grep", m{"pattern": "hit"})
	if strings.Count(got, "hit") != grepMatches || !strings.Contains(got, "only the first 200") {
		t.Errorf("%d hits, %.200q", strings.Count(got, "hit"), got[len(got)-100:])
	}
	b.put("wide", strings.Repeat("w", 5000)+"\n")
	if got := b.must("grep", m{"pattern": "www"}); len(got) > 600 {
		t.Errorf("%d bytes for one line", len(got))
	}
}

// A search must not lay open what read would ask for.
func TestSearchesPassByWhatIsHidden(t *testing.T) {
	b := newBench(t, func(e *Env) {
		root := permission.Resolve(e.Root)
		e.Hide = func(p string) bool {
			return filepath.Base(p) == ".env" || p == filepath.Join(root, "secret")
		}
	})
	b.put(".env", "KEY=needle\n")
	b.put("secret/a", "needle\n")
	b.put("open", "needle\n")
	if got := b.must("grep", m{"pattern": "needle"}); got != "open:1: needle\n" {
		t.Errorf("%q", got)
	}
	if got := b.must("glob", m{"pattern": "**"}); got != "open\n" {
		t.Errorf("%q", got)
	}
	// Named, it is what the gate allowed.
	if got := b.must("grep", m{"pattern": "needle", "path": ".env"}); got != ".env:1: KEY=needle\n" {
		t.Errorf("%q", got)
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	b.put("a", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"glob", "grep", "read"} {
		args, _ := json.Marshal(m{"pattern": "x", "path": map[string]string{"read": "a"}[name]})
		if _, err := b.tools[name].Execute(ctx, args, func(agent.Progress) {}); err == nil {
			t.Errorf("%s goes on", name)
		}
	}
}

func TestDescribesCalls(t *testing.T) {
	b := newBench(t)
	b.put("a.txt", "x\ny\n")
	for _, tt := range []struct{ tool, args, title string }{
		{"read", `{"path":"a.txt"}`, "Read a.txt"},
		{"read", `{"path":"a.txt","offset":2,"limit":3}`, "Read a.txt (2-4)"},
		{"edit", `{"path":"a.txt","old_string":"y","new_string":"z"}`, "Edit a.txt"},
		{"write", `{"path":"b.txt","content":"z"}`, "Write b.txt"},
		{"bash", `{"command":"go test\ngo vet"}`, "Run `go test …`"},
		{"bash", "{\"command\":\"ls \\u001b[2Jx\"}", "Run `ls x`"},
		{"grep", `{"pattern":"x","path":"sub"}`, "Search for x below sub"},
		{"glob", `{"pattern":"*.go"}`, "Find files *.go"},
		{"ls", `{}`, "List ."},
		{"read", `{`, "Read file"},
	} {
		d := b.tools[tt.tool].(agent.Describer).Describe(json.RawMessage(tt.args))
		if d.Title != tt.title {
			t.Errorf("%s %s: %q", tt.tool, tt.args, d.Title)
		}
	}
	d := b.tools["edit"].(agent.Describer).Describe(json.RawMessage(`{"path":"a.txt","old_string":"y","new_string":"z"}`))
	if len(d.Preview) != 1 || d.Preview[0].New != "x\nz\n" || d.Locations[0].Line != 2 {
		t.Errorf("%+v", d)
	}
	if b.get("a.txt") != "x\ny\n" {
		t.Error("to describe an edit made it")
	}
}
