// Package proc starts programs so that nothing of them outlives us: each has a process
// group (on Windows a job object) of its own, which ends with the program and with us, by
// whatever way.
package proc

import (
	"crypto/rand"
	"os/exec"
	"strconv"
	"sync/atomic"
)

// Options say what a program gets beside its group.
type Options struct {
	// NoTerminal makes the group a session too: no program finds a terminal to ask at.
	NoTerminal bool
	// Hold ends also what has left the group by a session of its own (a browser, a daemon)
	// when the program has ended or we have, on Linux. It is found by a variable of its
	// environment, [Variable], which Start adds.
	Hold bool
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
	return adopt(cmd, mark), nil
}
