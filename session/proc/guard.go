//go:build unix

package proc

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
)

// guardScript remembers process groups and kills those that are left when its
// input ends, which is when we end, by whatever way; and, where there is a /proc, what
// was held and has left its group.
const guardScript = `trap '' HUP INT QUIT TERM
groups=
while read -r op group; do
  case $op in
  add) groups="$groups $group" ;;
  remove)
    rest=
    for g in $groups; do [ "$g" = "$group" ] || rest="$rest $g"; done
    groups=$rest ;;
  esac
done
for g in $groups; do kill -9 "-$g"; done 2>/dev/null
round=0
while [ -r /proc/self/environ ] && [ $round -lt 10 ]; do
  found=$(grep -la "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || break
  for file in $found; do
    file=${file#/proc/}
    kill -9 "${file%/environ}"
  done
  round=$((round + 1))
done 2>/dev/null
`

// guard is the one guard of this process, started with the first child.
var guard guardian

// guardian is a small shell that outlives us for a moment. A kill -9 leaves us no
// time to end anything: the direct children follow by themselves where the system
// has a parent-death signal or they read their stdin, but what npx and uvx start
// below them would stay. A system without a shell goes without.
type guardian struct {
	mu   sync.Mutex
	pipe io.WriteCloser // guarded by mu; nil before the first child
}

func (g *guardian) add(pgid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe == nil {
		g.start()
	}
	g.tell("add", pgid)
}

func (g *guardian) remove(pgid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tell("remove", pgid)
}

func (g *guardian) tell(op string, pgid int) {
	if g.pipe == nil {
		return
	}
	if _, err := fmt.Fprintln(g.pipe, op, pgid); err != nil {
		_ = g.pipe.Close()
		g.pipe = nil // somebody ended it; the next child starts another
	}
}

func (g *guardian) start() {
	cmd := exec.Command("/bin/sh", "-c", guardScript, "codebot-ls-guard", Variable+"="+run+"-")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	if err := cmd.Start(); err != nil {
		_ = pipe.Close()
		return
	}
	g.pipe = pipe
	go func() { _ = cmd.Wait() }() // buries it, should it end before us
}
