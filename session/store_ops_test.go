package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// told is a room whose session has said something, closed.
func told(t *testing.T) *room {
	t.Helper()
	r := newRoom(t, func(o *Options) { o.BuiltIns = []agent.Tool{readTool("look")} },
		say("let me look", use("a", "look", `{"at":1}`)), say("found"), say("more"))
	r.ask(t, "first")
	r.ask(t, "second")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// Who has thousands of sessions sees the newest at once: a page reads its own journals
// and no other.
func TestListReadsOnlyItsPage(t *testing.T) {
	const journals, limit = 2000, 50
	st := NewStore(t.TempDir())
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var message bytes.Buffer
	m := agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{textBlock(strings.Repeat("word ", 400))}}
	for range 20 {
		line, _ := entry{Type: entryMessage, Message: &m}.line()
		message.Write(line)
	}
	for i := range journals {
		h := Header{ID: NewID(base), Created: base}
		head, _ := entry{Type: entryHeader, Version: journalVersion, ID: h.ID, Cwd: "/x", Model: "m", Mode: permission.ModeDefault}.line()
		title, _ := entry{Type: entryTitle, Title: fmt.Sprint(i)}.line()
		if err := os.WriteFile(st.path(h.ID), append(append(head, title...), message.Bytes()...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(st.path(h.ID), time.Time{}, base.Add(-time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	p, err := st.List(ListOptions{Limit: limit})
	t.Logf("the first page of %d sessions of 40 KB each: %v", journals, time.Since(begun))
	if err != nil || len(p.Sessions) != limit || p.Sessions[49].Title != "49" || p.Sessions[0].Messages != 20 || p.Next == "" {
		t.Fatalf("%d sessions, next %q, %v", len(p.Sessions), p.Next, err)
	}
	if n := len(st.infos); n > limit+1 {
		t.Errorf("%d journals were read", n)
	}
	begun = time.Now()
	for p.Next != "" {
		if p, err = st.List(ListOptions{Limit: limit, Cursor: p.Next}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the other %d pages: %v", journals/limit-1, time.Since(begun))
	if got := p.Sessions[len(p.Sessions)-1].Title; got != fmt.Sprint(journals-1) {
		t.Errorf("the last is %s", got)
	}
}

// What a list shows is what loading would find.
func TestScanFindsWhatParseDoes(t *testing.T) {
	r := told(t)
	if err := r.store.Rename(r.ID(), "  新的\x1b标题\nx"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(r.store.path(r.ID()))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) + 1 {
		log, _, err := parse(data[:n])
		info, ok := scan(data[:n])
		if ok != (err == nil) || ok && (info.Title != log.Title || info.Messages != len(log.Messages) || info.Model != log.Model || info.ID != log.Header.ID) {
			t.Fatalf("at byte %d: %+v and %+v (%v)", n, info, log, err)
		}
	}
	if info, _ := scan(data); info.Title != "新的标题" {
		t.Errorf("the title is %q", info.Title)
	}
}

func TestRenamedSessionKeepsItsPlaceAndTitle(t *testing.T) {
	r := told(t)
	old := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(r.store.path(r.ID()), time.Time{}, old); err != nil {
		t.Fatal(err)
	}
	if err := r.store.Rename(r.ID(), "a name"); err != nil {
		t.Fatal(err)
	}
	if info, ok := r.store.Info(r.ID()); !ok || info.Title != "a name" || !info.Updated.Equal(old) {
		t.Errorf("%+v %v", info, ok)
	}
	n := reload(t, r, r.store, say("hi"))
	if err := r.store.Rename(r.ID(), "x"); !errors.Is(err, ErrInUse) {
		t.Errorf("of a session that somebody has open: %v", err)
	}
	if err := n.Rename("another"); err != nil || n.Title() != "another" {
		t.Errorf("%q %v", n.Title(), err)
	}
	if err := n.Rename(" \n"); !errors.Is(err, ErrEmptyTitle) {
		t.Errorf("%v", err)
	}
	n.ask(t, "third")
	if s := n.seen(); !strings.HasPrefix(s, "title another\n") || strings.Count(s, "title ") != 1 || n.Title() != "another" {
		t.Errorf("told\n%s", s)
	}
}

// Deleting leaves nothing behind, and takes nothing from who is using it.
func TestDeletedSessionIsGone(t *testing.T) {
	r := told(t)
	n := reload(t, r, r.store, nil)
	if err := r.store.Delete(r.ID()); !errors.Is(err, ErrInUse) {
		t.Errorf("of a session that somebody has open: %v", err)
	}
	if _, err := n.journal.spill("a", "long"); err != nil {
		t.Fatal(err)
	}
	turn, err := n.Begin(prompt("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Delete(); !errors.Is(err, ErrBusy) {
		t.Errorf("while a turn runs: %v", err)
	}
	n.Cancel()
	if _, err := turn.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := n.Delete(); err != nil {
		t.Fatal(err)
	}
	if err := n.Delete(); !errors.Is(err, ErrClosed) {
		t.Errorf("twice: %v", err)
	}
	left, err := os.ReadDir(filepath.Dir(r.store.path(r.ID())))
	if err != nil || len(left) != 0 && !removeFailsWhileOpen {
		t.Errorf("left %v %v", left, err)
	}
	for _, id := range []string{r.ID(), "../../x"} {
		if err := r.store.Delete(id); !errors.Is(err, ErrNoSession) && !errors.Is(err, ErrBadID) {
			t.Errorf("%q: %v", id, err)
		}
	}
	other := told(t)
	if err := other.store.Delete(other.ID()); err != nil {
		t.Error(err)
	}
}

// A copy goes on by itself, from the message that was pointed at; calls keep their
// results.
func TestForkGoesOnByItself(t *testing.T) {
	r := told(t)
	fork := func(to int) (*room, error) {
		j, err := r.store.Fork(r.ID(), ForkOptions{To: to, Now: time.Now(), Lang: lang.ZhCN})
		if err != nil {
			return nil, err
		}
		n := &room{model: &script{steps: []step{say("on my own")}}, store: r.store}
		o := r.o
		o.Model, o.Emit, o.Mode = n.model, n.see, ""
		if n.Session, err = Load(j, o); err != nil {
			return nil, err
		}
		t.Cleanup(func() { n.Close() })
		return n, nil
	}
	for to, want := range map[int]int{0: 6, 1: 1, 2: 3, 3: 3, 4: 4, 6: 6} {
		n, err := fork(to)
		if err != nil {
			t.Fatalf("to %d: %v", to, err)
		}
		if len(n.history) != want || n.ID() == r.ID() || n.Title() != "first（副本）" || n.Cwd() != r.Cwd() {
			t.Errorf("to %d: %d messages, title %q", to, len(n.history), n.Title())
		}
		if to == 0 && !reflect.DeepEqual(n.history, r.history) {
			t.Error("the copy has another history")
		}
		n.ask(t, "and now")
	}
	if _, err := fork(7); !errors.Is(err, ErrNoMessage) {
		t.Errorf("beyond the end: %v", err)
	}
	if log, err := r.store.Read(r.ID()); err != nil || len(agent.Repair(log.Messages)) != 6 {
		t.Errorf("the original changed: %+v %v", log, err)
	}
}

// A copy of a compacted session sends what the original would have sent.
func TestForkCopiesCompactions(t *testing.T) {
	r := newRoom(t, nil, say(strings.Repeat("far ", 400)), say("two"), say("You went far."), say("three"))
	r.ask(t, "one")
	r.ask(t, "two")
	if _, _, err := r.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.ask(t, "three")
	for to, compacted := range map[int]bool{0: true, 6: true, 2: false} {
		j, err := r.store.Fork(r.ID(), ForkOptions{To: to, Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		log := j.Log()
		raw, _ := json.Marshal(log.history())
		if got := bytes.Contains(raw, []byte("You went far.")); got != compacted {
			t.Errorf("to %d: compacted %v", to, got)
		}
		if to == 0 && !reflect.DeepEqual(log.history(), r.history) {
			t.Error("the copy has another history")
		}
		j.Close()
	}
}

func TestExportIsReadable(t *testing.T) {
	r := told(t)
	log, err := r.store.Read(r.ID())
	if err != nil {
		t.Fatal(err)
	}
	md := log.Markdown(lang.ZhCN)
	for _, want := range []string{"# first\n", "## 用户\n\nfirst\n", "## codebot 助手\n\nlet me look\n\n**look {\"at\":1}** (`look`)\n\n```json\n{\"at\":1}\n```\n",
		"<details><summary>结果</summary>\n\n```\nlook ran\n```\n\n</details>", "\n\nfound\n\n## 用户\n\nsecond\n"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	text, err := log.JSON()
	var back exported
	if err != nil || json.Unmarshal([]byte(text), &back) != nil || back.Title != "first" {
		t.Errorf("%v\n%s", err, text)
	}
	got, _ := json.Marshal(back.Messages) // without the indentation
	if want, _ := json.Marshal(r.transcript); !bytes.Equal(got, want) {
		t.Errorf("%v\n%s", err, text)
	}
	if got := fenced("", "a\n````\nb"); got != "`````\na\n````\nb\n`````\n" {
		t.Errorf("%q", got)
	}
}
