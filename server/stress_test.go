package server_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/workspace"
)

const (
	stressEditors = 10
	stressRounds  = 20
	stressEdits   = 50 // of one round
	// converge is how long after the last edit a process may show something else than
	// the files say.
	converge = 2 * time.Second
)

// stress is one workspace under random edits, and the processes that have it open.
type stress struct {
	t       *testing.T
	w       *servertest.World
	random  *rand.Rand
	user    string
	project string
	editors []*servertest.Editor
	// ours are the edits that a process did, approvals the entries all approved at once.
	ours, approvals int
}

// settings makes the text of a settings file with random entries, none of which starts
// a process: a thousand edits of what runs would measure the system's fork.
func (s *stress) settings(scope string, round int) string {
	servers := servertest.M{fmt.Sprintf("%s-%d", scope, round): servertest.M{"command": "never", "disabled": true}}
	for range s.random.IntN(6) {
		entry := servertest.M{"command": "never", "args": []string{fmt.Sprint(s.random.IntN(100))}}
		if scope == "user" || s.random.IntN(2) == 0 {
			entry["disabled"] = true
		}
		servers[fmt.Sprintf("%s%c", scope, 'a'+rune(s.random.IntN(12)))] = entry
	}
	if scope == "user" {
		servers["docs"] = servertest.Demo("docs")
	}
	return "// " + fmt.Sprint(s.random.Int()) + "\n" + s.w.Text(servertest.Servers(servers))
}

// edit does one random edit of one of the files, by one of the ways they are edited.
func (s *stress) edit(round int) {
	path, scope := s.user, "user"
	if s.random.IntN(2) == 0 {
		path, scope = s.project, "project"
	}
	switch text := s.settings(scope, round); s.random.IntN(10) {
	case 0: // half a file, then the whole
		s.write(path, text[:len(text)/2])
		s.write(path, text)
	case 1: // gone for a moment, with its directory where that is the project's
		if scope == "project" {
			_ = os.RemoveAll(filepath.Dir(path))
		} else {
			_ = os.Remove(path)
		}
		s.write(path, text)
	case 2: // vim's backup
		_ = os.Rename(path, path+"~")
		s.write(path, text)
		_ = os.Remove(path + "~")
	case 3, 4, 5: // the save of most editors
		s.write(path+".tmp", text)
		if err := os.Rename(path+".tmp", path); err != nil {
			s.t.Fatal(err)
		}
	case 6: // one of the processes
		s.ourEdit()
	case 7: // a touch
		now := time.Now()
		_ = os.Chtimes(path, now, now)
	default:
		s.write(path, text)
	}
}

func (s *stress) write(path, text string) { servertest.WriteFile(s.t, path, text) }

// ourEdit lets a random process edit or approve something. That the file has changed
// since it was read is a right answer here, as is that a server is gone.
func (s *stress) ourEdit() {
	e := s.editors[s.random.IntN(len(s.editors))]
	rows := servertest.Call(e, wire.MCPStatus, wire.Empty{}).Servers
	if len(rows) == 0 {
		return
	}
	row := rows[s.random.IntN(len(rows))]
	if row.Name == "docs" {
		return
	}
	ref := wire.MCPServerRef{Name: row.Name, Folder: &row.Folder}
	var err error
	switch {
	case row.Consent != nil && s.random.IntN(3) > 0:
		_, err = servertest.Try(e, wire.MCPApprove, wire.MCPApproveParams{Name: row.Name, Folder: &row.Folder, Hash: row.Consent.Hash})
	case row.Folder != "" && row.State != wire.MCPDisabled:
		_, err = servertest.Try(e, wire.MCPRevoke, ref)
	case row.State == wire.MCPDisabled && s.random.IntN(2) == 0:
		_, err = servertest.Try(e, wire.MCPRemove, ref)
	default:
		_, err = servertest.Try(e, wire.MCPDisable, ref)
	}
	if err != nil {
		refusal(s.t, err) // any other error fails the test
		return
	}
	s.ours++
}

// approveByAll lets all processes approve the same entry at once, where there is one.
func (s *stress) approveByAll() {
	var row *wire.MCPServer
	for _, r := range servertest.Call(s.editors[0], wire.MCPStatus, wire.Empty{}).Servers {
		if r.Consent != nil {
			row = &r
		}
	}
	if row == nil {
		return
	}
	var wg sync.WaitGroup
	for i, e := range s.editors {
		wg.Go(func() {
			_, err := servertest.Try(e, wire.MCPApprove, wire.MCPApproveParams{Name: row.Name, Folder: &row.Folder, Hash: row.Consent.Hash})
			if err != nil {
				s.t.Errorf("process %d could not approve %s: %v", i, row.Name, err)
			}
		})
	}
	wg.Wait()
	s.approvals++
}

