package server

import (
	"context"

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
