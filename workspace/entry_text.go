package workspace

import (
	"encoding/json"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// ReadEntry reads one entry as it would be read in a settings file of that scope, an
// object of JSON with comments. What is wrong with it is the error.
func ReadEntry(name string, scope mcp.Scope, raw []byte, l lang.Lang) (mcp.ServerConfig, error) {
	if _, err := parseEntry(raw); err != nil {
		return mcp.ServerConfig{}, err
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return mcp.ServerConfig{}, err
	}
	text := append(append(append([]byte(`{"`+serversKey+`":{`), quoted...), ':'), raw...)
	settings, diagnostics, _ := ParseSettings("", scope, append(text, "}}"...), l)
	cfg, ok := settings.MCPServers[name]
	for _, d := range diagnostics {
		if d.Severity == SeverityError {
			return cfg, lang.Errorf(zh, msgEditInvalidIs, ErrInvalidEntry, d.Message)
		}
	}
	if !ok {
		return cfg, ErrInvalidEntry
	}
	return cfg, nil
}
