package server

import (
	"context"
	"reflect"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

const (
	// pushInterval bounds the status notifications to 20 a second.
	pushInterval = 50 * time.Millisecond
	// maxPushedLog is how many log entries of one server one notification carries;
	// what a flood leaves out is still in codebot/mcp/logs.
	maxPushedLog = 500
)

// pusher tells the editor what changed: rows of servers, the status item, log
// entries, diagnostics. Whoever changes something pokes it; its goroutine then
// compares what is with what was sent, so nothing is lost and nothing repeated.
type pusher struct {
	s    *Server
	wake chan struct{}
	// opened is closed when the client may be spoken to.
	opened chan struct{}
	open   func()

	// mu is held while a picture is taken and sent, so that revisions leave in order.
	mu       sync.Mutex
	revision int
	sent     map[wire.MCPKey]wire.MCPServer
	item     *wire.StatusResult
	diags    map[string][]byte // encoded diagnostics by file

	logMu sync.Mutex
	logs  map[wire.MCPKey][]mcp.LogEntry // guarded by logMu: not sent yet
}

func newPusher(s *Server) *pusher {
	p := &pusher{
		s: s, wake: make(chan struct{}, 1), opened: make(chan struct{}),
		sent: map[wire.MCPKey]wire.MCPServer{}, diags: map[string][]byte{}, logs: map[wire.MCPKey][]mcp.LogEntry{},
	}
	p.open = sync.OnceFunc(func() { close(p.opened) })
	return p
}

// poke says that something may have changed; it never blocks.
func (p *pusher) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// log queues new entries of a server's log; it never blocks.
func (p *pusher) log(name, root string, entries []mcp.LogEntry) {
	if p.s.client.codebot == nil {
		return
	}
	key := wire.MCPKey{Name: name, Folder: uriOf(root)}
	p.logMu.Lock()
	all := append(p.logs[key], entries...)
	if len(all) > maxPushedLog {
		all = append([]mcp.LogEntry(nil), all[len(all)-maxPushedLog:]...)
	}
	p.logs[key] = all
	p.logMu.Unlock()
	p.poke()
}

// run sends until ctx ends.
func (p *pusher) run(ctx context.Context) {
	select {
	case <-p.opened:
	case <-ctx.Done():
		return
	}
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return
		}
		p.flush(ctx)
		pause.Reset(pushInterval)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *pusher) flush(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.s.publishDiagnostics(ctx, p.diags)
	rows := p.s.servers.rows()
	p.s.assist.rowsChanged(rows)
	p.s.tellCommands()
	if p.s.client.codebot == nil {
		return
	}
	p.tellRows(rows)
	if item := p.s.statusItem(rows); p.item == nil || !reflect.DeepEqual(*p.item, item) {
		p.item = &item
		notifyPlugin(p.s, wire.DidChangeStatus, item)
	}
	p.logMu.Lock()
	logs := p.logs
	p.logs = map[wire.MCPKey][]mcp.LogEntry{}
	p.logMu.Unlock()
	for key, entries := range logs {
		notifyPlugin(p.s, wire.MCPLog, wire.MCPLogParams{Name: key.Name, Folder: key.Folder, Entries: logEntries(entries)})
	}
}

// tellRows sends the rows that differ from those last sent. p.mu is held.
func (p *pusher) tellRows(rows []wire.MCPServer) {
	change := wire.MCPDidChangeStatusParams{Totals: totalsOf(rows), Servers: []wire.MCPServer{}, Removed: []wire.MCPKey{}}
	now := make(map[wire.MCPKey]wire.MCPServer, len(rows))
	for _, row := range rows {
		key := wire.MCPKey{Name: row.Name, Folder: row.Folder}
		now[key] = row
		if before, ok := p.sent[key]; !ok || !reflect.DeepEqual(before, row) {
			change.Servers = append(change.Servers, row)
		}
	}
	for key := range p.sent {
		if _, ok := now[key]; !ok {
			change.Removed = append(change.Removed, key)
		}
	}
	if len(change.Servers)+len(change.Removed) > 0 {
		p.revision++
		change.Revision = p.revision
		p.sent = now
		notifyPlugin(p.s, wire.MCPDidChangeStatus, change)
	}
}

// catchUp sends the rows that were not sent yet and returns all: a change that is taken
// back before it is sent is none to the plug-in, which would keep what it saw in an
// answer. p.mu is held.
func (p *pusher) catchUp() []wire.MCPServer {
	rows := p.s.servers.rows()
	if p.s.client.codebot != nil {
		select {
		case <-p.opened:
			p.tellRows(rows)
		default: // it may not be spoken to yet
		}
	}
	return rows
}

// tell is catchUp for who answers with a row.
func (p *pusher) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catchUp()
}

// picture is the whole state with its revision.
func (p *pusher) picture() wire.MCPStatusResult {
	p.mu.Lock()
	defer p.mu.Unlock()
	rows := p.catchUp()
	return wire.MCPStatusResult{Revision: p.revision, Totals: totalsOf(rows), Servers: rows}
}
