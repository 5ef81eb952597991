package server

import (
	"context"

	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
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
	return wire.Empty{}, o.session.Steer(content)
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
