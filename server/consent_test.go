package server_test

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// codebot/trust lasts as long as the connection, covers what the folder says now, and
// nothing that comes later (CVE-2025-54135: an agent writes an entry of its own).
func TestTrustInAFolderEndsWithTheSession(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Project(servertest.Servers(servertest.M{"mine": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{})
	e.AwaitState("mine", wire.MCPUntrusted)
	folder := string(uri.File(w.Folder))
	for _, p := range []wire.TrustParams{
		{Folder: folder, Until: "always"}, {Folder: folder}, {Folder: string(uri.File(w.UserHome)), Until: wire.TrustSession},
		{Folder: "https://example.test/", Until: wire.TrustSession}, {Folder: folder + "/sub", Until: wire.TrustSession},
	} {
		_, err := servertest.Try(e, wire.Trust, p)
		if said := invalidParams(t, err); said == "" {
			t.Errorf("%+v: no word why", p)
		}
	}
	if row := e.AwaitState("mine", wire.MCPUntrusted); row.Pid != 0 {
		t.Errorf("it runs: %+v", row)
	}
	servertest.Call(e, wire.Trust, wire.TrustParams{Folder: folder, Until: wire.TrustSession})
	e.AwaitState("mine", wire.MCPConnected)
	w.Project(servertest.Servers(servertest.M{"mine": servertest.Demo("docs"), "later": servertest.Demo("docs")}))
	e.AwaitState("later", wire.MCPUntrusted)
	e.AwaitState("mine", wire.MCPConnected)
	if servertest.IsExist(filepath.Join(w.Home, "trust.json")) {
		t.Error("trust for the session was written down")
	}
	e.Shutdown()
	w.Start(servertest.Config{}).AwaitState("mine", wire.MCPUntrusted)
}

// Asked again, a person sees what is different (CVE-2025-54136); characters that hide
// are written out, and the hash is of what stands in the file all the same.
func TestAskedAgainAPersonSeesWhatChanged(t *testing.T) {
	w := servertest.NewWorld(t)
	entry := faulty(t, "")
	entry["env"] = servertest.M{"NODE_OPTIONS": "--max-old-space-size=64", "API_TOKEN": "literal-one"}
	project := servertest.Servers(servertest.M{"mine": entry})
	w.Project(project)
	e := w.Start(servertest.Config{})
	row := e.AwaitState("mine", wire.MCPUntrusted)
	servertest.Call(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: row.Consent.Hash})
	e.AwaitState("mine", wire.MCPConnected) // the answer may precede the notification

	entry["args"] = []string{"-fault", "", "safe\u202ex"}
	entry["env"] = servertest.M{"NODE_OPTIONS": "--require ./evil.js", "API_TOKEN": "literal-two"}
	w.Project(project)
	e.AwaitState("mine", wire.MCPUntrusted)
	// Also a process that was not there when it was approved knows what it was.
	for _, who := range []*servertest.Editor{e, w.Start(servertest.Config{})} {
		changed := who.AwaitState("mine", wire.MCPUntrusted).Consent
		if !changed.Changed || changed.Argv[3] != `safe\u{202e}x` {
			t.Errorf("consent %+v", changed)
		}
		want := []wire.MCPConsentChange{
			{Field: "args", Before: `["-fault",""]`, After: `["-fault","","safe\u{202e}x"]`},
			{Field: "env.API_TOKEN", Before: "[redacted]", After: "[redacted]"},
			{Field: "env.NODE_OPTIONS", Before: "--max-old-space-size=64", After: "--require ./evil.js"},
		}
		if !slices.Equal(changed.Changes, want) {
			t.Errorf("changes %+v, want %+v", changed.Changes, want)
		}
		row.Consent = changed
	}
	got := servertest.Call(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: row.Consent.Hash}).Server
	if got.State != wire.MCPConnected && got.State != wire.MCPFailed {
		t.Errorf("approved by the hash that was shown: %+v", got)
	}
}

