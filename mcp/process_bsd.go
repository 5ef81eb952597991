//go:build unix && !linux

package mcp

import (
	"os/exec"
	"syscall"
)

// prepare gives the child a process group of its own. There is no Pdeathsig here:
// when we are killed, the child sees the end of its stdin and the guard does the rest.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// reap waits for the child and kills what is left of its group.
func (g group) reap(cmd *exec.Cmd) {
	_ = cmd.Wait()
	g.kill()
	guard.remove(g.pgid)
}

func startCmd(cmd *exec.Cmd) error { return cmd.Start() }
