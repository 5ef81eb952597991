package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// From the start of the real binary to the answer of initialize, with two servers
// configured: what an editor waits for.
func BenchmarkSpawnToInitialize(b *testing.B) {
	servertest.Binary(b)
	w := servertest.NewWorld(b)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy")}))
	for b.Loop() {
		e, p := w.Spawn(servertest.Config{}) // returns once initialize is answered
		b.StopTimer()
		e.Shutdown()
		p.Wait(b)
		b.StartTimer()
	}
}

// What the process holds when nothing happens, with two servers connected.
func BenchmarkIdleMemory(b *testing.B) {
	w := servertest.NewWorld(b)
	w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs"), "deploy": servertest.Demo("deploy")}))
	var kib int
	for b.Loop() {
		e, p := w.Spawn(servertest.Config{})
		for _, name := range []string{"docs", "deploy"} {
			e.AwaitState(name, wire.MCPConnected)
		}
		servertest.Call(e, wire.SessionNew, wire.SessionNewParams{})
		kib += residentKiB(b, p.Pid())
		e.Shutdown()
		p.Wait(b)
	}
	b.ReportMetric(float64(kib)/1024/float64(b.N), "MiB-RSS")
}

func residentKiB(b *testing.B, pid int) int {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("no /proc here")
	}
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatal("no VmRSS")
	return 0
}

// From the save of the settings to a new server's tools being known to the editor;
// the server's own start is in it.
func BenchmarkSaveToConnected(b *testing.B) {
	w := servertest.NewWorld(b)
	w.User(servertest.Servers(servertest.M{}))
	e := w.Start(servertest.Config{})
	for b.Loop() {
		w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
		e.AwaitState("docs", wire.MCPConnected)
		b.StopTimer()
		w.User(servertest.Servers(servertest.M{}))
		e.Await("it to be gone", func(s *servertest.State) bool { _, ok := s.Row("docs"); return !ok })
		b.StartTimer()
	}
}

// From a delta of the model, over loopback HTTP, to its notification in the editor.
func BenchmarkDeltaToNotification(b *testing.B) {
	next := make(chan bool)
	endpoint := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		for more := range next {
			if !more {
				break
			}
			_, _ = io.WriteString(rw, `data: {"choices":[{"index":0,"delta":{"content":"word "}}]}`+"\n\n")
			rw.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(rw, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer endpoint.Close()
	w := servertest.NewWorld(b)
	w.User(servertest.M{"model": "local/m", "providers": servertest.M{
		"local": servertest.M{"type": "openai", "base_url": endpoint.URL + "/v1", "api_key": "none", "models": []string{"m"}},
	}})
	e := w.Start(servertest.Config{})
	id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
	wait := servertest.Start(b.Context(), e, wire.SessionPrompt, wire.SessionPromptParams{
		SessionID: id, Prompt: []wire.ContentBlock{wire.TextBlock("go")},
	})
	shown, seen := 0, 0
	for b.Loop() {
		next <- true
		shown++
		e.Await("the delta", func(s *servertest.State) bool {
			updates := s.Updates[id]
			for ; seen < len(updates); seen++ {
				if _, ok := updates[seen].(*wire.AgentMessageChunk); ok {
					shown--
				}
			}
			return shown == 0
		})
	}
	b.StopTimer()
	next <- false
	if got, err := wait(); err != nil || got.StopReason != wire.StopEndTurn {
		b.Fatalf("%+v %v", got, err)
	}
}

// From a request to its answer over the whole chain, nothing else going on.
func BenchmarkStatusRoundTrip(b *testing.B) {
	e := servertest.NewWorld(b).Start(servertest.Config{})
	for b.Loop() {
		servertest.Call(e, wire.Status, wire.Empty{})
	}
}
