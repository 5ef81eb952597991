package server

import (
	"context"

	"golang.org/x/sys/windows"
)

// watchParent ends the connection when the process pid, the editor, is gone. A pid
// that cannot be opened says nothing and never ends us; then the end of the input
// does.
func (s *Server) watchParent(ctx context.Context, pid int) {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(h) }()
	for ctx.Err() == nil {
		if r, err := windows.WaitForSingleObject(h, 1000); err != nil || r == windows.WAIT_OBJECT_0 {
			if err == nil {
				s.log.Info("the editor is gone", "pid", pid)
				s.end(s.lifecycle.exitCode())
			}
			return
		}
	}
}
