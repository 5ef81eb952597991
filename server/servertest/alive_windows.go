package servertest

import "golang.org/x/sys/windows"

// Alive reports whether a process runs.
func Alive(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	r, err := windows.WaitForSingleObject(h, 0)
	return err == nil && r != windows.WAIT_OBJECT_0
}
