package server

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/session/tool"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// applyPatience is how long an editor may take to make an edit and to save it, with all
// that the user has it do then.
const applyPatience = 30 * time.Second

// applyEdit makes an edit of a file that is open in the editor there, so that the
// editor's undo takes it back and what is not saved stays.
func (s *Server) applyEdit(ctx context.Context, path, before, after string) (tool.Applied, error) {
	saves := s.client.codebot != nil && s.client.codebot.SavesEdits
	doc, open := s.docs.Find(path)
	switch {
	case !open || !s.client.applies || oddBreaks(before):
		return tool.NotOpen, nil
	case saves:
	case s.client.codebot != nil || before == after || !s.unsaved(path):
		// A plug-in that does not save follows the file by itself, as every editor does
		// where all is saved.
		return tool.NotOpen, nil
	}
	if permission.Resolve(doc.Path) != path {
		return tool.NotOpen, nil // a link that leads elsewhere by now, where nobody agreed to write
	}
	if doc.Text != before {
		return tool.NotOpen, lang.Errorf(zh, textApplyMoved, path)
	}
	disk, diskErr := os.ReadFile(path)
	ctx, cancel := context.WithTimeout(ctx, applyPatience)
	defer cancel()
	var answer protocol.ApplyWorkspaceEditResult
	err := protocol.Call(ctx, s.conn, protocol.MethodWorkspaceApplyEdit, s.applyParams(doc, after), &answer)
	if err != nil {
		return tool.NotOpen, lang.Errorf(zh, textApplyFailed, path, err)
	}
	// The changes that the editor told of before it answered.
	if err := s.order.Settle(ctx); err != nil {
		return tool.NotOpen, lang.Errorf(zh, textApplyFailed, path, err)
	}
	now, _ := s.docs.Find(path)
	switch {
	case answer.Applied && !saves:
		return tool.InBuffer, nil
	case answer.Applied:
		saved, err := os.ReadFile(path)
		if err != nil || diskErr == nil && bytes.Equal(saved, disk) && !tool.SameText(now.Text, saved) {
			return tool.InBuffer, nil // whatever it says
		}
		return tool.Saved, nil
	case answer.FailureReason != nil && *answer.FailureReason != "":
		return tool.NotOpen, lang.Errorf(zh, textApplyRefused, path, mcp.CleanLine(*answer.FailureReason))
	case now.Version != doc.Version || now.Text != doc.Text:
		return tool.NotOpen, lang.Errorf(zh, textApplyMoved, path)
	}
	return tool.NotOpen, lang.Errorf(zh, textApplyNot, path)
}

// giveBack gives a file what it held before, in the editor where it is open there; done
// is false when it is left to the disk.
func (s *Server) giveBack(ctx context.Context, path string, content []byte) (done bool, err error) {
	doc, open := s.docs.Find(path)
	if !open || !utf8.Valid(content) {
		return false, nil
	}
	text := string(content)
	if !strings.HasPrefix(doc.Text, byteOrderMark) {
		text = strings.TrimPrefix(text, byteOrderMark) // which editors do not show
	}
	applied, err := s.applyEdit(ctx, path, doc.Text, text)
	if err != nil || applied != tool.Saved {
		return false, err
	}
	// A formatter may have had its way with it: the disk gets what it held all the same.
	now, open := s.docs.Find(path)
	return open && now.Text == text, nil
}

const byteOrderMark = "\ufeff"

// oddBreaks reports whether a text has line breaks of which editors disagree whether they
// are any: then they do about lines too.
func oddBreaks(text string) bool {
	return strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), "\r")
}

// applyParams is the request to make after the text of a document.
func (s *Server) applyParams(doc workspace.Opened, after string) *protocol.ApplyWorkspaceEditParams {
	label := s.say(textApplyLabel, filepath.Base(doc.Path))
	p := &protocol.ApplyWorkspaceEditParams{Label: &label}
	edits := editsOf(doc.Text, after)
	if !s.client.versioned {
		p.Edit.Changes = map[uri.URI][]protocol.TextEdit{uri.File(doc.Path): edits}
		return p
	}
	change := &protocol.TextDocumentEdit{Edits: []protocol.TextDocumentEditElement{}}
	change.TextDocument.URI = uri.File(doc.Path)
	change.TextDocument.Version = &doc.Version
	for _, e := range edits {
		change.Edits = append(change.Edits, &e)
	}
	p.Edit.DocumentChanges = []protocol.DocumentChange{change}
	return p
}

// editsOf makes after of before: what stays as it is keeps its marks and the cursor.
func editsOf(before, after string) []protocol.TextEdit {
	positions := workspace.PositionsOf(before)
	at := func(offset int) protocol.Position {
		p := positions.At(offset)
		return protocol.Position{Line: p.Line, Character: p.Character}
	}
	edits := []protocol.TextEdit{}
	for _, e := range udiff.Lines(before, after) {
		e = trimmed(before, e)
		edits = append(edits, protocol.TextEdit{Range: protocol.Range{Start: at(e.Start), End: at(e.End)}, NewText: e.New})
	}
	return edits
}

// trimmed leaves out of an edit what it does not change at its ends. It splits neither a
// character nor a line break, within which there is no position.
func trimmed(text string, e udiff.Edit) udiff.Edit {
	splits := func(s string, i int) bool {
		return i < len(s) && (!utf8.RuneStart(s[i]) || i > 0 && s[i-1] == '\r' && s[i] == '\n')
	}
	old := text[e.Start:e.End]
	n := 0
	for n < min(len(old), len(e.New)) && old[n] == e.New[n] {
		n++
	}
	for n > 0 && (splits(old, n) || splits(e.New, n)) {
		n--
	}
	old, e.New, e.Start = old[n:], e.New[n:], e.Start+n
	n = 0
	for n < min(len(old), len(e.New)) && old[len(old)-n-1] == e.New[len(e.New)-n-1] {
		n++
	}
	for n > 0 && (splits(old, len(old)-n) || splits(e.New, len(e.New)-n)) {
		n--
	}
	e.New, e.End = e.New[:len(e.New)-n], e.End-n
	return e
}
