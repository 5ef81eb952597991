package server

import (
	"context"
	"os"
	"strconv"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/tool"
)

// sessionRollback takes turns back. A kept session is opened for it, and stays open.
func (s *Server) sessionRollback(ctx context.Context, p wire.SessionRollbackParams) (wire.SessionRollbackResult, error) {
	message, err := strconv.Atoi(p.ToMessageID)
	if err != nil || message < 0 {
		return wire.SessionRollbackResult{}, session.ErrNoMessage
	}
	o := s.openOne(p.SessionID)
	if o == nil {
		if o, err = s.open(p.SessionID); err != nil {
			return wire.SessionRollbackResult{}, err
		}
	}
	rpc.Release(ctx)
	done, err := o.session.Rollback(session.RollbackOptions{
		Message: message, Files: p.Files, Messages: p.Messages, Overwrite: p.Overwrite, Unsaved: s.unsaved, Restore: s.giveBack,
	})
	if err != nil {
		return wire.SessionRollbackResult{}, err
	}
	result := wire.SessionRollbackResult{
		Files: []wire.RolledBackFile{}, Conflicts: []wire.RollbackConflict{}, NotUndone: []string{}, Prompt: done.Prompt,
	}
	for _, f := range done.Files {
		change := wire.RollbackRestored
		if f.Removed {
			change = wire.RollbackRemoved
		}
		result.Files = append(result.Files, wire.RolledBackFile{Path: f.Path, Change: change})
	}
	for _, c := range done.Conflicts {
		result.Conflicts = append(result.Conflicts, wire.RollbackConflict{Path: c.Path, Reason: c.Reason})
	}
	for _, call := range done.NotUndone {
		result.NotUndone = append(result.NotUndone, mcp.CleanLine(call))
	}
	if len(done.Conflicts) == 0 {
		s.sessionWritten(o, o.session.Title())
	}
	return result, nil
}

// unsaved reports whether the editor has a file open with another text than the disk's.
func (s *Server) unsaved(path string) bool {
	text, open := s.docs.Overlay(path)
	if !open {
		return false
	}
	disk, err := os.ReadFile(path)
	return err != nil || !tool.SameText(text, disk)
}
