package proc

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare gives the program a group of its own and ties its life to ours.
func prepare(cmd *exec.Cmd, o Options) {
	cmd.SysProcAttr = attributes(o)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// Wait waits for the program and kills what is left of its group, and what is held. The
// group goes before its leader is reaped: as long as the leader is a zombie nobody else
// can be given the group's number.
func (g *Group) Wait() {
	pid := g.cmd.Process.Pid
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	if g.mark != "" {
		g.settle(func() bool { return len(marked(g.mark)) > 0 })
	}
	g.Kill()
	if g.mark != "" {
		killMarked(g.mark)
	}
	_ = g.cmd.Wait()
	guard.remove(pid)
}

// askOthers asks what has left the group to end.
func (g *Group) askOthers() {
	if g.mark == "" {
		return
	}
	for _, pid := range marked(g.mark) {
		if of, err := unix.Getpgid(pid); err == nil && of != g.cmd.Process.Pid {
			signal(pid, g.mark, unix.SIGTERM)
		}
	}
}

// maxRounds bounds how often is looked for what was started while it was looked.
const maxRounds = 10

// killMarked ends the processes that have a mark in their environment.
func killMarked(mark string) {
	for range maxRounds {
		found := false
		for _, pid := range marked(mark) {
			found = signal(pid, mark, unix.SIGKILL) || found
		}
		if !found {
			return
		}
	}
}

// marked are the processes that have a mark. One that has ended and was not buried has no
// environment any more.
func marked(mark string) (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() && hasMark(pid, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// signal tells a process that has a mark something, and reports whether it has heard. It
// is looked at once it is held by a descriptor (where the kernel has such), so that
// nobody else hears it who was given its number meanwhile.
func signal(pid int, mark string, what os.Signal) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	return hasMark(pid, mark) && p.Signal(what) == nil
}

func hasMark(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00"))
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

func start(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	starter() <- func() { done <- cmd.Start() }
	return <-done
}
