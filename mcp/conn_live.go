package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// closeWait bounds the polite end of a session whose process, if any, is gone.
const closeWait = time.Second

// live is one session with a server and what carries it.
type live struct {
	session *sdk.ClientSession
	client  *sdk.Client
	init    *sdk.InitializeResult
	*wiring

	// ended is closed when the session has ended, by either side; endErr is why.
	ended  chan struct{}
	endErr error
	// why is what the connection made of the end; nil before, and after a stop.
	why  atomic.Pointer[failure]
	once sync.Once
}

// wiring is what exists before the session does: the notices of the server and
// what the transport runs on.
type wiring struct {
	toolsChanged  chan struct{} // capacity 1
	othersChanged chan struct{} // capacity 1: prompts or resources
	missed        chan struct{} // capacity 1: notices may have been lost
	progress      progressTable
	log           *serverLog
	rootsMu       sync.Mutex
	roots         []string // guarded by rootsMu; what the server was told is open

	proc *process  // stdio only
	link *httpLink // http and sse only
	// release ends what the transport holds: requests, an in-process server.
	release context.CancelFunc
}

// newLive takes over a session that is up.
func newLive(session *sdk.ClientSession, client *sdk.Client, w *wiring) *live {
	lv := &live{session: session, client: client, init: session.InitializeResult(), wiring: w, ended: make(chan struct{})}
	if lv.init == nil {
		lv.init = &sdk.InitializeResult{}
	}
	go func() { // ends with the session, which close ends
		lv.endErr = session.Wait()
		close(lv.ended)
	}()
	return lv
}

func (lv *live) hasTools() bool {
	return lv.init.Capabilities != nil && lv.init.Capabilities.Tools != nil
}

// down is closed when the session is of no use any more though it has not ended;
// nil where that cannot be.
func (lv *live) down() <-chan struct{} {
	if lv.link == nil {
		return nil
	}
	return lv.link.down
}

// hasEnded reports whether the session has ended or is of no use any more.
func (lv *live) hasEnded() bool {
	select {
	case <-lv.ended:
		return true
	case <-lv.down():
		return true
	default:
		return false
	}
}

// endsWithin waits for the end of the session, at most d.
func (lv *live) endsWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-lv.ended:
		return true
	case <-lv.down():
		return true
	case <-t.C:
		return false
	}
}

// cause is why the session ended; nil when it has not, or for no reason given.
func (lv *live) cause() error {
	select {
	case <-lv.ended:
		return lv.endErr
	default:
		return nil
	}
}

func (lv *live) pid() int {
	if lv.proc == nil {
		return 0
	}
	return lv.proc.pid()
}

// close ends the session and its process, in about three seconds at most. The
// process goes first: its end is what ends the session's reading, and a session
// that waits for its peer must not hold up the ladder.
func (lv *live) close() {
	lv.once.Do(func() {
		lv.wiring.close(lv.session)
	})
}

// abort is close for a session that is lost: what it was asked is given up first, and
// nothing is said to the server any more.
func (lv *live) abort() {
	lv.once.Do(func() {
		lv.release()
		lv.wiring.close(lv.session)
	})
}

// close ends what carries a session, and the session if there is one.
func (w *wiring) close(session *sdk.ClientSession) {
	if w.proc != nil {
		w.proc.stop()
	}
	if session != nil {
		closed := make(chan struct{})
		go func() { // ends at the latest when release cut the transport
			defer close(closed)
			_ = session.Close() // an exit status of our own making (go-sdk#855)
		}()
		t := time.NewTimer(closeWait)
		defer t.Stop()
		select {
		case <-closed:
		case <-t.C:
		}
	}
	w.release()
}

// rootText is the text of an error without the SDK's layers around it, where they
// say nothing to a person.
func rootText(text string) string {
	for _, prefix := range []string{`calling "tools/list": `, `calling "initialize": `, `calling "server/discover": `, `calling "tools/call": `} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// notice takes from the stream the notifications that need no answer and may come
// in masses, in their order among the answers.
func (w *wiring) notice(method string, params json.RawMessage) (done bool) {
	switch method {
	case "notifications/tools/list_changed":
		signal(w.toolsChanged)
	case "notifications/prompts/list_changed", "notifications/resources/list_changed":
		signal(w.othersChanged)
	case "notifications/progress":
		var p sdk.ProgressNotificationParams
		if json.Unmarshal(params, &p) == nil {
			w.progress.deliver(&p)
		}
	case "notifications/message":
		logNotice(w.log, params)
	default:
		return false
	}
	return true
}

// setRoots tells the server which folders are open. It asks for them when it is its
// turn, so that the last to tell tells the newest.
func (w *wiring) setRoots(client *sdk.Client, roots func() []string) {
	w.rootsMu.Lock()
	defer w.rootsMu.Unlock()
	w.roots = setRoots(client, w.roots, roots())
}
