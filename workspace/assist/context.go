package assist

import (
	"slices"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// Context is what surrounds a settings file at one moment.
type Context struct {
	// Lang is the language of every text.
	Lang lang.Lang
	// Place says whose file it is.
	Place workspace.SettingsPlace
	// Snapshot holds the other settings.
	Snapshot workspace.Snapshot
	// UserHome is the user's home folder, absolute.
	UserHome string
	// Variables are the names of the variables of the environment, sorted.
	Variables []string
	// Programs finds programs as a child of ours would; nil finds none wrong.
	Programs *Programs
	// Servers are the servers of all files, as they are now.
	Servers []Server
	// Snippets says that the editor can insert a text with places to fill in.
	Snippets bool
}

// Server is one server as it is now.
type Server struct {
	mcp.ServerStatus
	// Folder is the root of the project whose file has the entry, empty for one of
	// the user's.
	Folder string
	Tools  []Tool
}

// Tool is one tool of a server.
type Tool struct {
	Name, Description string
	// Tokens estimates what it costs in a prompt.
	Tokens int
}

// set reports whether a variable is set.
func (c Context) set(name string) bool {
	_, found := slices.BinarySearch(c.Variables, name)
	return found
}

// say gives a text for people in the language of the context.
func (c Context) say(format string, args ...any) string { return c.Lang.Sprintf(zh, format, args...) }

// word is say for a text without arguments, in which a % is no verb.
func (c Context) word(s string) string { return c.Lang.Text(zh, s) }

// server returns the server of this file's entry of that name.
func (c Context) server(name string) (Server, bool) {
	for _, s := range c.Servers {
		if s.Name == name && s.Scope == c.Place.Scope && s.Folder == c.Place.Root && s.Source != "" {
			return s, true
		}
	}
	return Server{}, false
}
