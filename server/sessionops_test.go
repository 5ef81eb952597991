package server_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

func text(s string) []wire.ContentBlock { return []wire.ContentBlock{wire.TextBlock(s)} }

// Who sees the agent go astray says so without stopping it: the running command ends,
// the next one is not begun, and the model's next request has what was said.
func TestSteeringReachesTheRunningTurn(t *testing.T) {
	flavors(t, func(t *testing.T, f modeltest.Flavor) {
		w := servertest.NewWorld(t)
		fifo := filepath.Join(w.Folder, "gate")
		if err := makeFIFO(fifo); err != nil {
			t.Skip(err)
		}
		d := modeltest.New(t, f, modeltest.Reply{Calls: []modeltest.Call{
			{ID: "c1", Name: "bash", Args: []string{`{"command":"cat gate"}`}}, {ID: "c2", Name: "bash", Args: []string{`{"command":"touch never"}`}},
		}}, modeltest.Say("As you wish."))
		w.User(with(d, nil))
		e := w.Start(servertest.Config{})
		id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
		if _, err := servertest.Try(e, wire.SessionSteer, wire.SessionSteerParams{SessionID: id, Prompt: text("x")}); code(t, err) != -32602 || !strings.Contains(err.Error(), "prompt") {
			t.Errorf("without a turn: %v", err)
		}
		wait := begin(context.Background(), e, id, "go")
		e.Await("bash to run", running(id))
		servertest.Call(e, wire.SessionSteer, wire.SessionSteerParams{SessionID: id, Prompt: text("rather read it")})
		if err := os.WriteFile(fifo, []byte("opened"), 0); err != nil {
			t.Fatal(err)
		}
		if result, err := wait(); err != nil || result.StopReason != wire.StopEndTurn {
			t.Fatalf("%+v %v", result, err)
		}
		continues(t, d.Requests()[0], d.Requests()[1])
		messages := field(t, d.Requests()[1], "messages")
		opened, skipped, said := strings.Index(messages, "opened"), strings.Index(messages, "Skipped due to queued user message."), strings.Index(messages, "rather read it")
		if opened < 0 || skipped < opened || said < skipped {
			t.Errorf("the next request has\n%s", messages)
		}
		if servertest.IsExist(filepath.Join(w.Folder, "never")) {
			t.Error("the second command was run")
		}
		e.Look(func(s *servertest.State) {
			var told []string
			for _, u := range s.Updates[id] {
				switch v := u.(type) {
				case *wire.UserMessageChunk:
					told = append(told, "user "+*v.Content.Text)
				case *wire.AgentMessageChunk:
					told = append(told, "agent "+*v.Content.Text)
				}
			}
			if got := strings.Join(told, ", "); got != "user rather read it, agent As you wish." {
				t.Errorf("the editor saw %s", got)
			}
		})
	})
}
