package wire

// Health is the colour of the status item.
type Health string

// The healths. error: no model can be used or a settings file is bad; else
// warning: an enabled server is failed, needs_auth, untrusted, degraded or
// reconnecting; else inactive: no server is configured; else ok.
const (
	HealthOK       Health = "ok"
	HealthWarning  Health = "warning"
	HealthError    Health = "error"
	HealthInactive Health = "inactive"
)

// StatusResult is what a status bar shows.
type StatusResult struct {
	Health Health `json:"health"`
	// Busy: a turn runs or a server starts.
	Busy bool `json:"busy"`
	// Text is short: "codebot 3/4", usable of enabled servers.
	Text string `json:"text"`
	// Tooltip is Markdown.
	Tooltip string `json:"tooltip"`
	// Command is what a click does.
	Command *Command `json:"command,omitzero"`
}

// Command is an LSP Command.
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// ModelsResult lists models.
type ModelsResult struct {
	// Current is the id a new session would get.
	Current string  `json:"current"`
	Models  []Model `json:"models"`
}

// Model is one model that could be chosen.
type Model struct {
	// ID is "<provider>/<model>" or "offline".
	ID       string `json:"id"`
	Provider string `json:"provider"`
	Name     string `json:"name"`
	// ContextTokens is the size of the context window where it is known.
	ContextTokens int `json:"contextTokens,omitzero"`
	// Price is present where it is known.
	Price     *ModelPrice `json:"price,omitzero"`
	Available bool        `json:"available"`
	// Reason says why the model is not available.
	Reason string `json:"reason,omitzero"`
}

// TrustUntil says how long a folder is trusted.
type TrustUntil string

// TrustSession is until the connection ends.
const TrustSession TrustUntil = "session"

// TrustParams names a folder, by its URI, and how long it is trusted.
type TrustParams struct {
	Folder string     `json:"folder"`
	Until  TrustUntil `json:"until"`
}
