package session

import (
	"context"
	"slices"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// How full a window gets, in percent of it. Between two compactions the history only
// grows at its end, so that the provider's cache holds; each therefore makes room for
// many requests at once.
const (
	compactAbove = 87
	compactTo    = 50
	// keptPart is how much of the window the end of the conversation may take that is
	// kept verbatim.
	keptPart = 25
	// summaryPart is how much of it a text to summarise may take.
	summaryPart = 60
)

const (
	// worthSummary is what a summary must replace at least, in tokens: it costs a
	// request, and what it would replace may be the summary before.
	worthSummary = 2000
	// maxUnsummarised is after how many failures in a row no summary is tried any more
	// unasked.
	maxUnsummarised = 3
)

// fit is the loop's Fit: it makes the history smaller when the next request would
// come near the end of the model's window, and when the model refused it as too long.
func (s *Session) fit(ctx context.Context, p agent.Prompt, history []agent.Message, tooLong bool) ([]agent.Message, agent.Usage, bool, error) {
	w := s.meter.weigh(p, history)
	guess := w.total()
	window := s.meter.window(p.Model)
	limit := s.meter.guess(window * compactAbove / 100)
	switch {
	case tooLong:
		if window == 0 || guess < s.meter.guess(window) {
			// The guess was too low, or nobody knows: this is too much in any case.
			limit = guess * compactAbove / 100
			s.meter.tooLong(p.Model, s.meter.real(guess))
		}
	case window == 0 || guess <= limit:
		s.send(p, history, guess)
		return nil, agent.Usage{}, false, nil
	}
	c, usage, err := s.shrink(ctx, p, history, w, limit)
	s.charge(p.Model, usage)
	if err != nil {
		return nil, usage, false, err
	}
	fitted, ok, err := s.keepCompaction(p, history, c)
	if !ok {
		fitted = history
	}
	if c.Summary != "" {
		s.countSummary(ok)
	}
	s.send(p, fitted, s.meter.weigh(p, fitted).total())
	return fitted, usage, ok, err
}

// shrink decides how to bring a request from its weight well below limit: by leaving
// old results out, else by trimming long texts, else by a summary. An error is a
// cancelled ctx; a summary that fails is told and does without.
func (s *Session) shrink(ctx context.Context, p agent.Prompt, history []agent.Message, w weight, limit int) (compaction, agent.Usage, error) {
	var c compaction
	var usage agent.Usage
	window := limit * 100 / compactAbove
	target := window * compactTo / 100
	cut := cutAt(history, w.messages, window*keptPart/100)
	old := history[:cut]

	need := w.total() - target
	edits, saved := leaveOutResults(old, need)
	if saved < need {
		more, n := trimTexts(compaction{Edits: edits}.apply(old), need-saved)
		edits, saved = merged(edits, more), saved+n
	}
	c.Edits = edits
	if saved >= need {
		return c, usage, nil
	}
	if left := sum(w.messages[:cut]) - saved - summarised(old); cut > 0 && left >= min(worthSummary, window/10) && s.maySummarise() {
		s.notice(textCompacting)
		summary, u, err := s.summarise(ctx, p, old, window*summaryPart/100)
		usage = u
		switch {
		case ctx.Err() != nil:
			return c, usage, ctx.Err()
		case err != nil:
			s.notice(textNotSummarised, err)
			s.countSummary(false)
		default:
			// What is summarised is gone; edits of it would only fill the journal.
			c.Edits, c.Cut, c.Summary = nil, cut, summary
		}
	}
	if over := s.meter.weigh(p, c.apply(history)).total() - limit; over > 0 {
		// Rather trim what is fresh than not go on at all; but not what the user said.
		fresh, _ := trimTexts(history[cut:], over)
		for _, e := range fresh {
			if b := history[cut+e.Message]; b.Role == agent.RoleAssistant || b.Blocks[e.Block].Kind != agent.BlockContent {
				e.Message += cut
				c.Edits = append(c.Edits, e)
			}
		}
	}
	return c, usage, nil
}

// summarised is what of a history is a summary already, in tokens: another one would
// hardly be shorter.
func summarised(history []agent.Message) int {
	n := 0
	for _, m := range history {
		for _, b := range m.Blocks {
			if isSummary(b) {
				n += tokensOf(b.Content.Text)
			}
		}
	}
	return n
}

// merged joins edits; of two of the same block the later one holds.
func merged(edits, more []edit) []edit {
	return slices.Concat(slices.DeleteFunc(slices.Clone(edits), func(e edit) bool {
		return slices.ContainsFunc(more, func(m edit) bool { return m.Message == e.Message && m.Block == e.Block })
	}), more)
}

// keepCompaction makes a compaction durable, then the session's, and tells of it. It
// reports false for one that saves nothing.
func (s *Session) keepCompaction(p agent.Prompt, history []agent.Message, c compaction) ([]agent.Message, bool, error) {
	fitted := c.apply(history)
	c.Before = s.meter.real(s.meter.weigh(p, history).total())
	c.After = s.meter.real(s.meter.weigh(p, fitted).total())
	if c.After >= c.Before {
		return nil, false, nil
	}
	if err := s.keep(entry{Type: entryCompact, Compact: &c}); err != nil {
		return nil, false, err
	}
	s.mu.Lock()
	s.history = fitted
	s.base, s.baseAt = fitted, len(s.said)
	s.mu.Unlock()
	s.notice(textCompacted, c.Before, c.After)
	s.emit(Update{Kind: UpdateUsage, Usage: agent.Usage{InputTokens: c.After}, ContextTokens: s.meter.window(p.Model), Cost: s.Cost()})
	return fitted, true, nil
}

// Compact makes the conversation smaller for the model: all but the last turn becomes
// a summary, which the model writes. It answers what a request weighs before and
// after, in tokens; both are the same where there is nothing to leave out. It takes
// the session as a turn does, and Cancel ends it. The errors are ErrBusy, ErrClosed,
// those of the model, of the journal and of ctx.
func (s *Session) Compact(ctx context.Context) (before, after int, err error) {
	t, err := s.take(nil)
	if err != nil {
		return 0, 0, err
	}
	return t.Compact(ctx)
}

// BeginCompact is Compact up to the point where the session is taken, as Begin is of
// Prompt. Compact of the Turn must be called exactly once, and Run never.
func (s *Session) BeginCompact() (*Turn, error) { return s.take(nil) }

// Compact is [Session.Compact] of a turn that BeginCompact made.
func (t *Turn) Compact(ctx context.Context) (before, after int, err error) {
	s := t.s
	ctx, end := t.start(ctx)
	defer end()
	p, err := s.beforeRequest(ctx)
	if err != nil {
		return 0, 0, err
	}
	s.mu.Lock()
	history := s.history
	s.mu.Unlock()
	w := s.meter.weigh(p, history)
	before = s.meter.real(w.total())
	cut := lastTurn(history)
	if cut == 0 {
		cut = cutAt(history, w.messages, w.total()*keptPart/100)
	}
	if cut == 0 {
		return before, before, nil
	}
	limit := s.meter.guess(s.meter.window(p.Model)) * summaryPart / 100
	if limit == 0 {
		limit = w.total() // it was taken so far
	}
	s.notice(textCompacting)
	summary, usage, err := s.summarise(ctx, p, history[:cut], limit)
	s.charge(p.Model, usage)
	if err != nil {
		return 0, 0, err
	}
	s.countSummary(true)
	fitted, ok, err := s.keepCompaction(p, history, compaction{Cut: cut, Summary: summary})
	if err != nil || !ok {
		return before, before, err
	}
	return before, s.meter.real(s.meter.weigh(p, fitted).total()), nil
}

func (s *Session) maySummarise() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsummarised < maxUnsummarised
}

func (s *Session) countSummary(good bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsummarised++; good {
		s.unsummarised = 0
	}
}

// notice tells the user something of ours.
func (s *Session) notice(format string, args ...any) {
	s.emit(Update{Kind: UpdateNotice, Text: lang.Of(s.o.Locale).Sprintf(zh, format, args...)})
}
