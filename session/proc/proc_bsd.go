//go:build unix && !linux

package proc

import (
	"os/exec"
	"syscall"
)

// prepare gives the program a group of its own. There is no Pdeathsig here: when we are
// killed, the guard ends the group.
func prepare(cmd *exec.Cmd, o Options) { cmd.SysProcAttr = attributes(o) }

// Wait waits for the program and kills what is left of its group.
func (g *Group) Wait() {
	_ = g.cmd.Wait()
	g.settle(func() bool { return syscall.Kill(-g.cmd.Process.Pid, 0) == nil })
	g.Kill()
	guard.remove(g.cmd.Process.Pid)
}

// askOthers has nobody to ask: what leaves the group is not found here.
func (g *Group) askOthers() {}

func start(cmd *exec.Cmd) error { return cmd.Start() }
