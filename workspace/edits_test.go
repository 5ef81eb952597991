package workspace

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func at(l1, c1, l2, c2 uint32) *Range { return &Range{Position{l1, c1}, Position{l2, c2}} }

// LSP 3.17, "Text Documents": line ends, UTF-16 counting, and positions that do not
// exist.
func TestApplyEdits(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		edits []Edit
		want  string
	}{
		"whole":             {"old", []Edit{{nil, "new"}}, "new"},
		"insert":            {"ab", []Edit{{at(0, 1, 0, 1), "-"}}, "a-b"},
		"delete line":       {"a\nb\nc", []Edit{{at(1, 0, 2, 0), ""}}, "a\nc"},
		"crlf":              {"a\r\nb", []Edit{{at(1, 0, 1, 1), "x"}}, "a\r\nx"},
		"cr":                {"a\rb", []Edit{{at(1, 0, 1, 1), "x"}}, "a\rx"},
		"mixed":             {"a\n\r\r\nb", []Edit{{at(3, 0, 3, 1), "x"}}, "a\n\r\r\nx"},
		"astral":            {"😀b", []Edit{{at(0, 2, 0, 3), "x"}}, "😀x"},
		"inside a pair":     {"😀b", []Edit{{at(0, 1, 0, 1), "x"}}, "x😀b"},
		"past line end":     {"a\r\nb", []Edit{{at(0, 99, 0, 99), "x"}}, "ax\r\nb"},
		"past last line":    {"a\nb", []Edit{{at(9, 3, 9, 4), "x"}}, "a\nbx"},
		"largest":           {"a", []Edit{{at(1<<31-1, 1<<31-1, 1<<32-1, 1<<32-1), "x"}}, "ax"},
		"backwards":         {"abcd", []Edit{{at(0, 3, 0, 1), "x"}}, "axd"},
		"one after another": {"abc", []Edit{{at(0, 0, 0, 1), ""}, {at(0, 0, 0, 1), "x"}}, "xc"},
		"whole, then part":  {"abc", []Edit{{nil, "xy"}, {at(0, 1, 0, 2), "z"}}, "xz"},
		"empty":             {"", []Edit{{at(0, 0, 0, 0), "x"}}, "x"},
		"none":              {"abc", nil, "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ApplyEdits(c.text, c.edits); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzApplyEdits compares with a model that works on UTF-16 code units and knows
// nothing of bytes.
func FuzzApplyEdits(f *testing.F) {
	f.Add("a😀\r\nb\rc\n", "x", uint32(0), uint32(2), uint32(1), uint32(9))
	f.Add("", "\n", uint32(3), uint32(0), uint32(0), uint32(0))
	f.Add("中\n\n文", "", uint32(2), uint32(1), uint32(0), uint32(1))
	f.Fuzz(func(t *testing.T, text, insert string, l1, c1, l2, c2 uint32) {
		if !utf8.ValidString(text) || !utf8.ValidString(insert) {
			t.Skip("JSON gives only valid text")
		}
		got := ApplyEdits(text, []Edit{{at(l1, c1, l2, c2), insert}})
		if want := naiveEdit(text, insert, l1, c1, l2, c2); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func naiveEdit(text, insert string, l1, c1, l2, c2 uint32) string {
	u := utf16.Encode([]rune(text))
	place := func(line, character uint32) int {
		lines := [][2]int{} // start and end (without the break) of each line
		start := 0
		for i := 0; i <= len(u); i++ {
			if i == len(u) || u[i] == '\n' || u[i] == '\r' {
				lines = append(lines, [2]int{start, i})
				if i+1 < len(u) && u[i] == '\r' && u[i+1] == '\n' {
					i++
				}
				start = i + 1
			}
		}
		if uint64(line) >= uint64(len(lines)) {
			return len(u)
		}
		l := lines[line]
		p := l[1]
		if uint64(character) < uint64(l[1]-l[0]) {
			p = l[0] + int(character)
		}
		if p > 0 && p < len(u) && utf16.IsSurrogate(rune(u[p])) && utf16.IsSurrogate(rune(u[p-1])) &&
			utf16.DecodeRune(rune(u[p-1]), rune(u[p])) != utf8.RuneError {
			p--
		}
		return p
	}
	start, end := place(l1, c1), place(l2, c2)
	start, end = min(start, end), max(start, end)
	var b strings.Builder
	b.WriteString(string(utf16.Decode(u[:start])))
	b.WriteString(insert)
	b.WriteString(string(utf16.Decode(u[end:])))
	return b.String()
}
