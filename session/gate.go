package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Ask is a question to the user: may this call run?
type Ask struct {
	ToolCallID string
	// Parent is the call of the task whose sub-agent asks, empty for the session itself.
	Parent string
	Title  string
	Kind   ToolKind
	// RawInput are the call's arguments: what the person says yes to.
	RawInput json.RawMessage
	// Request is the call as the gate saw it; Reason is why the gate asks.
	Request permission.Request
	Reason  string
	// Options are the answers that make sense, in the order they are shown; any
	// other answer is a no.
	Options []permission.Option
	// Description is how the tool shows the call; its Preview may hold a diff.
	Description agent.Description
}

// decide puts one call to the gate and, where the gate says so, to the user.
// Anything that is not a clear yes is a no.
func (s *Session) decide(ctx context.Context, c agent.Call) (agent.Ruling, error) {
	req := s.request(c.Tool, c.Args)
	mode := s.Mode()
	d := s.o.Gate.Decide(req, mode)
	v := Verdict{Session: s.id, ToolCallID: c.ID, Mode: mode, Request: req, Decision: d}
	var (
		r   agent.Ruling
		err error
	)
	switch d.Verdict {
	case permission.Run:
		r = agent.Ruling{Allow: true}
	case permission.Ask:
		r, err = s.ask(ctx, c, req, d, &v.Answer)
	default:
		r = agent.Ruling{Reason: "refused: " + orElse(d.Reason, "not allowed in this mode")}
	}
	if v.Allowed = r.Allow && err == nil; s.o.Audit != nil {
		s.o.Audit(v)
	}
	return r, err
}

// Verdict is what was decided of one call, and how.
type Verdict struct {
	Session, ToolCallID string
	Mode                permission.Mode
	Request             permission.Request
	Decision            permission.Decision
	// Answer is the option that the user chose, where the decision was to ask; empty when
	// the question was put away or taken back.
	Answer  string
	Allowed bool
}

func (s *Session) ask(ctx context.Context, c agent.Call, req permission.Request, d permission.Decision, answer *string) (agent.Ruling, error) {
	if s.o.Ask == nil {
		return agent.Ruling{Reason: "refused: " + orElse(d.Reason, "it needs the user's permission") + ", and nobody can be asked"}, nil
	}
	note, desc := s.describe(c)
	offered := permission.OptionsFor(d, lang.Of(s.o.Locale))
	option, err := s.askOne(ctx, Ask{
		ToolCallID: c.ID, Title: note.Title, Kind: note.Kind, RawInput: c.Args,
		Request: req, Reason: d.Reason, Options: offered, Description: desc,
	})
	if ctx.Err() != nil {
		return agent.Ruling{}, ctx.Err()
	}
	if err != nil {
		s.o.Logger.Warn("ask for permission", "session", s.id, "tool", c.Name, "error", err)
		return agent.Ruling{Reason: "rejected: the user could not be asked"}, nil
	}
	*answer = option
	allow, remember := readOption(option, offered)
	if remember {
		if err := s.o.Gate.Grant(req, option); err != nil {
			// The answer holds for this call; that it is not remembered means
			// being asked again, which is safe.
			s.o.Logger.Warn("remember a permission", "session", s.id, "tool", c.Name, "option", option, "error", err)
		}
	}
	if allow {
		return agent.Ruling{Allow: true}, nil
	}
	if remember {
		s.RulesChanged() // a tool that is always refused is not offered any more
		if s.up != nil {
			s.up.parent.RulesChanged()
		}
	}
	return agent.Ruling{Reason: "rejected by the user"}, nil
}

