package server

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// commandsGap is how often the commands of a session are looked for, to tell of changes.
const commandsGap = 500 * time.Millisecond

// announce tells the client of a session's commands: once the answer that brought it the
// session is out, then whenever they are others.
func (s *Server) announce(ctx context.Context, o *openSession) {
	ready := func() {
		o.announced.Store(true)
		s.push.poke()
	}
	if id, ok := rpc.CallID(ctx); ok {
		s.stream.After(id, ready)
		return
	}
	ready()
}

// tellCommands sends the commands of each session that have changed since they were last
// sent. Only the pusher calls it.
func (s *Server) tellCommands() {
	s.sessionsMu.Lock()
	open := slices.Collect(maps.Values(s.sessions))
	s.sessionsMu.Unlock()
	for _, o := range open {
		if !o.announced.Load() {
			continue
		}
		// To look for them is to read files, and a busy server may change 20 times a second.
		if wait := commandsGap - time.Since(o.commandsAt); wait > 0 {
			if !o.commandsLater {
				time.AfterFunc(wait, s.push.poke) // which does nothing when all is over
			}
			o.commandsLater = true
			continue
		}
		o.commandsAt, o.commandsLater = time.Now(), false
		update := &wire.AvailableCommandsUpdate{AvailableCommands: []wire.AvailableCommand{}}
		for _, c := range s.commandsOf(o).Commands {
			a := wire.AvailableCommand{Name: c.Name, Description: c.Description}
			if c.Hint != "" {
				a.Input = &wire.CommandInput{Hint: c.Hint}
			}
			update.AvailableCommands = append(update.AvailableCommands, a)
		}
		if o.commands != nil && reflect.DeepEqual(o.commands, update) {
			continue
		}
		o.commands = update
		s.notify(wire.SessionUpdateNotification.Name, wire.SessionUpdateParams{SessionID: o.session.ID(), Update: wire.SessionUpdate{Value: update}})
	}
}
