package session

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

const (
	journalExt = ".jsonl"
	lockExt    = ".lock"
	// defaultPage is how many sessions List answers when not told.
	defaultPage = 50
	// removeFailsWhileOpen: Windows does not remove a file that is open, so the
	// (empty) lock file stays there.
	removeFailsWhileOpen = runtime.GOOS == "windows"
)

// Errors of a Store that a caller tells apart.
var (
	ErrNoSession = lang.Errorf(zh, textNoSession)
	ErrInUse     = lang.Errorf(zh, textInUse)
	ErrBadCursor = lang.Errorf(zh, textBadCursor)
	// ErrNoMessage answers a fork up to a message that does not exist.
	ErrNoMessage = lang.Errorf(zh, textNoMessage)
)

// Store is the folder of all journals. It is safe for concurrent use, also by
// several processes.
type Store struct {
	dir string

	mu    sync.Mutex
	infos map[string]cachedInfo // by id; guards it
}

type cachedInfo struct {
	size  int64
	mod   time.Time
	info  Info
	shown bool // false: unreadable or empty
}

// NewStore uses the journals in dir (~/.codebot/sessions), which is made when
// first needed.
func NewStore(dir string) *Store {
	return &Store{dir: dir, infos: map[string]cachedInfo{}}
}

// Create starts the journal of a new session.
func (st *Store) Create(h Header) (*Journal, error) {
	if !ValidID(h.ID) {
		return nil, fmt.Errorf("%w: %q", ErrBadID, h.ID)
	}
	if err := os.MkdirAll(st.dir, 0o700); err != nil {
		return nil, lang.Errorf(zh, textMakeFolder, err)
	}
	j, err := st.open(h.ID, os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	h.Created = h.Created.UTC()
	err = j.append(entry{
		Type: entryHeader, Time: h.Created, Version: journalVersion,
		ID: h.ID, Cwd: h.Cwd, Model: h.Model, Mode: h.Mode, Parent: h.Parent,
	})
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	j.log = Log{Header: h, Model: h.Model, Mode: h.Mode, notes: map[string]callNote{}, children: map[string]*childLog{}}
	return j, nil
}

// Open takes the journal of a session for writing and reads it. A line that a
// crash tore is cut off. The errors are ErrBadID, ErrNoSession, ErrInUse, or say
// what is wrong with the file.
func (st *Store) Open(id string) (*Journal, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%w: %q", ErrBadID, id)
	}
	if _, err := os.Stat(st.path(id)); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoSession, id)
	}
	j, err := st.open(id, 0)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*Journal, error) {
		j.file.Close()
		j.file = nil
		return nil, errors.Join(lang.Errorf(zh, textJournal, j.path, err), release(j.lock))
	}
	data, err := os.ReadFile(j.path)
	if err != nil {
		return fail(err)
	}
	log, whole, err := parse(data)
	if err != nil {
		return fail(err)
	}
	if log.Header.ID != id {
		return fail(lang.Errorf(zh, textOtherSession, log.Header.ID))
	}
	if whole < len(data) {
		if err := os.Truncate(j.path, int64(whole)); err != nil {
			return fail(err)
		}
	}
	j.log, j.size = log, int64(whole)
	return j, nil
}

// open locks and opens the file of a valid id.
func (st *Store) open(id string, flags int) (*Journal, error) {
	lock, ok, err := acquire(filepath.Join(st.dir, id+lockExt))
	if err != nil {
		return nil, lang.Errorf(zh, textLock, id, err)
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrInUse, id)
	}
	f, err := os.OpenFile(st.path(id), os.O_WRONLY|os.O_APPEND|flags, 0o600)
	if err != nil {
		return nil, errors.Join(lang.Errorf(zh, textOpen, id, err), release(lock))
	}
	return &Journal{path: st.path(id), file: f, lock: lock}, nil
}

func (st *Store) path(id string) string { return filepath.Join(st.dir, id+journalExt) }

// Info is a session as a list shows it.
type Info struct {
	ID, Cwd, Title string
	Model          string
	Mode           permission.Mode
	Created        time.Time
	// Updated is when the journal was last written.
	Updated time.Time
	// Messages counts the journal's messages.
	Messages int
}

// ListOptions narrow a list. The zero value asks for the first page of all.
type ListOptions struct {
	// Cwd, when set, is the folder of the sessions wanted.
	Cwd    string
	Cursor string
	Limit  int
}

// Page is a part of a list; Next is the cursor of the part after it, empty when
// this is the last.
type Page struct {
	Sessions []Info
	Next     string
}

// List answers the sessions in which something was said, the last written first.
// A cursor names a place in that order, not a count: a session written between two
// pages moves to the front and shifts nothing. Journals that cannot be read are
// left out.
func (st *Store) List(o ListOptions) (Page, error) {
	after, err := readCursor(o.Cursor)
	if err != nil {
		return Page{}, err
	}
	if o.Limit <= 0 {
		o.Limit = defaultPage
	}
	names, err := os.ReadDir(st.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Page{}, lang.Errorf(zh, textList, err)
	}
	// The order needs no journal to be read, so only those of the page are.
	all := make([]Info, 0, len(names))
	for _, e := range names {
		id, ok := strings.CutSuffix(e.Name(), journalExt)
		if !ok || !ValidID(id) || !e.Type().IsRegular() {
			continue
		}
		stat, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		info := Info{ID: id, Updated: stat.ModTime().UTC()}
		if o.Cursor == "" || newestFirst(after, info) < 0 {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, newestFirst)
	p := Page{Sessions: []Info{}}
	for _, i := range all {
		info, ok := st.info(i.ID)
		if !ok || o.Cwd != "" && filepath.Clean(o.Cwd) != filepath.Clean(info.Cwd) {
			continue
		}
		if len(p.Sessions) == o.Limit {
			p.Next = writeCursor(p.Sessions[o.Limit-1])
			break
		}
		info.Updated = i.Updated // a place in the order, also when it was just written
		p.Sessions = append(p.Sessions, info)
	}
	return p, nil
}

func newestFirst(a, b Info) int {
	return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(b.ID, a.ID))
}

// info reads what a list shows of one journal, or remembers it while the file is
// as it was.
func (st *Store) info(id string) (Info, bool) {
	stat, err := os.Stat(st.path(id))
	if err != nil || !stat.Mode().IsRegular() {
		return Info{}, false
	}
	st.mu.Lock()
	c, ok := st.infos[id]
	st.mu.Unlock()
	if ok && c.size == stat.Size() && c.mod.Equal(stat.ModTime()) {
		return c.info, c.shown
	}
	c = cachedInfo{size: stat.Size(), mod: stat.ModTime()}
	if data, err := os.ReadFile(st.path(id)); err == nil {
		if info, ok := scan(data); ok && info.ID == id {
			info.Updated = stat.ModTime().UTC()
			c.info, c.shown = info, info.Messages > 0
		}
	}
	st.mu.Lock()
	st.infos[id] = c
	st.mu.Unlock()
	return c.info, c.shown
}

func writeCursor(i Info) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(i.Updated.UnixNano(), 10) + " " + i.ID))
}

func readCursor(s string) (Info, error) {
	if s == "" {
		return Info{}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return Info{}, ErrBadCursor
	}
	stamp, id, _ := strings.Cut(string(b), " ")
	n, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || !ValidID(id) {
		return Info{}, ErrBadCursor
	}
	return Info{ID: id, Updated: time.Unix(0, n)}, nil
}
