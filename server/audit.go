package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// maxAudit is the size from which on the file of decisions is put aside, in bytes; one of
// before is kept.
const maxAudit = 16 << 20

// auditLog is the file of decisions: one line for each call that the gate saw. Several
// processes add to it.
type auditLog struct {
	s  *Server
	mu sync.Mutex
}

// auditLine is one line. Texts have no secrets that are known as such.
type auditLine struct {
	Time       time.Time             `json:"time"`
	Session    string                `json:"session"`
	Call       string                `json:"call"`
	Tool       string                `json:"tool"`
	Server     string                `json:"server,omitzero"`
	ServerTool string                `json:"server_tool,omitzero"`
	Capability permission.Capability `json:"capability"`
	Mode       permission.Mode       `json:"mode"`
	Paths      []string              `json:"paths,omitempty"`
	Command    string                `json:"command,omitzero"`
	Verdict    permission.Verdict    `json:"verdict"`
	Reason     string                `json:"reason,omitzero"`
	Answer     string                `json:"answer,omitzero"`
	Allowed    bool                  `json:"allowed"`
}

// note adds a decision. That it cannot be kept stops nothing and is in the log.
func (a *auditLog) note(v session.Verdict) {
	r := v.Request
	raw, err := json.Marshal(auditLine{
		Time: time.Now().UTC(), Session: v.Session, Call: v.ToolCallID, Tool: r.Tool, Server: r.Server, ServerTool: r.Original,
		Capability: r.Capability, Mode: v.Mode, Paths: r.Paths, Command: r.Command,
		Verdict: v.Decision.Verdict, Reason: v.Decision.Reason, Answer: v.Answer, Allowed: v.Allowed,
	})
	if err == nil {
		err = a.write(append(a.s.opts.Secrets.JSON(raw), '\n'))
	}
	if err != nil {
		a.s.log.Warn("a decision was not noted", "error", err)
	}
}

func (a *auditLog) write(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	path := filepath.Join(a.s.home, "audit.jsonl")
	if info, err := os.Stat(path); err == nil && info.Size() > maxAudit {
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(a.s.home, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line) // one write is one line, also beside other processes
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
