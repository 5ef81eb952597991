package server

import (
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
