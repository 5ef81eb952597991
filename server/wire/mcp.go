package wire

import "github.com/go-json-experiment/json/jsontext"

// MCPState is the state of a server.
type MCPState string

// The states of a server.
const (
	MCPDisabled     MCPState = "disabled"
	MCPUntrusted    MCPState = "untrusted"
	MCPStarting     MCPState = "starting"
	MCPConnected    MCPState = "connected"
	MCPDegraded     MCPState = "degraded"
	MCPNeedsAuth    MCPState = "needs_auth"
	MCPReconnecting MCPState = "reconnecting"
	MCPFailed       MCPState = "failed"
	MCPStopping     MCPState = "stopping"
	MCPStopped      MCPState = "stopped"
)

// MCPScope says whose settings file declares a server.
type MCPScope string

// The scopes.
const (
	MCPUser    MCPScope = "user"
	MCPProject MCPScope = "project"
)

// MCPAutostart is when a server is started.
type MCPAutostart string

// The values of [MCPServer.Autostart].
const (
	// MCPOnDemand: at the first call of one of its tools, which are those last seen, or by
	// connect_mcp.
	MCPOnDemand MCPAutostart = "on_demand"
	// MCPNever: by the user, or by connect_mcp.
	MCPNever MCPAutostart = "never"
)

// MCPTransport is how a server is reached.
type MCPTransport string

// The transports.
const (
	MCPStdio     MCPTransport = "stdio"
	MCPHTTP      MCPTransport = "http"
	MCPSSE       MCPTransport = "sse"
	MCPInProcess MCPTransport = "inprocess"
)

// MCPServer is the row of one server. Servers are keyed by (folder, name).
type MCPServer struct {
	Name string `json:"name"`
	// Folder is the URI of the root whose project file declares the server;
	// absent for a server of the user's.
	Folder string   `json:"folder,omitzero"`
	State  MCPState `json:"state"`
	Scope  MCPScope `json:"scope"`
	// Source is the URI of the settings file that declares it.
	Source string `json:"source"`
	// Shadows is the URI of the settings file whose entry of the same name this
	// one displaces.
	Shadows   string       `json:"shadows,omitzero"`
	Transport MCPTransport `json:"transport"`
	// Autostart is absent for a server that starts with its folder.
	Autostart     MCPAutostart `json:"autostart,omitzero"`
	ToolCount     int          `json:"toolCount"`
	PromptCount   int          `json:"promptCount"`
	ResourceCount int          `json:"resourceCount"`
	Error         *MCPError    `json:"error,omitzero"`
	Pid           int          `json:"pid,omitzero"`
	// ProtocolVersion is the MCP version that was negotiated.
	ProtocolVersion string `json:"protocolVersion,omitzero"`
	// Since is when the state was entered, ISO 8601.
	Since       string `json:"since"`
	NextRetryAt string `json:"nextRetryAt,omitzero"`
	// ToolTokens estimates what its tools cost in a prompt.
	ToolTokens int `json:"toolTokens,omitzero"`
	// Consent is present while the state is untrusted.
	Consent *MCPConsent `json:"consent,omitzero"`
}

// MCPError says why a server is not well. Code is an action error kind or
// "exited", "handshake", "http", "listFailed".
type MCPError struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitzero"`
	ExitCode *int   `json:"exitCode,omitzero"`
	// StderrTail is the end of what the server wrote to stderr, secrets redacted.
	StderrTail string `json:"stderrTail,omitzero"`
}

// MCPConsent is what a person is shown before a project's entry may act, all of
// it unexpanded. Characters that cannot be seen, or that hide others, are written
// out as \u{202e}; Hash is of the entry as it stands in the file.
type MCPConsent struct {
	Hash     string   `json:"hash"`
	Argv     []string `json:"argv"`
	Cwd      string   `json:"cwd"`
	EnvNames []string `json:"envNames"`
	URL      string   `json:"url,omitzero"`
	// Variables are the names of all variables that starting it would read.
	Variables []string `json:"variables"`
	// Changed says that another version of the entry was approved before.
	Changed bool `json:"changed,omitzero"`
	// Changes is what is different from that version; absent when that is not known.
	Changes []MCPConsentChange `json:"changes,omitzero"`
}

