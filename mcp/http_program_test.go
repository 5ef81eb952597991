package mcp

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp/mcptest"
)

// faultyHTTP runs the misbehaving server as a program of its own, over real HTTP, and
// returns an entry for it.
func faultyHTTP(t *testing.T, fault string) ServerConfig {
	t.Helper()
	cmd := exec.Command(mcptest.Build(t), "-http", "-fault", fault)
	in, err := cmd.StdinPipe() // its end is the program's
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return ServerConfig{URL: strings.TrimSpace(address), TrustAnnotations: true}
}

// seenBy asks the program what it saw.
func seenBy(t *testing.T, m *Manager) (inits, streams, calls, requests int) {
	t.Helper()
	if _, err := fmt.Sscan(call(t, m, "counts", `{}`), &inits, &streams, &calls, &requests); err != nil {
		t.Fatal(err)
	}
	return inits, streams, calls, requests
}

// A server that was restarted has forgotten the session: it is renewed once, what only
// reads is called once more, and one that forgets again and again ends the call, not in a
// circle (go-sdk#715, typescript-sdk#1708).
func TestAProgramThatForgetsItsSessionIsComeBackTo(t *testing.T) {
	m := newTestManager(t)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": faultyHTTP(t, "forget")}); errs != nil {
		t.Fatal(errs)
	}
	if got := call(t, m, "look", `{}`); got != "seen" {
		t.Errorf("answered %q", got)
	}
	if inits, _, calls, _ := seenBy(t, m); inits != 2 || calls != 2 {
		t.Errorf("%d handshakes, %d calls", inits, calls)
	}

	m = newTestManager(t)
	if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": faultyHTTP(t, "forget-always")}); errs != nil {
		t.Fatal(errs)
	}
	if _, err := m.CallTool(testContext(t), "s", "look", nil, nil); err == nil || !strings.Contains(err.Error(), "not carried out") {
		t.Errorf("a call that is always forgotten ends with %v", err)
	}
}

// Whatever becomes of the standing event stream, connecting is quick, calls work, and the
// stream is not asked for in a circle (go-sdk#633, go-sdk#1175, typescript-sdk#1635).
func TestAProgramsEventStreamHoldsNothingUp(t *testing.T) {
	for _, fault := range []string{"get-hangs", "get-closes", "get-pings", "get-status=404", "get-status=406", "get-status=500"} {
		t.Run(fault, func(t *testing.T) {
			m := newTestManager(t)
			begin := time.Now()
			if errs := m.StartAll(testContext(t), map[string]ServerConfig{"s": faultyHTTP(t, fault)}); errs != nil {
				t.Fatal(errs)
			}
			took := time.Since(begin)
			if took > 15*time.Second { // alone it takes less than five
				t.Errorf("connecting took %v", took)
			}
			t.Logf("connected after %v", took)
			for until := time.Now().Add(time.Second); time.Now().Before(until); {
				if got := call(t, m, "look", `{}`); got != "seen" {
					t.Fatalf("answered %q", got)
				}
			}
			if inits, streams, _, _ := seenBy(t, m); inits != 1 || streams > 5 {
				t.Errorf("%d handshakes, %d streams", inits, streams)
			}
		})
	}
}

// A login that is wanted is a state of its own, with the server's reason, and costs a few
// requests and no more; a token of the entry's own is named as what was refused
// (gemini-cli#6639, qwen-code#7022). A web page is told for one (go-sdk#142).
func TestAProgramThatAnswersOtherwiseIsUnderstood(t *testing.T) {
	own := faultyHTTP(t, "login-challenge")
	own.Headers = map[string]string{"Authorization": "Bearer old"}
	for name, tt := range map[string]struct {
		entry ServerConfig
		state State
		want  string
	}{
		"login":           {faultyHTTP(t, "login"), StateNeedsAuth, "wants a login"},
		"login-challenge": {faultyHTTP(t, "login-challenge"), StateNeedsAuth, "it has ended"},
		"token":           {own, StateNeedsAuth, "refused"},
		"page":            {faultyHTTP(t, "page"), StateFailed, "web page"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestManager(t)
			begin := time.Now()
			m.StartAll(testContext(t), map[string]ServerConfig{"s": tt.entry})
			got := row(t, m, "s")
			if got.State != tt.state || got.Error == nil || !strings.Contains(got.Error.Message, tt.want) || got.Error.Hint == "" {
				t.Errorf("%s: %+v", got.State, got.Error)
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("that took %v", took)
			}
		})
	}
}
