package mcp

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare gives the child a process group of its own and ties its life to ours.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// reap waits for the child and kills what is left of its group. The group goes
// before its leader is reaped: as long as the leader is a zombie nobody else can be
// given the group's number.
func (g group) reap(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, g.pgid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	g.kill()
	_ = cmd.Wait()
	guard.remove(g.pgid)
}

// starter runs functions on one locked OS thread. A child with Pdeathsig gets the
// signal when the *thread* that started it ends, not the process (golang/go#27505):
// so all children are started by a thread that lives as long as the process does.
// That is why this goroutine alone has no end.
var starter = sync.OnceValue(func() chan<- func() {
	ch := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range ch {
			f()
		}
	}()
	return ch
})

func startCmd(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	starter() <- func() { done <- cmd.Start() }
	return <-done
}
