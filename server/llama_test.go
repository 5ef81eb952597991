package server_test

import (
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// From the editor to a real llama-server and back: it is found on this machine, chosen
// because there is nothing else, streams a turn with the tools of a real MCP server
// offered, and says how large its window is. What it says else is nonsense.
func TestARealLlamaServerAnswersTheEditor(t *testing.T) {
	base := modeltest.Llama(t, 32768)
	w := servertest.NewWorld(t)
	w.Env = append(w.Env, "CODEBOT_LOCAL_MODELS="+base)
	w.User(servertest.M{
		"model_info":  servertest.M{"local/*": servertest.M{"max_tokens": 24}}, // nonsense has no end
		"mcp_servers": servertest.M{"docs": servertest.Demo("docs")},
	})
	e := w.Start(servertest.Config{})
	e.AwaitState("docs", wire.MCPConnected)
	made := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{})
	if provider := made.Model[:min(6, len(made.Model))]; provider != "local/" {
		t.Fatalf("the model is %q", made.Model)
	}
	for turn := range 2 {
		got := prompt(e, made.SessionID, "say something")
		if got.StopReason != wire.StopMaxTokens && got.StopReason != wire.StopEndTurn || got.Usage == nil || got.Usage.OutputTokens == 0 {
			t.Errorf("turn %d: %+v %+v", turn+1, got, got.Usage)
		}
		if turn == 1 && (got.Usage.CachedReadTokens == nil || *got.Usage.CachedReadTokens < 10*got.Usage.InputTokens) {
			t.Errorf("the second turn did not go on from what was cached of the first: %+v", got.Usage)
		}
		t.Logf("turn %d: %s, %+v", turn+1, got.StopReason, got.Usage)
	}
	if e.Text(made.SessionID) == "" {
		t.Error("nothing was streamed")
	}
	servertest.Poll(t, "the window", func() bool {
		return servertest.Call(e, wire.SessionContext, wire.SessionContextParams{SessionID: made.SessionID}).ContextTokens == 32768
	})
}
