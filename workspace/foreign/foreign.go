// Package foreign reads the MCP servers in the settings of other programs and says how
// they are written here. It changes nothing.
package foreign

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// maxFile bounds one settings file, in bytes; those of some programs hold their history.
const maxFile = 32 << 20

// Place is a file where a program keeps servers.
type Place struct {
	// Client is the program, File the absolute path.
	Client, File string
	// keys are where the object of servers stands in the file; each is a path.
	keys [][]string
}

// Server is one server of another program's settings.
type Server struct {
	Name, Client, File string
	// Entry is how it is written here, an object.
	Entry json.RawMessage
	// Shown is Entry with what is secret in it left out.
	Shown json.RawMessage
	// Notes say what a person has to see to.
	Notes []string
}

// The keys under which servers are known to stand.
var (
	keysCommon  = [][]string{{"mcpServers"}}
	keysVSCode  = [][]string{{"servers"}, {"mcp", "servers"}}
	keysCodex   = [][]string{{"mcp_servers"}}
	keysAnywhat = slices.Concat(keysCommon, keysVSCode, keysCodex)
)

// Places are the files of the programs that are known, whether they are there or not.
// home is the user's home, config where programs keep their settings (os.UserConfigDir);
// folders are the projects that are open.
func Places(home, config string, folders []string) []Place {
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	dot := filepath.Join(home, ".config") // what many use on every system
	if runtime.GOOS == "windows" {
		dot = config
	}
	places := []Place{
		{"VS Code", filepath.Join(config, "Code", "User", "mcp.json"), keysVSCode},
		{"Claude Desktop", filepath.Join(config, "Claude", "claude_desktop_config.json"), keysCommon},
		{"Cursor", filepath.Join(home, ".cursor", "mcp.json"), keysCommon},
		{"mcphub", filepath.Join(dot, "mcphub", "servers.json"), keysCommon},
		{"ECA", filepath.Join(dot, "eca", "config.json"), keysCommon},
		{"Codex", filepath.Join(home, ".codex", "config.toml"), keysCodex},
	}
	claude := keysCommon
	for _, folder := range folders {
		claude = append(slices.Clip(claude), []string{"projects", folder, "mcpServers"})
	}
	places = append(places, Place{"Claude Code", filepath.Join(home, ".claude.json"), claude})
	for _, folder := range folders {
		places = append(places,
			Place{"VS Code", filepath.Join(folder, ".vscode", "mcp.json"), keysVSCode},
			Place{"Claude Code", filepath.Join(folder, ".mcp.json"), keysCommon},
			Place{"Cursor", filepath.Join(folder, ".cursor", "mcp.json"), keysCommon},
			Place{"ECA", filepath.Join(folder, ".eca", "config.json"), keysCommon},
		)
	}
	return places
}

// At is the place of one file: the known one, or one that may hold servers anywhere.
func At(places []Place, file string) Place {
	if i := slices.IndexFunc(places, func(p Place) bool { return p.File == file }); i >= 0 {
		return places[i]
	}
	return Place{filepath.Base(file), file, keysAnywhat}
}

// Find reads the servers of places, in their order and by name within one. A file that is
// not there has none; one that cannot be read is in problems.
func Find(l lang.Lang, places []Place) (servers []Server, problems []error) {
	for _, p := range places {
		found, err := p.read(l)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, lang.Errorf(zh, problemFile, p.File, err))
		}
		servers = append(servers, found...)
	}
	return servers, problems
}

func (p Place) read(l lang.Lang) ([]Server, error) {
	f, err := os.Open(p.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrNotExist) // a folder or a pipe holds no settings
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, lang.Errorf(zh, problemLarge, maxFile>>20)
	}
	var all map[string]any
	if filepath.Ext(p.File) == ".toml" {
		err = toml.Unmarshal(text, &all)
	} else if text, err = hujson.Standardize(text); err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, err
	}
	var servers []Server
	for _, path := range p.keys {
		at := any(all)
		for _, key := range path {
			object, _ := at.(map[string]any)
			at = object[key]
		}
		if at == nil {
			continue
		}
		entries, ok := at.(map[string]any)
		if !ok {
			return servers, lang.Errorf(zh, problemShape, strings.Join(path, "."))
		}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			entry, ok := entries[name].(map[string]any)
			if !ok {
				continue // a comment of some kind
			}
			servers = append(servers, p.convert(l, name, entry))
		}
	}
	return servers, nil
}
