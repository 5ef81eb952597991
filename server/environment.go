package server

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/codebot-ls/codebot-ls/mcp"
)

// environment is the environment of the process as it was at the start.
type environment struct {
	list   []string
	values map[string]string
}

func newEnvironment(list []string) environment {
	e := environment{list: list, values: make(map[string]string, len(list))}
	for _, kv := range list {
		if name, value, ok := strings.Cut(kv, "="); ok {
			e.values[name] = value
		}
	}
	return e
}

func (e environment) get(name string) string { return e.values[name] }

func (e environment) lookup(name string) (string, bool) {
	v, ok := e.values[name]
	return v, ok
}

func (e environment) environ() []string { return e.list }

// expand resolves ${VAR} in a value of the user's own settings.
func (e environment) expand(value, userHome string) (string, error) {
	return mcp.Expand(value, mcp.Vars{Lookup: e.lookup, UserHome: userHome})
}

// loginPathVariable turns the question to the login shell off ("off").
const loginPathVariable = "CODEBOT_LOGIN_PATH"

// loginPath is the PATH of the user's login shell, empty where nobody may ask it or it
// does not say.
func (s *Server) loginPath(ctx context.Context) string {
	if s.env.get(loginPathVariable) == "off" {
		return ""
	}
	path, err := s.shell.Path(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the login shell does not say its PATH", "error", err)
	}
	return path
}

// dataFolder is where the system keeps what programs make for a user and no one looks at
// each day, with our name and one of ours.
func (e environment) dataFolder(userHome, name string) string {
	base := ""
	switch runtime.GOOS {
	case "darwin":
		base = filepath.Join(userHome, "Library", "Application Support")
	case "windows":
		base = cmp.Or(e.get("LOCALAPPDATA"), filepath.Join(userHome, "AppData", "Local"))
	default:
		if base = e.get("XDG_DATA_HOME"); !filepath.IsAbs(base) {
			base = filepath.Join(userHome, ".local", "share")
		}
	}
	return filepath.Join(base, "codebot", name)
}
