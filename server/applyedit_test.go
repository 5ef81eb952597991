package server_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/model/modeltest"
)

// editing is a session in an editor that takes edits, or not where applies is nil. Its
// model makes each call in a turn of its own.
type editing struct {
	t    *testing.T
	w    *servertest.World
	d    *modeltest.Double
	e    *servertest.Editor
	id   string
	path string // of notes.txt
}

func newEditing(t *testing.T, disk string, config servertest.Config) *editing {
	t.Helper()
	d := modeltest.New(t, modeltest.Anthropic)
	w := servertest.NewWorld(t)
	w.User(with(d, nil))
	x := &editing{t: t, w: w, d: d, path: w.Write("notes.txt", disk), e: w.Start(config)}
	x.id = servertest.Call(x.e, wire.SessionNew, wire.SessionNewParams{Mode: "auto"}).SessionID
	return x
}

// call has the model call a tool and returns what the model is told of it.
func (x *editing) call(tool string, args servertest.M) (text string, call wire.ToolCallUpdate) {
	x.t.Helper()
	x.d.Then(modeltest.Reply{Calls: []modeltest.Call{use("c1", tool, args)}}, modeltest.Say("Done."))
	prompt(x.e, x.id, "go")
	calls := x.e.Calls(x.id)
	call = calls[len(calls)-1]
	return servertest.CallText(call), call
}

func (x *editing) edit(old, text string) (said string, call wire.ToolCallUpdate) {
	x.t.Helper()
	return x.call("edit", servertest.M{"path": "notes.txt", "old_string": old, "new_string": text})
}

// holds wants the same text in the editor and on the disk.
func (x *editing) holds(want string) {
	x.t.Helper()
	if buffer, _ := x.e.Buffer(x.path); buffer != want {
		x.t.Errorf("the editor shows %q, want %q", buffer, want)
	}
	x.onDisk(want)
}

func (x *editing) onDisk(want string) {
	x.t.Helper()
	if got := fileText(x.t, x.w, "notes.txt"); got != want {
		x.t.Errorf("the disk has %q, want %q", got, want)
	}
}

// made wants so many edits of the server to have been made in the editor.
func (x *editing) made(want int) {
	x.t.Helper()
	if _, edits := x.e.Buffer(x.path); edits != want {
		x.t.Errorf("%d edits were made in the editor, want %d", edits, want)
	}
}

