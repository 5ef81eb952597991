package shell

import (
	"slices"
	"strings"
)

// runners are programs that run the command in their arguments. The value says which
// of their options take a word of their own.
var runners = map[string]string{
	"sudo": "-u -g -h -p -C -r -t -U -D -R -T", "doas": "-u -C", "env": "-u -C -S", "command": "", "builtin": "", "exec": "-a", "nohup": "", "setsid": "",
	"nice": "-n", "ionice": "-c -n -p", "time": "-f -o", "timeout": "-k -s", "stdbuf": "-i -o -e", "xargs": "-I -i -n -P -L -d -E -s -a", "parallel": "-j",
	"watch": "-n", "strace": "-o -e -p", "unbuffer": "", "busybox": "", "flock": "-w -E", "chroot": "", "taskset": "", "caffeinate": "-t", "script": "",
}

// shells take a command line after -c.
var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "ash": true, "fish": true}

// inner adds what a command runs in turn.
func (r *reader) inner(at int, c Command, depth int) {
	name := c.Name()
	switch {
	case shells[name]:
		r.shell(at, c, depth)
	case name == "eval":
		r.eval(at, c, c.Words[1:], depth)
	case name == "trap" && len(c.Words) > 1:
		r.eval(at, c, c.Words[1:2], depth)
	case name == "find", name == "fd":
		r.find(at, c, depth)
	default:
		if options, ok := runners[name]; ok {
			r.runner(at, c, strings.Fields(options), depth)
		}
	}
}

// shell is sh -c "line", or a script, or what comes from its input.
func (r *reader) shell(at int, c Command, depth int) {
	for i, word := range c.Words[1:] {
		i++
		switch {
		case i >= c.Static:
			r.script.Unread = true
			return
		case strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c"):
			if i+1 >= c.Static || !r.read(c.Words[i+1], at, depth+1) {
				r.script.Unread = true
			}
			return
		case !strings.HasPrefix(word, "-"):
			return // a script: it is named in the words
		}
	}
	r.script.Unread = true // what is piped into it
}

// eval is the words as one line.
func (r *reader) eval(at int, c Command, words []string, depth int) {
	if c.Static < len(c.Words) || !r.read(strings.Join(words, " "), at, depth+1) {
		r.script.Unread = true
	}
}

// find runs what stands between -exec and the end of it.
func (r *reader) find(at int, c Command, depth int) {
	for i := 1; i < len(c.Words); i++ {
		switch c.Words[i] {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			from, to := i+1, i+1
			for to < len(c.Words) && c.Words[to] != ";" && c.Words[to] != "+" {
				to++
			}
			r.nested(at, c, from, to, depth)
			i = to
		case "-delete":
			r.add(Command{Words: []string{"rm"}, Static: 1, Outer: at, Skipped: len(c.Words)}, depth+1)
		}
	}
}

// runner skips the options of a program and takes the rest as a command.
func (r *reader) runner(at int, c Command, withWord []string, depth int) {
	i := 1
	for ; i < len(c.Words); i++ {
		word := c.Words[i]
		switch {
		case word == "--":
			r.nested(at, c, i+1, len(c.Words), depth)
			return
		case c.Name() == "env" && strings.HasPrefix(word, "-S"), c.Name() == "env" && word == "--split-string":
			r.script.Unread = true
			return
		case slices.Contains(withWord, word):
			i++
		case strings.HasPrefix(word, "-") && len(word) > 1:
		case strings.Contains(word, "=") && (c.Name() == "env" || c.Name() == "sudo"):
		case c.Name() == "timeout" && i == firstPlain(c, withWord), c.Name() == "flock" && i == firstPlain(c, withWord), c.Name() == "chroot" && i == firstPlain(c, withWord):
			// a duration, a file, a folder
		default:
			r.nested(at, c, i, len(c.Words), depth)
			return
		}
	}
}

// firstPlain is the first argument that is no option.
func firstPlain(c Command, withWord []string) int {
	for i := 1; i < len(c.Words); i++ {
		switch word := c.Words[i]; {
		case slices.Contains(withWord, word):
			i++
		case !strings.HasPrefix(word, "-"):
			return i
		}
	}
	return -1
}

// nested adds the words from..to of a command as a command of their own.
func (r *reader) nested(at int, c Command, from, to, depth int) {
	if from >= to || depth > maxDepth {
		return
	}
	r.add(Command{Words: c.Words[from:to], Static: max(0, min(c.Static, to)-from), Outer: at, Skipped: from}, depth+1)
}
