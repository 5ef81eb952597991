package session

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/model"
)

// TurnResult is how a prompt ended.
type TurnResult struct {
	StopReason agent.StopReason
	// Usage of the whole turn.
	Usage agent.Usage
	// Message is the place in the conversation of the message that began the turn, as a
	// replay's MessageID.
	Message int
}

// Turn is one prompt between Begin and the end of Run.
type Turn struct {
	s       *Session
	content []agent.Content
	fill    func(context.Context, []agent.Content) ([]agent.Content, error)
	ctx     context.Context // ended by cancel only
	cancel  context.CancelFunc
	done    chan struct{} // closed when Run has ended

	// steered is what the user has added and the loop has not taken in yet; late says
	// that it takes nothing more. Both are guarded by the session's mu.
	steered []agent.Block
	late    bool

	// prompt is the place of its message among all as they were written, guarded by the
	// session's mu.
	prompt int

	// subs are the sub-agents of the turn, and subUsage what they have used; guarded by the
	// session's mu.
	subs     []*child
	subUsage agent.Usage

	// open are the calls whose end has not been told; only the loop's events,
	// which come one at a time, and the end of Run touch it.
	open []string
}

// Prompt runs one turn: Begin and Run. A cancelled turn is no error. An error is
// one of this package, an *agent.Error of the model, or the journal's.
func (s *Session) Prompt(ctx context.Context, content []agent.Content) (TurnResult, error) {
	t, err := s.Begin(content)
	if err != nil {
		return TurnResult{}, err
	}
	return t.Run(ctx)
}

// Begin takes the session for one turn without running it yet, so that a caller
// which receives messages in order can let the next one in: a Cancel from here on
// means this turn. Run must be called exactly once.
func (s *Session) Begin(content []agent.Content) (*Turn, error) {
	if len(blocksOf(content)) == 0 {
		return nil, ErrEmptyPrompt
	}
	return s.take(content)
}

// Fill lets the turn work out what the user has said before it is kept: what a slash
// command or a mention stands for may have to be fetched, which Cancel ends too. When fill
// fails, so does Run, and nothing was said. It must be called before Run.
func (t *Turn) Fill(fill func(context.Context, []agent.Content) ([]agent.Content, error)) {
	t.fill = fill
}

// take makes the session busy with a turn.
func (s *Session) take(content []agent.Content) (*Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if s.turn != nil {
		return nil, ErrBusy
	}
	// A turn that no prompt began, a compaction, takes no steering.
	t := &Turn{s: s, content: content, done: make(chan struct{}), late: content == nil}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	s.turn = t
	return t, nil
}

// Cancel ends the running turn at once: its Prompt answers StopCancelled even
// when a tool does not hear it. Without a turn it does nothing.
func (s *Session) Cancel() {
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t != nil {
		t.cancel()
	}
}

// start makes the context of the turn, which its Cancel ends too; end gives the
// session free.
func (t *Turn) start(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(t.ctx, cancel)
	if t.ctx.Err() != nil {
		cancel() // AfterFunc does so too, but a little later
	}
	return ctx, func() {
		stop()
		cancel()
		t.s.mu.Lock()
		t.s.turn = nil
		t.s.mu.Unlock()
		t.cancel()
		close(t.done)
	}
}

