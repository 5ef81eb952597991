//go:build unix

package proc

import (
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Group is the process group of one program; it has the program's number.
type Group struct {
	cmd   *exec.Cmd
	mark  string // of what left the group; empty for none
	grace time.Duration

	asked  atomic.Pointer[time.Time] // when it was asked to end; nil before
	killed chan struct{}
	once   sync.Once
}

func adopt(cmd *exec.Cmd, mark string, o Options) *Group {
	guard.add(cmd.Process.Pid)
	return &Group{cmd: cmd, mark: mark, grace: o.Grace, killed: make(chan struct{})}
}

func attributes(o Options) *syscall.SysProcAttr {
	if o.NoTerminal {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true}
}

// Terminate asks every process of the group to end, and what is held.
func (g *Group) Terminate() {
	now := time.Now()
	g.asked.CompareAndSwap(nil, &now)
	_ = unix.Kill(-g.cmd.Process.Pid, unix.SIGTERM)
	g.askOthers()
}

// Kill ends every process of the group, and with it soon what is held.
func (g *Group) Kill() {
	g.once.Do(func() { close(g.killed) })
	_ = unix.Kill(-g.cmd.Process.Pid, unix.SIGKILL)
}

// settleLook is how often is looked whether anybody is left.
const settleLook = 20 * time.Millisecond

// settle gives what is left when the leader has ended the rest of its grace: a shell that
// was asked to end goes at once, and the server that it runs has something to put away.
// Whoever was left behind by a leader that ended by itself is asked now.
func (g *Group) settle(left func() bool) {
	if g.grace <= 0 || !left() {
		return
	}
	if g.asked.Load() == nil {
		g.Terminate()
	}
	rest := time.NewTimer(time.Until(g.asked.Load().Add(g.grace)))
	defer rest.Stop()
	look := time.NewTicker(settleLook)
	defer look.Stop()
	for left() {
		select {
		case <-g.killed:
			return
		case <-rest.C:
			return
		case <-look.C:
		}
	}
}