// want is what the files say: the state of each row where that does not depend on an
// approval, else "".
func (s *stress) want() map[wire.MCPKey]wire.MCPState {
	out := map[wire.MCPKey]wire.MCPState{}
	for path, scope := range map[string]mcp.Scope{s.user: mcp.ScopeUser, s.project: mcp.ScopeProject} {
		folder := ""
		if scope == mcp.ScopeProject {
			folder = string(uri.File(s.w.Folder))
		}
		settings, _, ok := workspace.ParseSettings(path, scope, []byte(contentOf(s.t, path)), lang.En)
		if !ok {
			s.t.Fatalf("%s is bad at the end of a round:\n%s", path, contentOf(s.t, path))
		}
		for name, entry := range settings.MCPServers {
			state := wire.MCPState("")
			switch {
			case entry.Disabled:
				state = wire.MCPDisabled
			case name == "docs":
				state = wire.MCPConnected
			}
			out[wire.MCPKey{Name: name, Folder: folder}] = state
		}
	}
	return out
}

// converged waits until each process shows what the files say, and fails when one
// takes longer than converge.
func (s *stress) converged(round int) (slowest time.Duration) {
	want := s.want()
	last := time.Now()
	took := make([]time.Duration, len(s.editors))
	var wg sync.WaitGroup
	for i, e := range s.editors {
		wg.Go(func() {
			e.Await(fmt.Sprintf("process %d to show the files of round %d", i, round), func(st *servertest.State) bool {
				if len(st.Rows) != len(want) || st.Gaps > 0 {
					return false
				}
				for key, state := range want {
					if row, ok := st.Rows[key]; !ok || state != "" && row.State != state {
						return false
					}
				}
				return true
			})
			took[i] = time.Since(last)
		})
	}
	wg.Wait()
	for i, d := range took {
		if d > converge {
			s.t.Errorf("round %d: process %d converged after %v", round, i, d)
		}
		slowest = max(slowest, d)
	}
	return slowest
}

// Ten editors on one workspace fought for one lock and tore the file of approvals
// (mcphub.nvim#19); edits were seen once and then never (fsnotify#17, #372, #663).
func TestTenProcessesConvergeUnderAThousandEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("ten processes and a thousand edits")
	}
	s := &stress{t: t, w: servertest.NewWorld(t), random: rand.New(rand.NewPCG(1, 2))}
	s.user = s.w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	s.project = filepath.Join(s.w.Folder, ".codebot", "settings.json")
	s.write(s.project, s.settings("project", 0))
	var processes []*servertest.Process
	for range stressEditors {
		e, p := s.w.Spawn(servertest.Config{})
		s.editors = append(s.editors, e)
		processes = append(processes, p)
	}
	s.converged(0)
	children := map[int]bool{}
	for _, e := range s.editors {
		children[e.AwaitState("docs", wire.MCPConnected).Pid] = true
	}
	if len(children) != stressEditors {
		t.Fatalf("%d processes have %d children", stressEditors, len(children))
	}

	slowest := time.Duration(0)
	for round := range stressRounds {
		for range stressEdits {
			s.edit(round)
		}
		// The last word is an outside editor's, so that all have something to see.
		s.write(s.user, s.settings("user", round))
		s.write(s.project, s.settings("project", round))
		slowest = max(slowest, s.converged(round))
		// Now that all have read the same, edits of a process are no longer too late.
		s.ourEdit()
		s.approveByAll()
		slowest = max(slowest, s.converged(round))
	}
	t.Logf("%d edits, %d of them by a process, %d approvals by all; the slowest process took %v to show them", stressRounds*stressEdits, s.ours, s.approvals, slowest)
	// A machine that pauses makes many of them too late, and then they are refused.
	if s.ours < stressRounds/5 || s.approvals < stressRounds/5 {
		t.Errorf("only %d edits were done by a process, and %d approvals by all", s.ours, s.approvals)
	}

	var trust struct {
		Version   int              `json:"version"`
		Approvals []map[string]any `json:"approvals"`
	}
	if raw, err := os.ReadFile(filepath.Join(s.w.Home, "trust.json")); err != nil || json.Unmarshal(raw, &trust) != nil || trust.Version != 1 {
		t.Errorf("trust.json is torn: %v\n%s", err, raw)
	}
	for _, pattern := range []string{filepath.Join(s.w.Home, "*.tmp*"), filepath.Join(s.w.Home, ".*.tmp"), filepath.Join(filepath.Dir(s.project), ".*.tmp")} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}

	var left []int
	for _, p := range processes {
		left = append(left, processIDs(t, p.Pid())...)
	}
	for _, e := range s.editors {
		left = append(left, e.AwaitState("docs", wire.MCPConnected).Pid)
	}
	for i, e := range s.editors {
		e.Shutdown()
		if code := processes[i].Wait(t); code != 0 {
			t.Errorf("process %d ended with %d", i, code)
		}
	}
	for _, pid := range left {
		servertest.Poll(t, fmt.Sprintf("child %d to be gone", pid), func() bool { return !servertest.Alive(pid) })
	}
}
