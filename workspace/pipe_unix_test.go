//go:build unix

package workspace

import "syscall"

// makePipe makes a named pipe.
func makePipe(path string) bool { return syscall.Mkfifo(path, 0o600) == nil }
