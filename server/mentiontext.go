package server

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// maxTypedMentions bounds how many of one prompt are looked at: a pasted text may be full
// of them.
const maxTypedMentions = 50

// typedMention finds what a person typed behind an @ at the beginning of a word: a path, in
// quotes when it has spaces.
var typedMention = regexp.MustCompile("(?:^|[\\s(\\[{<\"'`,;:，。；：（「\\p{Han}])@(?:\"([^\"\\n]+)\"|([^\\s\"'`@，。；：！？）」、]+))")

// mentioned adds what is meant by each "@path" that was typed without completing it: a
// link to the file or folder, where there is one of that name which the tools may read
// unasked. All else stays the text that it is.
func (o *openSession) mentioned(content []agent.Content) []agent.Content {
	linked := map[string]bool{}
	for _, c := range content {
		if c.Kind == agent.ContentLink || c.Kind == agent.ContentResource {
			linked[c.URI] = true
		}
	}
	out := slices.Clip(content)
	left := maxTypedMentions
	for _, c := range content {
		if c.Kind != agent.ContentText {
			continue
		}
		for _, m := range typedMention.FindAllStringSubmatch(c.Text, left) {
			left--
			link, ok := o.linkTo(m[1], m[2])
			if ok && !linked[link.URI] {
				linked[link.URI] = true
				out = append(out, link)
			}
		}
		if left == 0 {
			break
		}
	}
	return out
}

// linkTo is the link to a path of the session's folder. What stands bare may have the end
// of its sentence at its end, and in Chinese the rest of it.
func (o *openSession) linkTo(quoted, bare string) (agent.Content, bool) {
	if quoted != "" {
		return o.linkToPath(quoted)
	}
	for name := bare; ; {
		if link, ok := o.linkToPath(name); ok {
			return link, true
		}
		last, size := utf8.DecodeLastRuneInString(name)
		if size == 0 || !strings.ContainsRune(".,;:!?)]}>/", last) && !unicode.Is(unicode.Han, last) {
			return agent.Content{}, false
		}
		name = name[:len(name)-size]
	}
}

func (o *openSession) linkToPath(name string) (agent.Content, bool) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return agent.Content{}, false
	}
	cwd := permission.Resolve(o.session.Cwd())
	path := permission.Resolve(filepath.Join(cwd, local))
	// A link out of the folder is as far away as what it leads to.
	if rel, err := filepath.Rel(cwd, path); err != nil || !filepath.IsLocal(rel) || rel == "." {
		return agent.Content{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() || o.s.engine(o.root).Hides(cwd, path) {
		return agent.Content{}, false
	}
	label := filepath.Base(local)
	if info.IsDir() {
		label += "/"
	}
	return agent.Content{Kind: agent.ContentLink, URI: uriOf(filepath.Join(cwd, local)), Name: label}, true
}
