//go:build unix

package proc

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Group is the process group of one program; it has the program's number.
type Group struct {
	cmd  *exec.Cmd
	mark string // of what left the group; empty for none
}

func adopt(cmd *exec.Cmd, mark string) *Group {
	guard.add(cmd.Process.Pid)
	return &Group{cmd: cmd, mark: mark}
}

func attributes(o Options) *syscall.SysProcAttr {
	if o.NoTerminal {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true}
}

// Terminate asks every process of the group to end.
func (g *Group) Terminate() { _ = unix.Kill(-g.cmd.Process.Pid, unix.SIGTERM) }

// Kill ends every process of the group.
func (g *Group) Kill() { _ = unix.Kill(-g.cmd.Process.Pid, unix.SIGKILL) }
