package chat

import (
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// codeServer is the code of a diagnostic that says how an MCP server is. The table
// of the servers says that already, so it is not shown twice.
const codeServer = protocol.String("server")

// finding is one thing that is wrong with a settings file. Line and column start
// at 1; a column counts UTF-16 code units.
type finding struct {
	file         string
	line, column uint32
	severity     protocol.DiagnosticSeverity
	message      string
}

// String is the place and the message, as compilers write them.
func (f finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.file, f.line, f.column, f.message)
}

// findings are what the server has found wrong with the settings, by file.
type findings map[uri.URI][]finding

// apply takes over what is wrong with one file now and returns what was not wrong
// before.
func (fs findings) apply(p protocol.PublishDiagnosticsParams) []finding {
	var now []finding
	for _, d := range p.Diagnostics {
		if d.Code == codeServer {
			continue
		}
		now = append(now, finding{
			file: p.URI.FsPath(), line: d.Range.Start.Line + 1, column: d.Range.Start.Character + 1,
			severity: d.Severity, message: messageOf(d),
		})
	}
	before := fs[p.URI]
	fs[p.URI] = now
	return slices.DeleteFunc(slices.Clone(now), func(f finding) bool { return slices.Contains(before, f) })
}

// serious reports whether any file has an error.
func (fs findings) serious() bool {
	for _, list := range fs {
		for _, f := range list {
			if f.severity == protocol.DiagnosticSeverityError {
				return true
			}
		}
	}
	return false
}

// messageOf is the text of a diagnostic in either of its forms (LSP 3.18).
func messageOf(d protocol.Diagnostic) string {
	switch m := d.Message.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	}
	return ""
}
