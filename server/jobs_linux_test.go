package server_test

import (
	"syscall"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// A job's child that made itself a session stayed behind when the session, the editor or we
// were gone: its group does not hold it.
func TestWhatAJobDetachedEndsWithUs(t *testing.T) {
	for name, end := range map[string]func(e *servertest.Editor, p *servertest.Process, id string){
		"the session is deleted": func(e *servertest.Editor, _ *servertest.Process, id string) {
			servertest.Call(e, wire.SessionDelete, wire.SessionDeleteParams{SessionID: id})
		},
		"exit":         func(e *servertest.Editor, _ *servertest.Process, _ string) { e.Shutdown() },
		"end of input": func(_ *servertest.Editor, p *servertest.Process, _ string) { _ = p.Stdin.Close() },
		"TERM":         func(_ *servertest.Editor, p *servertest.Process, _ string) { _ = p.Cmd.Process.Signal(syscall.SIGTERM) },
		"KILL":         func(_ *servertest.Editor, p *servertest.Process, _ string) { _ = p.Cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			d := modeltest.New(t, modeltest.Anthropic,
				modeltest.Reply{Calls: []modeltest.Call{use("c1", "bash", servertest.M{
					"command": `echo $$ >pid; setsid sh -c 'trap "" TERM; echo $$ >daemon; while :; do sleep 1; done' & wait`, "background": true,
				})}},
				modeltest.Say("It runs."))
			w := servertest.NewWorld(t)
			w.User(with(d, nil))
			e, p := w.Spawn(servertest.Config{Permit: always("allow_once")})
			id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
			prompt(e, id, "start the server")
			var pids []int
			for _, name := range []string{"pid", "daemon"} {
				pids = append(pids, awaitPid(t, w, name))
			}
			end(e, p, id)
			for _, pid := range pids {
				awaitEnd(t, pid)
			}
		})
	}
}