// Run runs the turn. When it returns, every update of the turn has been emitted,
// every call that was announced has ended, and the session takes a next prompt.
func (t *Turn) Run(ctx context.Context) (TurnResult, error) {
	s := t.s
	ctx, end := t.start(ctx)
	defer end()

	if t.fill != nil {
		content, err := t.fill(ctx, t.content)
		if ctx.Err() != nil {
			return TurnResult{StopReason: agent.StopCancelled}, nil
		}
		if err == nil && len(blocksOf(content)) == 0 {
			err = ErrEmptyPrompt
		}
		if err != nil {
			return TurnResult{}, err
		}
		t.content = content
	}
	if err := t.keepPrompt(); err != nil {
		return TurnResult{}, err
	}
	s.mu.Lock()
	history := s.history
	s.mu.Unlock()
	out, err := agent.Run(ctx, history, agent.Options{
		BeforeRequest: s.beforeRequest,
		Gate:          s.decide,
		Emit:          t.show,
		Commit:        s.commit,
		Spill:         s.spill(),
		WasOffered:    s.wasOffered,
		Fallback:      s.o.Fallback,
		Fit:           s.fit,
		Steered:       t.isSteered,
		Steer:         t.takeSteered,
		Go:            s.background.Go,
		Schemas:       &s.schemas,
		Logger:        s.o.Logger,
	})
	t.endChildren()             // one that did not hear a cancel may still be ending
	for _, id := range t.open { // left by a failing journal
		s.emit(Update{Kind: UpdateToolCallChange, ToolCall: ToolCall{ID: id, Status: ToolFailed}})
	}
	s.mu.Lock()
	s.history = out.History
	out.Usage = out.Usage.Add(t.subUsage)
	s.mu.Unlock()
	if lerr := t.keepLeftover(); err == nil {
		err = lerr
	}
	if kerr := s.keep(entry{Type: entryTurn, Stop: out.Stop, Usage: &out.Usage, Cost: s.Cost()}); err == nil {
		err = kerr
	}
	s.mu.Lock()
	message := messageOf(s.said, t.prompt)
	s.mu.Unlock()
	return TurnResult{StopReason: out.Stop, Usage: out.Usage, Message: message}, err
}

// keepPrompt makes the user's message durable and part of the history, and names
// the session after its first one.
func (t *Turn) keepPrompt() error {
	s := t.s
	m := agent.Message{Role: agent.RoleUser, Blocks: blocksOf(t.content)}
	s.mu.Lock()
	title := ""
	if s.title == "" {
		title = orElse(titleOf(t.content), lang.Of(s.o.Locale).Text(zh, textUntitled))
		s.title = title
	}
	t.prompt = len(s.said)
	s.mu.Unlock()
	if title != "" {
		if err := s.keep(entry{Type: entryTitle, Title: title}); err != nil {
			return err
		}
		s.emit(Update{Kind: UpdateTitle, Text: title})
	}
	return s.commit(m)
}

// blocksOf is what a user said as blocks of a message, without empty texts.
func blocksOf(content []agent.Content) []agent.Block {
	var blocks []agent.Block
	for _, c := range content {
		if c.Kind == agent.ContentText && strings.TrimSpace(c.Text) == "" {
			continue
		}
		blocks = append(blocks, agent.Block{Kind: agent.BlockContent, Content: &c})
	}
	return blocks
}

// titleOf is the first line of the first text, at most 80 characters; empty without
// a text.
func titleOf(content []agent.Content) string {
	for _, c := range content {
		if c.Kind != agent.ContentText {
			continue
		}
		if line := cleanTitle(c.Text); line != "" {
			return line
		}
	}
	return ""
}

// cleanTitle is the first line of a text as a title shows it.
func cleanTitle(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Join(strings.Fields(strings.Map(visible, strings.ToValidUTF8(line, ""))), " ")
	if utf8.RuneCountInString(line) > 80 {
		line = string([]rune(line)[:79]) + "…"
	}
	return line
}

// visible drops what a list must not show raw: controls, and the marks that turn
// the direction of what follows.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return -1
	}
	return r
}

