package wire

// ProtocolVersion is the version of this protocol; it grows when a change would
// break a client.
const ProtocolVersion = 1

// ClientCapabilities is what a client declares in the initialize params under
// capabilities.experimental.codebot. With the object present, codebot/*
// notifications are sent to the client.
type ClientCapabilities struct {
	// RequestPermission: the client answers codebot/session/requestPermission.
	// Without it window/showMessageRequest is used.
	RequestPermission bool `json:"requestPermission,omitzero"`
	// Elicit: the client can show the forms and links that servers ask for.
	Elicit *ElicitCapability `json:"elicit,omitzero"`
	// Sample: the client can let a person approve a server's model request.
	Sample bool `json:"sample,omitzero"`
	// Authorize: the client answers codebot/mcp/authorize. Without it
	// window/showDocument is used, or a message.
	Authorize bool `json:"authorize,omitzero"`
	// Diagnostics: the client answers codebot/diagnostics.
	Diagnostics bool `json:"diagnostics,omitzero"`
	// SavesEdits: the client answers a workspace/applyEdit of this server when it has
	// applied the edit and saved the document in the user's usual way, a formatter
	// included. Where either cannot be done it answers applied false, with the reason,
	// and leaves the document as it was. Without it the server writes the file.
	SavesEdits bool `json:"savesEdits,omitzero"`
}

// ElicitCapability says which elicitations a client can show.
type ElicitCapability struct {
	Form bool `json:"form,omitzero"`
	URL  bool `json:"url,omitzero"`
}

// ServerCapabilities is what the server answers in the initialize result under
// capabilities.experimental.codebot.
type ServerCapabilities struct {
	ProtocolVersion int `json:"protocolVersion"`
	// Methods are the names of the implemented requests and notifications that a
	// client may send.
	Methods            []string           `json:"methods"`
	PromptCapabilities PromptCapabilities `json:"promptCapabilities"`
}

// PromptCapabilities says which content blocks a prompt may carry beside text and
// resource links, as in ACP.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// CommandRequest is the LSP command "codebot.request" with arguments
// [method, params]: for clients without a plug-in, and in code lenses. Approvals,
// trust, keys and answers to permissions are not reachable through it.
const CommandRequest = "codebot.request"

// CommandUI is the LSP command "codebot.ui" with arguments
// [action, {name, folder?}], run by a plug-in: actions trust, login, log,
// openSettings, mcp.
const CommandUI = "codebot.ui"
