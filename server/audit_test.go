package server_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// Afterwards a person can see what ran, what did not, and who said so: a line a decision,
// readable by them alone, without the secrets that are known.
func TestEveryDecisionIsNoted(t *testing.T) {
	d := modeltest.New(t, modeltest.OpenAI,
		modeltest.Use("c1", "read", `{"path":"a.txt"}`), modeltest.Use("c2", "bash", `{"command":"echo hush-hush-hush"}`),
		modeltest.Use("c3", "mcp__docs__search", `{"query":"x"}`), modeltest.Use("c4", "bash", `{"command":"rm -rf x"}`), modeltest.Say("done"))
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "SOME_TOKEN=hush-hush-hush")
	docs := servertest.Demo("docs")
	delete(docs, "trust_annotations")
	w.User(with(d, servertest.M{"mcp_servers": servertest.M{"docs": docs}, "permissions": servertest.M{"deny": []string{"bash(rm *)"}}}))
	w.Write("a.txt", "x\n")
	e, _ := w.Spawn(servertest.Config{Permit: func(_ context.Context, p wire.RequestPermissionParams) string {
		if p.ToolCall.Meta.Codebot.Tool == "bash" {
			return "reject_once"
		}
		return "allow_session"
	}})
	e.AwaitState("docs", wire.MCPConnected)
	prompt(e, servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID, "go")
	path := filepath.Join(w.Home, "audit.jsonl")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "hush-hush") {
		t.Errorf("a secret is in it: %s", raw)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	want := []string{"c1 read run true", "c2 bash ask reject_once false", "c3 mcp__docs__search docs/search ask allow_session true", "c4 bash refuse false"}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for i, line := range lines {
		var l struct {
			Time, Session, Call, Tool, Server, Verdict, Answer, Mode string
			ServerTool                                               string `json:"server_tool"`
			Allowed                                                  bool
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got := l.Call + " " + l.Tool
		if l.Server != "" {
			got += " " + l.Server + "/" + l.ServerTool
		}
		got += " " + l.Verdict
		if l.Answer != "" {
			got += " " + l.Answer
		}
		if l.Allowed {
			got += " true"
		} else {
			got += " false"
		}
		if i >= len(want) || got != want[i] || l.Time == "" || l.Session == "" || l.Mode != "default" {
			t.Errorf("line %d is %s (%s)", i, got, line)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d lines, want %d", len(lines), len(want))
	}
}
