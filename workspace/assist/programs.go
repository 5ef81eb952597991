package assist

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// Bounds of the list of programs: a PATH may lead over a network, or through a
// Windows with thousands of them.
const (
	programsAge   = time.Minute
	programsWait  = 200 * time.Millisecond
	programsLimit = 20000
)

// Programs are the programs on the PATH of an environment. The list of them is read
// when it is asked for and kept for a minute. Safe for concurrent use.
type Programs struct {
	env []string

	mu      sync.Mutex // guards what follows
	names   []string
	read    time.Time     // when names were read
	reading chan struct{} // closed when the reading that runs is done; nil: none runs
}

// NewPrograms returns the programs of an environment, "NAME=value".
func NewPrograms(env []string) *Programs { return &Programs{env: env} }

// find reports whether a program can be found; one that cannot be judged is.
func (p *Programs) find(command string, trusted bool) (problem string) {
	if p == nil || command == "" || strings.Contains(command, "${") {
		return ""
	}
	if !strings.ContainsAny(command, `/\`) {
		if _, err := mcp.FindProgram(command, "", p.env); err != nil {
			return msgNotOnPath
		}
		return ""
	}
	// Only to look whether a file exists can mount a share, or send a name and a
	// password to one: nothing that a project's file may bring about.
	if !trusted || !filepath.IsAbs(command) || strings.HasPrefix(command, `\\`) || strings.HasPrefix(command, "//") {
		return ""
	}
	if _, err := mcp.FindProgram(command, "", p.env); err != nil {
		return msgNoSuchFile
	}
	return ""
}

// list returns the names of the programs on PATH, sorted: after a moment that which
// is known by then.
func (p *Programs) list() []string {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	if p.reading == nil && time.Since(p.read) > programsAge {
		p.reading = make(chan struct{})
		go p.refresh(p.reading) // ends with the folders of PATH
	}
	reading, names := p.reading, p.names
	p.mu.Unlock()
	if reading == nil {
		return names
	}
	wait := time.NewTimer(programsWait)
	defer wait.Stop()
	select {
	case <-reading:
	case <-wait.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.names
}

func (p *Programs) refresh(done chan struct{}) {
	names := p.scan()
	p.mu.Lock()
	p.names, p.read, p.reading = names, time.Now(), nil
	p.mu.Unlock()
	close(done)
}

// scan reads the folders of PATH.
func (p *Programs) scan() []string {
	var path string
	for _, kv := range p.env {
		if name, value, _ := strings.Cut(kv, "="); name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(name, "PATH") {
			path = value
		}
	}
	var names []string
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || len(names) >= programsLimit {
			continue
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			continue // PATH often names folders that do not exist
		}
		for _, f := range files {
			if name, ok := programName(f); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// programName returns the name to run a file by. What cannot be run at all is left
// out as far as that is known without looking at each file.
func programName(f os.DirEntry) (string, bool) {
	if f.IsDir() || strings.HasPrefix(f.Name(), ".") {
		return "", false
	}
	if runtime.GOOS != "windows" {
		return f.Name(), true
	}
	ext := filepath.Ext(f.Name())
	switch strings.ToLower(ext) {
	case ".exe", ".com", ".bat", ".cmd":
		return strings.TrimSuffix(f.Name(), ext), true
	}
	return "", false
}
