package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// An approved entry that changed asks again, and a hash that is not that of the
// entry as it is now approves nothing (CVE-2025-54136).
func TestChangedEntryAsksAgain(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a", "b")) })
	origin := func(s Snapshot, name string) mcp.Origin { return s.ProjectServers(b.folder)[name].Origin }
	hash := origin(b.ws.Snapshot(), "a").ConsentHash
	b.must(b.ws.Approve(b.folder, "a", hash))
	if s := b.next("approved"); !origin(s, "a").Approved || origin(s, "b").Approved {
		t.Errorf("got %+v", s.ProjectServers(b.folder))
	}
	b.write(b.projectFile(), strings.Replace(servers("a", "b"), `["a"]`, `["a", "--evil"]`, 1))
	s := b.next("changed")
	if o := origin(s, "a"); o.Approved || !o.Changed || o.ConsentHash == hash {
		t.Errorf("the changed entry: %+v", o)
	}
	if err := b.ws.Approve(b.folder, "a", hash); !errors.Is(err, ErrConsentChanged) {
		t.Errorf("the old hash: %v", err)
	}
	if err := b.ws.Approve(b.folder, "z", hash); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("an unknown server: %v", err)
	}
	if err := b.ws.Approve(b.home, "a", hash); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("an unknown folder: %v", err)
	}
	// The file was rewritten after the person looked and before we did.
	stale := origin(s, "a").ConsentHash
	b.write(b.projectFile(), strings.Replace(servers("a", "b"), `["a"]`, `["a", "--worse"]`, 1))
	if err := b.ws.Approve(b.folder, "a", stale); !errors.Is(err, ErrConsentChanged) {
		t.Errorf("a hash that is stale on disk: %v", err)
	}
	b.await("rewritten", func(s Snapshot) bool { return slices.Contains(s.ProjectServers(b.folder)["a"].Args, "--worse") })
}

// While a person edits the file, it is bad at times: what is in force then, and was
// shown, can be approved.
func TestApproveWhileTheFileIsBad(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	b.write(b.projectFile(), servers("a")+"}")
	b.await("bad", func(s Snapshot) bool { return s.Folders[0].Project.Bad })
	b.must(b.ws.Approve(b.folder, "a", b.ws.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash))
	if s := b.next("approved"); !s.ProjectServers(b.folder)["a"].Origin.Approved {
		t.Error("not approved")
	}
}

// Time-outs and the switch are not what a person consented to.
func TestHarmlessChangeKeepsApproval(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	b.must(b.ws.Approve(b.folder, "a", b.ws.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash))
	b.next("approved")
	b.write(b.projectFile(), `{"mcp_servers": {"a": {"disabled": true, "args": ["a"], "call_timeout_ms": 9, "command": "srv"}}}`)
	if e := b.next("changed").ProjectServers(b.folder)["a"]; !e.Origin.Approved || !e.Disabled {
		t.Errorf("got %+v", e)
	}
}

// Two windows: what is approved in one holds in the other, for the same content
// only.
func TestApprovalInAnotherWindow(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a", "b")) })
	other := New(Options{Home: b.home, UserHome: filepath.Dir(b.home), Folders: []string{b.folder}})
	defer other.Close()
	b.must(other.Approve(b.folder, "a", other.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash))
	s := b.next("approved elsewhere")
	if e := s.ProjectServers(b.folder); !e["a"].Origin.Approved || e["b"].Origin.Approved {
		t.Errorf("got %+v", e)
	}
	b.must(other.Revoke(b.folder, "a"))
	if s := b.next("revoked elsewhere"); s.ProjectServers(b.folder)["a"].Origin.Approved {
		t.Error("still approved")
	}
}

// To trust a folder for the session is to trust what it has now: an entry that an
// agent writes later does not start by itself (CVE-2025-54135).
func TestSessionTrustIsForWhatIsThere(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	b.must(b.ws.TrustFolderForSession(b.folder))
	if s := b.next("trusted"); !s.ProjectServers(b.folder)["a"].Origin.Approved {
		t.Error("not trusted")
	}
	b.write(b.projectFile(), servers("a", "evil"))
	if e := b.next("grown").ProjectServers(b.folder); !e["a"].Origin.Approved || e["evil"].Origin.Approved {
		t.Errorf("got %+v", e)
	}
	if _, err := os.Stat(filepath.Join(b.home, trustName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("trust for the session was kept on disk: %v", err)
	}
	if err := b.ws.TrustFolderForSession(b.home); err == nil {
		t.Error("a folder that is not open was trusted")
	}
}

func TestBrokenTrustFileIsToldOf(t *testing.T) {
	b := newBench(t, func(b *bench) { b.mkdir(b.home) })
	b.write(filepath.Join(b.home, trustName), "{")
	s := b.next("broken")
	if d := s.Diagnostics(); len(d) != 1 || d[0].File != filepath.Join(b.home, trustName) || !strings.Contains(d[0].Message, "approvals") {
		t.Errorf("diagnostics %v", d)
	}
}

// Ten editors on one workspace all see what is approved in one of them.
func TestTenWindows(t *testing.T) {
	b := newBench(t, func(b *bench) { b.write(b.projectFile(), servers("a")) })
	approved := make(chan int, 100)
	for i := range 10 {
		ws := New(Options{Home: b.home, UserHome: filepath.Dir(b.home), Folders: []string{b.folder}, OnChange: func(s Snapshot) {
			if s.ProjectServers(b.folder)["a"].Origin.Approved {
				approved <- i
			}
		}})
		t.Cleanup(ws.Close)
		ws.Snapshot()
	}
	b.must(b.ws.Approve(b.folder, "a", b.ws.Snapshot().ProjectServers(b.folder)["a"].Origin.ConsentHash))
	seen := make(map[int]bool)
	for len(seen) < 10 {
		select {
		case i := <-approved:
			seen[i] = true
		case <-time.After(10 * time.Second):
			t.Fatalf("only %v saw it", seen)
		}
	}
}
