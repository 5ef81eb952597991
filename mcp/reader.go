package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
)

// maxInstructions bounds what one server may put into the prompt, in bytes.
const maxInstructions = 4096

// Reader is one session's view of the user's servers and of those of its folder. It
// has a dirty flag of its own, so that two sessions do not take each other's news.
// Close ends it.
type Reader struct {
	user, project *Manager
	dirty         atomic.Bool
}

// NewReader makes the reader of one session. project may be nil. Its first
// RefreshIfDirty answers.
func NewReader(user, project *Manager) *Reader {
	r := &Reader{user: user, project: project}
	r.dirty.Store(true)
	for _, m := range r.managers() {
		m.readersMu.Lock()
		m.readers[r] = struct{}{}
		m.readersMu.Unlock()
	}
	return r
}

func (r *Reader) managers() []*Manager {
	var all []*Manager
	for _, m := range []*Manager{r.user, r.project} {
		if m != nil {
			all = append(all, m)
		}
	}
	return all
}

// Close ends the view: nothing marks it dirty any more.
func (r *Reader) Close() {
	for _, m := range r.managers() {
		m.readersMu.Lock()
		delete(m.readers, r)
		m.readersMu.Unlock()
	}
}

// RefreshIfDirty returns what the servers offer when it changed since the last call,
// and false when nothing did, which costs one compare-and-swap. It never waits for a
// server.
func (r *Reader) RefreshIfDirty(ctx context.Context) (Snapshot, bool) {
	if !r.dirty.CompareAndSwap(true, false) {
		return Snapshot{}, false
	}
	return r.Snapshot(), true
}

// Snapshot returns what the servers offer now.
func (r *Reader) Snapshot() Snapshot {
	var user, project map[string]view
	if r.user != nil {
		user = r.user.views()
	}
	if r.project != nil {
		project = r.project.views()
	}
	views := merge(user, project)
	snap := Snapshot{Tools: toolsOf(views), Instructions: strings.Join(sectionsOf(views), "\n\n")}
	for _, name := range slices.Sorted(maps.Keys(views)) {
		snap.Servers = append(snap.Servers, views[name].status)
	}
	return snap
}

// merge lays a folder's servers over the user's, by name. One that waits for
// approval does not yet displace the user's, whatever else is wrong with it.
func merge(user, project map[string]view) map[string]view {
	views := make(map[string]view, len(user)+len(project))
	maps.Copy(views, user)
	for name, v := range project {
		if _, taken := views[name]; taken && !v.mayAct {
			continue
		}
		views[name] = v
	}
	return views
}

// sectionsOf returns the instructions of usable servers as sections, sorted by name.
func sectionsOf(views map[string]view) []string {
	var sections []string
	for _, name := range slices.Sorted(maps.Keys(views)) {
		v := views[name]
		if text := sectionText(v.status.Instructions); text != "" && (v.status.State.Usable() || v.asleep || v.kept) {
			sections = append(sections, "## "+CleanLine(name)+"\n"+text)
		}
	}
	return sections
}

// sectionText makes a server's instructions fit for a prompt in which "## " begins
// the section of another server: headings in it lose their rank, and it ends at a
// bound.
func sectionText(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n").Replace(s)
	s = Clean(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if rest := strings.TrimLeft(line, " \t"); strings.HasPrefix(rest, "#") {
			lines[i] = line[:len(line)-len(rest)] + `\` + rest
		}
	}
	return cut(strings.TrimSpace(strings.Join(lines, "\n")), maxInstructions)
}
