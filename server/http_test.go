package server_test

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// everythingOverHTTP is npm's server-everything over streamable HTTP, at one address
// for all its lives.
type everythingOverHTTP struct {
	t            *testing.T
	node, script string
	address      string
	cmd          *exec.Cmd
}

func newEverythingOverHTTP(t *testing.T) *everythingOverHTTP {
	t.Helper()
	entry := servertest.NPM(t, "@modelcontextprotocol/server-everything/dist/index.js")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &everythingOverHTTP{t: t, node: entry["command"].(string), script: entry["args"].([]string)[0], address: l.Addr().String()}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

// start runs the server until it listens.
func (s *everythingOverHTTP) start() {
	s.t.Helper()
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd = exec.Command(s.node, s.script, "streamableHttp")
	s.cmd.Env = append(os.Environ(), "PORT="+port)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	servertest.Poll(s.t, "server-everything to listen", func() bool {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
}

// kill ends it as a crash would.
func (s *everythingOverHTTP) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// A server over HTTP that is killed and started again under a running session comes
// back by itself, with its tools, for the person and for the agent (go-sdk#715,
// claude-code#55970).
func TestTheFieldsOwnServersComeBackOverHTTP(t *testing.T) {
	s := newEverythingOverHTTP(t)
	s.start()
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"everything": servertest.M{"url": "http://" + s.address + "/mcp"}}))
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	row := e.AwaitState("everything", wire.MCPConnected, wire.MCPFailed)
	if row.State != wire.MCPConnected || row.Transport != wire.MCPHTTP || row.ToolCount < 5 || row.ProtocolVersion == "" {
		t.Fatalf("row %+v %+v", row, row.Error)
	}
	tools := row.ToolCount
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	agentCalls := 0
	works := func(when string) {
		t.Helper()
		res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "everything", Tool: "echo", Arguments: []byte(`{"message":"hi there"}`)})
		if res.IsError || len(res.Content) != 1 || !strings.Contains(*res.Content[0].Text, "hi there") {
			t.Errorf("%s: echo answered %+v", when, res)
		}
		prompt(e, id, `Use the everything server to echo "hello agent"`)
		calls := e.Calls(id)
		if len(calls) != agentCalls+1 {
			t.Fatalf("%s: the agent's calls: %+v", when, calls)
		}
		agentCalls++
		if last := calls[len(calls)-1]; last.Meta.Codebot.Server != "everything" || last.Status != wire.ToolCompleted || !strings.Contains(servertest.CallText(last), "hello agent") {
			t.Errorf("%s: the agent's call: %+v", when, last)
		}
	}
	works("at first")

	s.kill()
	row = e.AwaitState("everything", wire.MCPReconnecting)
	if row.Error == nil || row.Error.Message == "" || row.Error.Hint == "" || row.ToolCount != 0 {
		t.Errorf("while it is away: %+v %+v", row, row.Error)
	}
	e.Await("the time of the next try", func(state *servertest.State) bool {
		row, _ := state.Row("everything")
		return row.NextRetryAt != "" || row.State == wire.MCPConnected
	})
	s.start()
	row = e.AwaitState("everything", wire.MCPConnected, wire.MCPFailed)
	if row.State != wire.MCPConnected || row.ToolCount != tools || row.Error != nil || row.NextRetryAt != "" {
		t.Fatalf("once it is back: %+v %+v", row, row.Error)
	}
	works("once it is back")

	// Restarted so quickly that only the session is lost, which nobody was told of: a
	// call either works or says that it was not carried out, and soon it works.
	s.kill()
	s.start()
	servertest.Poll(t, "a call to work after the quick restart", func() bool {
		_, err := servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "everything", Tool: "echo", Arguments: []byte(`{"message":"hi"}`)})
		return err == nil
	})
	e.AwaitState("everything", wire.MCPConnected)
	works("after the quick restart")
}
