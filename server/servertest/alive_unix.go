//go:build unix

package servertest

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Alive reports whether a process runs. One that has ended and was not waited for
// by whoever inherited it does not.
func Alive(pid int) bool {
	if pid <= 0 || syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true // no /proc here: the signal's word counts
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
