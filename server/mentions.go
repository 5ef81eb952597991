package server

import (
	"context"
	"errors"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sahilm/fuzzy"
	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/session/tool"
)

// What stands for a thing that is fetched when the prompt is sent: addresses of links.
const (
	mentionScheme      = "codebot"
	mentionDiagnostics = "codebot:diagnostics"
)

// Bounds of the list of files.
const (
	mentionFiles = 50_000
	mentionTime  = time.Second     // to make it
	mentionFresh = 3 * time.Second // before it is made again
	mentionLimit = 50              // answers, when the client names no limit
)

// fileList remembers the files of a session's folder for as long as somebody types.
type fileList struct {
	mu    sync.Mutex
	root  string    // guarded by mu, as are the others
	made  time.Time // when
	names []string  // files, and folders with a slash behind, by path
}

// of returns the files and folders below root. Those of the list are never changed.
func (l *fileList) of(ctx context.Context, root string, hide func(string) bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.root == root && time.Since(l.made) < mentionFresh {
		return l.names
	}
	ctx, cancel := context.WithTimeout(ctx, mentionTime)
	defer cancel()
	var names []string
	folders := map[string]bool{}
	files := 0
	// What of a large project was seen within the time is better than nothing.
	_ = tool.Files(ctx, root, hide, func(rel string) bool {
		for dir := path.Dir(rel); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
			names = append(names, dir+"/")
		}
		names = append(names, rel)
		files++
		return files < mentionFiles
	})
	if ctx.Err() == nil || len(names) > len(l.names) || l.root != root {
		l.names = names
	}
	l.root, l.made = root, time.Now()
	return l.names
}

func (s *Server) sessionMentions(ctx context.Context, p wire.SessionMentionsParams) (wire.SessionMentionsResult, error) {
	result := wire.SessionMentionsResult{Mentions: []wire.Mention{}}
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return result, err
	}
	rpc.Release(ctx)
	limit := p.Limit
	if limit <= 0 {
		limit = mentionLimit
	}
	add := func(m wire.Mention) bool {
		if len(result.Mentions) < limit {
			result.Mentions = append(result.Mentions, m)
		}
		return len(result.Mentions) < limit
	}
	for _, m := range s.specialMentions(p.Query) {
		add(m)
	}
	for _, m := range o.resourceMentions(p.Query) {
		add(m)
	}
	cwd := permission.Resolve(o.session.Cwd())
	engine := s.engine(o.root)
	names := o.files.of(ctx, cwd, func(path string) bool { return engine.Hides(cwd, path) })
	for _, name := range s.ranked(p.Query, cwd, names) {
		if !add(fileMention(cwd, name)) {
			break
		}
	}
	return result, ctx.Err()
}

// specialMentions are what an editor can add of its own.
func (s *Server) specialMentions(query string) []wire.Mention {
	var out []wire.Mention
	if c := s.client.codebot; c != nil && c.Diagnostics && strings.HasPrefix("diagnostics", query) {
		out = append(out, wire.Mention{
			Kind: wire.MentionDiagnostics, Text: "@diagnostics", Label: "diagnostics", Detail: s.say(textMentionProblems),
			Block: &wire.ContentBlock{Type: wire.BlockResourceLink, URI: mentionDiagnostics, Name: "diagnostics"},
		})
	}
	if s.client.codebot != nil && strings.HasPrefix("selection", query) {
		out = append(out, wire.Mention{Kind: wire.MentionSelection, Text: "@selection", Label: "selection", Detail: s.say(textMentionSelection)})
	}
	return out
}

// resourceMentions are the resources whose "server:address" or name has the query in it.
// Without one there are none: they would push the files away.
func (o *openSession) resourceMentions(query string) []wire.Mention {
	if query == "" {
		return nil
	}
	var out []wire.Mention
	wanted := strings.ToLower(query)
	for _, m := range o.places() {
		resources, _ := m.Resources()
		for _, r := range resources {
			text := r.Server + ":" + r.Address
			if !strings.Contains(strings.ToLower(text), wanted) && !strings.Contains(strings.ToLower(r.Name+"\n"+r.Title), wanted) {
				continue
			}
			label := r.Title
			if label == "" {
				label = r.Name
			}
			at := url.URL{Scheme: mentionScheme, Opaque: "resource", RawQuery: url.Values{"server": {r.Server}, "address": {r.Address}}.Encode()}
			out = append(out, wire.Mention{
				Kind: wire.MentionResource, Text: "@" + mcp.CleanLine(text), Label: mcp.CleanLine(label), Detail: mcp.CleanLine(text),
				Block: &wire.ContentBlock{Type: wire.BlockResourceLink, URI: at.String(), Name: mcp.CleanLine(text), MimeType: mcp.CleanLine(r.MIME)},
			})
		}
	}
	return out
}

