//go:build unix

package mcp

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// group is the process group of one child; it has the child's number.
type group struct{ pgid int }

// adopt returns the group of a child that prepare gave one of its own.
func adopt(cmd *exec.Cmd) group {
	guard.add(cmd.Process.Pid)
	return group{pgid: cmd.Process.Pid}
}

func (g group) terminate() { _ = unix.Kill(-g.pgid, unix.SIGTERM) }
func (g group) kill()      { _ = unix.Kill(-g.pgid, unix.SIGKILL) }
