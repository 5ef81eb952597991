package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/permission/shell"
)

// A command line is taken apart as bash does it (package shell): what would *allow* it has
// to cover every program in it, what would *deny* it or have it asked for needs to meet one.
// Of a line that cannot be taken apart, nothing is allowed by a prefix, and what would deny
// is looked for wherever a command could begin. A deny rule is a guard rail all the same,
// not a wall: a program can do anything, whatever it is called.

// allowsCommand returns the rule, or the last of several, that together cover all of a
// command line. may says whether a file that the shell itself opens may be.
func allowsCommand(list []Rule, line string, may func(shell.Redirect, bool) bool) (Rule, bool) {
	var bash []Rule
	for _, r := range list {
		if r.kind != KindBash {
			continue
		}
		// The user means all of it, or exactly this.
		if r.prefix && r.pattern == "" || !r.prefix && strings.TrimSpace(line) == r.pattern {
			return r, true
		}
		bash = append(bash, r)
	}
	if len(bash) == 0 {
		return Rule{}, false
	}
	script, err := shell.Parse(line)
	if err != nil || script.Unread || len(script.Commands) == 0 {
		return Rule{}, false
	}
	by := make([]Rule, len(script.Commands))
	for i, c := range script.Commands {
		at := slices.IndexFunc(bash, func(r Rule) bool { return r.covers(c) })
		switch {
		case at >= 0:
			by[i] = bash[at]
		case c.Outer >= 0 && len(strings.Fields(by[c.Outer].pattern)) > c.Skipped:
			by[i] = by[c.Outer] // bash(sudo go test *) spells it
		default:
			return Rule{}, false
		}
	}
	for _, rd := range script.Redirects {
		if !may(rd, script.Moves) {
			return Rule{}, false
		}
	}
	return by[0], true
}

// covers reports whether the rule speaks of one command of a line, all that it says of it
// being literal. Variables that are set for it could make another program of it.
func (r Rule) covers(c shell.Command) bool {
	words := strings.Fields(r.pattern)
	if c.Assigned || !c.HasPrefix(words) {
		return false
	}
	return r.prefix || len(words) == len(c.Words)
}

// forbidsCommand reports whether a deny or ask rule speaks of any command in cmd.
func (r Rule) forbidsCommand(cmd string) bool {
	if r.pattern == "" || strings.TrimSpace(cmd) == r.pattern {
		return true
	}
	script, err := shell.Parse(cmd)
	words := strings.Fields(r.pattern)
	for _, c := range script.Commands {
		if c.HasPrefix(words) && (r.prefix || len(words) == len(c.Words)) {
			return true
		}
	}
	if err == nil && !script.Unread {
		return false
	}
	for _, part := range commandStarts(cmd) {
		if part == r.pattern || r.prefix && hasWords(part, r.pattern) {
			return true
		}
	}
	return false
}

func hasWords(cmd, words string) bool {
	return cmd == words || strings.HasPrefix(cmd, words+" ")
}

// wrappers are commands that run the command that follows them.
var wrappers = map[string]bool{"sudo": true, "doas": true, "env": true, "command": true, "exec": true, "nohup": true,
	"nice": true, "time": true, "xargs": true, "builtin": true, "eval": true, "then": true, "do": true, "else": true, "if": true, "while": true, "until": true, "!": true}

// commandStarts returns every stretch of cmd that a shell might run as a command,
// quotes and backslashes dropped, blanks single, both with and without wrappers
// and assignments in front.
func commandStarts(cmd string) []string {
	plain := strings.NewReplacer(`"`, "", `'`, "", "\\\n", "", `\`, "").Replace(cmd)
	var out []string
	for _, part := range strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(";&|<>`$(){}\n\r", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 {
			out = append(out, strings.Join(words, " "))
			// /bin/rm is rm.
			if i := strings.LastIndexByte(words[0], '/'); i >= 0 && !strings.Contains(words[0], "=") {
				out = append(out, strings.Join(append([]string{words[0][i+1:]}, words[1:]...), " "))
			}
			if !wrappers[words[0]] && !strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-") {
				break
			}
			words = words[1:]
		}
	}
	return out
}

// mentionsProtected returns the protected folder whose name stands in the
// command. A command that mentions one is asked for also where bash runs freely:
// it is the plain road to writing the files that start programs.
func mentionsProtected(cmd string) (string, bool) {
	plain := strings.ToLower(strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(cmd))
	for _, name := range []string{".codebot", ".vscode", ".git"} {
		for rest := plain; ; {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			rest = rest[i+len(name):]
			// ".github", ".gitignore" and "x.git" at the end of an address are others.
			if rest == "" || strings.ContainsRune("/ \t\n;&|)}>*?", rune(rest[0])) {
				before := plain[:len(plain)-len(rest)-len(name)]
				if before == "" || strings.ContainsRune("/ \t\n;&|(={<>~", rune(before[len(before)-1])) {
					return name, true
				}
			}
		}
	}
	return "", false
}

// opened returns the resolved path of a file that the shell opens in root, false where that
// is not known.
func (e *Engine) opened(root string, rd shell.Redirect, moves bool) (string, bool) {
	path := rd.Path
	switch {
	case !rd.Static || path == "" || strings.ContainsAny(path, "*?["):
		return "", false
	case path == "~" || strings.HasPrefix(path, "~/"):
		if e.home == "" {
			return "", false
		}
		path = filepath.Join(e.home, path[1:])
	case strings.HasPrefix(path, "~"), !filepath.IsAbs(path) && moves:
		return "", false
	case !filepath.IsAbs(path):
		path = filepath.Join(root, path)
	}
	return Resolve(path), true
}

// mayOpen reports whether a file that the shell opens could be read, or written, by a tool
// in that mode without a question.
func (e *Engine) mayOpen(req Request, mode Mode) func(shell.Redirect, bool) bool {
	return func(rd shell.Redirect, moves bool) bool {
		if rd.Static && slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr"}, rd.Path) {
			return true
		}
		path, ok := e.opened(req.Root, rd, moves)
		if !ok {
			return false
		}
		file := Request{Kind: KindRead, Tool: req.Tool, Root: req.Root, Paths: []string{path}}
		if rd.Write {
			file.Kind = KindEdit
		}
		return e.Decide(file, mode).Verdict == Run
	}
}

// openedBy are the files that a command line's shell opens, as calls of their own.
func (e *Engine) openedBy(req Request) []Request {
	if req.Kind != KindBash || !strings.ContainsAny(req.Command, "<>") {
		return nil
	}
	script, err := shell.Parse(req.Command)
	if err != nil {
		return nil
	}
	var all []Request
	for _, rd := range script.Redirects {
		path, ok := e.opened(req.Root, rd, false)
		if !ok {
			continue
		}
		file := Request{Kind: KindRead, Tool: req.Tool, Root: req.Root, Paths: []string{path}}
		if rd.Write {
			file.Kind = KindEdit
		}
		all = append(all, file)
	}
	return all
}
