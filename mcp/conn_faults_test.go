package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// The SDK ends a session at the first line of stdout that is no message
// (go-sdk#1209): such lines belong into the server's log.
func TestNoiseOnStdoutIsLoggedAndSkipped(t *testing.T) {
	m := startFaulty(t, "noisy")
	if got := row(t, m, "s"); got.State != StateConnected {
		t.Fatalf("state = %s (%+v), want connected", got.State, got.Error)
	}
	if got := call(t, m, "fail", `{}`); got != "it broke" {
		t.Errorf("a call amid noise answered %q", got)
	}
	log := logText(t, m, LogStdout)
	for _, want := range []string{"Server running on stdio", `{"level":"info"}`, "[]", "null", "DEBUG about to answer", "{broken"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
}

// Servers older than server/discover stay silent on it, exit, or answer nobody
// (go-sdk#1177, rust-sdk#1149): a fresh process with the older handshake works.
func TestServersThatCannotDiscoverConnectByTheOlderHandshake(t *testing.T) {
	for _, fault := range []string{"discover-silent", "discover-exit", "discover-null", "discover-late"} {
		t.Run(fault, func(t *testing.T) {
			m := newTestManager(t)
			entry := faulty(t, fault)
			if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": entry}); errs != nil {
				t.Fatal(errs)
			}
			if got := row(t, m, "s").ProtocolVersion; got != "2025-06-18" {
				t.Errorf("protocol version %q", got)
			}
			if !m.isLegacy("s", entryKey(entry)) {
				t.Error("what the server needs was not remembered")
			}
			if _, err := m.Restart(testContext(t), "s"); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(logText(t, m, LogClient), textOldHandshake); n != 1 {
				t.Errorf("the newer handshake was tried %d times, want once", n)
			}
		})
	}
}

// A server that ends at once is failed in under a second, with its exit code and
// its last words, and is not restarted (claude-code#35287).
func TestServerThatExitsAtOnceFailsWithCodeAndLastWords(t *testing.T) {
	m, servers := newTestManager(t), map[string]ServerConfig{"s": faulty(t, "exit3")}
	begin := time.Now()
	errs := m.StartAll(testContext(t), servers)
	took := time.Since(begin)
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "s: ") {
		t.Fatalf("errors = %v", errs)
	}
	got := row(t, m, "s")
	if got.State != StateFailed || got.Error == nil || got.Error.Code != CodeExited {
		t.Fatalf("row = %+v, error = %+v", got, got.Error)
	}
	if got.Error.ExitCode == nil || *got.Error.ExitCode != 3 || !strings.Contains(got.Error.StderrTail, "no such db") {
		t.Errorf("error = %+v", got.Error)
	}
	if took > time.Second {
		t.Errorf("it took %s", took)
	}
}

// A server that never answers fails in its own time and holds up nobody: the good
// one is usable meanwhile (crush#660).
func TestSilentServerTimesOutAndTheGoodOneWorksMeanwhile(t *testing.T) {
	m := newTestManager(t)
	silent := faulty(t, "silent")
	silent.ConnectTimeoutMs = 1500
	m.Reconfigure(testContext(t), map[string]ServerConfig{"s": faulty(t, "ok"), "silent": silent})
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected })
	if got := row(t, m, "silent").State; got != StateStarting {
		t.Errorf("the silent one is %s while the good one is up", got)
	}
	call(t, m, "pid", `{}`)
	got := awaitStatus(t, m, "silent", func(s ServerStatus) bool { return s.State.Settled() })
	if got.State != StateFailed || got.Error.Code != string(KindTimeout) || got.Error.Message != "connect to silent: timeout after 1.5s" {
		t.Errorf("the silent one is %s, %+v", got.State, got.Error)
	}
}

// A command that is not there names itself and where it was looked for
// (modelcontextprotocol/servers#1332), and the variables the child did not get.
func TestMissingCommandNamesItselfAndThePath(t *testing.T) {
	m := newTestManager(t, func(o *Options) {
		o.Environ = func() []string { return []string{"PATH=/nowhere-a", "SECRET_TOKEN=abcdefgh"} }
	})
	m.StartAll(testContext(t), map[string]ServerConfig{
		"s":   {Command: "no-such-program"},
		"own": {Command: "no-such-program", Env: map[string]string{"PATH": "/nowhere-b"}},
		"cwd": {Command: "no-such-program", Cwd: "/nowhere-c"},
	})
	for name, want := range map[string]string{"s": "PATH=/nowhere-a", "own": "PATH=/nowhere-b", "cwd": "/nowhere-c"} {
		got := row(t, m, name)
		if got.State != StateFailed || got.Error.Code != string(KindStartBlocked) || !strings.Contains(got.Error.Message, want) {
			t.Errorf("%s: %s, %+v", name, got.State, got.Error)
		}
		if strings.Contains(fmt.Sprint(got.Error), "abcdefgh") {
			t.Errorf("%s: the error tells a secret: %+v", name, got.Error)
		}
	}
	if hint := row(t, m, "s").Error.Hint; !strings.Contains(hint, "SECRET_TOKEN") {
		t.Errorf("the hint does not name the variable that was withheld: %s", hint)
	}
}

