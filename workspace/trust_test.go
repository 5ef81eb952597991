package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// TestMain lets the test binary be one of several processes that approve at once.
func TestMain(m *testing.M) {
	if home := os.Getenv("WORKSPACE_TEST_APPROVE_IN"); home != "" {
		trust := OpenTrust(home)
		for i := range 5 {
			if err := trust.Approve("/folder", fmt.Sprintf("%s-%d", os.Getenv("WORKSPACE_TEST_NAME"), i), "hash", mcp.ServerConfig{}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// An approval is for one version of one entry in one folder (CVE-2025-54136).
func TestApprovalIsForExactlyOneVersion(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	trust := OpenTrust(home)
	check := func(what string, trust *Trust, folder, server, hash string, approved, changed bool) {
		t.Helper()
		if got := trust.Approved(folder, server, hash); got != approved {
			t.Errorf("%s: approved = %v", what, got)
		}
		if got := trust.Changed(folder, server, hash); got != changed {
			t.Errorf("%s: changed = %v", what, got)
		}
	}
	check("nothing approved", trust, "/f", "a", "h1", false, false)
	if err := trust.Approve("/f", "a", "h1", mcp.ServerConfig{}); err != nil {
		t.Fatal(err)
	}
	check("approved", trust, "/f", "a", "h1", true, false)
	check("another version", trust, "/f", "a", "h2", false, true)
	check("another folder", trust, "/g", "a", "h1", false, false)
	check("another name", trust, "/f", "b", "h1", false, false)
	check("no hash", trust, "/f", "b", "", false, false)
	check("after a restart", OpenTrust(home), "/f", "a", "h1", true, false)

	if err := trust.Approve("/f", "a", "h2", mcp.ServerConfig{}); err != nil {
		t.Fatal(err)
	}
	check("the newer version", trust, "/f", "a", "h2", true, false)
	check("back to the older", trust, "/f", "a", "h1", false, true)

	trust.ApproveForSession("/f", "s", "h3", mcp.ServerConfig{})
	check("for the session", trust, "/f", "s", "h3", true, false)
	check("for the session, after a restart", OpenTrust(home), "/f", "s", "h3", false, false)
	if err := trust.Revoke("/f", "s"); err != nil {
		t.Fatal(err)
	}
	check("revoked session", trust, "/f", "s", "h3", false, false)
	if err := trust.Revoke("/f", "a"); err != nil {
		t.Fatal(err)
	}
	check("revoked", OpenTrust(home), "/f", "a", "h2", false, false)
}

func TestTrustFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of unix")
	}
	home := filepath.Join(t.TempDir(), "home")
	path := filepath.Join(home, "trust.json")
	for _, before := range []string{"absent", "readable by all"} {
		if before != "absent" {
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := OpenTrust(home).Approve("/f", "a", before, mcp.ServerConfig{}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", before, info.Mode(), err)
		}
	}
	if info, err := os.Stat(home); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
}

// A file we do not understand approves nothing and is not written over.
func TestBrokenTrustFileIsKept(t *testing.T) {
	for name, text := range map[string]string{
		"torn":  `{"version": 1, "approvals": [{"folder": "/f", "server": "a", "hash": "h"}`,
		"empty": "", "newer": `{"version": 2, "approvals": [{"folder": "/f", "server": "a", "hash": "h"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, "trust.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			trust := OpenTrust(home)
			if trust.Approved("/f", "a", "h") || trust.Problem() == nil {
				t.Errorf("approved by a broken file; problem %v", trust.Problem())
			}
			if err := trust.Approve("/f", "a", "h", mcp.ServerConfig{}); err == nil || !strings.Contains(err.Error(), "trust.json") {
				t.Errorf("Approve = %v, want an error that names the file", err)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != text {
				t.Errorf("the file is now %q, %v", now, err)
			}
		})
	}
}

// Ten editors on one workspace do not tear the file or lose an approval
// (mcphub.nvim#19).
func TestManyProcessesApproveAtOnce(t *testing.T) {
	home := t.TempDir()
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), "WORKSPACE_TEST_APPROVE_IN="+home, fmt.Sprintf("WORKSPACE_TEST_NAME=p%d", i))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", i, err, out)
			}
		})
	}
	wg.Wait()
	trust := OpenTrust(home)
	if err := trust.Problem(); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		for j := range 5 {
			if !trust.Approved("/folder", fmt.Sprintf("p%d-%d", i, j), "hash") {
				t.Errorf("approval %d of process %d is lost", j, i)
			}
		}
	}
}
