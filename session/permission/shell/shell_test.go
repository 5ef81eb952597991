package shell

import (
	"fmt"
	"strings"
	"testing"
)

// show writes a script down: commands by ";", those within others in brackets, what is not
// known behind "?", files behind ">" and "<".
func show(s Script) string {
	var parts []string
	for _, c := range s.Commands {
		text := strings.Join(c.Words[:c.Static], " ")
		if c.Static < len(c.Words) {
			text += " ?" + strings.Join(c.Words[c.Static:], " ")
		}
		if c.Assigned {
			text = "=" + text
		}
		if c.Outer >= 0 {
			text = fmt.Sprintf("[%d %s]", c.Outer, text)
		}
		parts = append(parts, text)
	}
	for _, rd := range s.Redirects {
		sign := "<"
		if rd.Write {
			sign = ">"
		}
		if !rd.Static {
			sign += "?"
		}
		parts = append(parts, sign+rd.Path)
	}
	if s.Moves {
		parts = append(parts, "moves")
	}
	if s.Unread {
		parts = append(parts, "unread")
	}
	return strings.Join(parts, "; ")
}

// Every shape in which a shell runs a program shows that program, and no word of a text is
// taken for one.
func TestEveryProgramOfALineIsSeen(t *testing.T) {
	for line, want := range map[string]string{
		"ls":                                    "ls",
		"ls -l | wc -l":                         "ls -l; wc -l",
		"a; b && c || d & e":                    "a; b; c; d; e",
		"a\nb":                                  "a; b",
		"(a; { b; })":                           "a; b",
		"! a":                                   "a",
		"if a; then b; else c; fi":              "a; b; c",
		"while a; do b; done":                   "a; b",
		"for x in $(a); do b; done":             "a; b",
		"case $x in y) a;; esac":                "a",
		"f() { a; }; f":                         "a; f",
		"echo $(a) `b` <(c) \"$(d)\"":           "echo ?$(a) `b` <(c) \"$(d)\"; a; b; c; d",
		"x=$(a)":                                "a",
		"X=1 a":                                 "=a",
		"export P=$(a)":                         "export; a",
		"echo '$(a); b' \"c; d\"":               "echo $(a); b c; d",
		`"a" 'b' c\ d e\` + "\n" + `f`:          "a b c d ef",
		`r\m x`:                                 "rm x",
		"/bin/rm x":                             "/bin/rm x",
		"sudo -u root a b":                      "sudo -u root a b; [0 a b]",
		"env -i X=1 a b":                        "env -i X=1 a b; [0 a b]",
		"timeout -k 5 10 a b":                   "timeout -k 5 10 a b; [0 a b]",
		"xargs -n 1 -- a b":                     "xargs -n 1 -- a b; [0 a b]",
		"nohup nice -n 5 a &":                   "nohup nice -n 5 a; [0 nice -n 5 a]; [1 a]",
		"find . -name x -exec a {} \\; -delete": "find . -name x -exec a {} ; -delete; [0 a {}]; [0 rm]",
		"bash -c 'a; b'":                        "bash -c a; b; [0 a]; [0 b]",
		"sh -ec \"a $X\"":                       "sh -ec ?\"a $X\"; unread",
		"sh script.sh":                          "sh script.sh",
		"curl x | sh":                           "curl x; sh; unread",
		"eval a b":                              "eval a b; [0 a b]",
		"eval \"$X\"":                           "eval ?\"$X\"; unread",
		"trap 'a' EXIT":                         "trap a EXIT; [0 a]",
		"$X a":                                  " ?$X a; unread",
		"{a,b} c":                               " ?{a,b} c; unread",
		". ./x":                                 ". ./x; unread",
		"cd x && a":                             "cd x; a; moves",
		"a > x 2>&1 >> y < z":                   "a; >x; >y; <z",
		"a &> x >| y <> z":                      "a; >x; >y; >z",
		"a > \"$X\" >&2 2>&-":                   "a; >?\"$X\"",
		"a >& f":                                "a; >f",
		"cat <<E\n$(a)\nE":                      "cat; a",
		"cat <<'E'\n$(a)\nE":                    "cat",
		"a <<< 'b; c'":                          "a",
		"[[ -f x ]] && a":                       "a",
		"(( x = 1 )); a":                        "a",
		"time a":                                "a",
		"coproc a":                              "a",
		"a # b; c":                              "a",
		"":                                      "",
		"env -S 'a b'":                          "env -S a b; unread",
		"command -v a":                          "command -v a; [0 a]",
		"watch -n 1 a":                          "watch -n 1 a; [0 a]",
		"sudo":                                  "sudo",
	} {
		s, err := Parse(line)
		if got := show(s); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"a '", "if", "a )", "<", "a && ", strings.Repeat("sh -c '", 3)} {
		if s, err := Parse(line); err == nil {
			t.Errorf("%q was read as %q", line, show(s))
		}
	}
	deep := "a"
	for range 12 {
		deep = "eval eval eval " + deep
	}
	if s, err := Parse(deep); err != nil || !s.Unread {
		t.Errorf("a line without a bottom: %q, %v", show(s), err)
	}
}

// FuzzParse: whatever the line, taking it apart ends, and the indexes hold.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a | b", "sudo x; eval 'y $(z)'", "find . -exec a {} +", "sh -c \"sh -c 'a'\"", "a >&2 <<E\nx\nE", "((("} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s, err := Parse(line)
		if err != nil && len(s.Commands) > 0 {
			t.Error("commands of a line that was not read")
		}
		for i, c := range s.Commands {
			if c.Static > len(c.Words) || c.Outer >= i || c.Outer < -1 {
				t.Errorf("%q: %+v", line, c)
			}
			_ = c.Name()
		}
	})
}
