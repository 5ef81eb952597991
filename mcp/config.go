package mcp

// ServerConfig is one entry of "mcp_servers" as it stands in the file, before any
// expansion: ${VAR} is resolved once per connect attempt and never stored.
type ServerConfig struct {
	// Type is "stdio" (default), "http" (default when only URL is set), "sse" or,
	// for servers that run inside this process, "inprocess".
	Type    string            `json:"type,omitzero"`
	Command string            `json:"command,omitzero"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	// EnvFrom names variables of our own environment that the child gets beside
	// the few every child gets.
	EnvFrom []string          `json:"env_from,omitempty"`
	Cwd     string            `json:"cwd,omitzero"`
	URL     string            `json:"url,omitzero"`
	Headers map[string]string `json:"headers,omitempty"`
	// Disabled keeps the entry without running it.
	Disabled bool `json:"disabled,omitzero"`
	// ConnectTimeoutMs bounds one connect attempt; 0 means 30 000.
	ConnectTimeoutMs int `json:"connect_timeout_ms,omitzero"`
	// CallTimeoutMs bounds one tool call; 0 means no bound of ours.
	CallTimeoutMs int `json:"call_timeout_ms,omitzero"`
	// TrustAnnotations lets the server's readOnlyHint lower the risk of its tools.
	// User scope only.
	TrustAnnotations bool `json:"trust_annotations,omitzero"`

	// Origin says where the entry came from; it is no part of the file.
	Origin Origin `json:"-"`
}

// Scope says whose file an entry is in.
type Scope string

// The scopes.
const (
	ScopeUser    Scope = "user"
	ScopeProject Scope = "project"
)

// Origin is where an entry stands and whether it may act.
type Origin struct {
	Scope Scope
	// File is the absolute path of the settings file; Line and Column (1-based)
	// are of the entry's key in it.
	File         string
	Line, Column int
	// Shadows is the file of the entry of the same name that this one displaces
	// (or, while untrusted, will displace); empty when none.
	Shadows string
	// Problem says why the entry cannot be used ("both command and url are set"),
	// empty when it can; such an entry is shown as failed with code configInvalid.
	Problem string
	// Approved says whether the entry may run. User entries always are.
	Approved bool
	// ConsentHash is what an approval is bound to; Changed says that an older
	// version of the entry was approved. Project entries only.
	ConsentHash string
	Changed     bool
}
