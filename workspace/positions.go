package workspace

// Positions turns byte offsets of one text into positions of the LSP and back. Not
// safe for concurrent use.
type Positions struct {
	text  string
	lines *lines
}

// PositionsOf returns the positions of a text.
func PositionsOf(text string) *Positions {
	return &Positions{text, newLines([]byte(text))}
}

// At returns the position of the byte at offset; offsets outside the text are those
// of its ends.
func (p *Positions) At(offset int) Position {
	line, column := p.lines.position(offset)
	return Position{Line: uint32(line - 1), Character: uint32(column - 1)}
}

// Offset returns the byte offset of a position, of one that does not exist that of
// the nearest that does.
func (p *Positions) Offset(at Position) int { return offset(p.text, at) }
