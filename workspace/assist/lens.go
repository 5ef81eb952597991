package assist

import (
	"fmt"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// Action is something that can be done with a server.
type Action string

// The actions. The first does nothing but show how the servers are.
const (
	ActionShow    Action = "show"
	ActionTrust   Action = "trust"
	ActionLogin   Action = "login"
	ActionStart   Action = "start"
	ActionStop    Action = "stop"
	ActionRestart Action = "restart"
	ActionEnable  Action = "enable"
	ActionLog     Action = "log"
)

// Lens is an action shown above an entry.
type Lens struct {
	Range  workspace.Range
	Title  string
	Action Action
	Server string
}

// Lenses returns the actions of each entry whose server is known, in order.
func (f *File) Lenses(c Context) []Lens {
	var out []Lens
	for _, e := range f.entries() {
		s, ok := c.server(e.name)
		if !ok {
			continue
		}
		at := f.rangeOf(e.key.start, e.key.end)
		out = append(out, Lens{at, c.stateText(s), ActionShow, e.name})
		for _, a := range actionsOf(s.State) {
			out = append(out, Lens{at, c.word(actionTitles[a]), a, e.name})
		}
	}
	return out
}

var actionTitles = map[Action]string{
	ActionTrust: actionTrust, ActionLogin: actionLogin, ActionStart: actionStart, ActionStop: actionStop,
	ActionRestart: actionRestart, ActionEnable: actionEnable, ActionLog: actionLog,
}

// actionsOf are the actions that make sense in a state.
func actionsOf(s mcp.State) []Action {
	switch s {
	case mcp.StateUntrusted:
		return []Action{ActionTrust}
	case mcp.StateDisabled:
		return []Action{ActionEnable}
	case mcp.StateNeedsAuth:
		return []Action{ActionLogin, ActionRestart, ActionLog}
	case mcp.StateStopped:
		return []Action{ActionStart, ActionLog}
	case mcp.StateFailed:
		return []Action{ActionRestart, ActionLog}
	case mcp.StateStarting, mcp.StateReconnecting:
		return []Action{ActionStop, ActionLog}
	case mcp.StateConnected, mcp.StateDegraded:
		return []Action{ActionRestart, ActionStop, ActionLog}
	}
	return nil
}

// stateText is how a server is, on one line.
func (c Context) stateText(s Server) string {
	state := s.State.In(c.Lang)
	if s.State == mcp.StateUntrusted {
		state = c.word(wordUntrusted)
	}
	if !s.State.Usable() {
		return state
	}
	tools := c.say(countTools, s.ToolCount)
	if s.ToolCount == 1 {
		tools = c.say(countTool, s.ToolCount)
	}
	return fmt.Sprintf(stateTools, state, tools)
}

// Hint is a text shown within a line.
type Hint struct {
	At            workspace.Position
	Text, Tooltip string
}

// Hints returns the state of each entry whose server is known, behind its first
// line.
func (f *File) Hints(c Context) []Hint {
	var out []Hint
	for _, e := range f.entries() {
		s, ok := c.server(e.name)
		object := e.object()
		if !ok || object == nil {
			continue
		}
		h := Hint{At: f.positions.At(object.start + 1), Text: c.stateText(s)}
		if s.Error != nil {
			h.Tooltip = s.Error.Message
		}
		out = append(out, h)
	}
	return out
}

// Actions returns what can be done with the server whose entry has a position.
func (f *File) Actions(c Context, at workspace.Position) []Lens {
	e, ok := f.entryAt(f.positions.Offset(at))
	if !ok {
		return nil
	}
	s, ok := c.server(e.name)
	if !ok {
		return nil
	}
	var out []Lens
	for _, a := range actionsOf(s.State) {
		title := fmt.Sprintf(actionOfServer, mcp.CleanLine(e.name), c.word(actionTitles[a]))
		out = append(out, Lens{f.rangeOf(e.key.start, e.key.end), title, a, e.name})
	}
	return out
}

// entryAt returns the entry whose key or value has the byte at offset.
func (f *File) entryAt(offset int) (entry, bool) {
	for _, e := range f.entries() {
		if offset >= e.key.start && offset <= e.end() {
			return e, true
		}
	}
	return entry{}, false
}

// firstLine is the first line of a text for people.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return mcp.CleanLine(line)
}