// One tool that cannot be decoded must not cost the others (msgvault#626).
func TestBadToolsAreDroppedByNameAndTheOthersKept(t *testing.T) {
	m := startFaulty(t, "bad-tools")
	got := row(t, m, "s")
	if got.State != StateConnected || got.ToolCount != 18 {
		t.Fatalf("state %s with %d tools, error %+v", got.State, got.ToolCount, got.Error)
	}
	log := logText(t, m, LogStdout)
	for _, want := range []string{`tool "b" was left out`, "tool 5 was left out", "number 23 of the list"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
}

// A cursor that never ends the list ends at a repeat or a bound, with one copy of
// each tool (codebase-memory-mcp#1247).
func TestEndlessListEndsWithOneCopyOfEachTool(t *testing.T) {
	for fault, note := range map[string]string{
		"cursor-same": "came again", "cursor-alternate": "came again", "cursor-new": "pages",
	} {
		t.Run(fault, func(t *testing.T) {
			m := startFaulty(t, fault)
			if got := row(t, m, "s"); got.State != StateConnected || got.ToolCount != 18 {
				t.Errorf("state %s with %d tools", got.State, got.ToolCount)
			}
			if log := logText(t, m, LogClient); !strings.Contains(log, note) {
				t.Errorf("the log does not say so:\n%s", log)
			}
		})
	}
}

// A list of several pages is read to its end (github/copilot-cli#4006); an empty cursor is
// that end, as older servers mean it, and no page to ask for (MCPJam/inspector#4462).
func TestAListIsReadToItsLastPage(t *testing.T) {
	for fault, lists := range map[string]string{"cursor-two": "2", "cursor-empty": "1"} {
		m := startFaulty(t, fault)
		if got := row(t, m, "s"); got.State != StateConnected || got.ToolCount != 18 {
			t.Errorf("%s: %s with %d tools", fault, got.State, got.ToolCount)
		}
		if got := call(t, m, "lists", `{}`); got != lists {
			t.Errorf("%s: %s requests for it", fault, got)
		}
	}
}

// A storm of announcements costs few lists, and the last change is not lost
// (hermes-agent#115502).
func TestStormOfAnnouncementsListsTwiceAtMost(t *testing.T) {
	m := startFaulty(t, "ok")
	call(t, m, "storm", `{"n":20000}`)
	call(t, m, "add", `{"name":"late"}`)
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 19 })
	// The first list of the connection, two for the burst at most, and one more if
	// the addition came so late that it is a burst of its own.
	if lists := call(t, m, "lists", `{}`); !slices.Contains([]string{"2", "3", "4"}, lists) {
		t.Errorf("%s lists were read", lists)
	}
}

// A server that announces a change on each list does not get us into a loop
// (microsoft/aspire#14494).
func TestServerThatAnnouncesOnEachListIsListedLessAndLess(t *testing.T) {
	m := startFaulty(t, "notify-on-list")
	call(t, m, "add", `{"name":"late"}`)
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 19 })
	if lists := call(t, m, "lists", `{}`); !slices.Contains([]string{"2", "3", "4", "5", "6"}, lists) {
		t.Errorf("%s lists were read by then", lists)
	}
}

// A list that fails keeps what there was, is shown, and is tried again
// (the swallowed error of the seed: tools were gone until the next notice).
func TestFailedListIsShownAndTriedAgain(t *testing.T) {
	m := startFaulty(t, "list-fails=1")
	got := row(t, m, "s")
	if got.State != StateDegraded || got.Error.Code != CodeListFailed || !strings.Contains(got.Error.Message, "tools/list: the list is not ready") {
		t.Fatalf("%s, %+v", got.State, got.Error)
	}
	got = awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected })
	if got.ToolCount != 18 || got.Error != nil {
		t.Errorf("after the retry: %+v", got)
	}
}

