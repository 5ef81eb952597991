package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Saving an unchanged file restarts nothing, though its entries hold variables
// (Kilo-Org/kilocode#5817); nor does another place in the file.
func TestSameEntriesAgainTouchNothing(t *testing.T) {
	t.Setenv("FLAG", "ok")
	m := newTestManager(t)
	cfg := faulty(t, "${FLAG}")
	m.StartAll(testContext(t), map[string]ServerConfig{"s": cfg})
	pid := row(t, m, "s").Pid
	m.RefreshIfDirty(testContext(t))
	for i := range 5 {
		cfg.Origin.Line = i
		out := m.Reconfigure(testContext(t), map[string]ServerConfig{"s": cfg})
		if !slices.Equal(out.Kept, []string{"s"}) || out.Changed() {
			t.Fatalf("outcome = %+v", out)
		}
	}
	if got := row(t, m, "s"); got.State != StateConnected || got.Pid != pid {
		t.Errorf("row = %+v, the pid was %d", got, pid)
	}
	if _, dirty := m.RefreshIfDirty(testContext(t)); dirty {
		t.Error("nothing changed, yet it is dirty")
	}
}

// An edit reaches the server it is about, failed or not, and no other: a call under
// way at another one is not cut (opencode#37421).
func TestEditRestartsOnlyTheServerItIsAbout(t *testing.T) {
	m := newTestManager(t)
	servers := map[string]ServerConfig{"s": faulty(t, "ok"), "bad": faulty(t, "exit3")}
	m.StartAll(testContext(t), servers)
	pid := row(t, m, "s").Pid
	ctx, cancel := context.WithCancel(testContext(t))
	hanging := make(chan error, 1)
	go func() {
		_, err := m.CallTool(ctx, "s", "hang", nil, nil)
		hanging <- err
	}()
	servers = maps.Clone(servers)
	servers["bad"] = faulty(t, "noisy")
	out := m.Reconfigure(testContext(t), servers)
	if !slices.Equal(out.Restarted, []string{"bad"}) || !slices.Equal(out.Kept, []string{"s"}) {
		t.Errorf("outcome = %+v", out)
	}
	awaitStatus(t, m, "bad", func(s ServerStatus) bool { return s.State == StateConnected })
	if got := row(t, m, "s").Pid; got != pid {
		t.Errorf("the other server was restarted: pid %d, was %d", got, pid)
	}
	cancel()
	if err := <-hanging; !errors.Is(err, context.Canceled) {
		t.Errorf("the call at the other server ended with %v", err)
	}
}

// Many saves while servers start leave one process a server (copilot-cli#4392).
func TestManySavesDuringTheStartLeaveOneProcess(t *testing.T) {
	m := newTestManager(t)
	for i := range 10 {
		m.Reconfigure(testContext(t), map[string]ServerConfig{"s": faulty(t, fmt.Sprintf("slow=%d", i+1))})
	}
	if err := m.Settle(testContext(t)); err != nil {
		t.Fatal(err)
	}
	got := row(t, m, "s")
	if got.State != StateConnected {
		t.Fatalf("%+v, %+v", got, got.Error)
	}
	// Each connection begins when the one before it is done, so only one is left.
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.tails["s"]; c != m.entries["s"].conn || c.prev == nil {
		t.Error("the connection is not the last of a chain")
	}
}

// Time-outs and trust apply to what runs; nothing is restarted.
func TestTimeoutsAndTrustApplyWithoutRestart(t *testing.T) {
	m := newTestManager(t)
	cfg := faulty(t, "ok")
	m.StartAll(testContext(t), map[string]ServerConfig{"s": cfg})
	pid := row(t, m, "s").Pid
	cfg.CallTimeoutMs, cfg.TrustAnnotations = 150, true
	if out := m.Reconfigure(testContext(t), map[string]ServerConfig{"s": cfg}); !slices.Equal(out.Updated, []string{"s"}) {
		t.Errorf("outcome = %+v", out)
	}
	if _, err := m.CallTool(testContext(t), "s", "hang", nil, nil); err == nil || !strings.Contains(err.Error(), "timeout after 150ms") {
		t.Errorf("err = %v", err)
	}
	if got := row(t, m, "s").Pid; got != pid {
		t.Errorf("pid %d, was %d", got, pid)
	}
}

