// Package proc starts programs so that nothing of them outlives us: each has a process
// group (on Windows a job object) of its own, which ends with the program and with us, by
// whatever way.
package proc

import (
	"crypto/rand"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"
)

// Options say what a program gets beside its group.
type Options struct {
	// NoTerminal makes the group a session too: no program finds a terminal to ask at.
	NoTerminal bool
	// Hold ends also what has left the group by a session of its own (a browser, a daemon)
	// when the program has ended or we have, on Linux. It is found by a variable of its
	// environment, [Variable], which Start adds; so one that was started without it
	// (env -i, sudo), that writes over it (the title of some servers) or that another
	// program starts on its behalf (systemd, a tmux of before) is not. On other Unixes
	// what has left the group stays; on Windows a job object holds everything anyway.
	Hold bool
	// Grace is for what is left when the program itself has ended: it is asked to end, if
	// Terminate has not, and killed when it is not gone so long after. Zero kills at once,
	// and so does Linux without Hold.
	Grace time.Duration
}

// Variable is what Options.Hold puts into an environment.
const Variable = "CODEBOT_RUN"

var (
	// run tells the programs of this process from those of any other.
	run = rand.Text()
	// runs counts them.
	runs atomic.Int64
)

// Start starts cmd, whose SysProcAttr it sets. The group ends with Wait, which must be
// called once.
func Start(cmd *exec.Cmd, o Options) (*Group, error) {
	mark := ""
	if o.Hold {
		mark = Variable + "=" + run + "-" + strconv.FormatInt(runs.Add(1), 10)
		cmd.Env = append(cmd.Environ(), mark)
	}
	prepare(cmd, o)
	if err := start(cmd); err != nil {
		return nil, err
	}
	return adopt(cmd, mark, o), nil
}
