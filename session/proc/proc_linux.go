package proc

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
	g.Kill()
	if g.mark != "" {
		killMarked(g.mark)
	}
	_ = g.cmd.Wait()
	guard.remove(pid)
}

// maxRounds bounds how often is looked for what was started while it was looked.
const maxRounds = 10

// killMarked ends the processes that have a mark in their environment.
func killMarked(mark string) {
	want := append(append([]byte{0}, mark...), 0)
	for range maxRounds {
		found := false
		dirs, err := filepath.Glob("/proc/[0-9]*")
		if err != nil {
			return
		}
		for _, dir := range dirs {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err == nil && pid != os.Getpid() && killIf(pid, want) {
				found = true
			}
		}
		if !found {
			return
		}
	}
}

// killIf ends a process that has a mark, and reports whether it had. The descriptor makes
// sure that it is the one that was looked at.
func killIf(pid int, mark []byte) bool {
	path := "/proc/" + strconv.Itoa(pid) + "/environ"
	if !hasMark(path, mark) {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false // it is gone, or the kernel is from before 5.3
	}
	defer unix.Close(fd)
	return hasMark(path, mark) && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}

func hasMark(path string, mark []byte) bool {
	env, err := os.ReadFile(path)
	return err == nil && bytes.Contains(append([]byte{0}, env...), mark)
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
