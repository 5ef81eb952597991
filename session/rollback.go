package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	tools "github.com/codebot-ls/codebot-ls/session/tool"
)

// rollback is how a journal tells that turns were taken back.
type rollback struct {
	// To is the place, among all messages as they were written, of the first that goes.
	To       int  `json:"to"`
	Files    bool `json:"files,omitzero"`
	Messages bool `json:"messages,omitzero"`
}

// RollbackOptions say what is taken back, and how far.
type RollbackOptions struct {
	// Message is the place of a user's message in the conversation, as a replay's
	// MessageID: the turn that it began, and all after it, is taken back.
	Message int
	// Files gives back what the tools have edited; Messages takes the messages away.
	Files, Messages bool
	// Overwrite are the paths of files to give back although somebody else changed them.
	Overwrite []string
	// Unsaved reports whether the editor has a file open with another text than the
	// disk's. Nil knows of none.
	Unsaved func(path string) bool
	// Restore gives a file its content in the editor where that has it open, so that the
	// editor's undo takes it back; done is false where it is to be written to the disk.
	// Nil leaves all to the disk.
	Restore func(ctx context.Context, path string, content []byte) (done bool, err error)
}

// Rollback is what was taken back, or with Conflicts what would be.
type Rollback struct {
	Files     []RolledBack
	Conflicts []Conflict
	// NotUndone are the titles of calls whose effects stay or are not known.
	NotUndone []string
	// Prompt is the text of the message that went.
	Prompt string
}

// RolledBack is one file that is given back; Removed says that it was not there before.
type RolledBack struct {
	Path    string
	Removed bool
}

// Conflict is a file that is not as the turns left it.
type Conflict struct{ Path, Reason string }