// A new tool is offered by the next look, and a tool that is gone says so.
func TestListChangedReachesTheNextLook(t *testing.T) {
	m := startFaulty(t, "ok")
	r := NewReader(m, nil)
	defer r.Close()
	snap, dirty := r.RefreshIfDirty(testContext(t))
	if !dirty || len(snap.Tools) != 18 {
		t.Fatalf("the first look: %t, %d tools", dirty, len(snap.Tools))
	}
	call(t, m, "add", `{"name":"late"}`)
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 19 })
	snap, dirty = r.RefreshIfDirty(testContext(t))
	if !dirty || !slices.Contains(toolNames(snap.Tools), "mcp__s__late") {
		t.Fatalf("the new tool is not offered: %t, %v", dirty, toolNames(snap.Tools))
	}
	late := snap.Tools[len(snap.Tools)-1]
	call(t, m, "remove", `{"name":"late"}`)
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 18 })
	_, err := late.Execute(testContext(t), json.RawMessage(`{}`), func(agent.Progress) {})
	if err == nil || err.Error() != "mcp__s__late is no longer available" {
		t.Errorf("the gone tool says %v", err)
	}
}

// Nobody may have to drain a server's stderr for it to go on, and what is kept of
// it is bounded (kubestellar/console#7960).
func TestFloodOfStderrWithoutLineEndDoesNotBlock(t *testing.T) {
	m := startFaulty(t, "ok")
	for _, n := range []int{256 << 10, 1 << 28} {
		if got := call(t, m, "flood", fmt.Sprintf(`{"n":%d}`, n)); got != "done" {
			t.Errorf("answered %q", got)
		}
	}
	entries, err := m.Logs("s", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if len(e.Text) > maxLogText {
			t.Errorf("a line of %d bytes was kept", len(e.Text))
		}
	}
	if len(entries) > logCapacity {
		t.Errorf("%d lines were kept", len(entries))
	}
}

// An answer above the bound of a line is one failed call; the session goes on
// (crush#3480).
func TestHugeAnswerIsOneFailedCall(t *testing.T) {
	for _, fault := range []string{"ok", "id-first"} {
		t.Run(fault, func(t *testing.T) {
			m := startFaulty(t, fault)
			_, err := m.CallTool(testContext(t), "s", "big", json.RawMessage(`{"n":17825792}`), nil)
			if err == nil || !strings.Contains(err.Error(), "16 MiB") {
				t.Errorf("err = %v", err)
			}
			if got := call(t, m, "big", `{"n":5000000}`); len(got) != 5000000 {
				t.Errorf("the next answer has %d bytes", len(got))
			}
		})
	}
}

// A list above the bound of a line is a failed list, not a lost server.
func TestHugeListIsAFailedList(t *testing.T) {
	m := startFaulty(t, "huge-list")
	if got := row(t, m, "s"); got.State != StateDegraded || got.Error.Code != CodeListFailed || !strings.Contains(got.Error.Message, "16 MiB") {
		t.Errorf("row = %+v, %+v", got, got.Error)
	}
	call(t, m, "pid", `{}`)
}

// Some servers answer 3 as "3" (codex#26956's neighbour): the call must not wait
// for its time-out.
func TestAnswersWithTheIDAsTextArrive(t *testing.T) {
	m := startFaulty(t, "string-ids")
	if got := row(t, m, "s"); got.State != StateConnected {
		t.Fatalf("%s, %+v", got.State, got.Error)
	}
	call(t, m, "pid", `{}`)
}

// A server that dies fails the calls under way at once, with what is known of its
// death, and is shown as one that waits for another try.
func TestCrashFailsTheCallsUnderWayAtOnce(t *testing.T) {
	m := newTestManager(t)
	m.retryBase = time.Hour
	m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, "ok")})
	hanging := make(chan error, 1)
	go func() {
		_, err := m.CallTool(testContext(t), "s", "hang", nil, nil)
		hanging <- err
	}()
	_, err := m.CallTool(testContext(t), "s", "crash", nil, nil)
	for _, err := range []error{err, <-hanging} {
		if err == nil || !strings.Contains(err.Error(), "s exited with code 7") {
			t.Errorf("err = %v", err)
		}
	}
	got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateReconnecting })
	if got.Error.Code != CodeExited || *got.Error.ExitCode != 7 || !strings.Contains(got.Error.StderrTail, "crashed on purpose") || got.ToolCount != 0 {
		t.Errorf("row = %+v, %+v", got, got.Error)
	}
	// They stay on offer, for the model's cache, and say what is wrong when they are called.
	tools := m.Tools(testContext(t))
	if len(tools) != 18 || !got.Kept {
		t.Fatalf("offered meanwhile: %v, kept %v", toolNames(tools), got.Kept)
	}
	if r, err := tools[0].Execute(testContext(t), []byte(`{}`), func(agent.Progress) {}); err == nil && !r.IsError || !strings.Contains(fmt.Sprint(r, err), "exited with code 7") {
		t.Errorf("a call meanwhile: %+v, %v", r, err)
	}
	if got.NextRetryAt.IsZero() || got.Error.Hint == "" {
		t.Errorf("it is not said that and when it is tried again: %+v, %+v", got, got.Error)
	}
	// A person does not wait for that.
	if got, err := m.Start(testContext(t), "s"); err != nil || got.State != StateConnected || !got.NextRetryAt.IsZero() {
		t.Errorf("start: %+v, %v", got, err)
	}
	call(t, m, "pid", `{}`)
}

