//go:build unix && !linux

package proc

import "os/exec"

// prepare gives the program a group of its own. There is no Pdeathsig here: when we are
// killed, the guard ends the group.
func prepare(cmd *exec.Cmd, o Options) { cmd.SysProcAttr = attributes(o) }

// Wait waits for the program and kills what is left of its group.
func (g *Group) Wait() {
	_ = g.cmd.Wait()
	g.Kill()
	guard.remove(g.cmd.Process.Pid)
}

func start(cmd *exec.Cmd) error { return cmd.Start() }
