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