// A server that crashes comes back by itself, as another process with its tools.
func TestServerThatCrashesComesBack(t *testing.T) {
	m := startFaulty(t, "ok")
	pid := row(t, m, "s").Pid
	if _, err := m.CallTool(testContext(t), "s", "crash", nil, nil); err == nil {
		t.Error("the call was answered")
	}
	got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected && s.Pid != pid })
	if got.ToolCount != 18 || got.Error != nil {
		t.Errorf("row = %+v", got)
	}
	call(t, m, "pid", `{}`)
}

// A server that crashes over and over is given up in the end, with the way out.
func TestServerThatCrashesOverAndOverIsGivenUp(t *testing.T) {
	m := newTestManager(t)
	m.retryBase = time.Millisecond
	m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, "ok")})
	for range triesChild + 1 {
		pid := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected }).Pid
		if _, err := m.CallTool(testContext(t), "s", "crash", nil, nil); err == nil {
			t.Fatal("the call was answered")
		}
		awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.Pid != pid })
	}
	got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateFailed })
	if got.Error.ExitCode == nil || *got.Error.ExitCode != 7 || !strings.Contains(got.Error.Hint, "5 tries") {
		t.Errorf("error = %+v", got.Error)
	}
	if got, err := m.Restart(testContext(t), "s"); err != nil || got.State != StateConnected {
		t.Errorf("restart: %+v, %v", got, err)
	}
}

// A person who gives up a call is free at once, and the server is told once
// (codex#26956).
func TestCancelledCallReachesTheServer(t *testing.T) {
	m := startFaulty(t, "ok")
	ctx, cancel := context.WithCancel(testContext(t))
	_, err := m.CallTool(ctx, "s", "hang", nil, func(string) { cancel() }) // the server has it by then
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	awaitAnswer(t, m, "cancelled", "1")
}

// awaitAnswer asks until the server answers so: what the SDK sends it after a
// cancelled call goes its own way, and may be overtaken.
func awaitAnswer(t *testing.T, m *Manager, tool, want string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for got := ""; got != want; {
		if got = call(t, m, tool, `{}`); time.Now().After(deadline) {
			t.Fatalf("%s answers %q, want %q", tool, got, want)
		}
	}
}

// A call that takes longer than the entry allows ends with its own words; one that
// reports progress may take longer (opencode#24965).
func TestCallTimeout(t *testing.T) {
	m := newTestManager(t)
	cfg := faulty(t, "ok")
	cfg.CallTimeoutMs = 200
	m.StartAll(testContext(t), map[string]ServerConfig{"s": cfg})
	_, err := m.CallTool(testContext(t), "s", "hang", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "call of hang on s: timeout after 200ms") {
		t.Errorf("err = %v", err)
	}
	awaitAnswer(t, m, "cancelled", "1")
}

// A call that reports progress may take longer than the entry allows a silent one, though
// not for ever (opencode#24965, typescript-sdk#2250: without a token nothing is reported).
func TestProgressExtendsTheTimeOfACallUpToACap(t *testing.T) {
	m := newTestManager(t)
	cfg := faulty(t, "ok")
	cfg.CallTimeoutMs = 400
	m.StartAll(testContext(t), map[string]ServerConfig{"s": cfg})
	begin := time.Now()
	if _, err := m.CallTool(testContext(t), "s", "tick", json.RawMessage(`{"n":20}`), nil); err != nil || time.Since(begin) < 2*400*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	begin = time.Now()
	_, err := m.CallTool(testContext(t), "s", "tick", json.RawMessage(`{"n":100000}`), nil)
	if took := time.Since(begin); err == nil || took < hardCap*400*time.Millisecond || took > 3*hardCap*400*time.Millisecond {
		t.Errorf("one without an end took %v: %v", took, err)
	}
}

