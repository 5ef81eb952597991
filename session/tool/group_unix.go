//go:build unix

package tool

import (
	"os/exec"
	"syscall"
)

// group is a command with all it starts. It is a session of its own, so that no
// program finds a terminal to ask at.
type group struct {
	cmd *exec.Cmd
}

func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return &group{cmd}
}

func (g *group) started() {}

// ask tells every process to end.
func (g *group) ask() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends every process.
func (g *group) kill() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

func (g *group) close() {}
