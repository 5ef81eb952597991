package workspace

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// What was found instead of a file decides what stays in force: a file that cannot
// be read is not a file without settings (PerformanceMonitor#2431). Root reads
// everything, so the errors are made here.
func TestUnreadableIsNotAbsent(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		kept  bool
		bad   bool
		says  string
		codes Code
	}{
		"absent":        {&fs.PathError{Op: "open", Path: "/x", Err: syscall.ENOENT}, false, false, "", ""},
		"not a folder":  {&fs.PathError{Op: "open", Path: "/x", Err: syscall.ENOTDIR}, false, false, "", ""},
		"no permission": {&fs.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}, true, true, syscall.EACCES.Error(), CodeUnreadable},
		"disk fails":    {&fs.PathError{Op: "read", Path: "/x", Err: syscall.EIO}, true, true, syscall.EIO.Error(), CodeUnreadable},
		"loop of links": {errors.New("EvalSymlinks: too many links"), true, true, "too many links", CodeUnreadable},
		"directory":     {errDirectory, true, true, "directory", CodeUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			now := content{present: true, text: []byte(servers("a"))}
			s := &source{path: userFile, scope: mcp.ScopeUser, read: func() content { return now }}
			if !s.refresh() || s.refresh() {
				t.Error("the first reading is a change, the second of the same is not")
			}
			now = contentOf(nil, c.err)
			kept := "; the last good settings stay in force"
			if !s.refresh() || s.refresh() {
				t.Error("going bad is one change")
			}
			if kept := len(s.layer.Settings.MCPServers) == 1; kept != c.kept || s.layer.Bad != c.bad {
				t.Errorf("kept %v, bad %v", kept, s.layer.Bad)
			}
			if c.bad && (len(s.layer.Diagnostics) != 1 || s.layer.Diagnostics[0].Code != c.codes || !strings.Contains(s.layer.Diagnostics[0].Message, c.says) || !strings.HasSuffix(s.layer.Diagnostics[0].Message, kept)) {
				t.Errorf("diagnostics %v", s.layer.Diagnostics)
			}
		})
	}
}

// A file that is bad from the start is no settings, and good ones that follow count.
func TestBadFromTheStart(t *testing.T) {
	now := content{present: true, text: []byte("{")}
	s := &source{path: userFile, scope: mcp.ScopeUser, read: func() content { return now }}
	s.refresh()
	if !s.layer.Bad || len(s.layer.Settings.MCPServers) != 0 || strings.Contains(s.layer.Diagnostics[0].Message, "last good") {
		t.Errorf("got %+v", s.layer)
	}
	now.text = []byte(servers("a"))
	if !s.refresh() || s.layer.Bad || len(s.layer.Settings.MCPServers) != 1 {
		t.Errorf("got %+v", s.layer)
	}
}