// askOne puts a question to the user when no other of the session waits for its answer. A
// sub-agent's goes to the session that it works for, which does so.
func (s *Session) askOne(ctx context.Context, a Ask) (string, error) {
	if s.up == nil {
		select {
		case s.asking <- struct{}{}:
			defer func() { <-s.asking }()
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return s.o.Ask(ctx, a)
}

// request is a call as the gate sees it. A tool that says nothing of itself acts
// on nothing only if it is ours.
func (s *Session) request(t agent.Tool, args []byte) (req permission.Request) {
	defer func() {
		if v := recover(); v != nil {
			s.o.Logger.Error("tool panicked while describing a call", "tool", t.Name(), "panic", fmt.Sprint(v))
			req = s.unknownRequest(t)
		}
	}()
	d, ok := t.(permission.Describer)
	if !ok {
		if s.isBuiltIn(t) {
			return permission.Request{Kind: permission.KindFree, Tool: t.Name(), Root: s.root}
		}
		return s.unknownRequest(t)
	}
	req = d.PermissionRequest(args)
	if req.Tool == "" {
		req.Tool = t.Name()
	}
	if req.Root == "" {
		req.Root = s.root
	}
	return req
}

// unknownRequest makes the gate suspect the worst.
func (s *Session) unknownRequest(t agent.Tool) permission.Request {
	return permission.Request{
		Kind: permission.KindMCP, Tool: t.Name(), Root: s.root,
		Metadata: permission.Metadata{Capability: permission.CapabilityUnknown, Reason: "it does not say what it does"},
	}
}

func (s *Session) isBuiltIn(t agent.Tool) bool {
	for _, b := range s.o.BuiltIns {
		if b.Name() == t.Name() {
			return true
		}
	}
	return false
}

// callNote is what the journal keeps of a call beside the model's words, so that
// a replay shows it as it was even when its tool is gone.
type callNote struct {
	ID        string           `json:"id"`
	Title     string           `json:"title"`
	Kind      ToolKind         `json:"kind"`
	Server    string           `json:"server,omitzero"`
	Original  string           `json:"original,omitzero"`
	Locations []agent.Location `json:"locations,omitempty"`
}

// notesOf are the notes of a message's calls, as its line of the journal has them.
func notesOf(m agent.Message, notes map[string]callNote) []callNote {
	var of []callNote
	for _, b := range m.Blocks {
		if n, noted := notes[b.ID]; noted && b.Kind == agent.BlockToolUse {
			of = append(of, n)
		}
	}
	return of
}

// describe says how a call looks to a person. Without arguments (they still
// stream) it is the tool's label.
func (s *Session) describe(c agent.Call) (callNote, agent.Description) {
	n := callNote{ID: c.ID, Title: c.Name, Kind: ToolOther}
	if c.Tool == nil {
		return n, agent.Description{Title: c.Name}
	}
	if l, ok := c.Tool.(agent.Labeler); ok {
		n.Title = orElse(l.Label(), c.Name)
	}
	args := c.Args
	if args == nil {
		args = []byte("{}")
	}
	req := s.request(c.Tool, args)
	n.Kind, n.Server, n.Original = toolKind(req), req.Server, req.Original
	if c.Args == nil {
		return n, agent.Description{Title: n.Title}
	}
	desc := s.description(c)
	n.Title = orElse(desc.Title, n.Title)
	n.Locations = desc.Locations
	return n, desc
}

func (s *Session) description(c agent.Call) (d agent.Description) {
	defer func() {
		if v := recover(); v != nil { // arguments were not checked yet
			d = agent.Description{}
		}
	}()
	if t, ok := c.Tool.(agent.Describer); ok {
		d = t.Describe(c.Args)
	}
	return d
}

// toolCall is a call as a client first sees it.
func (s *Session) toolCall(c agent.Call) ToolCall {
	n, desc := s.describe(c)
	tc := n.toolCall(c.Name)
	tc.Status, tc.RawInput, tc.Content = ToolPending, c.Args, desc.Preview
	return tc
}

func (n callNote) toolCall(name string) ToolCall {
	return ToolCall{
		ID: n.ID, Title: n.Title, Tool: name, Server: n.Server, Original: n.Original,
		Kind: n.Kind, Locations: n.Locations,
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