// ranked are the names that match, the best first: those open in the editor, then by how
// well. Without a query they are the open ones, then all.
func (s *Server) ranked(query, cwd string, names []string) []string {
	var open []string
	for _, p := range s.docs.Paths() {
		if rel, err := filepath.Rel(cwd, permission.Resolve(p)); err == nil && filepath.IsLocal(rel) && rel != "." {
			open = append(open, filepath.ToSlash(rel))
		}
	}
	slices.Sort(open)
	if query == "" {
		return append(open, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(open, n) })...)
	}
	var out []string
	for _, m := range fuzzy.Find(query, open) {
		out = append(out, m.Str)
	}
	// A name that has the query as it stands goes before one that has its letters: what a
	// person typed is mostly the beginning of a word.
	matches := fuzzy.Find(query, names)
	lower := strings.ToLower(query)
	grade := func(n string) int {
		n = strings.ToLower(n)
		base := path.Base(n)
		switch {
		case strings.HasPrefix(n, lower) || strings.HasPrefix(base, lower):
			return 0
		case strings.Contains(n, lower):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(matches, func(a, b fuzzy.Match) int {
		if d := grade(a.Str) - grade(b.Str); d != 0 {
			return d
		}
		if d := b.Score - a.Score; d != 0 {
			return d
		}
		return len(a.Str) - len(b.Str)
	})
	for _, m := range matches {
		if !slices.Contains(open, m.Str) {
			out = append(out, m.Str)
		}
	}
	return out
}

func fileMention(cwd, name string) wire.Mention {
	m := wire.Mention{Kind: wire.MentionFile, Text: "@" + name, Label: path.Base(name)}
	if strings.HasSuffix(name, "/") {
		m.Kind, m.Label = wire.MentionFolder, path.Base(name)+"/"
	}
	if dir := path.Dir(strings.TrimSuffix(name, "/")); dir != "." {
		m.Detail = dir
	}
	m.Block = &wire.ContentBlock{
		Type: wire.BlockResourceLink, Name: m.Label, URI: uriOf(filepath.Join(cwd, filepath.FromSlash(name))),
	}
	return m
}

// fetches reports whether content has a mention that has to be fetched.
func fetches(content []agent.Content) bool {
	return slices.ContainsFunc(content, func(c agent.Content) bool {
		return c.Kind == agent.ContentLink && strings.HasPrefix(c.URI, mentionScheme+":")
	})
}

// fetch puts what was mentioned in the place of the links to it.
func (o *openSession) fetch(ctx context.Context, content []agent.Content) ([]agent.Content, error) {
	var out []agent.Content
	for _, c := range content {
		if !fetches([]agent.Content{c}) {
			out = append(out, c)
			continue
		}
		at, err := url.Parse(c.URI)
		switch {
		case err == nil && at.Opaque == "resource":
			server, address := at.Query().Get("server"), at.Query().Get("address")
			contents, err := o.owner(server).ReadResource(ctx, server, address, false)
			if err != nil {
				return nil, err
			}
			for _, part := range contents {
				out = append(out, part.ForAgent()...)
			}
		case c.URI == mentionDiagnostics:
			said, err := (&diagnosticsTool{o: o}).Execute(ctx, nil, nil)
			if err != nil {
				return nil, err
			}
			out = append(out, agent.Content{Kind: agent.ContentResource, URI: c.URI, Name: c.Name, MIME: "text/plain", Text: said.Content[0].Text})
		default:
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, o.s.say(textMentionGone, mcp.CleanLine(c.URI)))
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is nothing to send")
	}
	return out, nil
}
