package proc

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a job object: it holds the program and all its descendants, and the
// system ends them when the last handle closes, so also when we are killed.
type Group struct {
	cmd *exec.Cmd
	job *job
}

// job is a handle that may be ended and closed beside each other.
type job struct {
	mu     sync.Mutex
	handle windows.Handle // guarded by mu; 0 when the system refused one, or closed
}

// end ends what is in the job, and reports whether there is one.
func (j *job) end(closing bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle == 0 {
		return false
	}
	_ = windows.TerminateJobObject(j.handle, 1)
	if closing {
		_ = windows.CloseHandle(j.handle)
		j.handle = 0
	}
	return true
}

// prepare keeps our console's Ctrl-C away from the child.
func prepare(cmd *exec.Cmd, o Options) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP,
	}
	if o.NoTerminal {
		cmd.SysProcAttr.CreationFlags |= windows.CREATE_NO_WINDOW
	}
}

func start(cmd *exec.Cmd) error { return cmd.Start() }

// adopt puts the child into a job of its own. A grandchild started before that
// would escape; there is no way to start a child suspended through os/exec.
func adopt(cmd *exec.Cmd, _ string, _ Options) *Group {
	g := &Group{cmd: cmd, job: &job{}}
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var child windows.Handle
		child, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(handle, child)
			_ = windows.CloseHandle(child)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(handle)
		return g
	}
	g.job.handle = handle
	return g
}

// Terminate is nothing here: Windows has no TERM that a program without a window
// would hear.
func (g *Group) Terminate() {}

// Kill ends every process of the job.
func (g *Group) Kill() {
	if !g.job.end(false) {
		_ = g.cmd.Process.Kill() // an error when it was reaped already
	}
}

// Wait waits for the program and kills what is left of its job.
func (g *Group) Wait() {
	_ = g.cmd.Wait()
	g.job.end(true)
}
