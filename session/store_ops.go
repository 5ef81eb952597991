package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Info returns what a list shows of one session, and false when the list does not.
func (st *Store) Info(id string) (Info, bool) {
	if !ValidID(id) {
		return Info{}, false
	}
	return st.info(id)
}

// Read reads the journal of a session as it is now, whoever has it open. The errors
// are ErrBadID, ErrNoSession, or say what is wrong with the file.
func (st *Store) Read(id string) (Log, error) {
	data, err := st.read(id)
	if err != nil {
		return Log{}, err
	}
	log, _, err := parse(data)
	if err != nil {
		return Log{}, lang.Errorf(zh, textJournal, st.path(id), err)
	}
	return log, nil
}

func (st *Store) read(id string) ([]byte, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%w: %q", ErrBadID, id)
	}
	data, err := os.ReadFile(st.path(id))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoSession, id)
	}
	return data, err
}

// Rename gives a session that nobody has open another title; it keeps its place in
// the list. The errors are those of Open and ErrEmptyTitle.
func (st *Store) Rename(id, title string) error {
	if title = cleanTitle(title); title == "" {
		return ErrEmptyTitle
	}
	if !ValidID(id) {
		return fmt.Errorf("%w: %q", ErrBadID, id)
	}
	stat, serr := os.Stat(st.path(id))
	j, err := st.Open(id)
	if err != nil {
		return err
	}
	err = errors.Join(j.append(entry{Type: entryTitle, Title: title}), j.Close())
	if err == nil && serr == nil {
		_ = os.Chtimes(j.path, time.Time{}, stat.ModTime()) // only the order of a list
	}
	return err
}

// Delete removes a session that nobody has open, with the results it had spilled. The
// errors are ErrBadID, ErrNoSession, ErrInUse, or the file system's.
func (st *Store) Delete(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("%w: %q", ErrBadID, id)
	}
	if _, err := os.Stat(st.path(id)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s", ErrNoSession, id)
	}
	lock, ok, err := acquire(filepath.Join(st.dir, id+lockExt))
	if err != nil {
		return lang.Errorf(zh, textLock, id, err)
	}
	if !ok {
		return fmt.Errorf("%w: %s", ErrInUse, id)
	}
	return errors.Join(os.Remove(st.path(id)), os.RemoveAll(filesOf(st.path(id))), release(lock))
}

// ForkOptions choose what of a session is copied. The zero value is all of it.
type ForkOptions struct {
	// To is how many messages are copied, as a person counts them: one more than the
	// MessageID of the last in a replay; 0 means all. Results of its calls come along.
	To int
	// Lang is the language of the copy's title.
	Lang lang.Lang
	// Now is the time of the copy.
	Now time.Time
}

// Fork copies the journal of a session, whoever has it open, into one of a new
// session, which it opens. What the journal says of compactions is copied too; model,
// mode and title are those of now. The errors are ErrBadID, ErrNoSession, ErrNoMessage, or the file system's.
func (st *Store) Fork(id string, o ForkOptions) (*Journal, error) {
	data, err := st.read(id)
	if err != nil {
		return nil, err
	}
	log, whole, err := parse(data)
	if err != nil {
		return nil, lang.Errorf(zh, textJournal, st.path(id), err)
	}
	lines, err := forkLines(data[:whole], o.To)
	if err == nil && bytes.Contains(data[:whole], append([]byte("\n"), lineOf(entryRollback)...)) {
		// What was taken back does not come along, nor where it lay between the lines.
		lines, err = log.lines(o.To)
	}
	if err != nil {
		return nil, err
	}
	j, err := st.Create(Header{ID: NewID(o.Now), Cwd: log.Header.Cwd, Model: log.Model, Mode: log.Mode, Created: o.Now, Parent: id})
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*Journal, error) { return nil, errors.Join(err, j.remove()) }
	if err := j.write(lines); err != nil {
		return fail(err)
	}
	if log.Title != "" {
		if err := j.append(entry{Type: entryTitle, Title: o.Lang.Sprintf(zh, textFork, log.Title)}); err != nil {
			return fail(err)
		}
	}
	copied, err := os.ReadFile(j.path)
	if err != nil {
		return fail(err)
	}
	if j.log, _, err = parse(copied); err != nil {
		return fail(lang.Errorf(zh, textJournal, j.path, err))
	}
	return j, nil
}

// forkLines are the lines of the conversation, up to the message that would be one too
// many.
func forkLines(data []byte, to int) ([]byte, error) {
	var out []byte
	var transcript []agent.Message
	for line := range bytes.Lines(data) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch e.Type {
		case entryHeader, entryTitle, entryMode, entryModel:
			continue
		case entryTurn: // what it cost was paid once
			continue
		case entryEdit: // what it would give back belongs to the other
			continue
		}
		if m := e.Message; e.Type == entryMessage && m != nil && to > 0 {
			next := agent.Append(transcript, *m)
			if len(next) > to && !onlyResults(*m) {
				break
			}
			transcript = next
		}
		out = append(out, line...)
	}
	if to > 0 && len(transcript) < to {
		return nil, ErrNoMessage
	}
	return out, nil
}

// lines are the messages of a log as lines, up to the message that would be one too many.
func (l *Log) lines(to int) ([]byte, error) {
	var out []byte
	var transcript []agent.Message
	for _, m := range l.Messages {
		next := agent.Append(transcript, m)
		if to > 0 && len(next) > to && !onlyResults(m) {
			break
		}
		transcript = next
		line, err := entry{Type: entryMessage, Time: l.Header.Created, Message: &m, Calls: notesOf(m, l.notes)}.line()
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
		for _, b := range m.Blocks {
			log := l.children[b.ID]
			if b.Kind != agent.BlockToolUse || log == nil {
				continue
			}
			lines, err := log.lines(b.ID, l.Header.Created)
			if err != nil {
				return nil, err
			}
			out = append(out, lines...)
		}
	}
	if to > 0 && len(transcript) < to {
		return nil, ErrNoMessage
	}
	if len(l.found) > 0 {
		line, err := entry{Type: entryFound, Time: l.Header.Created, Found: l.found}.line()
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	return out, nil
}

func onlyResults(m agent.Message) bool {
	return !slices.ContainsFunc(m.Blocks, func(b agent.Block) bool { return b.Kind != agent.BlockToolResult })
}
