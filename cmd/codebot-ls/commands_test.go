package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// place is a home and a folder of a person that nobody else uses, and the program.
type place struct {
	t                 *testing.T
	binary, home, dir string
	locale            string // LC_ALL
}

// newPlace makes a place whose settings are text; $BIN in it is the program.
func newPlace(t *testing.T, binary, text string) *place {
	t.Helper()
	p := &place{t: t, binary: binary, home: t.TempDir(), dir: filepath.Join(t.TempDir(), "shop"), locale: "C"}
	p.write(filepath.Join(p.home, ".codebot", "settings.json"), text)
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) write(file, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	// A JSON string holds a Windows path with its backslashes doubled.
	binary := strings.ReplaceAll(p.binary, `\`, `\\`)
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "$BIN", binary)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// run runs the program and returns its exit code and what it printed.
func (p *place) run(stdin string, args ...string) (code int, out, errOut string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME="+p.home, "USERPROFILE="+p.home, "CODEBOT_HOME=", "LC_ALL="+p.locale)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = 5 * time.Second
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

func buildProgram(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "codebot-ls")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return name
}

const docsEntry = `"docs": {"command": "$BIN", "args": ["mcp", "demo", "docs"]}`

func TestSubcommands(t *testing.T) {
	binary := buildProgram(t)

	t.Run("mcp list has one line a server and the sum", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {`+docsEntry+`,
			"off": {"command": "x", "disabled": true},
			"gone": {"command": "$BIN", "args": ["mcp", "demo", "nothing"]}}}`)
		code, out, _ := p.run("", "mcp", "list")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != 0 || len(lines) != 4 || lines[0] != "docs  2 tools" || lines[2] != "off  disabled" ||
			!strings.HasPrefix(lines[1], "gone  ") || lines[3] != "Total: 1 connected, 1 failed, 2 tools" {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})

	t.Run("mcp list starts nothing of a project that was not approved", func(t *testing.T) {
		p := newPlace(t, binary, `{}`)
		p.write(filepath.Join(p.dir, ".codebot", "settings.json"), `{"mcp_servers": {`+docsEntry+`}}`)
		code, out, _ := p.run("", "mcp", "list")
		if code != 0 || !strings.Contains(out, "docs  a project's entry that is not approved") || !strings.Contains(out, "Total: 0 connected") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})

	t.Run("mcp test shows the tools", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {`+docsEntry+`}}`)
		code, out, _ := p.run("", "mcp", "test", "docs")
		if code != 0 || !strings.Contains(out, "state     connected") || !strings.Contains(out, "search  Search documentation. (readOnly)") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	})

	t.Run("mcp test shows why a server ended", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {"gone": {"command": "$BIN", "args": ["mcp", "demo", "nothing"]}}}`)
		code, out, errOut := p.run("", "mcp", "test", "gone")
		if code != 1 || !strings.Contains(out, "exit code 1") || !strings.Contains(out, "unknown demo server") || !strings.Contains(errOut, "server gone is failed") {
			t.Errorf("exit code %d:\n%s%s", code, out, errOut)
		}
	})

	t.Run("mcp test of an unknown name lists the known", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {`+docsEntry+`}}`)
		if code, _, errOut := p.run("", "mcp", "test", "dogs"); code != 1 || !strings.Contains(errOut, `no server "dogs"; there are docs`) {
			t.Errorf("exit code %d:\n%s", code, errOut)
		}
	})

	t.Run("mcp call prints what the tool answered", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {`+docsEntry+`}}`)
		code, out, errOut := p.run("", "mcp", "call", "docs", "search", `{"query": "x"}`)
		if code != 0 || out != "[docs] Found 3 results for 'x'\n" {
			t.Errorf("exit code %d:\n%s%s", code, out, errOut)
		}
	})

	t.Run("mcp call says why a server cannot be called", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {"d": {"command": "no-such-program-here"}}}`)
		code, _, errOut := p.run("", "mcp", "call", "d", "search")
		if code != 1 || !strings.Contains(errOut, `cannot be called now: command "no-such-program-here" was not found`) ||
			!strings.Contains(errOut, ": install the command") {
			t.Errorf("exit code %d:\n%s", code, errOut)
		}
	})

	t.Run("mcp call says that the settings it looked in are broken", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": `)
		code, _, errOut := p.run("", "mcp", "call", "docs", "search")
		if code != 1 || !strings.Contains(errOut, `no MCP server named`) || !strings.Contains(errOut, filepath.Join(".codebot", "settings.json")+":1:17: not valid JSON") {
			t.Errorf("exit code %d:\n%s", code, errOut)
		}
	})

	t.Run("a failure to start is said once", func(t *testing.T) {
		p := newPlace(t, binary, `{}`)
		p.home = ""
		for _, args := range [][]string{{"mcp", "call", "d", "search"}, {"chat", "hello"}} {
			code, out, errOut := p.run("", args...)
			if all := out + errOut; code != 1 || !strings.Contains(all, "is not set") || strings.Count(all, "\n") != 1 {
				t.Errorf("%v: exit code %d:\n%s", args, code, all)
			}
		}
	})

	t.Run("settings that are bad as a whole are said and fail", func(t *testing.T) {
		for _, test := range []struct{ locale, text, want string }{
			{"C", `{"mcp_servers": `, ":1:17: not valid JSON: parsing value: unexpected EOF\n"},
			{"C", ``, ":1:1: the settings file is empty: write {} to have no settings\n"},
			{"C", `[]`, ":1:1: the settings must be an object: { ... }\n"},
			{"zh_CN.UTF-8", `{"mcp_servers": `, ":1:17: 不是有效的 JSON："},
			{"zh_CN.UTF-8", ``, ":1:1: 设置文件为空：如果不需要任何设置，请写入 {}\n"},
		} {
			p := newPlace(t, binary, test.text)
			p.locale = test.locale
			for _, args := range [][]string{{"mcp", "list"}, {"mcp", "test", "docs"}} {
				code, _, errOut := p.run("", args...)
				if code != 1 || !strings.Contains(errOut, test.want) || strings.Contains(errOut, "last good") || strings.Contains(errOut, "上次有效") {
					t.Errorf("%v with %q: exit code %d, not %q:\n%s", args, test.text, code, test.want, errOut)
				}
			}
		}
		p := newPlace(t, binary, `{"mcp_servers": {`+docsEntry+`}, "nonsense": 1, "model": 2}`)
		if code, _, errOut := p.run("", "mcp", "list"); code != 0 || !strings.Contains(errOut, "nonsense") {
			t.Errorf("a wrong part fails the whole: exit code %d:\n%s", code, errOut)
		}
	})

	t.Run("chat says where the settings are broken", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": `)
		_, out, _ := p.run("", "chat", "hello")
		if !strings.Contains(out, filepath.Join(".codebot", "settings.json")+":1:17: not valid JSON") || strings.Contains(out, "no MCP server is configured") {
			t.Errorf("the screen:\n%s", out)
		}
	})

	t.Run("flags of chat may follow the prompt", func(t *testing.T) {
		p := newPlace(t, binary, `{}`)
		_, out, errOut := p.run("", "chat", "Deploy the current project", "--demo", "and report the result.", "--yes")
		if !strings.Contains(out, "> Deploy the current project and report the result.\n") || !strings.Contains(out, "[deploy] Triggered") {
			t.Errorf("the screen:\n%s%s", out, errOut)
		}
		if _, out, _ := p.run("", "chat", "--no-wait", "--", "say", "--demo"); !strings.Contains(out, "> say --demo\n") {
			t.Errorf("after --, yet:\n%s", out)
		}
		if code, out, errOut := p.run("", "chat", "hello", "--nope"); code != 2 || !strings.Contains(errOut, "-nope") {
			t.Errorf("exit code %d:\n%s%s", code, out, errOut)
		}
	})

	t.Run("mcp call keeps to the deny rules", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {`+docsEntry+`}, "permissions": {"deny": ["mcp(docs/search)"]}}`)
		code, out, errOut := p.run("", "mcp", "call", "docs", "search", `{"query": "x"}`)
		if code == 0 || strings.Contains(out, "Found") {
			t.Errorf("a denied tool was called: exit code %d:\n%s%s", code, out, errOut)
		}
		if code, out, errOut := p.run("", "mcp", "call", "docs", "get_version"); code != 0 || !strings.Contains(out, "v2.1.0") {
			t.Errorf("another tool was not: exit code %d:\n%s%s", code, out, errOut)
		}
	})

	t.Run("mcp call wants an object", func(t *testing.T) {
		p := newPlace(t, binary, `{}`)
		if code, _, errOut := p.run("", "mcp", "call", "docs", "search", `"x"`); code != 2 || !strings.Contains(errOut, "one JSON object") {
			t.Errorf("exit code %d:\n%s", code, errOut)
		}
	})

	t.Run("chat --demo searches unasked and does not deploy without a person", func(t *testing.T) {
		p := newPlace(t, binary, `{}`)
		code, out, errOut := p.run("Search the docs for the worktree cleanup policy.\nDeploy the current project and report the result.\n",
			"chat", "--demo")
		if code != 0 {
			t.Errorf("exit code %d: %s", code, errOut)
		}
		for _, want := range []string{
			"Total: 2 connected, 0 failed, 4 tools", "[docs] Found 3 results", `* mcp__deploy__trigger {"service":"shop"}`,
			"answer: reject_once (nobody to ask; --yes allows)",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("the screen lacks %q:\n%s", want, out)
			}
		}
		if strings.Contains(out, "[deploy] Triggered") {
			t.Errorf("it deployed:\n%s", out)
		}
	})

	t.Run("chat --trust-workspace runs a project's servers this once", func(t *testing.T) {
		p := newPlace(t, binary, `{}`)
		p.write(filepath.Join(p.dir, ".codebot", "settings.json"), `{"mcp_servers": {`+docsEntry+`}}`)
		if _, out, _ := p.run("", "chat", "--trust-workspace", "--yes", "Search the docs for hooks."); !strings.Contains(out, "[docs] Found 3 results") {
			t.Errorf("trusted, yet:\n%s", out)
		}
		if _, out, _ := p.run("", "chat", "--yes", "Search the docs for hooks."); !strings.Contains(out, "untrusted") || strings.Contains(out, "Found 3 results") {
			t.Errorf("the trust outlived its run:\n%s", out)
		}
	})

	t.Run("a Chinese terminal is spoken to in Chinese", func(t *testing.T) {
		p := newPlace(t, binary, `{"mcp_servers": {`+docsEntry+`, "gone": {"command": "no-such-program-here"}}}`)
		p.locale = "zh_CN.UTF-8"
		for _, test := range []struct {
			stdin string
			args  []string
			want  []string
		}{
			{"", []string{"mcp", "list"}, []string{"docs  2 个工具\n", `找不到命令 "no-such-program-here"`, "合计：已连接 1 个，失败 1 个，工具 2 个\n"}},
			{"", []string{"mcp", "test", "docs"}, []string{"状态      已连接\n", "工具      search  Search documentation. (readOnly)\n"}},
			{"", []string{"mcp", "test", "dogs"}, []string{`没有服务器 "dogs"；已有的服务器：docs`}},
			{"", []string{"mcp"}, []string{"用法：codebot-ls mcp list"}},
			{"", []string{"chat", "--nope"}, []string{"在当前文件夹中处理 PROMPT", "-demo"}},
			{"部署当前项目，并告诉我结果。\n", []string{"chat", "--demo"}, []string{"合计：已连接 2 个", "没有人可以询问；--yes 表示允许", "已被拒绝"}},
			{"", []string{"frob"}, []string{`没有命令 "frob"`}},
		} {
			_, out, errOut := p.run(test.stdin, test.args...)
			for _, want := range test.want {
				if !strings.Contains(out+errOut, want) {
					t.Errorf("%v lacks %q:\n%s%s", test.args, want, out, errOut)
				}
			}
		}
	})

	t.Run("wrong usage is code 2", func(t *testing.T) {
		p := newPlace(t, binary, `{}`)
		for _, args := range [][]string{{"mcp"}, {"mcp", "lists"}, {"mcp", "test"}, {"chat", "--nope"}} {
			if code, _, errOut := p.run("", args...); code != 2 || errOut == "" {
				t.Errorf("%v: exit code %d, %q", args, code, errOut)
			}
		}
	})
}