// Entries that must not run are rows that never read a variable: a project's before
// approval, disabled ones and wrong ones. Approval starts a server by itself.
func TestUntrustedDisabledAndWrongEntriesNeverExpand(t *testing.T) {
	var mu sync.Mutex
	var read []string
	m := newTestManager(t, func(o *Options) {
		o.Scope, o.Folder = ScopeProject, o.Cwd
		o.LookupEnv = func(name string) (string, bool) {
			mu.Lock()
			defer mu.Unlock()
			read = append(read, name)
			return "ok", true
		}
	})
	project := Origin{Scope: ScopeProject, File: "/p/.codebot/settings.json"}
	untrusted := faulty(t, "${SECRET}")
	untrusted.Origin = project
	disabled := untrusted
	disabled.Disabled, disabled.Origin.Approved = true, true
	wrong := untrusted
	wrong.URL, wrong.Origin.Approved = "http://x.test", true
	named := untrusted
	named.Origin.Problem, named.Origin.Approved = "args: not a list", true
	servers := map[string]ServerConfig{"s": untrusted, "disabled": disabled, "wrong": wrong, "named": named}
	errs := m.StartAll(testContext(t), servers)
	if len(errs) != 2 {
		t.Errorf("errors = %v", errs)
	}
	for name, want := range map[string]State{"s": StateUntrusted, "disabled": StateDisabled, "wrong": StateFailed, "named": StateFailed} {
		if got := row(t, m, name); got.State != want {
			t.Errorf("%s is %s, want %s", name, got.State, want)
		}
	}
	for _, name := range []string{"wrong", "named"} {
		if got := row(t, m, name).Error; got == nil || got.Code != string(KindConfigInvalid) {
			t.Errorf("%s: error = %+v", name, got)
		}
	}
	if c := row(t, m, "s").Consent; c == nil || c.Hash != untrusted.ConsentHash(m.opts.Folder) || !slices.Contains(c.Variables, "SECRET") {
		t.Errorf("consent = %+v", c)
	}
	for name, kind := range map[string]ActionKind{
		"s": KindUntrusted, "disabled": KindStartBlocked, "wrong": KindConfigInvalid, "none": KindUnknownServer,
	} {
		_, err := m.Start(testContext(t), name)
		if action, ok := errors.AsType[*ActionError](err); !ok || action.Kind != kind || action.Name != name || action.Hint == "" {
			t.Errorf("start of %s: %#v", name, err)
		}
	}
	mu.Lock()
	if len(read) > 0 {
		t.Errorf("read %v before consent", read)
	}
	mu.Unlock()

	untrusted.Origin.Approved = true
	servers["s"] = untrusted
	out := m.Reconfigure(testContext(t), servers)
	if !slices.Equal(out.Started, []string{"s"}) {
		t.Errorf("outcome = %+v", out)
	}
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected && s.Consent == nil })
	untrusted.Origin.Approved = false
	servers["s"] = untrusted
	if out := m.Reconfigure(testContext(t), servers); !slices.Equal(out.Stopped, []string{"s"}) {
		t.Errorf("outcome = %+v", out)
	}
	if got := row(t, m, "s").State; got != StateUntrusted {
		t.Errorf("after the approval was taken back it is %s", got)
	}
}

// An unset variable is the failure of its server alone, by name, and nothing was
// started (claude-code#6204).
func TestUnsetVariableFailsItsServerAlone(t *testing.T) {
	m := newTestManager(t)
	bad := faulty(t, "ok")
	bad.Env = map[string]string{"TOKEN": "Bearer ${NOPE_NOT_SET}"}
	errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, "ok"), "bad": bad})
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "bad: ") || !strings.Contains(errs[0].Error(), "NOPE_NOT_SET is not set") {
		t.Errorf("errors = %v", errs)
	}
	if got := row(t, m, "bad"); got.Error.Code != string(KindConfigInvalid) || got.Pid != 0 {
		t.Errorf("row = %+v, %+v", got, got.Error)
	}
}

