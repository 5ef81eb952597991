//go:build unix

package server

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// watchParent ends the connection when the process pid, the editor, is gone. A pid
// that cannot be seen from the start (another namespace: an editor outside our
// container) says nothing and never ends us; then the end of the input does.
func (s *Server) watchParent(ctx context.Context, pid int) {
	if pid <= 0 || !alive(pid) {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !alive(pid) {
				s.log.Info("the editor is gone", "pid", pid)
				s.end(s.lifecycle.exitCode())
				return
			}
		}
	}
}

func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
