package wire

import "github.com/go-json-experiment/json/jsontext"

// MCPListParams filters by server; empty means all.
type MCPListParams struct {
	Server string  `json:"server,omitzero"`
	Folder *string `json:"folder,omitzero"`
}

// MCPResourcesResult lists resources and templates by server name, then in the
// server's order.
type MCPResourcesResult struct {
	Resources []MCPResource         `json:"resources"`
	Templates []MCPResourceTemplate `json:"templates"`
}

// MCPResource is a thing that a server lets be read.
type MCPResource struct {
	Server      string `json:"server"`
	Folder      string `json:"folder,omitzero"`
	Name        string `json:"name"`
	Title       string `json:"title,omitzero"`
	Description string `json:"description,omitzero"`
	MimeType    string `json:"mimeType,omitzero"`
	// Size is in bytes.
	Size *int64 `json:"size,omitzero"`
	// Address is the resource's URI, as the server gives it.
	Address string `json:"address"`
}

// MCPResourceTemplate makes addresses of resources (RFC 6570).
type MCPResourceTemplate struct {
	Server      string `json:"server"`
	Folder      string `json:"folder,omitzero"`
	Name        string `json:"name"`
	Title       string `json:"title,omitzero"`
	Description string `json:"description,omitzero"`
	MimeType    string `json:"mimeType,omitzero"`
	Template    string `json:"template"`
}

// MCPReadResourceParams names a resource by its address.
type MCPReadResourceParams struct {
	Server  string  `json:"server"`
	Folder  *string `json:"folder,omitzero"`
	Address string  `json:"address"`
	// Subscribe: codebot/mcp/didChangeResource tells of changes from now on, until a
	// read without it.
	Subscribe bool `json:"subscribe,omitzero"`
}

// MCPReadResourceResult is the content of a resource, whole.
type MCPReadResourceResult struct {
	Contents []EmbeddedResource `json:"contents"`
}

// MCPDidChangeResourceParams names a resource that is different now.
type MCPDidChangeResourceParams struct {
	Server  string `json:"server"`
	Folder  string `json:"folder,omitzero"`
	Address string `json:"address"`
}

// MCPPromptsResult lists prompts by server name, then in the server's order.
type MCPPromptsResult struct {
	Prompts []MCPPrompt `json:"prompts"`
}

// MCPPrompt is a prompt that a server offers.
type MCPPrompt struct {
	// Command is the slash command that runs it, without the slash.
	Command     string           `json:"command"`
	Server      string           `json:"server"`
	Folder      string           `json:"folder,omitzero"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitzero"`
	Description string           `json:"description,omitzero"`
	Arguments   []PromptArgument `json:"arguments"`
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitzero"`
	Description string `json:"description,omitzero"`
	Required    bool   `json:"required,omitzero"`
}

// MCPGetPromptParams names a prompt by the server's own name and fills its arguments.
type MCPGetPromptParams struct {
	Server    string            `json:"server"`
	Folder    *string           `json:"folder,omitzero"`
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// MCPGetPromptResult is the filled prompt.
type MCPGetPromptResult struct {
	Description string             `json:"description,omitzero"`
	Messages    []MCPPromptMessage `json:"messages"`
}

// MCPPromptMessage is one message of a prompt; Role is user or assistant.
type MCPPromptMessage struct {
	Role    string       `json:"role"`
	Content ContentBlock `json:"content"`
}

// MCPCompleteParams asks for values of an argument of a prompt, or of a variable of a
// resource template: one of Prompt and Template is set.
type MCPCompleteParams struct {
	Server   string  `json:"server"`
	Folder   *string `json:"folder,omitzero"`
	Prompt   string  `json:"prompt,omitzero"`
	Template string  `json:"template,omitzero"`
	// Argument is the name, Value what is typed so far.
	Argument string `json:"argument"`
	Value    string `json:"value"`
	// Given are the arguments that have a value already.
	Given map[string]string `json:"given,omitempty"`
}

// MCPCompleteResult lists values, the best first.
type MCPCompleteResult struct {
	Values []string `json:"values"`
	// HasMore: there are values that are not listed.
	HasMore bool `json:"hasMore,omitzero"`
}

// MCPSetToolParams switches one tool of a server; Tool is the server's own name.
type MCPSetToolParams struct {
	Server  string  `json:"server"`
	Folder  *string `json:"folder,omitzero"`
	Tool    string  `json:"tool"`
	Enabled bool    `json:"enabled"`
}

// MCPTestParams is an entry to try without saving it, an object as in "mcp_servers".
type MCPTestParams struct {
	// Name is what the entry would be called; default "test".
	Name   string         `json:"name,omitzero"`
	Folder *string        `json:"folder,omitzero"`
	Entry  jsontext.Value `json:"entry"`
}

// MCPTestResult is how it went: the row that the entry would have, what it offers, and
// the end of its log.
type MCPTestResult struct {
	Server     MCPServer     `json:"server"`
	Tools      []MCPTool     `json:"tools"`
	Log        []MCPLogEntry `json:"log"`
	DurationMs int64         `json:"durationMs"`
}

// MCPImportParams looks for servers in the settings of other programs, and writes the
// chosen ones into the user's settings, or with Folder into that project's.
type MCPImportParams struct {
	Folder *string `json:"folder,omitzero"`
	// Source is the URI of one file to look into; default all known places.
	Source string `json:"source,omitzero"`
	// Import are the servers to write, as an earlier answer listed them; without it
	// nothing is written.
	Import []MCPImportChoice `json:"import,omitempty"`
}

// MCPImportChoice picks one server of an answer.
type MCPImportChoice struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	// As is another name to write it under.
	As string `json:"as,omitzero"`
}

// MCPImportResult lists what was found.
type MCPImportResult struct {
	Servers []MCPImportServer `json:"servers"`
	// Problems are files that could not be read, one line each.
	Problems []string `json:"problems"`
}

// MCPImportServer is one server of another program's settings.
type MCPImportServer struct {
	Name string `json:"name"`
	// Client is the program: "VS Code", "Claude Code", "Claude Desktop", "Cursor",
	// "mcphub", "ECA", "Codex".
	Client string `json:"client"`
	// Source is the URI of its file.
	Source string `json:"source"`
	// Entry is how it would stand in our settings file. Literal secrets are there in
	// the file only, not here.
	Entry jsontext.Value `json:"entry"`
	// Notes say what a person has to see to: variables to set, parts that were left out.
	Notes []string `json:"notes"`
	// Exists: our settings have an entry of that name.
	Exists bool `json:"exists,omitzero"`
	// Imported: it was written.
	Imported bool `json:"imported,omitzero"`
}

// MCPLoginParams begins a login, or ends one that waits.
type MCPLoginParams struct {
	Name   string  `json:"name"`
	Folder *string `json:"folder,omitzero"`
	// RedirectURI is where the browser shall come back to, when the editor knows a
	// better address than this machine's loopback: one that reaches it from the
	// person's machine. "{port}" in it stands for the port that is listened on.
	RedirectURI string `json:"redirectUri,omitzero"`
}
