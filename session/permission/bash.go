package permission

import "strings"

// Until commands are parsed as a shell parses them, rules on bash read the text
// with two different eyes: what would *allow* must be one plain command, what
// would *deny* or *ask* is looked for wherever a command could begin. A deny rule
// is therefore a guard rail, not a wall: a shell has endless spellings.

// shellMeta are the characters by which a command can be more than one, or other
// than it reads.
const shellMeta = ";&|<>`$(){}\n\r\\!#"

// allows reports whether an allow rule covers the whole command.
func (r Rule) allowsCommand(cmd string) bool {
	if !r.prefix {
		return strings.TrimSpace(cmd) == r.pattern
	}
	if r.pattern == "" {
		return true // bash(*): the user means all of it
	}
	if strings.ContainsAny(strings.TrimSpace(cmd), shellMeta) {
		return false
	}
	return hasWords(strings.Join(strings.Fields(cmd), " "), r.pattern)
}

// forbidsCommand reports whether a deny or ask rule speaks of any command in cmd.
func (r Rule) forbidsCommand(cmd string) bool {
	if r.pattern == "" {
		return true
	}
	if strings.TrimSpace(cmd) == r.pattern {
		return true
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
