package server_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/codebot-ls/codebot-ls/mcp/mcptest"
	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

func mcptestPath(t *testing.T) string { return mcptest.Build(t) }

// Repository settings ran commands before the trust question (CVE-2025-59536), and
// an approval outlived a change of what was approved (CVE-2025-54136).
func TestAClonedProjectStartsNothingBeforeApproval(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell's")
	}
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "SECRET_TOKEN=hush")
	touched := filepath.Join(w.Folder, "PWNED")
	entry := faulty(t, "")
	entry["env"] = servertest.M{"T": "${SECRET_TOKEN}"}
	project := servertest.Servers(servertest.M{
		"evil": servertest.M{"command": "sh", "args": []string{"-c", "touch " + touched + "; exec cat"}},
		"mine": entry,
	})
	w.Project(project)
	e := w.Start(servertest.Config{})
	evil := e.AwaitState("evil", wire.MCPUntrusted)
	mine := e.AwaitState("mine", wire.MCPUntrusted)
	if evil.Consent == nil || len(evil.Consent.Argv) != 3 || evil.Consent.Argv[0] != "sh" {
		t.Errorf("consent %+v", evil.Consent)
	}
	if c := mine.Consent; c == nil || len(c.Variables) != 1 || c.Variables[0] != "SECRET_TOKEN" || len(c.EnvNames) != 1 || c.Changed {
		t.Errorf("consent %+v", mine.Consent)
	}
	// No way around: start, restart, a person's call, the agent.
	for _, m := range []wire.Request[wire.MCPServerRef, wire.MCPServerResult]{wire.MCPStart, wire.MCPRestart} {
		_, err := servertest.Try(e, m, wire.MCPServerRef{Name: "evil"})
		if data := refusal(t, err); data.Kind != wire.KindUntrusted {
			t.Errorf("%s: %+v", m.Name, data)
		}
	}
	_, err := servertest.Try(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: evil.Consent.Hash})
	if data := refusal(t, err); data.Kind != wire.KindConsentChanged {
		t.Errorf("approve with another hash: %+v", data)
	}

	row := servertest.Call(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Folder: &mine.Folder, Hash: mine.Consent.Hash}).Server
	if row.State != wire.MCPConnected || row.Consent != nil {
		t.Fatalf("after approval: %+v", row)
	}
	pid := row.Pid
	e.AwaitState("mine", wire.MCPConnected)

	// A change of what acts asks again; the process of before is gone.
	entry["args"] = []string{"-fault", "noisy"}
	w.Project(project)
	changed := e.AwaitState("mine", wire.MCPUntrusted)
	if changed.Consent == nil || !changed.Consent.Changed || changed.Consent.Hash == mine.Consent.Hash {
		t.Errorf("consent after the change: %+v", changed.Consent)
	}
	servertest.Poll(t, "the process of the old entry to be gone", func() bool { return !servertest.Alive(pid) })
	_, err = servertest.Try(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: mine.Consent.Hash})
	if data := refusal(t, err); data.Kind != wire.KindConsentChanged {
		t.Errorf("approve with the old hash: %+v", data)
	}
	row = servertest.Call(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: changed.Consent.Hash}).Server
	if row.State != wire.MCPConnected {
		t.Fatalf("after the second approval: %+v", row)
	}
	e.AwaitState("mine", wire.MCPConnected)
	row = servertest.Call(e, wire.MCPRevoke, wire.MCPServerRef{Name: "mine"}).Server
	if row.State != wire.MCPUntrusted {
		t.Errorf("after revoke: %+v", row)
	}
	if servertest.IsExist(touched) {
		t.Error("the unapproved command ran")
	}
	if info, err := os.Stat(filepath.Join(w.Home, "trust.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("trust.json: %v %v", info, err)
	}
}

// An approval is for the process that comes after, too; one of another folder is not.
func TestAnApprovalIsKeptForTheFolder(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Project(servertest.Servers(servertest.M{"mine": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{})
	row := e.AwaitState("mine", wire.MCPUntrusted)
	servertest.Call(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: row.Consent.Hash})
	e.Shutdown()

	other := filepath.Join(filepath.Dir(w.Folder), "other")
	servertest.WriteFile(t, filepath.Join(other, ".codebot", "settings.json"), w.Text(servertest.Servers(servertest.M{"mine": servertest.Demo("docs")})))
	e = w.Start(servertest.Config{Folders: []string{w.Folder, other}})
	e.Await("the approved one to run and the copy not", func(s *servertest.State) bool {
		var states []wire.MCPState
		for key, r := range s.Rows {
			if key.Name == "mine" {
				if (r.State == wire.MCPConnected) != (r.Folder == row.Folder) {
					return false
				}
				states = append(states, r.State)
			}
		}
		return len(states) == 2
	})
	_, err := servertest.Try(e, wire.MCPStop, wire.MCPServerRef{Name: "mine"})
	if data := refusal(t, err); data.Kind != wire.KindAmbiguousServer || len(data.Folders) != 2 {
		t.Errorf("stop without a folder: %+v", data)
	}
	if got := servertest.Call(e, wire.MCPStop, wire.MCPServerRef{Name: "mine", Folder: &row.Folder}).Server; got.State != wire.MCPStopped {
		t.Errorf("stop with the folder: %+v", got)
	}
}

// A project entry that waits for approval does not displace the user's of that name.
func TestAnUnapprovedEntryDoesNotDisplaceTheUsers(t *testing.T) {
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	w.Project(servertest.Servers(servertest.M{"docs": servertest.M{"command": "does-not-exist"}}))
	e := w.Start(servertest.Config{})
	e.Await("both rows", func(s *servertest.State) bool {
		var user, project wire.MCPServer
		for key, r := range s.Rows {
			if key.Folder == "" {
				user = r
			} else {
				project = r
			}
		}
		return user.State == wire.MCPConnected && project.State == wire.MCPUntrusted && project.Shadows == user.Source
	})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	prompt(e, id, "Search the docs for the worktree cleanup policy.")
	if calls := e.Calls(id); len(calls) != 1 || calls[0].Status != wire.ToolCompleted {
		t.Errorf("calls %+v", calls)
	}
	empty := ""
	if got := servertest.Call(e, wire.MCPStop, wire.MCPServerRef{Name: "docs", Folder: &empty}).Server; got.Scope != wire.MCPUser {
		t.Errorf("an empty folder named %+v", got)
	}
}
