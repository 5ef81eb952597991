package session

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// textSubAgent follows the identity of a sub-agent.
const textSubAgent = `
## You are a sub-agent
Another agent has handed you one piece of its work; it sees nothing of what you do but your last answer. Do what the prompt says without asking back, and end with a report that stands by itself: what you found or did, with the paths and lines it rests on, and what is open. MCP tools are not yours to use.
`

// childReport is how often the text of a sub-agent is shown while it comes.
const childReport = 100 * time.Millisecond

// child joins the session of a sub-agent to the call of the session it works for: what it
// does shows under that call, its questions are asked and its edits kept there.
type child struct {
	parent *Session
	call   string // of the task tool
	report func(agent.Progress)

	mu    sync.Mutex // guards all below
	text  strings.Builder
	shown time.Time
	open  []string // calls whose end has not been told
	ended bool
}

// childLog is what a sub-agent said, with the notes of its calls.
type childLog struct {
	messages []agent.Message
	notes    map[string]callNote // by its own ids
}

// childEntry is a journal line's part of a sub-agent: Call is the id of the task tool's
// call that it works for.
type childEntry struct {
	Call    string        `json:"call"`
	Message agent.Message `json:"message"`
	Calls   []callNote    `json:"calls,omitempty"`
}

// add takes a message of a sub-agent in.
func (e childEntry) add(to map[string]*childLog) {
	log := to[e.Call]
	if log == nil {
		log = &childLog{notes: map[string]callNote{}}
		to[e.Call] = log
	}
	log.messages = append(log.messages, e.Message)
	for _, n := range e.Calls {
		log.notes[n.ID] = n
	}
}

// lines are a sub-agent's messages as lines of a journal.
func (l *childLog) lines(call string, at time.Time) ([]byte, error) {
	var out []byte
	for _, m := range l.messages {
		said := childEntry{Call: call, Message: m, Calls: notesOf(m, l.notes)}
		line, err := entry{Type: entryChild, Time: at, Child: &said}.line()
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	return out, nil
}

// id is what a call of the sub-agent is called in the session it works for.
func (c *child) id(call string) string { return nestedID(c.call, call) }

func nestedID(task, call string) string { return task + "/" + call }

// keep writes what the sub-agent says into the journal of the session it works for. What
// else its own journal would have is of no use after its end.
func (c *child) keep(e entry) error {
	if e.Type != entryMessage {
		return nil
	}
	said := childEntry{Call: c.call, Message: *e.Message, Calls: e.Calls}
	if err := c.parent.keep(entry{Type: entryChild, Child: &said}); err != nil {
		return err
	}
	c.parent.mu.Lock()
	defer c.parent.mu.Unlock()
	said.add(c.parent.children)
	return nil
}

// show hands on what is worth to be seen of a sub-agent.
func (c *child) show(u Update) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	switch u.Kind {
	case UpdateToolCall, UpdateToolCallChange:
		u.ToolCall.ID = c.id(u.ToolCall.ID)
		u.ToolCall.Parent = c.call
		c.open = slices.DeleteFunc(c.open, func(id string) bool { return id == u.ToolCall.ID })
		if s := u.ToolCall.Status; s != ToolCompleted && s != ToolFailed {
			c.open = append(c.open, u.ToolCall.ID)
		}
		c.parent.emit(u)
	case UpdateAgentMessage:
		c.text.WriteString(u.Text)
		if now := c.parent.o.Now(); now.Sub(c.shown) >= childReport {
			c.shown = now
			c.report(agent.Progress{Text: c.text.String()})
		}
	case UpdateRetry, UpdateFallback, UpdateNotice:
		c.parent.emit(u)
	}
}

// said forgets the text that was shown, for another message begins.
func (c *child) said() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Reset()
}

// end lets nothing more of the sub-agent be seen; calls that it left have failed.
func (c *child) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended = true
	for _, id := range c.open {
		c.parent.emit(Update{Kind: UpdateToolCallChange, ToolCall: ToolCall{ID: id, Parent: c.call, Status: ToolFailed}})
	}
}

// ask puts a question of the sub-agent to the user.
func (c *child) ask(ctx context.Context, a Ask) (string, error) {
	a.ToolCallID, a.Parent = c.id(a.ToolCallID), c.call
	return c.parent.askOne(ctx, a)
}

func (c *child) audit(v Verdict) {
	v.Session, v.ToolCallID = c.parent.id, c.id(v.ToolCallID)
	c.parent.o.Audit(v)
}

// spill keeps a long result beside those of the session it works for.
func (c *child) spill() func(id, text string) (string, error) {
	keep := c.parent.spill()
	if keep == nil {
		return nil
	}
	return func(id, text string) (string, error) { return keep(c.id(id), text) }
}

// newChild makes the session of a sub-agent that works in a folder with some tools. Who
// makes it closes it, and ends its part here (child.end); the end of the turn does the
// latter too.
func (s *Session) newChild(call, cwd string, tools []agent.Tool, report func(agent.Progress)) (*Session, error) {
	c := &child{parent: s, call: call, report: report}
	o := s.o
	o.ID, o.Cwd, o.Model, o.Mode = "", cwd, s.Model(), s.Mode()
	o.BuiltIns, o.Store, o.Emit = tools, nil, c.show
	if o.Ask != nil {
		o.Ask = c.ask
	}
	if o.Audit != nil {
		o.Audit = c.audit
	}
	sub, err := newSession(o)
	if err != nil {
		return nil, err
	}
	sub.up = c
	sub.prompt.identity += textSubAgent
	// What the user changes while it works holds for it too.
	sub.SetBeforePrompt(func(context.Context) {
		c.said()
		mode, model := s.Mode(), s.Model()
		sub.mu.Lock()
		defer sub.mu.Unlock()
		if sub.mode != mode || sub.model.ID() != model.ID() {
			sub.mode, sub.model, sub.prompt.stale = mode, model, true
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == nil || s.closed {
		return nil, ErrClosed
	}
	s.turn.subs = append(s.turn.subs, c)
	return sub, nil
}

// endChildren ends what is seen of the sub-agents of a turn.
func (t *Turn) endChildren() {
	t.s.mu.Lock()
	subs := t.subs
	t.s.mu.Unlock()
	for _, c := range subs {
		c.end()
	}
}

// spent adds what a sub-agent has used to the turn it worked for.
func (s *Session) spent(u agent.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.subUsage = s.turn.subUsage.Add(u)
	}
}

// replayChild hands the calls of a sub-agent out again.
func replayChild(call string, log *childLog, running bool, emit func(Update)) {
	if log == nil {
		return
	}
	messages := agent.Repair(log.messages)
	results := resultsOf(messages)
	for _, m := range messages {
		for _, b := range m.Blocks {
			if b.Kind != agent.BlockToolUse {
				continue
			}
			tc := replayCall(b, log.notes, results, running)
			tc.ID, tc.Parent = nestedID(call, tc.ID), call
			emit(Update{Kind: UpdateToolCall, ToolCall: tc})
		}
	}
}

// lastAnswer is the text of the last answer.
func (s *Session) lastAnswer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range slices.Backward(s.transcript) {
		if m.Role != agent.RoleAssistant {
			continue
		}
		var texts []string
		for _, b := range m.Blocks {
			if b.Kind == agent.BlockContent && b.Content.Kind == agent.ContentText {
				texts = append(texts, strings.TrimSpace(b.Content.Text))
			}
		}
		return strings.Join(texts, "\n\n")
	}
	return ""
}