// MCPConsentChange is one field in which an entry differs from the version that was
// approved. What was or is not there is empty; literal secrets are blotted out.
type MCPConsentChange struct {
	// Field is the path within the entry: "command", "args", "env.A".
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// MCPTotals counts over all servers; connected counts connected and degraded.
type MCPTotals struct {
	Connected int `json:"connected"`
	Failed    int `json:"failed"`
	Tools     int `json:"tools"`
}

// MCPStatusResult is the whole picture.
type MCPStatusResult struct {
	Revision int         `json:"revision"`
	Totals   MCPTotals   `json:"totals"`
	Servers  []MCPServer `json:"servers"`
}

// MCPDidChangeStatusParams carries whole rows, which replace the rows of the same
// key; a row not listed is unchanged.
type MCPDidChangeStatusParams struct {
	Revision int         `json:"revision"`
	Totals   MCPTotals   `json:"totals"`
	Servers  []MCPServer `json:"servers"`
	Removed  []MCPKey    `json:"removed"`
}

// MCPKey names one server.
type MCPKey struct {
	Name   string `json:"name"`
	Folder string `json:"folder,omitzero"`
}

// MCPServerRef names the server of an action. Without Folder a unique match is
// taken, else the error is ambiguousServer. An empty Folder names the user's.
type MCPServerRef struct {
	Name   string  `json:"name"`
	Folder *string `json:"folder,omitzero"`
}

// MCPServerResult is the row after an action. A server that then is failed or
// needs_auth is a result, not an error.
type MCPServerResult struct {
	Server MCPServer `json:"server"`
}

// MCPApproveParams names an entry and the hash of what the person saw.
type MCPApproveParams struct {
	Name   string  `json:"name"`
	Folder *string `json:"folder,omitzero"`
	Hash   string  `json:"hash"`
}

// MCPEntryParams is an entry of "mcp_servers" for a settings file: the user's, or
// with Folder that of the project.
type MCPEntryParams struct {
	Name   string  `json:"name"`
	Folder *string `json:"folder,omitzero"`
	// Entry is the entry as it shall stand in the file, an object.
	Entry jsontext.Value `json:"entry"`
}

// MCPToolsParams filters the tools; empty means all.
type MCPToolsParams struct {
	Server string  `json:"server,omitzero"`
	Folder *string `json:"folder,omitzero"`
}

// MCPToolsResult lists tools by server name, then in the server's order.
type MCPToolsResult struct {
	Tools []MCPTool `json:"tools"`
}

// MCPTool is one tool of a server.
type MCPTool struct {
	// Name is the exposed name: mcp__<server>__<tool>.
	Name   string `json:"name"`
	Server string `json:"server"`
	Folder string `json:"folder,omitzero"`
	// Tool is the server's own name of it.
	Tool        string            `json:"tool"`
	Description string            `json:"description"`
	InputSchema jsontext.Value    `json:"inputSchema"`
	Permission  MCPToolPermission `json:"permission"`
	// Off: the entry's "tools" lists keep it from the agent.
	Off bool `json:"off,omitzero"`
}

// MCPToolPermission is what the gate thinks of a tool, and why.
type MCPToolPermission struct {
	Capability string `json:"capability"`
	Reason     string `json:"reason"`
}

// MCPCallToolParams is a person's own call; Tool is the server's own name.
type MCPCallToolParams struct {
	Server    string         `json:"server"`
	Folder    *string        `json:"folder,omitzero"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
}

// MCPCallToolResult is what the tool answered.
type MCPCallToolResult struct {
	Content           []ContentBlock `json:"content"`
	StructuredContent jsontext.Value `json:"structuredContent,omitzero"`
	IsError           bool           `json:"isError"`
}

// MCPLogSource says where a log entry came from.
type MCPLogSource string

// The sources of log entries.
const (
	MCPLogStderr MCPLogSource = "stderr"
	MCPLogStdout MCPLogSource = "stdout"
	MCPLogServer MCPLogSource = "server"
	MCPLogClient MCPLogSource = "client"
)

// MCPLogEntry is one line of a server's log.
type MCPLogEntry struct {
	// Time is ISO 8601.
	Time string `json:"time"`
	// Level is an MCP logging level: debug, info, notice, warning, error, ...
	Level  string       `json:"level"`
	Source MCPLogSource `json:"source"`
	Text   string       `json:"text"`
}

// MCPLogsParams asks for the last entries; without Limit all that are kept.
type MCPLogsParams struct {
	Name   string  `json:"name"`
	Folder *string `json:"folder,omitzero"`
	Limit  int     `json:"limit,omitzero"`
}

// MCPLogsResult lists entries, the oldest first.
type MCPLogsResult struct {
	Entries []MCPLogEntry `json:"entries"`
}

// MCPLogParams carries new entries.
type MCPLogParams struct {
	Name    string        `json:"name"`
	Folder  string        `json:"folder,omitzero"`
	Entries []MCPLogEntry `json:"entries"`
}
