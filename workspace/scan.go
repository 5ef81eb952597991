package workspace

import (
	"bytes"
	"unicode/utf8"
)

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// tooDeep returns the offset of the first bracket that is deeper than limit, or -1.
// It does not check the text otherwise.
func tooDeep(text []byte, limit int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > limit {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(text, i)
		}
	}
	return -1
}

// skipComment returns the offset of the last byte of the comment at i, or i when
// there is none.
func skipComment(text []byte, i int) int {
	for _, c := range [...]struct{ open, close string }{{"//", "\n"}, {"/*", "*/"}} {
		if !bytes.HasPrefix(text[i:], []byte(c.open)) {
			continue
		}
		end := bytes.Index(text[i+2:], []byte(c.close))
		if end < 0 {
			return len(text)
		}
		return i + 2 + end + len(c.close) - 1
	}
	return i
}
