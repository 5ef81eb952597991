package server

import (
	"bytes"
	"context"
	"runtime/debug"
	"unicode/utf16"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/workspace"
	"github.com/codebot-ls/codebot-ls/workspace/assist"
)

// publishDiagnostics sends what is wrong with the settings files and the servers in
// them, each file when that changed. Of a file that is open in the editor it is what
// is wrong with the text there, once nobody types in it. sent holds what was sent
// last, by file.
func (s *Server) publishDiagnostics(ctx context.Context, sent map[string][]byte) {
	lists := s.fileDiagnostics()
	snap := s.ws.Snapshot()
	for path, quiet := range s.assist.quiet() {
		// Opened through a link it is still one file: what is wrong with it is said once.
		if at, ok := s.assist.place(path, snap); ok && at.Path != path {
			delete(lists, at.Path)
		}
		if !quiet {
			lists[path] = nil // stays as it is
		} else if f, ok := s.assist.file(ctx, path); ok {
			list := &protocol.PublishDiagnosticsParams{Version: protocol.NewOptional(f.version), Diagnostics: []protocol.Diagnostic{}}
			for _, d := range s.judge(f) {
				list.Diagnostics = append(list.Diagnostics, diagnosticOf(d.Diagnostic))
			}
			lists[path] = list
		}
	}
	for file := range sent {
		if _, ok := lists[file]; !ok {
			lists[file] = &protocol.PublishDiagnosticsParams{} // mended: say so, once
		}
	}
	for file, params := range lists {
		if params != nil {
			s.publish(file, params, sent)
		}
	}
}

// judge says what is wrong with a text. It runs beside the requests, where no guard
// catches what a text brings about that nobody has thought of.
func (s *Server) judge(f settingsFile) (findings []assist.Finding) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("judging a settings file", "panic", r, "stack", string(debug.Stack()))
		}
	}()
	return f.Check(f.Context)
}

// publish sends the diagnostics of one file if they are others than before.
func (s *Server) publish(file string, params *protocol.PublishDiagnosticsParams, sent map[string][]byte) {
	params.URI = uri.File(file)
	if params.Diagnostics == nil {
		params.Diagnostics = []protocol.Diagnostic{}
	}
	encoded, err := protocol.Marshal(params)
	if err != nil {
		s.log.Error("encoding diagnostics", "file", file, "error", err)
		return
	}
	before, was := sent[file]
	if bytes.Equal(before, encoded) || !was && len(params.Diagnostics) == 0 {
		return
	}
	if len(params.Diagnostics) == 0 {
		delete(sent, file)
	} else {
		sent[file] = encoded
	}
	s.notify(protocol.MethodTextDocumentPublishDiagnostics, params)
}

// fileDiagnostics is what is wrong with the files on the disk and with the servers
// that run by them.
func (s *Server) fileDiagnostics() map[string]*protocol.PublishDiagnosticsParams {
	snap := s.ws.Snapshot()
	byFile := map[string]*protocol.PublishDiagnosticsParams{}
	add := func(d workspace.Diagnostic) {
		list := byFile[d.File]
		if list == nil {
			list = &protocol.PublishDiagnosticsParams{}
			byFile[d.File] = list
		}
		list.Diagnostics = append(list.Diagnostics, diagnosticOf(d))
	}
	for _, d := range snap.Diagnostics() {
		add(d)
	}
	for _, p := range s.servers.places() {
		statuses, _ := p.manager.Status()
		layer := snap.User
		if p.root != "" {
			f, _ := snap.Folder(p.root)
			layer = f.Project
		}
		for _, st := range statuses {
			entry, inFile := layer.Settings.MCPServers[st.Name]
			if !inFile || layer.Bad {
				continue // where it stood, something else may be
			}
			if message, severity, bad := assist.Unwell(st, s.lang); bad {
				at := entry.Origin
				add(workspace.Diagnostic{
					File: at.File, Line: at.Line, Column: at.Column,
					EndLine: at.Line, EndColumn: at.Column + 2 + len(utf16.Encode([]rune(st.Name))),
					Severity: severity, Code: assist.CodeServer, Message: message,
				})
			}
		}
	}
	return byFile
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