// A person's stop holds until a start or another entry; both answer with the row.
func TestStopHoldsUntilStart(t *testing.T) {
	m := newTestManager(t)
	servers := map[string]ServerConfig{"s": faulty(t, "ok")}
	m.StartAll(testContext(t), servers)
	pid := row(t, m, "s").Pid
	got, err := m.Stop(testContext(t), "s")
	if err != nil || got.State != StateStopped || got.ToolCount != 0 {
		t.Fatalf("stop: %+v, %v", got, err)
	}
	if out := m.Reconfigure(testContext(t), servers); !slices.Equal(out.Kept, []string{"s"}) {
		t.Errorf("outcome = %+v", out)
	}
	if got := row(t, m, "s").State; got != StateStopped {
		t.Errorf("the same entry again made it %s", got)
	}
	_, err = m.CallTool(testContext(t), "s", "pid", nil, nil)
	if action, ok := errors.AsType[*ActionError](err); !ok || action.Kind != KindStartBlocked {
		t.Errorf("a call of a stopped server: %v", err)
	}
	if got, err = m.Start(testContext(t), "s"); err != nil || got.State != StateConnected || got.Pid == pid {
		t.Errorf("start: %+v, %v", got, err)
	}
	before := got.Pid
	if got, err = m.Restart(testContext(t), "s"); err != nil || got.State != StateConnected || got.Pid == before {
		t.Errorf("restart: %+v, %v", got, err)
	}
	if again, err := m.Start(testContext(t), "s"); err != nil || again.Pid != got.Pid {
		t.Errorf("start of one that runs: %+v, %v", again, err)
	}
}

// Whoever gives up waiting for a start does not undo it.
func TestGivingUpAStartDoesNotUndoIt(t *testing.T) {
	m := newTestManager(t)
	m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, "slow=100")})
	if _, err := m.Stop(testContext(t), "s"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(testContext(t))
	cancel()
	if _, err := m.Start(ctx, "s"); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.State == StateConnected })
}

// A failed server that is stopped is stopped, and one that ends while it is being
// stopped does not stay in stopping.
func TestStopOfAFailedServer(t *testing.T) {
	m := startFaulty(t, "exit3")
	if got, err := m.Stop(testContext(t), "s"); err != nil || got.State != StateStopped || got.Error != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := m.Stop(testContext(t), "s"); err != nil || got.State != StateStopped {
		t.Errorf("again: %+v, %v", got, err)
	}
}

// Close during a start leaves nothing, ends in time and may be repeated; nothing
// starts afterwards.
func TestCloseDuringAStart(t *testing.T) {
	m := newTestManager(t)
	m.Reconfigure(testContext(t), map[string]ServerConfig{"s": faulty(t, "silent"), "t": faulty(t, "slow=60000")})
	for range 2 {
		if err := m.Close(testContext(t)); err != nil {
			t.Fatal(err)
		}
	}
	if out := m.Reconfigure(testContext(t), map[string]ServerConfig{"s": faulty(t, "ok")}); out.Changed() {
		t.Errorf("after Close: %+v", out)
	}
	if rows, _ := m.Status(); len(rows) != 0 {
		t.Errorf("rows = %+v", rows)
	}
}

// An empty set is legal, stops all and is news to sessions; so is a nil one.
func TestEmptySetStopsAllAndIsNews(t *testing.T) {
	m := startFaulty(t, "ok")
	m.RefreshIfDirty(testContext(t))
	if out := m.Reconfigure(testContext(t), nil); !slices.Equal(out.Stopped, []string{"s"}) {
		t.Errorf("outcome = %+v", out)
	}
	tools, dirty := m.RefreshIfDirty(testContext(t))
	if !dirty || len(tools) != 0 {
		t.Errorf("dirty = %t, tools = %v", dirty, toolNames(tools))
	}
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{}); errs != nil {
		t.Error(errs)
	}
}

