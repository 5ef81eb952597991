package mcp

import (
	"errors"
	"maps"
	"reflect"
	"slices"
)

// move is what reconciling does with one server.
type move int

const (
	moveKeep    move = iota
	moveUpdate       // take over the entry; nothing is started or stopped
	moveStart        // nothing runs, something shall
	moveStop         // something runs, nothing shall (gone, or no longer allowed)
	moveRestart      // something runs, something else shall
)

// reconcile decides what becomes of each server when the entries change from have
// to want. It compares entries as they stand in the file, never expanded ones, so
// that saving a file without a change touches nothing (Kilo-Org/kilocode#5817).
// Names in neither map are not in the result.
func reconcile(have, want map[string]ServerConfig) map[string]move {
	moves := make(map[string]move, len(want))
	for name, old := range have {
		if _, stays := want[name]; !stays {
			moves[name] = moveStop
			if !runnable(name, old) {
				moves[name] = moveUpdate
			}
		}
	}
	for name, entry := range want {
		old, known := have[name]
		ran, runs := known && runnable(name, old), runnable(name, entry)
		switch {
		case ran && !runs:
			moves[name] = moveStop
		case !ran && runs:
			moves[name] = moveStart
		case ran && runs && !actsAlike(old, entry):
			moves[name] = moveRestart
		case !known || !sameEntry(old, entry):
			moves[name] = moveUpdate
		default:
			moves[name] = moveKeep
		}
	}
	return moves
}

// outcomeOf sorts the moves into an outcome.
func outcomeOf(moves map[string]move) Outcome {
	var o Outcome
	for _, name := range slices.Sorted(maps.Keys(moves)) {
		list := map[move]*[]string{
			moveKeep: &o.Kept, moveUpdate: &o.Updated, moveStart: &o.Started, moveStop: &o.Stopped, moveRestart: &o.Restarted,
		}[moves[name]]
		*list = append(*list, name)
	}
	return o
}

// runnable reports whether an entry may run at all.
func runnable(name string, c ServerConfig) bool {
	_, _, inert := inertState(name, c)
	return !inert
}

// inertState returns how an entry that must not run is shown, and why if there is
// something wrong with it. Such an entry is never expanded.
func inertState(name string, c ServerConfig) (state State, problem error, inert bool) {
	if c.Disabled {
		return StateDisabled, nil, true
	}
	if c.Origin.Problem != "" {
		problem = errors.New(c.Origin.Problem)
	} else if problem = CheckName(name); problem == nil {
		problem = c.Check()
	}
	if problem != nil {
		return StateFailed, problem, true
	}
	if c.Origin.Scope == ScopeProject && !c.Origin.Approved {
		return StateUntrusted, nil, true
	}
	return "", nil, false
}

// actsAlike reports whether two entries start the same thing in the same way.
// Time-outs, trust in annotations and the choice of tools may differ: they apply to
// what runs.
func actsAlike(a, b ServerConfig) bool {
	return a.Transport() == b.Transport() &&
		a.Command == b.Command && slices.Equal(a.Args, b.Args) &&
		maps.Equal(a.Env, b.Env) && slices.Equal(a.EnvFrom, b.EnvFrom) &&
		a.Cwd == b.Cwd && a.URL == b.URL && maps.Equal(a.Headers, b.Headers) && a.OAuth.Equal(b.OAuth) &&
		a.Sampling == b.Sampling // it is declared when the session begins
}

// sameEntry reports whether nothing of an entry changed that anybody could see;
// where exactly it stands in its file is not seen here.
func sameEntry(a, b ServerConfig) bool {
	ao, bo := a.Origin, b.Origin
	ao.Line, ao.Column, bo.Line, bo.Column = 0, 0, 0, 0
	return actsAlike(a, b) && reflect.DeepEqual(ao, bo) && a.Disabled == b.Disabled &&
		a.Autostart == b.Autostart && a.ConnectTimeoutMs == b.ConnectTimeoutMs && a.CallTimeoutMs == b.CallTimeoutMs &&
		a.TrustAnnotations == b.TrustAnnotations && slices.Equal(a.Tools.Allow, b.Tools.Allow) && slices.Equal(a.Tools.Deny, b.Tools.Deny)
}

// entryKey identifies what an entry starts.
func entryKey(c ServerConfig) string { return c.ConsentHash("") }
