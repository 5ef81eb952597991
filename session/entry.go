package session

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// journalVersion is written into the header. A reader ignores entries and fields
// it does not know, and a header says which version is needed to read on: a newer
// writer that changed nothing that matters names an older one.
const journalVersion = 1

// The types of journal lines.
const (
	entryHeader  = "session"
	entryMessage = "message"
	entryMode    = "mode"
	entryModel   = "model"
	entryTitle   = "title"
	entryTurn    = "turn"
	entryCompact = "compact"
	// An old reader that ignores these shows what was taken back, and loses nothing.
	entryEdit     = "edit"
	entryRollback = "rollback"
	// An old reader that ignores these shows tasks without what their sub-agents did.
	entryChild = "child"
	// An old reader lists only those found tools that were called.
	entryFound = "found"
)

// entry is one line of a journal.
type entry struct {
	Type string    `json:"type"`
	Time time.Time `json:"time"`

	Version int             `json:"version,omitzero"` // header
	Needs   int             `json:"needs,omitzero"`   // header: the oldest version that reads it; none: Version
	ID      string          `json:"id,omitzero"`      // header
	Cwd     string          `json:"cwd,omitzero"`     // header
	Model   string          `json:"model,omitzero"`   // header, model
	Mode    permission.Mode `json:"mode,omitzero"`    // header, mode
	Title   string          `json:"title,omitzero"`   // title
	Parent  string          `json:"parent,omitzero"`  // header: the session it is a copy of

	Message *agent.Message `json:"message,omitzero"` // message
	Calls   []callNote     `json:"calls,omitempty"`  // message of the assistant

	Compact *compaction `json:"compact,omitzero"` // compact

	Child *childEntry `json:"child,omitzero"` // child

	Edit     *fileEdit `json:"edit,omitzero"`     // edit
	Rollback *rollback `json:"rollback,omitzero"` // rollback

	Found []string `json:"found,omitempty"` // found: all that requests list from here on

	Stop  agent.StopReason `json:"stop,omitzero"`  // turn
	Usage *agent.Usage     `json:"usage,omitzero"` // turn
	// Cost is what the whole session has cost when the turn ended, in US dollars.
	Cost float64 `json:"cost,omitzero"` // turn
}

// line is the entry as it stands in the file, with its newline. JSON strings hold
// no raw newline, so a line that ends in one is whole.
func (e entry) line() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readable reports whether this version understands the journal of a header.
func (e entry) readable() bool {
	needs := e.Needs
	if needs == 0 {
		needs = e.Version
	}
	return needs <= journalVersion
}

// Header is what a journal says of its session at the start.
type Header struct {
	ID      string
	Cwd     string
	Model   string
	Mode    permission.Mode
	Created time.Time
	// Parent is the id of the session that this one is a copy of, if it is one.
	Parent string
}

// Log is what a journal tells.
type Log struct {
	Header Header
	// Model and Mode as they were at the end.
	Model string
	Mode  permission.Mode
	Title string
	// Messages as they were written; [agent.Repair] makes them a history.
	Messages []agent.Message
	// Cost is what the session has cost, in US dollars, as far as prices were known.
	Cost float64
	// Skipped counts lines that could not be read; Torn says that the last one was not
	// whole, as a crash leaves it.
	Skipped int
	Torn    bool

	notes    map[string]callNote
	children map[string]*childLog
	// base is the model's view of the conversation as the last compaction left it, which
	// the messages from baseAt on follow; it is nil where there was none.
	base   []agent.Message
	baseAt int
	// edits are those that can be taken back.
	edits []fileEdit
	// found are the remote tools that requests list, nil where no search has brought any.
	found []string
}

// history is the conversation as the model gets it.
func (l *Log) history() []agent.Message {
	return agent.Repair(slices.Concat(l.base, l.Messages[l.baseAt:]))
}

// parse reads a journal's bytes. Only lines that end in a newline count: whole is
// how many bytes those are, the rest is a line that a crash tore.
func parse(data []byte) (log Log, whole int, err error) {
	whole = bytes.LastIndexByte(data, '\n') + 1
	log.notes, log.children = map[string]callNote{}, map[string]*childLog{}
	log.Torn = whole < len(data)
	first := true
	for line := range bytes.Lines(data[:whole]) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			if first {
				return log, whole, lang.Errorf(zh, textNoJournal, err)
			}
			log.Skipped++
			continue
		}
		if first {
			if e.Type != entryHeader {
				return log, whole, lang.Errorf(zh, textFirstLine, e.Type)
			}
			if !e.readable() {
				return log, whole, lang.Errorf(zh, textNewer, e.Version, journalVersion)
			}
			log.Header = Header{ID: e.ID, Cwd: e.Cwd, Model: e.Model, Mode: e.Mode, Created: e.Time, Parent: e.Parent}
			log.Model, log.Mode = e.Model, e.Mode
			first = false
			continue
		}
		log.apply(e)
	}
	if first {
		return log, whole, lang.Errorf(zh, textEmpty)
	}
	return log, whole, nil
}

func (l *Log) apply(e entry) {
	switch e.Type {
	case entryMessage:
		if e.Message != nil {
			l.Messages = append(l.Messages, *e.Message)
		}
		for _, n := range e.Calls {
			l.notes[n.ID] = n
		}
	case entryChild:
		if e.Child != nil {
			e.Child.add(l.children)
		}
	case entryCompact:
		if e.Compact != nil {
			l.base, l.baseAt = e.Compact.apply(l.history()), len(l.Messages)
		}
	case entryEdit:
		if e.Edit != nil {
			l.edits = append(l.edits, *e.Edit)
		}
	case entryRollback:
		if r := e.Rollback; r != nil && r.To >= 0 && r.To <= len(l.Messages) {
			l.edits = r.left(l.edits)
			if r.Messages {
				l.Messages = l.Messages[:r.To]
				l.base, l.baseAt = r.base(l.base, l.baseAt)
			}
		}
	case entryFound:
		l.found = e.Found
	case entryTurn:
		l.Cost = max(l.Cost, e.Cost)
	case entryMode:
		l.Mode = e.Mode
	case entryModel:
		l.Model = e.Model
	case entryTitle:
		l.Title = e.Title
	}
}