func (x *editing) rollback(overwrite ...string) wire.SessionRollbackResult {
	x.t.Helper()
	return servertest.Call(x.e, wire.SessionRollback, wire.SessionRollbackParams{SessionID: x.id, ToMessageID: "0", Files: true, Overwrite: overwrite})
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

// An edit of an open file is made in the editor, whose undo takes it back, also on top of
// what is not saved; when the call ends the disk has it, and a rollback takes the same way.
func TestAnEditOfAnOpenFileIsMadeInTheEditor(t *testing.T) {
	plugin := servertest.Applying{Saves: true}
	for name, c := range map[string]struct {
		applies  servertest.Applying
		noPlugin bool
		disk     string
		buffer   string
		old, new string
		want     string
		edits    int
	}{
		"saved":                  {applies: plugin, disk: "one\ntwo\n", buffer: "one\ntwo\n", old: "two", new: "three", want: "one\nthree\n", edits: 1},
		"not saved":              {applies: plugin, disk: "one\n", buffer: "mine\none\n", old: "one", new: "two", want: "mine\ntwo\n", edits: 1},
		"without versions":       {applies: servertest.Applying{Saves: true, Unversioned: true}, disk: "one\n", buffer: "mine\none\n", old: "one", new: "two", want: "mine\ntwo\n", edits: 1},
		"CRLF":                   {applies: plugin, disk: "a\r\none\r\nb\r\n", buffer: "a\r\none\r\nb\r\n", old: "one", new: "two\nlines", want: "a\r\ntwo\r\nlines\r\nb\r\n", edits: 1},
		"pairs of UTF-16":        {applies: plugin, disk: "x\n", buffer: "😀é😀 one 𝔸\n😀\n", old: "one", new: "😁", want: "😀é😀 😁 𝔸\n😀\n", edits: 1},
		"the end without a line": {applies: plugin, disk: "one", buffer: "one", old: "one", new: "one\ntwo", want: "one\ntwo", edits: 1},
		"saved, no plug-in":      {noPlugin: true, disk: "one\n", buffer: "one\n", old: "one", new: "two", want: "two\n", edits: 0},
		"not saved, no plug-in":  {noPlugin: true, disk: "one\n", buffer: "mine\none\n", old: "one", new: "two", want: "mine\ntwo\n", edits: 1},
	} {
		t.Run(name, func(t *testing.T) {
			x := newEditing(t, c.disk, servertest.Config{Applies: &c.applies, NoPlugin: c.noPlugin})
			x.e.Open(x.path, c.buffer)
			said, call := x.edit(c.old, c.new)
			if call.Status != wire.ToolCompleted {
				t.Fatalf("the edit: %s", said)
			}
			if unsaved := c.buffer != c.disk; strings.Contains(said, "unsaved changes") != unsaved {
				t.Errorf("told of unsaved changes (%t): %s", unsaved, said)
			}
			x.made(c.edits)
			x.onDisk(c.want)
			if c.edits == 0 {
				x.e.Type(x.path, c.want) // the editor follows the file
			}
			x.holds(c.want)
			if got := x.rollback(); len(got.Conflicts) > 0 {
				t.Fatalf("taken back: %+v", got)
			}
			x.onDisk(c.buffer)
			if !c.noPlugin {
				x.holds(c.buffer)
				x.made(c.edits + 1)
			}
		})
	}
}

// All of an open file is written with edits of what changes, so that marks stay.
func TestAWriteOfAnOpenFileLeavesWhatStays(t *testing.T) {
	x := newEditing(t, "a\nb\nc\nd\ne\nf\n", servertest.Config{Applies: &servertest.Applying{Saves: true}})
	x.e.Open(x.path, "a\nb\nc\nd\ne\nf\n")
	said, _ := x.call("write", servertest.M{"path": "notes.txt", "content": "a\nB\nc\nd\ne\nf\ng\n"})
	has(t, said, "Wrote notes.txt (7 lines)")
	x.holds("a\nB\nc\nd\ne\nf\ng\n")
	x.made(1)
	var edits int
	x.e.Look(func(s *servertest.State) {
		for _, c := range s.Edits[0].Edit.DocumentChanges {
			edits += strings.Count(string(jsonOf(t, c)), `"newText"`)
		}
		has(t, *s.Edits[0].Label, "notes.txt")
	})
	if edits != 2 {
		t.Errorf("%d edits", edits)
	}
	// What is open with this content, and not saved, is on the disk when the call ends.
	x.e.Type(x.path, "typed\n")
	x.call("read", servertest.M{"path": "notes.txt"})
	x.call("write", servertest.M{"path": "notes.txt", "content": "typed\n"})
	x.holds("typed\n")
	// A file that is not there, while its buffer is.
	path := filepath.Join(x.w.Folder, "sub", "new.txt")
	x.e.Open(path, "draft\n")
	x.call("write", servertest.M{"path": "sub/new.txt", "content": "final\n"})
	if text, edits := x.e.Buffer(path); text+fileText(t, x.w, "sub/new.txt") != "final\nfinal\n" || edits != 1 {
		t.Errorf("the buffer has %q after %d edits, the disk %q", text, edits, fileText(t, x.w, "sub/new.txt"))
	}
}

// What the user's formatter does on saving is a part of the edit: the model is told, its
// next edit is not refused, and a rollback, also after a restart, is not stopped by it.
func TestAFormatterOnSavingIsPartOfTheEdit(t *testing.T) {
	x := newEditing(t, "x=1\n", servertest.Config{Applies: &servertest.Applying{Saves: true, Format: func(text string) string {
		return strings.ReplaceAll(strings.ReplaceAll(text, " = ", "="), "=", " = ")
	}}})
	x.e.Open(x.path, "x=1\n")
	x.call("read", servertest.M{"path": "notes.txt"})
	said, call := x.edit("x=1", "x=2\ny=3")
	has(t, said, "Edited notes.txt", "changed more of it", "+x = 2", "+y = 3")
	if diff := call.Content[len(call.Content)-1]; diff.NewText == nil || *diff.NewText != "x = 2\ny = 3\n" {
		t.Errorf("the diff is %+v", diff)
	}
	x.holds("x = 2\ny = 3\n")
	said, call = x.edit("y = 3", "y = 4")
	if call.Status != wire.ToolCompleted || strings.Contains(said, "changed more") {
		t.Errorf("the second edit: %s", said)
	}
	x.holds("x = 2\ny = 4\n")

	// The editor would format what was there, too: the disk gets it as it was.
	x.e.Shutdown()
	x.e = x.w.Start(servertest.Config{Applies: &servertest.Applying{Saves: true, Format: strings.ToUpper}})
	x.e.Open(x.path, "x = 2\ny = 4\n")
	if got := x.rollback(); len(got.Conflicts) > 0 || len(got.Files) != 1 {
		t.Errorf("taken back: %+v", got)
	}
	x.made(1)
	x.onDisk("x=1\n")
}

// What the editor does not make is an error that says why and what to do, and nothing
// has changed; what comes then begins with the file as it is.
func TestAnEditThatTheEditorDoesNotMakeChangesNothing(t *testing.T) {
	const buffer = "mine\none\n"
	refuse := func(reason string) *servertest.Applying {
		return &servertest.Applying{Saves: true, Refuse: func() string { return reason }}
	}
	for name, c := range map[string]struct {
		applies *servertest.Applying
		says    []string
	}{
		"it says why":     {refuse("the buffer is\nread-only"), []string{"did not make the edit", "the buffer is read-only"}},
		"it says nothing": {refuse(""), []string{"did not make the edit", "does not say why"}},
		"it is broken":    {&servertest.Applying{Saves: true, Broken: true}, []string{"not known", "read it again"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newEditing(t, "one\n", servertest.Config{Applies: c.applies})
			x.e.Open(x.path, buffer)
			said, call := x.edit("one", "two")
			if call.Status != wire.ToolFailed {
				t.Errorf("it is %s", call.Status)
			}
			has(t, said, c.says...)
			x.onDisk("one\n")
			x.made(0)
			c.applies.Refuse, c.applies.Broken = nil, false
			x.edit("one", "three")
			x.holds("mine\nthree\n")
			if got := x.rollback(); len(got.Conflicts) > 0 {
				t.Errorf("taken back: %+v", got)
			}
			x.holds(buffer)
		})
	}
}

// Whoever types while an edit is on its way loses nothing.
func TestAnEditOfAFileThatIsTypedInIsNotMade(t *testing.T) {
	applies := &servertest.Applying{Saves: true}
	x := newEditing(t, "one\n", servertest.Config{Applies: applies})
	x.e.Open(x.path, "one\n")
	applies.Coming = func(_ context.Context, e *servertest.Editor) { e.Type(x.path, "one and mine\n") }
	said, call := x.edit("one", "two")
	if call.Status != wire.ToolFailed {
		t.Errorf("it is %s", call.Status)
	}
	has(t, said, "has changed in the editor while the edit was made", "read it again")
	x.onDisk("one\n")
	x.made(0)
	applies.Coming = nil
	x.call("read", servertest.M{"path": "notes.txt"})
	x.edit("one", "two")
	x.holds("two and mine\n")
}

// A turn that is cancelled does not wait for an editor that does not answer.
func TestACancelledTurnWaitsForNoEditor(t *testing.T) {
	applies := &servertest.Applying{Saves: true, Coming: func(ctx context.Context, _ *servertest.Editor) { <-ctx.Done() }}
	x := newEditing(t, "one\n", servertest.Config{Applies: applies})
	x.e.Open(x.path, "one\n")
	x.d.Then(modeltest.Reply{Calls: []modeltest.Call{use("c1", "edit", servertest.M{"path": "notes.txt", "old_string": "one", "new_string": "two"})}})
	wait := begin(t.Context(), x.e, x.id, "go")
	x.e.Await("the edit", func(s *servertest.State) bool { return len(s.Edits) > 0 })
	x.e.Notify(wire.SessionCancel.Name, wire.SessionCancelParams{SessionID: x.id})
	if result, err := wait(); err != nil || result.StopReason != wire.StopCancelled {
		t.Errorf("the turn: %+v %v", result, err)
	}
	x.e.Await("the editor to hear of it", func(s *servertest.State) bool { return s.Cancelled > 0 })
	x.onDisk("one\n")
	applies.Coming = nil
	x.edit("one", "three")
	x.holds("three\n")
	if got := x.rollback(); len(got.Conflicts) > 0 {
		t.Errorf("taken back: %+v", got)
	}
	x.holds("one\n")
}

// An editor that cannot make edits sees the file written, as before.
func TestAnEditorThatMakesNoEditsFollowsTheFile(t *testing.T) {
	x := newEditing(t, "one\n", servertest.Config{})
	x.e.Open(x.path, "mine\none\n")
	said, _ := x.edit("one", "two")
	has(t, said, "unsaved changes were written with it")
	x.onDisk("mine\ntwo\n")
	x.made(0)
}

// A rollback restores what has unsaved changes only when it is told to, and then in the
// editor; a file that is not open, on the disk.
func TestARollbackRestoresOpenFilesInTheEditor(t *testing.T) {
	x := newEditing(t, "one\n", servertest.Config{Applies: &servertest.Applying{Saves: true}})
	x.e.Open(x.path, "one\n")
	other := x.w.Write("other.txt", "one\n")
	x.edit("one", "two")
	x.call("edit", servertest.M{"path": "other.txt", "old_string": "one", "new_string": "two"})
	x.e.Type(x.path, "two and mine\n")
	got := x.rollback()
	if len(got.Conflicts) != 1 || got.Conflicts[0].Path != x.path || !strings.Contains(got.Conflicts[0].Reason, "unsaved") {
		t.Fatalf("with unsaved changes: %+v", got)
	}
	x.made(1)
	x.onDisk("two\n")
	if got := x.rollback(x.path); len(got.Conflicts) > 0 || len(got.Files) != 2 {
		t.Fatalf("told to: %+v", got)
	}
	x.made(2)
	x.holds("one\n")
	if got := contentOf(t, other); got != "one\n" {
		t.Errorf("the other file has %q", got)
	}
}

// A byte order mark is on the disk and not in the editor: it is no change.
func TestAByteOrderMarkIsNoUnsavedChange(t *testing.T) {
	const bom = "\ufeff"
	x := newEditing(t, bom+"one\n", servertest.Config{Applies: &servertest.Applying{Saves: true}})
	x.e.Open(x.path, "one\n")
	if said, _ := x.edit("one", "two"); strings.Contains(said, "unsaved") {
		t.Error(said)
	}
	if got := x.rollback(); len(got.Conflicts) > 0 {
		t.Errorf("taken back: %+v", got)
	}
	x.holds("one\n")
}

// An editor writes where its document's link leads now: an edit goes where it was asked
// for.
func TestAnEditIsNotMadeThroughALinkThatLeadsElsewhere(t *testing.T) {
	x := newEditing(t, "one\n", servertest.Config{Applies: &servertest.Applying{Saves: true}})
	link, other := filepath.Join(x.w.Folder, "link.txt"), x.w.Write("other.txt", "one\n")
	if err := os.Symlink(x.path, link); err != nil {
		t.Skip(err)
	}
	x.e.Open(link, "one\n")
	x.edit("one", "two")
	if text, edits := x.e.Buffer(link); text != "two\n" || edits != 1 {
		t.Errorf("the buffer has %q after %d edits", text, edits)
	}
	x.onDisk("two\n")
	if err := errors.Join(os.Remove(link), os.Symlink(other, link)); err != nil {
		t.Fatal(err)
	}
	x.edit("two", "three")
	x.onDisk("three\n")
	if got := contentOf(t, other); got != "one\n" {
		t.Errorf("the other file has %q", got)
	}
}