// beforeRequest is the session's one moment of change: the hook brings in what is
// new, then the prompt is put together, or the last one reused.
func (s *Session) beforeRequest(ctx context.Context) (agent.Prompt, error) {
	p := s.refreshed(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookup = p.Lookup
	return p, nil
}

// refreshed is the prompt of this moment, with what the hook brings in.
func (s *Session) refreshed(ctx context.Context) agent.Prompt {
	s.mu.Lock()
	hook := s.before
	s.mu.Unlock()
	if hook != nil {
		s.hookMu.Lock()
		hook(ctx)
		s.hookMu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.currentPrompt()
}

// commit makes a message durable, then part of the history.
func (s *Session) commit(m agent.Message) error {
	e := entry{Type: entryMessage, Message: &m}
	s.mu.Lock()
	find := s.lookup
	s.mu.Unlock()
	for _, b := range m.Blocks {
		if b.Kind == agent.BlockToolUse {
			call := agent.Call{ID: b.ID, Name: b.Name, Args: b.Input}
			if find != nil {
				call.Tool = find(b.Name)
			}
			n, _ := s.describe(call)
			e.Calls = append(e.Calls, n)
		}
	}
	if err := s.keep(e); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history = agent.Append(s.history, m)
	s.transcript = agent.Append(s.transcript, m)
	s.said = append(s.said, m)
	for _, n := range e.Calls {
		s.notes[n.ID] = n
	}
	return nil
}

// show turns the loop's events into updates.
func (t *Turn) show(e agent.Event) {
	s := t.s
	switch e.Kind {
	case agent.EventText:
		s.emit(Update{Kind: UpdateAgentMessage, Text: e.Text})
	case agent.EventThinking:
		s.emit(Update{Kind: UpdateAgentThought, Text: e.Text})
	case agent.EventToolCall:
		t.open = append(t.open, e.Call.ID)
		s.emit(Update{Kind: UpdateToolCall, ToolCall: s.toolCall(e.Call)})
	case agent.EventToolReady:
		tc := s.toolCall(e.Call)
		tc.Status = ""
		s.emit(Update{Kind: UpdateToolCallChange, ToolCall: tc})
	case agent.EventToolStart:
		s.emit(Update{Kind: UpdateToolCallChange, ToolCall: ToolCall{ID: e.Call.ID, Status: ToolInProgress}})
	case agent.EventToolProgress:
		s.emit(Update{Kind: UpdateToolCallChange, ToolCall: ToolCall{
			ID: e.Call.ID, Status: ToolInProgress, Content: []agent.Content{agent.Text(e.Text)},
		}})
	case agent.EventToolEnd:
		t.open = slices.DeleteFunc(t.open, func(id string) bool { return id == e.Call.ID })
		status, content := ToolCompleted, e.Result.Content
		if e.Result.IsError || e.Rejected {
			status = ToolFailed
		}
		if e.Rejected { // what was rejected stays in view
			_, desc := s.describe(e.Call)
			content = slices.Concat(desc.Preview, content)
		}
		s.emit(Update{Kind: UpdateToolCallChange, ToolCall: ToolCall{
			ID: e.Call.ID, Status: status, Content: content, Locations: e.Result.Locations,
			RawOutput: e.Result.Raw, Rejected: e.Rejected,
		}})
	case agent.EventSteered:
		s.showUser(e.Blocks)
	case agent.EventUsage:
		s.meter.counted(e.Usage)
		s.emit(Update{
			Kind: UpdateUsage, Usage: e.Usage, Total: e.Total, ContextTokens: e.Model.ContextTokens(), Cost: s.charge(e.Model, e.Usage),
		})
	case agent.EventFallback:
		s.emit(Update{Kind: UpdateFallback, Model: e.Model.ID(), Text: lang.Of(s.o.Locale).Sprintf(zh, textFallback, s.Model().ID(), e.Model.ID())})
	case agent.EventRetry:
		s.emit(Update{Kind: UpdateRetry, Text: e.Text, RetryAfter: e.RetryAfter})
	}
}

// charge adds what a request cost and returns what the session has cost so far.
func (s *Session) charge(m agent.Model, u agent.Usage) float64 {
	if s.up != nil {
		return s.up.parent.charge(m, u)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := m.(model.Priced); ok {
		if price, known := p.Price(); known {
			s.cost += price.Cost(u)
		}
	}
	return s.cost
}

// Cost is what the session has cost so far, in US dollars: of the requests to models
// whose price is known.
func (s *Session) Cost() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cost
}

// spill is where too long results go: beside the journal, or nowhere.
func (s *Session) spill() func(id, text string) (string, error) {
	if s.up != nil {
		return s.up.spill()
	}
	if s.journal == nil {
		return nil
	}
	return s.journal.spill
}
