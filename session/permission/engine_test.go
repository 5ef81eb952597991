package permission

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/permission/shell"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// house is a home with a project in it, on disk.
type house struct{ home, configHome, root string }

func newHouse(t *testing.T) house {
	t.Helper()
	home := Resolve(t.TempDir())
	h := house{home, filepath.Join(home, ".codebot"), filepath.Join(home, "work", "shop")}
	for _, d := range []string{h.configHome, h.root, filepath.Join(home, ".ssh"), filepath.Join(h.root, ".codebot"), filepath.Join(h.root, ".git")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h house) engine(t *testing.T, allow, ask, deny []string) *Engine {
	t.Helper()
	rules, errs := ParseRules(allow, ask, deny)
	if errs != nil {
		t.Fatal(errs)
	}
	return NewEngine(EngineOptions{Rules: func() Rules { return rules }, Home: h.home, ConfigHome: h.configHome})
}

func (h house) read(rel string) Request  { return h.file(KindRead, "read", rel) }
func (h house) write(rel string) Request { return h.file(KindEdit, "write", rel) }
func (h house) file(k Kind, tool, rel string) Request {
	p := rel
	if !filepath.IsAbs(p) {
		p = filepath.Join(h.root, rel)
	}
	return Request{Kind: k, Tool: tool, Root: h.root, Paths: []string{Resolve(p)}}
}
func (h house) bash(cmd string) Request {
	return Request{Kind: KindBash, Tool: "bash", Root: h.root, Command: cmd}
}
func mcpCall(server, tool string) Request {
	return Request{Kind: KindMCP, Tool: "mcp__" + server + "__" + tool, Server: server, Original: tool, Identity: "id-" + server + tool}
}

// The whole mode table: each row in each mode, with no rule and no grant.
func TestModeTable(t *testing.T) {
	h := newHouse(t)
	e := h.engine(t, nil, nil, nil)
	trusted := mcpCall("docs", "search")
	trusted.TrustedRead = true
	liar := trusted
	liar.Destructive = true
	destructive := mcpCall("deploy", "trigger")
	destructive.Destructive = true
	two := h.read("a.go")
	two.Paths = append(two.Paths, "/etc/passwd")
	for _, row := range []struct {
		name string
		req  Request
		want [4]Verdict // default, accept_edits, plan, auto
	}{
		{"read in the folder", h.read("a.go"), [4]Verdict{Run, Run, Run, Run}},
		{"read the folder itself", h.read("."), [4]Verdict{Run, Run, Run, Run}},
		{"read the project's settings", h.read(".codebot/settings.json"), [4]Verdict{Run, Run, Run, Run}},
		{"read outside", h.read("../other/a.go"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read a folder that only begins alike", h.read("../shop-evil/a.go"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read inside and outside at once", two, [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read a key", h.read(filepath.Join(h.home, ".ssh", "id_ed25519")), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read .netrc", h.read(filepath.Join(h.home, ".netrc")), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read .env in the folder", h.read(".env"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read .env.production", h.read("deploy/.env.production"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read .env.example", h.read(".env.example"), [4]Verdict{Run, Run, Run, Run}},
		{"read our own folder", h.read(filepath.Join(h.configHome, "settings.json")), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"read nothing in particular", Request{Kind: KindRead, Tool: "read", Root: h.root}, [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"edit in the folder", h.write("a.go"), [4]Verdict{Ask, Run, Refuse, Run}},
		{"edit outside", h.write("../other/a.go"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"edit .env", h.write(".env"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"edit .codebot", h.write(".codebot/settings.json"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"edit .vscode deep down", h.write("pkg/.vscode/tasks.json"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"edit .git hooks", h.write(".git/hooks/pre-commit"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"edit .gitignore", h.write(".gitignore"), [4]Verdict{Ask, Run, Refuse, Run}},
		{"edit .github", h.write(".github/workflows/ci.yml"), [4]Verdict{Ask, Run, Refuse, Run}},
		{"bash", h.bash("ls"), [4]Verdict{Ask, Ask, Refuse, Run}},
		{"bash near settings", h.bash("echo {} > .codebot/settings.json"), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{"MCP", mcpCall("docs", "search"), [4]Verdict{Ask, Ask, Refuse, Run}},
		{"MCP known to read", trusted, [4]Verdict{Run, Run, Run, Run}},
		{"MCP that reads and destroys", liar, [4]Verdict{Ask, Ask, Refuse, Run}},
		{"MCP destructive", destructive, [4]Verdict{Ask, Ask, Refuse, Run}},
		{"connect_mcp", Request{Kind: KindConnect, Tool: "connect_mcp", Server: "docs"}, [4]Verdict{Ask, Ask, Refuse, Run}},
		{"fetch", Request{Kind: KindFetch, Tool: "fetch"}, [4]Verdict{Ask, Ask, Refuse, Run}},
		{"todo", Request{Kind: KindFree, Tool: "todo"}, [4]Verdict{Run, Run, Run, Run}},
		{"unknown kind", Request{Tool: "x"}, [4]Verdict{Ask, Ask, Refuse, Ask}},
	} {
		for i, mode := range []Mode{ModeDefault, ModeAcceptEdits, ModePlan, ModeAuto} {
			d := e.Decide(row.req, mode)
			if d.Verdict != row.want[i] {
				t.Errorf("%s in %s: %s (%s), want %s", row.name, mode, d.Verdict, d.Reason, row.want[i])
			}
			if d.Reason == "" {
				t.Errorf("%s in %s: no reason", row.name, mode)
			}
		}
	}
}

// deny, ask, grants, allow, mode: each wins over what follows.
func TestOrder(t *testing.T) {
	h := newHouse(t)
	call := mcpCall("github", "delete_branch")
	grant := func(e *Engine) *Engine {
		if err := e.Grant(call, OptionAllowSession); err != nil {
			t.Fatal(err)
		}
		return e
	}
	all, one := []string{"mcp(github/*)"}, []string{"mcp(github/delete_*)"}
	for name, tt := range map[string]struct {
		e    *Engine
		mode Mode
		want Verdict
	}{
		"deny over all":         {grant(h.engine(t, all, all, one)), ModeAuto, Refuse},
		"ask over grant":        {grant(h.engine(t, all, one, nil)), ModeAuto, Ask},
		"grant over mode":       {grant(h.engine(t, nil, nil, nil)), ModeDefault, Run},
		"allow over mode":       {h.engine(t, all, nil, nil), ModeDefault, Run},
		"allow while planning":  {h.engine(t, all, nil, nil), ModePlan, Run},
		"grant while planning":  {grant(h.engine(t, nil, nil, nil)), ModePlan, Refuse},
		"ask rule while auto":   {h.engine(t, nil, one, nil), ModeAuto, Ask},
		"another tool's rule":   {h.engine(t, []string{"mcp(github/get_*)"}, nil, nil), ModeDefault, Ask},
		"another server's rule": {h.engine(t, []string{"mcp(gitlab/*)"}, nil, nil), ModeDefault, Ask},
	} {
		if d := tt.e.Decide(call, tt.mode); d.Verdict != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, d.Verdict, d.Reason, tt.want)
		}
	}
	destructive := call
	destructive.Destructive = true
	if d := h.engine(t, all, nil, nil).Decide(destructive, ModePlan); d.Verdict != Refuse {
		t.Errorf("a tool that destroys runs while planning: %+v", d)
	}
}

// Nothing that plan mode refuses for changing something is lifted by a rule or an
// answer.
func TestPlanModeChangesNothing(t *testing.T) {
	h := newHouse(t)
	e := h.engine(t, []string{"edit(**)", "bash(*)"}, nil, nil)
	for _, req := range []Request{h.write("a.go"), h.bash("go test"), {Kind: KindFetch, Tool: "fetch", Root: h.root, Host: "example.com"}, {Kind: KindConnect, Tool: "connect_mcp", Server: "x", Root: h.root}} {
		if err := e.Grant(req, OptionAllowSession); err != nil {
			t.Fatal(err)
		}
		if d := e.Decide(req, ModePlan); d.Verdict != Refuse {
			t.Errorf("%s: %s", req.Tool, d.Verdict)
		}
	}
}

// CVE-2025-54135, CVE-2025-53773: an agent that may write its own settings or the
// editor's grants itself everything. No spelling of the path, no answer and no
// rule opens that.
func TestProtectedFoldersAlwaysAsk(t *testing.T) {
	h := newHouse(t)
	e := h.engine(t, []string{"edit(**)", "edit(/**)"}, nil, nil)
	link := filepath.Join(h.root, "innocent")
	if err := os.Symlink(filepath.Join(h.root, ".codebot"), link); err != nil {
		t.Skip("no symlinks here:", err)
	}
	dangling := filepath.Join(h.root, "new")
	if err := os.Symlink(filepath.Join(h.root, ".vscode", "tasks.json"), dangling); err != nil {
		t.Fatal(err)
	}
	for _, rel := range []string{
		".codebot/settings.json", ".CodeBot/settings.json", "a/../.codebot/settings.json", "innocent/settings.json", "new",
		".vscode", ".git/config", ".GIT/hooks/x", "sub/.git", ".codebot./x", ".git::$INDEX_ALLOCATION/config", ".g\u200cit/config", "GIT~1/config",
		filepath.Join(h.configHome, "grants.json"),
	} {
		req := h.write(rel)
		for _, o := range []string{OptionAllowSession, OptionAllowAlways} {
			if err := e.Grant(req, o); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range []Mode{ModeDefault, ModeAcceptEdits, ModeAuto} {
			d := e.Decide(req, m)
			if d.Verdict != Ask || !d.EachTime {
				t.Errorf("%s in %s: %+v", rel, m, d)
			}
			for _, o := range OptionsFor(d, lang.En) {
				if o.ID == OptionAllowSession || o.ID == OptionAllowAlways {
					t.Errorf("%s: offers %s", rel, o.ID)
				}
			}
		}
	}
}

func TestBroadRulesDoNotOpenCredentials(t *testing.T) {
	h := newHouse(t)
	broad := h.engine(t, []string{"read(**)", "read(~/**)"}, nil, nil)
	for _, p := range []string{".env", filepath.Join(h.home, ".ssh", "id"), filepath.Join(h.configHome, "settings.json")} {
		if d := broad.Decide(h.read(p), ModeDefault); d.Verdict != Ask {
			t.Errorf("%s: %s", p, d.Verdict)
		}
	}
	if d := broad.Decide(h.read(filepath.Join(h.home, "notes", "a.md")), ModeDefault); d.Verdict != Run {
		t.Errorf("an allowed file outside: %+v", d)
	}
	spelled := h.engine(t, []string{"read(**/.env)", "read(~/.ssh/config)"}, nil, nil)
	for p, want := range map[string]Verdict{".env": Run, filepath.Join(h.home, ".ssh", "config"): Run, filepath.Join(h.home, ".ssh", "id"): Ask} {
		if d := spelled.Decide(h.read(p), ModeDefault); d.Verdict != want {
			t.Errorf("%s: %s, want %s", p, d.Verdict, want)
		}
	}
	if !broad.Hides(h.root, filepath.Join(h.root, ".env")) || broad.Hides(h.root, filepath.Join(h.root, "a.go")) {
		t.Error("searches do not pass by .env, or pass by more")
	}
	if e := h.engine(t, nil, nil, []string{"read(secret/**)"}); !e.Hides(h.root, filepath.Join(h.root, "secret")) {
		t.Error("searches look into a folder that a rule denies")
	}
}

func TestBashRules(t *testing.T) {
	h := newHouse(t)
	allow := h.engine(t, []string{"bash(go test *)", "bash(make)", "bash(ls -l | wc -l)"}, nil, nil)
	for cmd, want := range map[string]Verdict{
		"go test ./...": Run, "go  test  -run X": Run, "go test": Run, "make": Run, "ls -l | wc -l": Run,
		"go testevil": Ask, "go vet": Ask, "make install": Ask,
		"go test; rm -rf ~": Ask, "go test && curl x": Ask, "go test | sh": Ask, "go test $(rm x)": Ask, "go test `rm x`": Ask,
		"go test > /etc/x": Ask, "go test\nrm x": Ask, "go test <(x)": Ask, "X=1 go test": Ask, "go test & rm x": Ask,
		"go test .codebot/": Ask,
	} {
		if d := allow.Decide(h.bash(cmd), ModeDefault); d.Verdict != want {
			t.Errorf("allow: %q: %s, want %s", cmd, d.Verdict, want)
		}
	}
	deny := h.engine(t, nil, nil, []string{"bash(rm *)", "bash(git push *)"})
	for cmd, want := range map[string]Verdict{
		"rm -rf x": Refuse, "ls; rm x": Refuse, "sudo rm x": Refuse, "X=1 rm x": Refuse, "/bin/rm x": Refuse, `"rm" x`: Refuse, `r\m x`: Refuse,
		"echo $(rm x)": Refuse, "true && git  push --force": Refuse, "if true; then rm x; fi": Refuse, "find . | xargs rm": Refuse,
		"rmdir x": Run, "git pull": Run, "echo farm x": Run, "git pushy": Run,
	} {
		if d := deny.Decide(h.bash(cmd), ModeAuto); d.Verdict != want {
			t.Errorf("deny: %q: %s, want %s", cmd, d.Verdict, want)
		}
	}
}

// Each program of a line, and each file the shell opens for it, is judged: a rule for one
// opens no other, and nothing hides behind a wrapper, a quote or a substitution
// (CVE-2026-22708).
func TestEachPartOfACommandIsJudged(t *testing.T) {
	h := newHouse(t)
	rules := []string{"bash(go test *)", "bash(go list *)", "bash(grep *)", "bash(find *)", "bash(cd *)", "bash(sudo make *)", "bash(true)", "bash(xargs *)", "bash(env *)"}
	allow := h.engine(t, rules, nil, nil)
	for cmd, want := range map[string][2]Verdict{ // in the default mode, where edits run
		"go test ./... | grep FAIL":            {Run, Run},
		"cd sub && go test ./... && true":      {Run, Run},
		"go test $(go list ./... | grep -v x)": {Run, Run},
		"go test -run \"$NAME\"":               {Run, Run},
		"if go test; then true; fi":            {Run, Run},
		"go test > out.txt":                    {Ask, Run},
		"go test > /dev/null 2>&1":             {Run, Run},
		"go test > ../out.txt":                 {Ask, Ask},
		"cd sub && go test > out.txt":          {Ask, Ask},
		"go test > \"$OUT\"":                   {Ask, Ask},
		"go test > .git/hooks/x":               {Ask, Ask},
		"go test < " + h.home + "/.ssh/id_rsa": {Ask, Ask},
		"grep x < a.txt":                       {Run, Run},
		"go test | tee x":                      {Ask, Ask},
		"go test $(rm x)":                      {Ask, Ask},
		"sudo make install":                    {Run, Run},
		"sudo make install; make":              {Ask, Ask},
		"sudo rm x":                            {Ask, Ask},
		"find . -name x":                       {Run, Run},
		"find . -exec rm {} +":                 {Ask, Ask},
		"find . -delete":                       {Ask, Ask},
		"find . -exec grep x {} +":             {Run, Run},
		"grep -rl x | xargs rm":                {Ask, Ask},
		"grep -rl x | xargs grep y":            {Run, Run},
		"env GOFLAGS=-x go test":               {Run, Run},
		"env go vet":                           {Ask, Ask},
		"GOFLAGS=-toolexec=/tmp/x go test":     {Ask, Ask},
		"bash -c 'go test'":                    {Ask, Ask},
		"go test; eval \"$X\"":                 {Ask, Ask},
		"$GO test":                             {Ask, Ask},
		"g{o,} test":                           {Ask, Ask},
		"go test '; rm x'":                     {Run, Run},
		"go test \"":                           {Ask, Ask},
		"/usr/local/go/bin/go test":            {Run, Run},
		"truer":                                {Ask, Ask},
		"true x":                               {Ask, Ask},
	} {
		for i, mode := range []Mode{ModeDefault, ModeAcceptEdits} {
			if d := allow.Decide(h.bash(cmd), mode); d.Verdict != want[i] {
				t.Errorf("allow, %s: %q: %s, want %s (%s)", mode, cmd, d.Verdict, want[i], d.Reason)
			}
		}
	}
	deny := h.engine(t, nil, []string{"bash(git push *)"}, []string{"bash(rm *)", "edit(secret/**)", "read(keys/**)"})
	for cmd, want := range map[string]Verdict{
		"bash -c 'ls; rm x'": Refuse, "eval rm x": Refuse, "find . -exec rm {} +": Refuse, "find . -delete": Refuse, "timeout 5 rm x": Refuse, "nice -n 5 rm x": Refuse,
		"f() { rm x; }; f": Refuse, "trap 'rm x' EXIT": Refuse, "cat <(rm x)": Refuse, "xargs -I{} rm {}": Refuse, "sudo -u x env A=1 rm y": Refuse, "rm 'unclosed": Refuse, "$X; rm y": Refuse,
		"echo x > secret/a": Refuse, "echo x >> ./secret/a": Refuse, "cat < keys/a": Refuse, "echo x > keys/a": Run,
		"echo 'a; rm b'": Run, "echo \"rm b\"": Run, "grep rm x": Run, "printf 'rm x' # rm y": Run, "cat <<'E'\nrm x\nE": Run,
		"git push": Ask, "sudo git push -f": Ask, "echo git push": Run,
		"echo x > .git/config": Ask, "echo k > ~/.ssh/authorized_keys": Ask,
	} {
		if d := deny.Decide(h.bash(cmd), ModeAuto); d.Verdict != want {
			t.Errorf("deny: %q: %s, want %s (%s)", cmd, d.Verdict, want, d.Reason)
		}
	}
}

// A fetch is asked for by its host. A rule for all hosts does not open the services of the
// machine itself, and neither does the mode that asks for nothing else.
func TestAFetchIsJudgedByItsHost(t *testing.T) {
	h := newHouse(t)
	fetch := func(host string, local bool) Request {
		return Request{Kind: KindFetch, Tool: "fetch", Root: h.root, Host: host, Local: local}
	}
	e := h.engine(t, []string{"fetch(*.example.com)", "fetch(localhost:8080)"}, []string{"fetch(ask.example.com)"}, []string{"fetch(evil.*)"})
	for _, tt := range []struct {
		req  Request
		want [4]Verdict // default, accept_edits, plan, auto
	}{
		{fetch("go.dev", false), [4]Verdict{Ask, Ask, Refuse, Run}},
		{fetch("docs.example.com", false), [4]Verdict{Run, Run, Refuse, Run}},
		{fetch("docs.example.com:8443", false), [4]Verdict{Run, Run, Refuse, Run}},
		{fetch("ask.example.com", false), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{fetch("evil.test", false), [4]Verdict{Refuse, Refuse, Refuse, Refuse}},
		{fetch("127.0.0.1:6379", true), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{fetch("localhost:8080", true), [4]Verdict{Run, Run, Refuse, Run}},
		{fetch("localhost:8081", true), [4]Verdict{Ask, Ask, Refuse, Ask}},
		{fetch("", false), [4]Verdict{Ask, Ask, Refuse, Run}},
	} {
		for i, mode := range []Mode{ModeDefault, ModeAcceptEdits, ModePlan, ModeAuto} {
			if d := e.Decide(tt.req, mode); d.Verdict != tt.want[i] {
				t.Errorf("%s in %s: %s, want %s (%s)", tt.req.Host, mode, d.Verdict, tt.want[i], d.Reason)
			}
		}
	}
	wide := h.engine(t, []string{"fetch(*)"}, nil, nil)
	if d := wide.Decide(fetch("169.254.169.254", true), ModeAuto); d.Verdict != Ask {
		t.Errorf("the cloud's own address: %s", d.Verdict)
	}
	if err := wide.Grant(fetch("127.0.0.1:80", true), OptionAllowSession); err != nil {
		t.Fatal(err)
	}
	if wide.Decide(fetch("127.0.0.1:80", true), ModeDefault).Verdict != Run || wide.Decide(fetch("127.0.0.1:81", true), ModeDefault).Verdict != Ask {
		t.Error("leave for one host is not leave for that one")
	}
}

// FuzzCommandRules: what a rule allows, the same words as a deny rule refuse; and an ask rule
// for a program holds against an allow rule for another.
func FuzzCommandRules(f *testing.F) {
	for _, cmd := range []string{"go test", "go test; rm x", "sudo rm x", "bash -c 'rm x'", "go test $(rm x) > y", "go test \"$X\"", "find . -exec rm {} +", "r''m x", "go test && { rm x; }"} {
		f.Add(cmd)
	}
	allow, _ := ParseRules([]string{"bash(go test *)"}, nil, nil)
	rm, _ := ParseRules(nil, nil, []string{"bash(rm *)"})
	f.Fuzz(func(t *testing.T, cmd string) {
		_, ok := allowsCommand(allow.Allow, cmd, func(shell.Redirect, bool) bool { return true })
		if ok && rm.Deny[0].forbidsCommand(cmd) {
			t.Errorf("%q is allowed as a test and has rm in it", cmd)
		}
		if ok && !allow.Allow[0].forbidsCommand(cmd) {
			t.Errorf("%q is allowed by a rule that would not deny it", cmd)
		}
	})
}

func TestProtectedFolderInACommand(t *testing.T) {
	for cmd, want := range map[string]bool{
		"cat .codebot/settings.json": true, "cp x .VSCODE/": true, "rm -rf .git": true, `echo x > ".git/hooks/pre-commit"`: true, "tee ~/.codebot/x": true, `c=.co\debot/x`: true,
		"git status": false, "cat .gitignore": false, "ls .github": false, "git clone https://x.test/a.git b": false, "git clone git@x.test:a/b.git": false,
	} {
		if _, got := mentionsProtected(cmd); got != want {
			t.Errorf("%q: %v", cmd, got)
		}
	}
}

func TestGrantsBindToWhatWasAsked(t *testing.T) {
	h := newHouse(t)
	e := h.engine(t, nil, nil, nil)
	grant := func(r Request, o string) {
		t.Helper()
		if err := e.Grant(r, o); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(r Request, want Verdict) {
		t.Helper()
		if d := e.Decide(r, ModeDefault); d.Verdict != want {
			t.Errorf("%s %s%s%v: %s (%s), want %s", r.Tool, r.Command, r.Identity, r.Paths, d.Verdict, d.Reason, want)
		}
	}
	grant(h.bash("make"), OptionAllowSession)
	expect(h.bash("make"), Run)
	expect(h.bash("make install"), Ask)
	grant(h.write("a.go"), OptionAllowSession) // the tool, in this folder
	expect(h.write("b.go"), Run)
	expect(h.write("../x"), Ask)
	expect(h.write(".env"), Ask)
	expect(h.file(KindEdit, "edit", "a.go"), Ask)
	grant(h.read("../x"), OptionAllowSession) // exactly this path
	expect(h.read("../x"), Run)
	expect(h.read("../y"), Ask)
	expect(h.read(filepath.Join(h.home, ".ssh", "id")), Ask)
	grant(h.bash("true"), OptionAllowOnce)
	expect(h.bash("true"), Ask)
	grant(h.bash("rm x"), OptionRejectAlways)
	expect(h.bash("rm x"), Refuse)
	if d := e.Decide(h.bash("rm x"), ModeAuto); d.Verdict != Refuse {
		t.Errorf("rejected for the session, yet %s in auto", d.Verdict)
	}
	grant(h.bash("false"), OptionRejectOnce)
	expect(h.bash("false"), Ask)
	if err := e.Grant(h.bash("x"), "yes"); !errors.Is(err, ErrNoOption) {
		t.Errorf("an unknown answer: %v", err)
	}
	expect(h.bash("x"), Ask)
	anonymous := mcpCall("s", "t")
	anonymous.Identity = ""
	if err := e.Grant(anonymous, OptionAllowAlways); err == nil {
		t.Error("an answer was bound to nothing")
	}
	expect(anonymous, Ask)
}

// MCPoison (CVE-2025-54136) and "rug pull": an answer for a tool is none for what
// its server or its definition became.
func TestChangedToolAsksAgain(t *testing.T) {
	h := newHouse(t)
	e := h.engine(t, nil, nil, nil)
	call := mcpCall("docs", "search")
	if err := e.Grant(call, OptionAllowAlways); err != nil {
		t.Fatal(err)
	}
	call.Identity = "another"
	if d := e.Decide(call, ModeDefault); d.Verdict != Ask || !strings.Contains(d.Reason, "changed") {
		t.Errorf("%+v", d)
	}
}

func TestAlwaysOutlivesTheSession(t *testing.T) {
	h := newHouse(t)
	a, other := h.engine(t, nil, nil, nil), h.engine(t, nil, nil, nil)
	always, session := mcpCall("docs", "search"), mcpCall("docs", "get")
	if d := other.Decide(always, ModeDefault); d.Verdict != Ask {
		t.Fatalf("%+v", d)
	}
	for r, o := range map[*Request]string{&always: OptionAllowAlways, &session: OptionAllowSession} {
		if err := a.Grant(*r, o); err != nil {
			t.Fatal(err)
		}
	}
	// A session that runs beside notices; so does one that starts later.
	for name, e := range map[string]*Engine{"beside": other, "later": h.engine(t, nil, nil, nil)} {
		if d := e.Decide(always, ModeDefault); d.Verdict != Run {
			t.Errorf("%s: always: %+v", name, d)
		}
		if d := e.Decide(session, ModeDefault); d.Verdict != Ask {
			t.Errorf("%s: session: %+v", name, d)
		}
	}
	info, err := os.Stat(filepath.Join(h.configHome, "grants.json"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("grants.json has mode %o", info.Mode().Perm())
	}
}

// Ten editors at once must not tear the file they share: mcphub.nvim#19.
func TestParallelGrantsAreAllKept(t *testing.T) {
	h := newHouse(t)
	const n = 20
	done := make(chan error, n)
	for i := range n {
		e := h.engine(t, nil, nil, nil) // a store of its own, as another process has
		go func() { done <- e.Grant(mcpCall("s", string(rune('a'+i))), OptionAllowAlways) }()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	e := h.engine(t, nil, nil, nil)
	for i := range n {
		if d := e.Decide(mcpCall("s", string(rune('a'+i))), ModeDefault); d.Verdict != Run {
			t.Errorf("grant %d is lost", i)
		}
	}
}

func TestDamagedGrantsGrantNothing(t *testing.T) {
	h := newHouse(t)
	file := filepath.Join(h.configHome, "grants.json")
	if err := os.WriteFile(file, []byte(`{"grants": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	e := h.engine(t, nil, nil, nil)
	call := mcpCall("docs", "search")
	if d := e.Decide(call, ModeDefault); d.Verdict != Ask {
		t.Errorf("%+v", d)
	}
	if err := e.Grant(call, OptionAllowAlways); err == nil || !strings.Contains(err.Error(), "grants.json") {
		t.Errorf("the damaged file is not named: %v", err)
	}
	if data, _ := os.ReadFile(file); string(data) != `{"grants": [` {
		t.Errorf("the damaged file was overwritten: %s", data)
	}
	if d := e.Decide(call, ModeDefault); d.Verdict != Run {
		t.Errorf("the answer does not even hold for the session: %+v", d)
	}
}

func TestDenyRuleHoldsForAPerson(t *testing.T) {
	h := newHouse(t)
	e := h.engine(t, nil, []string{"mcp(*/*)"}, []string{"mcp(github/delete_*)"})
	if r, ok := e.DenyRule(mcpCall("github", "delete_branch")); !ok || r != "mcp(github/delete_*)" {
		t.Errorf("%q, %v", r, ok)
	}
	if r, ok := e.DenyRule(mcpCall("github", "get_branch")); ok {
		t.Errorf("denied by %q", r)
	}
}

func TestRulesAreReadAtEachCall(t *testing.T) {
	h := newHouse(t)
	var rules Rules
	e := NewEngine(EngineOptions{Rules: func() Rules { return rules }, Home: h.home, ConfigHome: h.configHome})
	if d := e.Decide(h.bash("make"), ModeAuto); d.Verdict != Run {
		t.Fatalf("%+v", d)
	}
	rules, _ = ParseRules(nil, nil, []string{"bash(make)"})
	if d := e.Decide(h.bash("make"), ModeAuto); d.Verdict != Refuse {
		t.Errorf("%+v", d)
	}
}

func TestFiveOptions(t *testing.T) {
	kinds := map[string]string{OptionAllowOnce: "allow_once", OptionAllowSession: "allow_always", OptionAllowAlways: "allow_always", OptionRejectOnce: "reject_once", OptionRejectAlways: "reject_always"}
	got := Options(lang.En)
	if len(got) != len(kinds) {
		t.Errorf("%d options", len(got))
	}
	for _, o := range got {
		if o.Kind != kinds[o.ID] || o.Name == "" {
			t.Errorf("%+v", o)
		}
	}
}