// Rollback takes the turn that a message began back, and all after it. With a conflict it
// does nothing but say so. While a turn runs it answers ErrBusy; a message that is none of
// the user's is ErrNoMessage.
func (s *Session) Rollback(o RollbackOptions) (Rollback, error) {
	turn, err := s.take(nil) // no turn may begin meanwhile
	if err != nil {
		return Rollback{}, err
	}
	ctx, end := turn.start(turn.ctx)
	defer end()

	s.mu.Lock()
	said, edits := s.said, s.edits
	s.mu.Unlock()
	to, ok := promptAt(said, o.Message)
	if !ok {
		return Rollback{}, ErrNoMessage
	}
	out := Rollback{Prompt: saidText(said[to])}
	if !o.Messages {
		out.Prompt = ""
	}
	var plan []restore
	if o.Files {
		plan, out.Conflicts = s.plan(edits, to, o)
		for _, r := range plan {
			out.Files = append(out.Files, RolledBack{Path: r.path, Removed: r.hash == ""})
		}
	}
	out.NotUndone = s.notUndone(said[to:])
	if len(out.Conflicts) > 0 {
		return out, nil
	}
	for _, r := range plan {
		if err := s.restore(ctx, r, o); err != nil {
			return out, lang.Errorf(zh, textRestore, r.path, err)
		}
	}
	// Told when it is done: files that were given back twice are as they should be, and
	// a message that is still there can be taken back again.
	r := rollback{To: to, Files: o.Files, Messages: o.Messages}
	if err := s.keep(entry{Type: entryRollback, Rollback: &r}); err != nil {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edits = r.left(s.edits)
	if o.Messages {
		s.said = slices.Clip(s.said[:to])
		s.base, s.baseAt = r.base(s.base, s.baseAt)
		s.transcript = agent.Repair(s.said)
		s.history = agent.Repair(slices.Concat(s.base, s.said[s.baseAt:]))
	}
	return out, nil
}

// left are the edits that can still be taken back.
func (r rollback) left(edits []fileEdit) []fileEdit {
	return slices.DeleteFunc(slices.Clone(edits), func(e fileEdit) bool { return e.Prompt >= r.To })
}

// base is the compacted beginning after the rollback: one that holds what was taken back
// is of no use.
func (r rollback) base(base []agent.Message, at int) ([]agent.Message, int) {
	if r.To < at {
		return nil, 0
	}
	return base, at
}

// promptAt finds the place, among all messages as they were written, of the first that a
// user said in the message of a conversation; see [agent.Append], which joins them.
func promptAt(said []agent.Message, message int) (int, bool) {
	at := -1
	var role agent.Role
	for i, m := range said {
		if m.Role != role {
			at, role = at+1, m.Role
		}
		if at == message && m.Role == agent.RoleUser && !onlyResults(m) {
			return i, true
		}
	}
	return 0, false
}

// messageOf is the inverse of promptAt: the message of a conversation that what was
// written at a place is a part of.
func messageOf(said []agent.Message, place int) int {
	at := -1
	var role agent.Role
	for _, m := range said[:place+1] {
		if m.Role != role {
			at, role = at+1, m.Role
		}
	}
	return at
}

// saidText is the text of a user's message.
func saidText(m agent.Message) string {
	var texts []string
	for _, b := range m.Blocks {
		if b.Kind == agent.BlockContent && b.Content.Kind == agent.ContentText {
			texts = append(texts, b.Content.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// restore is one file to give back: the content of a hash, none for a file to remove.
type restore struct {
	path, hash string
}

// plan is what the edits of the turns from a place on have to be undone by, and what
// stands in the way.
func (s *Session) plan(edits []fileEdit, to int, o RollbackOptions) (plan []restore, conflicts []Conflict) {
	first, last := map[string]fileEdit{}, map[string]fileEdit{}
	foreign := map[string]bool{}
	var paths []string
	for _, e := range edits {
		if e.Prompt < to {
			continue
		}
		if before, again := last[e.Path]; !again {
			first[e.Path] = e
			paths = append(paths, e.Path)
		} else if before.After != e.Before {
			foreign[e.Path] = true // somebody else wrote between two of ours
		}
		last[e.Path] = e
	}
	slices.Sort(paths)
	for _, path := range paths {
		e := first[path]
		now, err := hashOfFile(path)
		reason := ""
		switch {
		case err != nil:
			reason = s.say(textConflictRead, err)
		case now == e.Before:
			continue // it is as it was
		case e.Lost:
			reason = s.say(textConflictLost)
		case o.Unsaved != nil && o.Unsaved(path):
			reason = s.say(textConflictUnsaved)
		case now == "":
			reason = s.say(textConflictGone)
		case now != last[path].After || foreign[path]:
			reason = s.say(textConflictChanged)
		}
		if reason != "" && (e.Lost || err != nil || !slices.Contains(o.Overwrite, path)) {
			conflicts = append(conflicts, Conflict{Path: path, Reason: reason})
			continue
		}
		plan = append(plan, restore{path: path, hash: e.Before})
	}
	return plan, conflicts
}

func (s *Session) restore(ctx context.Context, r restore, o RollbackOptions) error {
	if r.hash == "" {
		if err := os.Remove(r.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	content, err := s.journal.content(r.hash)
	if err != nil {
		return err
	}
	if o.Restore != nil {
		if done, err := o.Restore(ctx, r.path, content); done || err != nil {
			return err
		}
	}
	return tools.ReplaceFile(r.path, content)
}

// notUndone names the calls among messages that did more than read, apart from the edits
// that are undone.
func (s *Session) notUndone(said []agent.Message) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.effects(said, s.notes)
}

// effects are the titles of the calls among messages that did more than read or edit, with
// those of the sub-agents. s.mu is held.
func (s *Session) effects(said []agent.Message, notes map[string]callNote) []string {
	results := resultsOf(said)
	var out []string
	for _, m := range said {
		for _, b := range m.Blocks {
			if b.Kind != agent.BlockToolUse {
				continue
			}
			if r, answered := results[b.ID]; answered && r.NotRun {
				continue
			}
			if b.Name == taskName {
				if log := s.children[b.ID]; log != nil {
					out = append(out, s.effects(log.messages, log.notes)...)
				}
				continue
			}
			n := notes[b.ID]
			switch n.Kind {
			case ToolRead, ToolFetch, ToolEdit:
				continue
			}
			out = append(out, cmp.Or(commandOf(b), n.Title, b.Name))
		}
	}
	return out
}

// commandOf is the command of a call of bash, on one line.
func commandOf(b agent.Block) string {
	var args struct {
		Command string `json:"command"`
	}
	if b.Name != "bash" || json.Unmarshal(b.Input, &args) != nil {
		return ""
	}
	return strings.Join(strings.Fields(args.Command), " ")
}

// say gives a text for a person in the session's language.
func (s *Session) say(format string, args ...any) string {
	return lang.Of(s.o.Locale).Sprintf(zh, format, args...)
}

// Clear takes all messages away and leaves the files as they are; what it takes stays in
// the journal.
func (s *Session) Clear() error {
	_, err := s.Rollback(RollbackOptions{Messages: true})
	if errors.Is(err, ErrNoMessage) {
		return nil // there is none
	}
	return err
}
