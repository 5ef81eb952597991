package server

import (
	"bytes"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/workspace"
)

// publishDiagnostics sends what is wrong with the settings files, each file when
// that changed. sent holds what was sent last, by file.
func (s *Server) publishDiagnostics(sent map[string][]byte) {
	byFile := map[string][]protocol.Diagnostic{}
	for _, d := range s.ws.Snapshot().Diagnostics() {
		byFile[d.File] = append(byFile[d.File], diagnosticOf(d))
	}
	for file := range sent {
		if _, ok := byFile[file]; !ok {
			byFile[file] = []protocol.Diagnostic{} // mended: say so, once
		}
	}
	for file, list := range byFile {
		params := &protocol.PublishDiagnosticsParams{URI: uri.File(file), Diagnostics: list}
		encoded, err := protocol.Marshal(params)
		if err != nil {
			s.log.Error("encoding diagnostics", "file", file, "error", err)
			continue
		}
		if bytes.Equal(sent[file], encoded) {
			continue
		}
		if len(list) == 0 {
			delete(sent, file)
		} else {
			sent[file] = encoded
		}
		s.notify(protocol.MethodTextDocumentPublishDiagnostics, params)
	}
}

func diagnosticOf(d workspace.Diagnostic) protocol.Diagnostic {
	at := func(line, column int) protocol.Position {
		return protocol.Position{Line: uint32(max(line, 1) - 1), Character: uint32(max(column, 1) - 1)}
	}
	return protocol.Diagnostic{
		Range:    protocol.Range{Start: at(d.Line, d.Column), End: at(d.EndLine, d.EndColumn)},
		Severity: protocol.DiagnosticSeverity(d.Severity),
		Code:     protocol.String(d.Code),
		Source:   protocol.NewOptional("codebot"),
		Message:  protocol.String(d.Message),
	}
}