// Consent in one window holds in the other for the same content, and never for
// another; a torn file of approvals approves nothing and says so.
func TestTwoWindowsShareConsentAndNoMore(t *testing.T) {
	w := servertest.NewWorld(t)
	project := servertest.Servers(servertest.M{"mine": servertest.Demo("docs")})
	w.Project(project)
	a, b := w.Start(servertest.Config{}), w.Start(servertest.Config{})
	row := a.AwaitState("mine", wire.MCPUntrusted)
	b.AwaitState("mine", wire.MCPUntrusted)
	servertest.Call(a, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: row.Consent.Hash})
	a.AwaitState("mine", wire.MCPConnected)
	b.AwaitState("mine", wire.MCPConnected)

	other := servertest.Demo("docs")
	other["args"] = []string{"--other"}
	w.Project(servertest.Servers(servertest.M{"mine": other}))
	changed := a.AwaitState("mine", wire.MCPUntrusted)
	b.AwaitState("mine", wire.MCPUntrusted)
	_, err := servertest.Try(b, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: row.Consent.Hash})
	if data := refusal(t, err); data.Kind != wire.KindConsentChanged {
		t.Errorf("the old hash in the other window: %+v", data)
	}
	servertest.Call(b, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: changed.Consent.Hash})
	a.AwaitState("mine", wire.MCPConnected)
	b.AwaitState("mine", wire.MCPConnected)
	servertest.Call(a, wire.MCPRevoke, wire.MCPServerRef{Name: "mine"})
	b.AwaitState("mine", wire.MCPUntrusted)
	servertest.Call(b, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: changed.Consent.Hash})
	a.AwaitState("mine", wire.MCPConnected)
	b.AwaitState("mine", wire.MCPConnected)

	trust := filepath.Join(w.Home, "trust.json")
	servertest.WriteFile(t, trust, contentOf(t, trust)[:40])
	a.AwaitState("mine", wire.MCPUntrusted)
	b.AwaitState("mine", wire.MCPUntrusted)
	a.Await("a word about the torn file", func(s *servertest.State) bool { return len(s.Diagnostics[trust]) == 1 })
	if _, err := servertest.Try(a, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: changed.Consent.Hash}); err == nil || !strings.Contains(err.Error(), trust) {
		t.Errorf("approved into a torn file: %v", err)
	}
}

// One manager a folder, the user's servers once, and a name in both folders is named
// with its folders; a session has the servers of its own folder.
func TestTwoFoldersKeepTheirServersApart(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"deploy": servertest.Demo("deploy")}))
	w.Project(servertest.Servers(servertest.M{"mine": servertest.Demo("docs")}))
	other := filepath.Join(filepath.Dir(w.Folder), "other")
	servertest.WriteFile(t, filepath.Join(other, ".codebot", "settings.json"), w.Text(servertest.Servers(servertest.M{"mine": servertest.M{"command": "does-not-exist-anywhere"}})))
	e := w.Start(servertest.Config{Folders: []string{w.Folder, other}})
	for _, folder := range []string{w.Folder, other} {
		servertest.Call(e, wire.Trust, wire.TrustParams{Folder: string(uri.File(folder)), Until: wire.TrustSession})
	}
	keys := func(folder string) wire.MCPKey { return wire.MCPKey{Name: "mine", Folder: string(uri.File(folder))} }
	e.Await("each folder's own", func(s *servertest.State) bool {
		return s.Rows[keys(w.Folder)].State == wire.MCPConnected && s.Rows[keys(other)].State == wire.MCPFailed && s.Rows[wire.MCPKey{Name: "deploy"}].State == wire.MCPConnected
	})
	for _, m := range []wire.Request[wire.MCPServerRef, wire.MCPServerResult]{wire.MCPStop, wire.MCPDisable, wire.MCPRestart, wire.MCPRevoke} {
		_, err := servertest.Try(e, m, wire.MCPServerRef{Name: "mine"})
		data := refusal(t, err)
		slices.Sort(data.Folders)
		if want := []string{string(uri.File(other)), string(uri.File(w.Folder))}; data.Kind != wire.KindAmbiguousServer || !slices.Equal(data.Folders, want) {
			t.Errorf("%s: %+v, want folders %v", m.Name, data, want)
		}
	}
	tools := func(cwd string) (names []string) {
		session := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Cwd: cwd})
		prompt(e, session.SessionID, "Search the docs for the worktree cleanup policy.")
		for _, call := range e.Calls(session.SessionID) {
			names = append(names, call.Meta.Codebot.Tool)
		}
		return names
	}
	if got := tools(w.Folder); !slices.Contains(got, "mcp__mine__search") {
		t.Errorf("in the folder: %q", got)
	}
	if got := tools(other); slices.Contains(got, "mcp__mine__search") {
		t.Errorf("in the other folder: %q", got)
	}
	folder := string(uri.File(other))
	if got := servertest.Call(e, wire.MCPDisable, wire.MCPServerRef{Name: "mine", Folder: &folder}).Server; got.State != wire.MCPDisabled || got.Folder != folder {
		t.Errorf("disabled in one folder: %+v", got)
	}
	e.Await("the other to run on", func(s *servertest.State) bool { return s.Rows[keys(w.Folder)].State == wire.MCPConnected })
}

