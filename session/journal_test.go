package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// reload opens the journal of r's session anew and loads it.
func reload(t *testing.T, r *room, st *Store, steps ...step) *room {
	t.Helper()
	j, err := st.Open(r.ID())
	if err != nil {
		t.Fatal(err)
	}
	n := &room{model: &script{steps: steps}, store: st}
	o := r.o
	o.ID, o.Cwd, o.Mode, o.Model, o.Emit = "", "", "", n.model, n.see
	n.o = o
	if n.Session, err = Load(j, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

func TestLoadedSessionGoesOnWhereItEnded(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look"), bashTool()} },
		say("looking", use("a", "look", `{"q":"<&>"}`), use("b", "bash", "")), say("done"))
	r.ask(t, "first prompt")
	r.SetMode(permission.ModeAcceptEdits)
	r.Close()

	n := reload(t, r, r.store, say("hi again"))
	if n.Mode() != permission.ModeAcceptEdits || n.Title() != "first prompt" || n.Cwd() != r.Cwd() || n.ID() != r.ID() {
		t.Errorf("mode %s, title %q, cwd %s, id %s", n.Mode(), n.Title(), n.Cwd(), n.ID())
	}
	var us []Update
	if next := n.Replay(ReplayOptions{}, func(u Update) { us = append(us, u) }); next != 0 {
		t.Errorf("next %d", next)
	}
	want := `user_message first prompt
agent_message looking
tool_call a completed read look {"q":"<&>"} | look ran
tool_call b failed execute bash {} | refused: a shell command needs permission, and nobody can be asked
agent_message done`
	got := updatesText(us)
	got = got[:strings.Index(got, "refused: ")] + want[strings.Index(want, "refused: "):] // the gate's words are its own
	if got != want {
		t.Errorf("replay\n%s", updatesText(us))
	}
	n.ask(t, "second")
	before, _ := json.Marshal(r.model.request(1).Messages)
	after, _ := json.Marshal(n.model.request(0).Messages[:3])
	if !bytes.Equal(before, after) {
		t.Errorf("the history changed on its way through the journal:\n%s\n%s", before, after)
	}
}

func TestReplayPagesByMessage(t *testing.T) {
	r := newRoom(t, nil, say("one"), say("two"), say("three"))
	for _, p := range []string{"a", "b", "c"} {
		r.ask(t, p)
	}
	var pages []string
	for before := 0; ; {
		var us []Update
		before = r.Replay(ReplayOptions{Before: before, Limit: 4}, func(u Update) { us = append(us, u) })
		pages = append(pages, updatesText(us))
		if before == 0 {
			break
		}
	}
	want := []string{"user_message b\nagent_message two\nuser_message c\nagent_message three", "user_message a\nagent_message one"}
	if !slices.Equal(pages, want) {
		t.Errorf("%q", pages)
	}
}

// A crash at any byte of the journal loses at most what was being written, and
// loads to a history that a model takes. The next message is whole again.
func TestCrashAtAnyByteOfTheJournal(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look")} },
		say("looking", use("a", "look", "{}"), use("b", "look", "{}")), say("done"))
	r.ask(t, "go")
	r.Close()
	data, err := os.ReadFile(r.store.path(r.ID()))
	if err != nil {
		t.Fatal(err)
	}
	header := bytes.IndexByte(data, '\n') + 1
	messages := 0
	dir := t.TempDir()
	st := NewStore(dir)
	for n := range len(data) + 1 {
		if err := os.WriteFile(st.path(r.ID()), data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := st.Open(r.ID())
		if n < header {
			if err == nil {
				t.Fatalf("at byte %d: a journal without a header opens", n)
			}
			continue
		}
		if err != nil {
			t.Fatalf("at byte %d: %v", n, err)
		}
		if got := len(j.Log().Messages); got < messages {
			t.Fatalf("at byte %d: %d messages, earlier %d", n, got, messages)
		} else {
			messages = got
		}
		model := &script{steps: []step{say("back")}}
		o := r.o
		o.ID, o.Mode, o.Model = "", "", model
		s, err := Load(j, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), prompt("after the crash")); err != nil {
			t.Fatalf("at byte %d: %v", n, err)
		}
		h := model.request(0).Messages
		if !slices.EqualFunc(agent.Repair(h), h, func(a, b agent.Message) bool { return len(a.Blocks) == len(b.Blocks) && a.Role == b.Role }) {
			t.Fatalf("at byte %d: invalid history %+v", n, h)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		back, err := st.Open(r.ID())
		if err != nil || back.Log().Skipped != 0 {
			t.Fatalf("at byte %d: after the crash %v, %d bad lines", n, err, back.Log().Skipped)
		}
		if err := back.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if messages != 5 {
		t.Errorf("%d messages in the whole journal", messages)
	}
}

// Each line is in the file before anyone sees what it tells of.
func TestJournalIsWrittenBeforeTheConsequenceIsSeen(t *testing.T) {
	var r *room
	onDisk := func() string {
		b, err := os.ReadFile(r.store.path(r.ID()))
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	r = newRoom(t, func(o *Options) {
		o.BuiltIns = []agent.Tool{readTool("look")}
		o.Emit = func(u Update) {
			if u.Kind != UpdateToolCall && u.Kind != UpdateToolCallChange {
				return
			}
			want := `"tool_use"`
			if u.ToolCall.Status == ToolCompleted {
				want = `"tool_result"`
			}
			if !strings.Contains(onDisk(), want) {
				t.Errorf("%s %s was shown before it was kept", u.Kind, u.ToolCall.Status)
			}
		}
	}, func(ctx context.Context, req *agent.Request, emit func(agent.Delta) error) (agent.Response, error) {
		if !strings.Contains(onDisk(), `"go"`) {
			t.Error("the prompt went out before it was kept")
		}
		return say("", use("a", "look", "{}"))(ctx, req, emit)
	}, say("ok"))
	r.ask(t, "go")
}

// A process that is killed while it starts a command leaves its descriptors, and so its
// lock, to that child for a moment: its chat must open all the same.
func TestALockThatIsAboutToEndIsWaitedFor(t *testing.T) {
	r := newRoom(t, nil, say("ok"))
	r.ask(t, "go")
	r.Close()
	left := flock.New(filepath.Join(r.store.dir, r.ID()+lockExt))
	if ok, err := left.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	ended := make(chan error, 1)
	time.AfterFunc(lockPatience/10, func() { ended <- left.Unlock() })
	j, err := NewStore(r.store.dir).Open(r.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-ended, j.Close()); err != nil {
		t.Error(err)
	}
}

func TestJournalHasOneOwner(t *testing.T) {
	r := newRoom(t, nil, say("ok"))
	r.ask(t, "go")
	other := NewStore(r.store.dir) // as another process would
	if _, err := other.Open(r.ID()); !errors.Is(err, ErrInUse) {
		t.Fatalf("second owner: %v", err)
	}
	if p, err := other.List(ListOptions{}); err != nil || len(p.Sessions) != 1 {
		t.Errorf("a list while it is open: %+v %v", p, err)
	}
	r.Close()
	j, err := other.Open(r.ID())
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	if left, _ := filepath.Glob(filepath.Join(r.store.dir, "*"+lockExt)); len(left) > 0 && !removeFailsWhileOpen {
		t.Errorf("left: %v", left)
	}
}

func TestJournalIsPrivateAndAnUnusedOneIsRemoved(t *testing.T) {
	r := newRoom(t, nil, say("ok"))
	path := r.store.path(r.ID())
	if st, err := os.Stat(path); err != nil || !removeFailsWhileOpen && st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	r.SetMode(permission.ModePlan)
	r.Close()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an unused session was kept: %v", err)
	}
}

// An id comes from a client: it never becomes a path.
func TestOpenRefusesWhatIsNoID(t *testing.T) {
	st := NewStore(t.TempDir())
	for _, id := range []string{"", "..", "../x", "a/b", `a\b`, "20260304050607000-00000000000g", "20260304050607000-0000000000000", NewID(time.Now()) + "\n", "NUL"} {
		if _, err := st.Open(id); !errors.Is(err, ErrBadID) {
			t.Errorf("%q: %v", id, err)
		}
		if _, err := st.Create(Header{ID: id}); !errors.Is(err, ErrBadID) {
			t.Errorf("create %q: %v", id, err)
		}
	}
	if _, err := st.Open(NewID(time.Now())); !errors.Is(err, ErrNoSession) {
		t.Errorf("%v", err)
	}
}

func TestIDsSortByAge(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))
	a, b := NewID(at), NewID(at.Add(time.Millisecond))
	if a >= b || !ValidID(a) || NewID(at) == a {
		t.Errorf("%s %s", a, b)
	}
}