// Progress arrives in order and before the answer.
func TestProgressArrivesInOrderBeforeTheAnswer(t *testing.T) {
	m := startFaulty(t, "ok")
	var got []string
	_, err := m.CallTool(testContext(t), "s", "progress", json.RawMessage(`{"n":3}`), func(text string) { got = append(got, text) })
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"step 1", "step 2", "step 3"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// What a server sends to its log is in its log, cleaned.
func TestServersOwnLogIsKept(t *testing.T) {
	m := startFaulty(t, "ok")
	call(t, m, "log", `{"text":"hello \u001b[31m there"}`)
	if log := logText(t, m, LogServer); !strings.Contains(log, "faulty: hello  there") {
		t.Errorf("the log is %q", log)
	}
}

// Servers are told the open folders, and that they changed.
func TestRootsFollowTheOpenFolders(t *testing.T) {
	roots := []string{"/a"}
	m := newTestManager(t, func(o *Options) { o.Roots = func() []string { return roots } })
	m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, "ok")})
	if got := call(t, m, "roots", `{}`); !strings.Contains(got, `file:///a"`) {
		t.Errorf("roots = %s", got)
	}
	roots = []string{"/b c"}
	m.RootsChanged()
	// It is told beside the call; at no moment is nothing open.
	for ctx := testContext(t); ; {
		got := call(t, m, "roots", `{}`)
		if strings.Contains(got, `file:///b%20c"`) && !strings.Contains(got, `file:///a"`) {
			return
		}
		if strings.Contains(got, `[]`) || ctx.Err() != nil {
			t.Fatalf("roots = %s", got)
		}
	}
}

// Prompts are counted; a server that declares resources and does not know them has
// none.
func TestPromptsAndResourcesAreCounted(t *testing.T) {
	m := startFaulty(t, "ok")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.PromptCount == 1 && s.ResourceCount == 0 })
}

// Prompts and resources are listed at the pace that tools are: a storm costs few lists, a
// server that announces a change on each list is asked less and less, and a list that fails
// is shown, keeps what there was and is tried again (hermes-agent#115502,
// microsoft/aspire#14494).
func TestPromptsAndResourcesAreListedAtAPace(t *testing.T) {
	few := func(t *testing.T, m *Manager, most int) {
		t.Helper()
		lists, err := strconv.Atoi(call(t, m, "lists", `{"name":"offers"}`))
		if err != nil || lists < 1 || lists > most {
			t.Errorf("%d lists were read, %v", lists, err)
		}
	}
	t.Run("a storm", func(t *testing.T) {
		m := startFaulty(t, "offers")
		awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.PromptCount == 2 })
		for _, name := range []string{"prompts", "resources"} {
			call(t, m, "storm", `{"n":20000,"name":"`+name+`"}`)
		}
		few(t, m, 5)
	})
	t.Run("one on each list", func(t *testing.T) {
		synced := startFaulty(t, "offers,notify-on-offers")
		awaitStatus(t, synced, "s", func(s ServerStatus) bool { return s.PromptCount == 2 })
		// A second of a server that never stops: unpaced, that was a hundred lists.
		for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
			call(t, synced, "pid", `{}`)
		}
		few(t, synced, 5)
	})
	t.Run("one that fails", func(t *testing.T) {
		m := startFaulty(t, "offers,offers-fail=1")
		got := awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateDegraded })
		if got.Error == nil || got.Error.Code != CodeListFailed || !strings.Contains(got.Error.Message, "the prompts are not ready") || got.ToolCount != 20 {
			t.Errorf("row %+v, error %+v", got, got.Error)
		}
		got = awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected })
		if got.PromptCount != 2 || got.ResourceCount != 2 || got.Error != nil {
			t.Errorf("after the retry: %+v, %+v", got, got.Error)
		}
	})
}

// A failed call of a person says so beside the content.
func TestFailureThatTheToolReports(t *testing.T) {
	m := startFaulty(t, "ok")
	res, err := m.CallTool(testContext(t), "s", "fail", nil, nil)
	if err != nil || !res.IsError || textOf(res.Content) != "it broke" {
		t.Errorf("res = %+v, err = %v", res, err)
	}
	_, err = m.CallTool(testContext(t), "s", "nope", nil, nil)
	if err == nil || err.Error() != "MCP error: unknown tool 'nope'" {
		t.Errorf("err = %v", err)
	}
}