// Servers of our own run without a process, and a name that is none says so.
func TestInProcessServer(t *testing.T) {
	m := newTestManager(t, func(o *Options) {
		o.InProcess = map[string]func() *sdk.Server{"greeter": func() *sdk.Server {
			s := sdk.NewServer(&sdk.Implementation{Name: "greeter", Version: "1"}, &sdk.ServerOptions{Instructions: "Greet."})
			sdk.AddTool(s, &sdk.Tool{Name: "greet"}, func(_ context.Context, req *sdk.CallToolRequest, in struct{ Name string }) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "hello " + in.Name}}}, nil, nil
			})
			return s
		}}
	})
	errs := m.StartAll(testContext(t), map[string]ServerConfig{
		"s": {Type: TransportInProcess, Command: "greeter"}, "t": {Type: TransportInProcess, Command: "nobody"},
	})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), `no built-in server named "nobody"`) {
		t.Errorf("errors = %v", errs)
	}
	if got := call(t, m, "greet", `{"Name":"you"}`); got != "hello you" {
		t.Errorf("answered %q", got)
	}
	if got := m.Instructions(); !slices.Equal(got, []string{"## s\nGreet."}) {
		t.Errorf("instructions = %q", got)
	}
	if got := row(t, m, "s"); got.Transport != TransportInProcess || got.Pid != 0 || got.ToolCount != 1 || got.ToolTokens == 0 {
		t.Errorf("row = %+v", got)
	}
	if got, err := m.Stop(testContext(t), "s"); err != nil || got.State != StateStopped {
		t.Errorf("stop: %+v, %v", got, err)
	}
}

// A server of the newest protocol (server/discover, subscriptions/listen) that gets a
// tool is listed again, though it lets its lists be cached for long.
func TestNewestProtocolServerIsListedAgainOnChange(t *testing.T) {
	server := sdk.NewServer(&sdk.Implementation{Name: "modern", Version: "1"}, nil)
	add := func(name string) {
		sdk.AddTool(server, &sdk.Tool{Name: name}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{}, nil, nil
		})
	}
	add("one")
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*sdk.ListToolsResult); ok {
				list.TTLMs = 3_600_000
			}
			return res, err
		}
	})
	m := newTestManager(t, func(o *Options) {
		o.InProcess = map[string]func() *sdk.Server{"modern": func() *sdk.Server { return server }}
	})
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": {Type: TransportInProcess, Command: "modern"}}); errs != nil {
		t.Fatal(errs)
	}
	if got := row(t, m, "s"); got.ProtocolVersion <= legacyVersion {
		t.Errorf("protocol version %s", got.ProtocolVersion)
	}
	add("two")
	awaitStatus(t, m, "s", func(s ServerStatus) bool { return s.ToolCount == 2 })
}

// Secrets that an attempt read are in no log, status or error.
func TestSecretsStayOutOfLogsAndStatus(t *testing.T) {
	t.Setenv("MY_TOKEN", "s3cr3t-value")
	m := newTestManager(t)
	cfg := ServerConfig{
		Command: "/bin/sh", Args: []string{"-c", `echo "stdout $T"; echo "bad token $T" >&2; exit 4`},
		Env: map[string]string{"T": "${MY_TOKEN}"},
	}
	m.StartAll(testContext(t), map[string]ServerConfig{"s": cfg})
	got := row(t, m, "s")
	if !strings.Contains(got.Error.StderrTail, "bad token [redacted]") {
		t.Errorf("tail = %q", got.Error.StderrTail)
	}
	entries, err := m.Logs("s", 0)
	if err != nil {
		t.Fatal(err)
	}
	all, err := json.Marshal([]any{got, entries})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(all), "s3cr3t-value") {
		t.Errorf("the secret is told: %s", all)
	}
	if !strings.Contains(string(all), "stdout [redacted]") {
		t.Errorf("the line of stdout is not in the log: %s", all)
	}
}

// Changes are announced outside of locks: a callback may ask the manager.
func TestCallbacksMayAskTheManager(t *testing.T) {
	var m *Manager
	revisions := make(chan uint64, 1000)
	logs := make(chan int, 1000)
	m = newTestManager(t, func(o *Options) {
		o.OnChange = func() {
			_, revision := m.Status()
			revisions <- revision
		}
		o.OnLog = func(name string, entries []LogEntry) {
			all, err := m.Logs(name, 0)
			if err == nil {
				logs <- len(all)
			}
		}
	})
	m.StartAll(testContext(t), map[string]ServerConfig{"s": faulty(t, "noisy")})
	if len(revisions) == 0 || len(logs) == 0 {
		t.Errorf("%d changes and %d logs were announced", len(revisions), len(logs))
	}
	_, now := m.Status()
	if err := m.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	close(revisions)
	var last uint64
	for r := range revisions {
		last = max(last, r)
	}
	if last < now {
		t.Errorf("the last change that was announced is %d, the manager was at %d", last, now)
	}
}
