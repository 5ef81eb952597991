package assist

import "github.com/codebot-ls/codebot-ls/workspace"

// SymbolKind says what a symbol is.
type SymbolKind string

// The kinds of symbols.
const (
	SymbolObject SymbolKind = "object"
	SymbolServer SymbolKind = "server"
	SymbolArray  SymbolKind = "array"
	SymbolString SymbolKind = "string"
	SymbolOther  SymbolKind = "other" // a number, true, false, null, or nothing yet
)

// Symbol is one key of the text and what is below it.
type Symbol struct {
	Name     string
	Kind     SymbolKind
	Range    workspace.Range // key and value
	Key      workspace.Range
	Children []Symbol
}

// Symbols returns the keys of the text as a tree.
func (f *File) Symbols() []Symbol { return f.symbols(f.root, "") }

func (f *File) symbols(n *node, parent string) []Symbol {
	if n == nil {
		return nil
	}
	var out []Symbol
	for _, m := range n.members {
		name := m.key.str(f.Text)
		s := Symbol{Name: name, Kind: SymbolOther, Range: f.rangeOf(m.key.start, m.end()), Key: f.rangeOf(m.key.start, m.key.end)}
		if name == "" {
			s.Name = `""` // the LSP wants no empty name
		}
		if m.value != nil {
			switch m.value.kind {
			case kindObject:
				s.Kind = SymbolObject
				if n != f.root && parent == "mcp_servers" {
					s.Kind = SymbolServer
				}
				below := ""
				if n == f.root {
					below = name
				}
				s.Children = f.symbols(m.value, below)
			case kindArray:
				s.Kind = SymbolArray
			case kindString:
				s.Kind = SymbolString
			}
		}
		out = append(out, s)
	}
	return out
}
