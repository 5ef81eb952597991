package mcp

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: it holds the child and all its descendants, and the
// system ends them when the last handle closes, so also when we are killed.
type group struct {
	job windows.Handle // 0 when the system refused one
	cmd *exec.Cmd
}

// prepare keeps our console's Ctrl-C away from the child.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP,
	}
}

func startCmd(cmd *exec.Cmd) error { return cmd.Start() }

// adopt puts the child into a job of its own. A grandchild started before that
// would escape; there is no way to start a child suspended through os/exec.
func adopt(cmd *exec.Cmd) group {
	g := group{cmd: cmd}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var child windows.Handle
		child, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, child)
			_ = windows.CloseHandle(child)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// terminate is nothing here: Windows has no TERM that a child without a window
// would hear.
func (g group) terminate() {}

func (g group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	_ = g.cmd.Process.Kill()
}

// reap waits for the child and kills what is left of its job.
func (g group) reap(cmd *exec.Cmd) {
	_ = cmd.Wait()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
	}
}
