package server

import (
	"context"
	"errors"
	"strconv"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session"
)

func (s *Server) sessionSteer(_ context.Context, p wire.SessionSteerParams) (wire.Empty, error) {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return wire.Empty{}, err
	}
	content, err := contentsOf(p.Prompt)
	if err != nil {
		return wire.Empty{}, err
	}
	return wire.Empty{}, o.session.Steer(o.mentioned(content))
}

func (s *Server) sessionCompact(ctx context.Context, p wire.SessionCompactParams) (wire.SessionCompactResult, error) {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return wire.SessionCompactResult{}, err
	}
	turn, err := o.session.BeginCompact()
	if err != nil {
		return wire.SessionCompactResult{}, err
	}
	s.turns.Add(1)
	s.push.poke()
	rpc.Release(ctx)
	before, after, err := turn.Compact(ctx)
	s.turns.Add(-1)
	s.push.poke()
	return wire.SessionCompactResult{Before: before, After: after}, err
}

func (s *Server) sessionContext(ctx context.Context, p wire.SessionContextParams) (wire.SessionContextResult, error) {
	o, err := s.lookup(p.SessionID)
	if err != nil {
		return wire.SessionContextResult{}, err
	}
	info := o.session.Context(ctx)
	result := wire.SessionContextResult{
		Blocks:        []wire.ContextBlock{},
		Tools:         wire.ContextTools{Count: info.Tools, Tokens: info.ToolTokens, Hash: info.ToolHash},
		Messages:      wire.ContextMessages{Count: info.Messages, Tokens: info.MessageTokens},
		ContextTokens: info.Window, CacheBreak: wire.CacheBreak(info.Break),
	}
	for _, b := range info.Blocks {
		result.Blocks = append(result.Blocks, wire.ContextBlock{Key: b.Key, Hash: b.Hash, Tokens: b.Tokens})
	}
	return result, nil
}

// openOne is the open session of an id, nil when this connection has it not open.
func (s *Server) openOne(id string) *openSession {
	s.sessionsMu.Lock()
	defer s.sessionsMu.Unlock()
	return s.sessions[id]
}

func (s *Server) sessionRename(_ context.Context, p wire.SessionRenameParams) (wire.Empty, error) {
	if o := s.openOne(p.SessionID); o != nil {
		return wire.Empty{}, o.session.Rename(p.Title) // its update of the title tells the list
	}
	if err := s.store.Rename(p.SessionID, p.Title); err != nil {
		return wire.Empty{}, err
	}
	s.sessionKept(p.SessionID)
	return wire.Empty{}, nil
}

func (s *Server) sessionDelete(_ context.Context, p wire.SessionDeleteParams) (wire.Empty, error) {
	if o := s.openOne(p.SessionID); o != nil {
		err := o.session.Delete()
		if errors.Is(err, session.ErrBusy) {
			return wire.Empty{}, err
		}
		s.sessionsMu.Lock()
		delete(s.sessions, p.SessionID)
		s.sessionsMu.Unlock()
		o.release()
		if err != nil {
			return wire.Empty{}, err
		}
	} else if err := s.store.Delete(p.SessionID); err != nil {
		return wire.Empty{}, err
	}
	notifyPlugin(s, wire.SessionDidChange, wire.SessionDidChangeParams{Sessions: []wire.SessionInfo{}, Removed: []string{p.SessionID}})
	return wire.Empty{}, nil
}

func (s *Server) sessionFork(ctx context.Context, p wire.SessionForkParams) (wire.SessionNewResult, error) {
	options := session.ForkOptions{Lang: s.lang, Now: time.Now()}
	if p.ToMessageID != "" {
		n, err := strconv.Atoi(p.ToMessageID)
		if err != nil || n < 0 {
			return wire.SessionNewResult{}, session.ErrNoMessage
		}
		options.To = n + 1
	}
	if o := s.openOne(p.SessionID); o != nil && o.session.Busy() {
		return wire.SessionNewResult{}, session.ErrBusy
	}
	journal, err := s.store.Fork(p.SessionID, options)
	if err != nil {
		return wire.SessionNewResult{}, err
	}
	id := journal.Log().Header.ID
	o, err := s.openJournal(journal)
	if err != nil {
		return wire.SessionNewResult{}, errors.Join(err, s.store.Delete(id))
	}
	s.sessionKept(o.session.ID())
	s.announce(ctx, o)
	return s.opened(o), nil
}

func (s *Server) sessionExport(_ context.Context, p wire.SessionExportParams) (wire.SessionExportResult, error) {
	if p.Format != wire.ExportMarkdown && p.Format != wire.ExportJSON {
		return wire.SessionExportResult{}, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "format: %q is neither %s nor %s", p.Format, wire.ExportMarkdown, wire.ExportJSON)
	}
	log, err := s.store.Read(p.SessionID)
	if err != nil {
		return wire.SessionExportResult{}, err
	}
	if p.Format == wire.ExportJSON {
		text, err := log.JSON()
		return wire.SessionExportResult{Text: text}, err
	}
	return wire.SessionExportResult{Text: mcp.Clean(log.Markdown(s.lang))}, nil
}

func sessionInfoOf(info session.Info) wire.SessionInfo {
	return wire.SessionInfo{SessionID: info.ID, Cwd: info.Cwd, Title: mcp.CleanLine(info.Title), UpdatedAt: isoTime(info.Updated)}
}

// sessionWritten tells the list of a session that was written to just now.
func (s *Server) sessionWritten(o *openSession, title string) {
	s.tellSession(session.Info{ID: o.session.ID(), Cwd: o.session.Cwd(), Title: title, Updated: time.Now()})
}

// sessionKept tells the list of a session as its journal has it.
func (s *Server) sessionKept(id string) {
	if info, ok := s.store.Info(id); ok {
		s.tellSession(info)
	}
}

func (s *Server) tellSession(info session.Info) {
	notifyPlugin(s, wire.SessionDidChange, wire.SessionDidChangeParams{Sessions: []wire.SessionInfo{sessionInfoOf(info)}, Removed: []string{}})
}
