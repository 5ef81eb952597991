package mcp

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/proc"
)

// The stop ladder's steps. Together they bound how long a child can hold up the
// end of an editor: about two seconds.
const (
	stopEOFWait  = 800 * time.Millisecond // after closing stdin, as the spec wants it first
	stopTermWait = 700 * time.Millisecond // after asking the whole group to end
	stopKillWait = 500 * time.Millisecond // for the system to bury the dead

	// pipeGrace is how long the pipes of a child that ended are still read. What
	// it wrote before its end is there already; only a descendant that left the
	// group could keep them open longer.
	pipeGrace = 250 * time.Millisecond
)

// command is what to run, all of it expanded and absolute.
type command struct {
	path string
	argv []string // argv[0] is the command as the entry names it
	env  []string
	dir  string
}

// process is one running child and everything that belongs to it: its process
// group, its pipes and the goroutines that read them. It lives from startProcess
// until its exited channel is closed.
type process struct {
	cmd    *exec.Cmd
	group  *proc.Group
	stdin  *os.File
	stdout *os.File // read by whoever the process was started for
	stderr tail

	// exited is closed once the child was reaped and the rest of its group killed.
	exited chan struct{}
	// drained is closed once stderr was read to its end, read once stdout was; read
	// is set by who reads it.
	drained chan struct{}
	read    <-chan struct{}
	state   *os.ProcessState // valid once exited is closed; nil if waiting failed
}

// startProcess starts c with pipes of its own. stderr receives whole lines, from
// one goroutine, until the child's stderr ends.
//
// The pipes are plain files, not io.Writers of os/exec: so Wait ends with the
// child, not with the last grandchild that holds a pipe (golang/go#23019).
func startProcess(c command, stderr func([]string)) (*process, error) {
	p := &process{exited: make(chan struct{}), drained: make(chan struct{})}
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			_ = f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w, err
	}
	inR, inW, err1 := pipe()
	outR, outW, err2 := pipe()
	errR, errW, err3 := pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		closeAll()
		return nil, lang.Errorf(zh, textPipes, c.argv[0], err)
	}
	p.cmd = &exec.Cmd{
		Path: c.path, Args: c.argv, Env: c.env, Dir: c.dir,
		Stdin: inR, Stdout: outW, Stderr: errW,
		WaitDelay: pipeGrace,
	}
	p.stdin, p.stdout = inW, outR
	group, err := proc.Start(p.cmd, proc.Options{Hold: true})
	if err != nil {
		closeAll()
		return nil, err
	}
	p.group = group
	for _, f := range []*os.File{inR, outW, errW} {
		_ = f.Close()
	}
	go func() { // ends with the child's stderr, at the latest pipeGrace after its exit
		defer close(p.drained)
		defer func() { _ = errR.Close() }()
		drain(errR, &p.stderr, stderr)
	}()
	go func() { // ends with the child
		p.group.Wait()
		p.state = p.cmd.ProcessState
		bound(errR)
		bound(outR)
		close(p.exited)
	}()
	return p, nil
}

// bound ends the reading of a pipe whose writer is gone soon, even if a descendant
// outside the group still holds the other end.
func bound(f *os.File) {
	if f.SetReadDeadline(time.Now().Add(pipeGrace)) != nil {
		time.AfterFunc(pipeGrace, func() { _ = f.Close() })
	}
}

// pid is the child's process id.
func (p *process) pid() int { return p.cmd.Process.Pid }

// stop ends the child and its group: stdin closed, then TERM, then KILL. It
// returns once they are gone, after about two seconds at most, and may be called
// more than once and beside the child's own end.
func (p *process) stop() {
	_ = p.stdin.Close()
	if p.gone(stopEOFWait) {
		return
	}
	p.group.Terminate()
	if p.gone(stopTermWait) {
		return
	}
	p.group.Kill()
	p.gone(stopKillWait)
}

// gone waits for the end of the child, at most d.
func (p *process) gone(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// exitCode returns the child's exit code; nil when a signal ended it or it did not
// end.
func (p *process) exitCode() *int {
	select {
	case <-p.exited:
	default:
		return nil
	}
	if p.state == nil || p.state.ExitCode() < 0 {
		return nil
	}
	code := p.state.ExitCode()
	return &code
}

// FindProgram returns the path of the program that starting an entry with that
// expanded command would run. dir is where a relative path begins, env the
// environment as "NAME=value".
func FindProgram(command, dir string, env []string) (string, error) {
	return lookCommand(command, dir, env)
}

// lookCommand finds the executable for an entry: name itself when it holds a
// separator (relative to dir), else the first match in the PATH of env, the
// child's own environment. An editor started from a desktop often has a PATH
// without npx; the error therefore names what was searched.
func lookCommand(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		found, err := executable(path, env)
		if err != nil {
			return "", lang.Errorf(zh, textNotStarted, path, err)
		}
		return found, nil
	}
	search := envValue(env, "PATH")
	for _, d := range filepath.SplitList(search) {
		if d == "" || !filepath.IsAbs(d) {
			continue // the folder a project happens to run in is no place to search
		}
		if found, err := executable(filepath.Join(d, name), env); err == nil {
			return found, nil
		}
	}
	if search == "" {
		return "", lang.Errorf(zh, textNoPath, name)
	}
	return "", lang.Errorf(zh, textNotFound, name, search)
}

// executable returns path, on Windows with the extension it needs, when it can be
// run.
func executable(path string, env []string) (string, error) {
	try := []string{path}
	if runtime.GOOS == "windows" && filepath.Ext(path) == "" {
		exts := envValue(env, "PATHEXT")
		if exts == "" {
			exts = ".COM;.EXE;.BAT;.CMD"
		}
		try = try[:0]
		for _, e := range strings.Split(exts, ";") {
			try = append(try, path+e)
		}
	}
	var last error = fs.ErrNotExist
	for _, p := range try {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			if !errors.Is(err, fs.ErrNotExist) {
				last = err
			}
		case info.IsDir():
			last = lang.Errorf(zh, textDirectory)
		case runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
			last = lang.Errorf(zh, textNotExecutable)
		default:
			return p, nil
		}
	}
	return "", last
}

// envValue returns the last value of key in env; on Windows names have no case.
func envValue(env []string, key string) string {
	value := ""
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		if k == key || runtime.GOOS == "windows" && strings.EqualFold(k, key) {
			value = v
		}
	}
	return value
}