func TestListIsNewestFirstWithStableCursors(t *testing.T) {
	st := NewStore(t.TempDir())
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	add := func(cwd, title string, age time.Duration) string {
		j, err := st.Create(Header{ID: NewID(base), Cwd: cwd, Model: "m", Mode: permission.ModeDefault, Created: base})
		if err != nil {
			t.Fatal(err)
		}
		m := agent.Message{Role: agent.RoleUser}
		if err := errors.Join(j.append(entry{Type: entryTitle, Title: title}), j.append(entry{Type: entryMessage, Message: &m}), j.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(j.path, time.Time{}, base.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return j.log.Header.ID
	}
	for i, title := range []string{"a", "b", "c", "d", "e"} {
		add([]string{"/x", "/y"}[i%2], title, time.Duration(i)*time.Hour)
	}
	if err := os.WriteFile(st.path(NewID(base)), []byte("garbage\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	titles := func(o ListOptions) (string, string) {
		t.Helper()
		p, err := st.List(o)
		if err != nil {
			t.Fatal(err)
		}
		var s []string
		for _, i := range p.Sessions {
			s = append(s, i.Title)
		}
		return strings.Join(s, ""), p.Next
	}
	one, next := titles(ListOptions{Limit: 2})
	add("/x", "new", -time.Hour) // written between two pages
	two, next := titles(ListOptions{Limit: 2, Cursor: next})
	three, end := titles(ListOptions{Limit: 2, Cursor: next})
	if one != "ab" || two != "cd" || three != "e" || end != "" {
		t.Errorf("%s %s %s, then %q", one, two, three, end)
	}
	if got, _ := titles(ListOptions{Cwd: "/y/"}); got != "bd" {
		t.Errorf("of /y: %s", got)
	}
	for _, c := range []string{"?", "eA", "MTIz"} {
		if _, err := st.List(ListOptions{Cursor: c}); !errors.Is(err, ErrBadCursor) {
			t.Errorf("cursor %q: %v", c, err)
		}
	}
	if p, err := NewStore(filepath.Join(t.TempDir(), "none")).List(ListOptions{}); err != nil || p.Sessions == nil || len(p.Sessions) != 0 {
		t.Errorf("no folder: %+v %v", p, err)
	}
}

// A bad line in the middle costs that line only; a journal of a newer version is
// refused with the reason.
func TestDamagedAndNewerJournals(t *testing.T) {
	head := func(v int) string {
		return string(must(entry{Type: entryHeader, Version: v, ID: "x", Cwd: "/"}.line()))
	}
	m := agent.Message{Role: agent.RoleUser}
	msg := string(must(entry{Type: entryMessage, Message: &m}.line()))
	log, whole, err := parse([]byte(head(1) + msg + "{broken\n" + `{"type":"later","x":1}` + "\n" + msg + msg[:5]))
	if err != nil || log.Skipped != 1 || len(log.Messages) != 2 || whole == 0 {
		t.Errorf("%+v %v", log, err)
	}
	for _, bad := range []string{"", "x", "{}\n", msg, head(2)} {
		if _, _, err := parse([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a journal", bad)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// What a model does not get whole is kept beside the journal, whatever the id.
func TestLongResultIsKeptInAFile(t *testing.T) {
	long := strings.Repeat("line\n", 10_000)
	look := readTool("look")
	look.run = func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
		return agent.Result{Content: []agent.Content{agent.Text(long)}}, nil
	}
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{look} }, say("", use("../../a b", "look", "")), say("ok"))
	r.ask(t, "go")
	files, _ := filepath.Glob(filepath.Join(r.store.dir, r.ID()+".files", "*.txt"))
	if len(files) != 1 {
		t.Fatalf("kept: %v", files)
	}
	if b, err := os.ReadFile(files[0]); err != nil || string(b) != long {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if s := r.seen(); !strings.Contains(s, files[0]) {
		t.Error("the notice does not name the file")
	}
}

// What of a journal a crash or somebody's editor broke is said once, to whoever opens it.
func TestABrokenJournalIsRepairedAndSaidSo(t *testing.T) {
	r := newRoom(t, nil, say("done"))
	r.ask(t, "go")
	r.Close()
	path := r.store.path(r.ID())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, says string }{
		"whole":    {string(data), ""},
		"torn":     {string(data) + `{"type":"message","ti`, "middle of a line"},
		"scribble": {string(data) + "hello\n", "1 lines"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := r.store.Open(r.ID())
		if err != nil {
			t.Fatal(err)
		}
		o := r.o
		o.ID, o.Mode = "", ""
		s, err := Load(j, o)
		if err != nil {
			t.Fatal(err)
		}
		for try := range 2 {
			said := ""
			s.Replay(ReplayOptions{}, func(u Update) {
				if u.Kind == UpdateNotice {
					said += u.Text
				}
			})
			if (said != "") != (c.says != "" && try == 0) || !strings.Contains(said, c.says) && try == 0 {
				t.Errorf("%s, time %d: said %q", name, try+1, said)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Versions read each other: the first one's journal, word for word as it was written,
// and one of a version to come, which says that we may. Both go on here, and what the
// newer one wrote of its own is kept.
func TestVersionsReadEachOthersJournals(t *testing.T) {
	for _, name := range []string{"first", "future"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		model := &script{steps: []step{say("still here")}}
		st := NewStore(t.TempDir())
		const id = "20260304050607089-0123456789ab"
		if err := os.WriteFile(st.path(id), data, 0o600); err != nil {
			t.Fatal(err)
		}
		page, err := st.List(ListOptions{})
		if err != nil || len(page.Sessions) != 1 || page.Sessions[0].Title != "Fix the build" || page.Sessions[0].Messages != 4 {
			t.Errorf("%s: listed as %+v, %v", name, page.Sessions, err)
		}
		j, err := st.Open(id)
		if err != nil {
			t.Fatal(name, err)
		}
		s, err := Load(j, Options{Model: model, Gate: permission.NewEngine(permission.EngineOptions{})})
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := s.Prompt(t.Context(), prompt("and now?")); err != nil {
			t.Fatal(name, err)
		}
		h := model.request(0).Messages
		if len(h) != 5 || h[0].Blocks[0].Content.Text != "Fix the build" || h[2].Blocks[0].Kind != agent.BlockToolResult || s.Mode() != permission.ModeAcceptEdits {
			t.Errorf("%s: the model got %+v", name, h)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(st.path(id)); err != nil || !bytes.HasPrefix(now, data) {
			t.Errorf("%s: what was there changed", name)
		}
	}
}