// A child used to inherit everything, model keys included (voocel/codebot); it gets
// these names, what its entry names, and nothing else, name by name.
func TestAChildsEnvironmentNameByName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the list is that of Linux, and env is a program of Unix")
	}
	gets := []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "TMPDIR", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
		"SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "DOCKER_HOST", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "all_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
		"npm_config_cache", "NVM_DIR", "VOLTA_HOME", "UV_CACHE_DIR",
	}
	withheld := []string{
		"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "MY_ROUTER_KEY",
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "DATABASE_URL", "KUBECONFIG", "GOOGLE_APPLICATION_CREDENTIALS",
		"LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "NODE_OPTIONS", "PYTHONPATH", "CODEBOT_HOME", "CODEBOT_LOCAL_MODELS", "PATHEXTRA", "XDG", "OTHER",
	}
	w := servertest.NewWorld(t)
	have := map[string]bool{"PATH": true, "HOME": true, "LANG": true, "CODEBOT_HOME": true, "CODEBOT_LOCAL_MODELS": true}
	for _, name := range slices.Concat(gets, withheld, []string{"NAMED", "MINE"}) {
		if name == "LD_PRELOAD" || name == "LD_LIBRARY_PATH" { // nothing a loader would find fault with
			w.Env = append(w.Env, name+"=")
		} else if !have[name] {
			w.Env = append(w.Env, name+"=of the process")
		}
	}
	out := filepath.Join(t.TempDir(), "env")
	w.User(servertest.Servers(servertest.M{"child": servertest.M{
		"command": "sh", "args": []string{"-c", "env >" + out + ".tmp; mv " + out + ".tmp " + out + "; exec cat"},
		"env_from": []string{"NAMED", "NOT_SET"}, "env": servertest.M{"MINE": "${MINE} and mine", "NEW": "1"},
	}}))
	w.Start(servertest.Config{})
	servertest.Poll(t, "the child's environment", func() bool { return servertest.IsExist(out) })
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
		got[name] = value
	}
	for _, shells := range []string{"PWD", "OLDPWD", "SHLVL", "_"} { // the shell's own
		delete(got, shells)
	}
	want := slices.Sorted(slices.Values(append(slices.Clone(gets), "NAMED", "MINE", "NEW", "CODEBOT_RUN")))
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("the child has\n%q\nwant\n%q", names, want)
	}
	if got["MINE"] != "of the process and mine" || got["NAMED"] != "of the process" {
		t.Errorf("MINE=%q NAMED=%q", got["MINE"], got["NAMED"])
	}
}

// Expanded values go to their server alone: rows, logs, errors, diagnostics and what
// else the editor is told hold none, whatever the server does with them.
func TestExpandedValuesGoToTheirServerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell's")
	}
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "PLAIN_NAME=planted-value-1", "MY_TOKEN=planted-value-2")
	script := `echo "stderr $A $B $1" >&2; echo "stdout $A $B $1"; exit 3`
	w.User(servertest.Servers(servertest.M{
		"leaky": servertest.M{"command": "sh", "args": []string{"-c", script, "sh", "${PLAIN_NAME}"}, "env": servertest.M{"A": "${PLAIN_NAME}", "B": "${MY_TOKEN}"}},
		"web":   servertest.M{"url": "http://127.0.0.1:1/${PLAIN_NAME}", "headers": servertest.M{"Authorization": "Bearer ${MY_TOKEN}"}},
		"wrong": servertest.M{"url": "${MY_TOKEN}"},
		"unset": servertest.M{"url": "http://127.0.0.1:1/${NOT_SET_ANYWHERE}", "headers": servertest.M{"X": "${MY_TOKEN}"}},
	}))
	e := w.Start(servertest.Config{})
	for _, name := range []string{"leaky", "web", "wrong", "unset"} {
		row := e.AwaitState(name, wire.MCPFailed, wire.MCPReconnecting)
		if row.Error == nil || row.Error.Message == "" {
			t.Errorf("%s: no word why", name)
		}
		servertest.Call(e, wire.MCPLogs, wire.MCPLogsParams{Name: name})
	}
	if row := e.AwaitState("leaky", wire.MCPFailed, wire.MCPReconnecting); !strings.Contains(row.Error.StderrTail, "[redacted]") {
		t.Errorf("the server's words are %+v", row.Error)
	}
	servertest.Call(e, wire.MCPStatus, wire.Empty{})
	servertest.Call(e, wire.Status, wire.Empty{})
	for _, line := range e.MessageLog() {
		if strings.Contains(line, "planted-value") {
			t.Errorf("the editor was told: %s", line)
		}
	}
}
