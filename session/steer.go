package session

import (
	"github.com/codebot-ls/codebot-ls/session/agent"
)

// Steer adds to the running turn: content reaches the model with the turn's next
// request, after the tools that run now; calls that have not started by then are
// skipped. UpdateUserMessage tells when it was taken in, and from then on it is in
// the journal. What a turn that is cancelled or fails has not taken in becomes part
// of the conversation at its end. The errors are ErrIdle, ErrEmptyPrompt, ErrClosed.
func (s *Session) Steer(content []agent.Content) error {
	blocks := blocksOf(content)
	if len(blocks) == 0 {
		return ErrEmptyPrompt
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.turn == nil || s.turn.late:
		return ErrIdle
	}
	s.turn.steered = append(s.turn.steered, blocks...)
	return nil
}

func (t *Turn) isSteered() bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return len(t.steered) > 0
}

// takeSteered is the loop's Steer. That nothing waits and that nothing more is taken
// are one step, so no Steer is lost in between.
func (t *Turn) takeSteered(last bool) []agent.Block {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	blocks := t.steered
	t.steered = nil
	if last && len(blocks) == 0 {
		t.late = true
	}
	return blocks
}

// keepLeftover makes what the loop did not take in part of the conversation: it was
// accepted, and the next request has it.
func (t *Turn) keepLeftover() error {
	t.s.mu.Lock()
	blocks := t.steered
	t.steered, t.late = nil, true
	t.s.mu.Unlock()
	if len(blocks) == 0 {
		return nil
	}
	if err := t.s.commit(agent.Message{Role: agent.RoleUser, Blocks: blocks}); err != nil {
		return err
	}
	t.s.showUser(blocks)
	return nil
}

func (s *Session) showUser(blocks []agent.Block) {
	for _, b := range blocks {
		s.emit(Update{Kind: UpdateUserMessage, Content: *b.Content})
	}
}
