package wire

// SessionCommandsParams names the session whose slash commands are wanted.
type SessionCommandsParams struct {
	SessionID string `json:"sessionId"`
}

// SessionCommandsResult lists the slash commands that a prompt may begin with, in the
// order in which to show them.
type SessionCommandsResult struct {
	Commands []SlashCommand `json:"commands"`
}

// CommandSource says where a slash command comes from.
type CommandSource string

// The sources of commands.
const (
	CommandBuiltin CommandSource = "builtin"
	CommandUser    CommandSource = "user"
	CommandProject CommandSource = "project"
	CommandMCP     CommandSource = "mcp"
)

// SlashCommand is one slash command. A prompt whose text begins with "/<name>" runs
// it; what follows on the line is its input.
type SlashCommand struct {
	// Name is without the slash: "compact", "mcp__docs__review".
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Source      CommandSource `json:"source"`
	// Hint says what the input is; absent for a command that takes none.
	Hint string `json:"hint,omitzero"`
	// Server and Folder name the MCP server whose prompt it is.
	Server string `json:"server,omitzero"`
	Folder string `json:"folder,omitzero"`
	// Arguments are those of an MCP prompt, for a form. On the line they are words, or
	// name=value, with quotes as in a shell.
	Arguments []PromptArgument `json:"arguments,omitempty"`
}

// SessionMentionsParams asks what an @ could stand for.
type SessionMentionsParams struct {
	SessionID string `json:"sessionId"`
	// Query is what was typed after the @.
	Query string `json:"query"`
	// Limit is the largest number of answers, default 50.
	Limit int `json:"limit,omitzero"`
}

// SessionMentionsResult lists what matches, the best first.
type SessionMentionsResult struct {
	Mentions []Mention `json:"mentions"`
}

// MentionKind is a kind of thing that can be mentioned.
type MentionKind string

// The kinds of mentions.
const (
	MentionFile        MentionKind = "file"
	MentionFolder      MentionKind = "folder"
	MentionDiagnostics MentionKind = "diagnostics"
	MentionSelection   MentionKind = "selection"
	MentionResource    MentionKind = "resource"
)

// Mention is one thing that a prompt can refer to.
type Mention struct {
	Kind MentionKind `json:"kind"`
	// Text is what stands in the prompt, with the @.
	Text   string `json:"text"`
	Label  string `json:"label"`
	Detail string `json:"detail,omitzero"`
	// Block goes into the prompt beside the text. Absent for a selection: the editor
	// adds the lines as a resource block.
	Block *ContentBlock `json:"block,omitzero"`
}
