package wire

import "github.com/go-json-experiment/json/jsontext"

// MCPElicitParams is a question of a server's. Text is as the server wrote it, less what
// cannot be seen.
type MCPElicitParams struct {
	Server  string     `json:"server"`
	Folder  string     `json:"folder,omitzero"`
	Mode    ElicitMode `json:"mode"`
	Message string     `json:"message"`
	// RequestedSchema describes the form, a flat JSON Schema object of MCP's kind.
	RequestedSchema jsontext.Value `json:"requestedSchema,omitzero"`
	// URL is the page that the person is asked to open. Show its host before it is.
	URL string `json:"url,omitzero"`
}

// ElicitMode is how a server asks.
type ElicitMode string

// The modes of an elicitation.
const (
	ElicitForm ElicitMode = "form"
	ElicitURL  ElicitMode = "url"
)

// MCPElicitResult is the answer. Content is what was filled in, for accept of a form.
type MCPElicitResult struct {
	Action  ElicitAction   `json:"action"`
	Content jsontext.Value `json:"content,omitzero"`
}

// ElicitAction is what the person did.
type ElicitAction string

// The actions. To close the question is cancel.
const (
	ElicitAccept  ElicitAction = "accept"
	ElicitDecline ElicitAction = "decline"
	ElicitCancel  ElicitAction = "cancel"
)

// MCPSampleParams asks whether a server may use the model, and shows what it would send.
type MCPSampleParams struct {
	Server string `json:"server"`
	Folder string `json:"folder,omitzero"`
	// Model is the id of the model that would answer.
	Model        string             `json:"model"`
	SystemPrompt string             `json:"systemPrompt,omitzero"`
	Messages     []MCPPromptMessage `json:"messages"`
	MaxTokens    int                `json:"maxTokens"`
}

// MCPSampleResult is the person's answer.
type MCPSampleResult struct {
	Action SampleAction `json:"action"`
}

// SampleAction is what the person decided.
type SampleAction string

// The actions; allow_session is for this server until the connection ends.
const (
	SampleAllowOnce    SampleAction = "allow_once"
	SampleAllowSession SampleAction = "allow_session"
	SampleReject       SampleAction = "reject"
)

// MCPAuthorizeParams asks the person to log in to a server with a browser. The server
// cancels the request when the browser has come back by itself.
type MCPAuthorizeParams struct {
	Server string `json:"server"`
	Folder string `json:"folder,omitzero"`
	// URL is the page to open, Issuer the host whose page it is, RedirectURI where the
	// browser comes back to.
	URL         string `json:"url"`
	Issuer      string `json:"issuer"`
	RedirectURI string `json:"redirectUri"`
}

// MCPAuthorizeResult is what the person did.
type MCPAuthorizeResult struct {
	// Cancelled: the person does not want to log in.
	Cancelled bool `json:"cancelled,omitzero"`
	// Callback is the address the browser ended at, or the code in it, pasted by a
	// person whose browser cannot reach the redirect address.
	Callback string `json:"callback,omitzero"`
}

// DiagnosticsParams asks for the problems that the editor knows of.
type DiagnosticsParams struct {
	// URI is one document or folder; default all.
	URI string `json:"uri,omitzero"`
}

// DiagnosticsResult lists documents with problems.
type DiagnosticsResult struct {
	Documents []DocumentDiagnostics `json:"documents"`
}

// DocumentDiagnostics are the problems of one document.
type DocumentDiagnostics struct {
	URI         string       `json:"uri"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is one problem. Line and column count from 1, columns in UTF-16.
type Diagnostic struct {
	Line     int                `json:"line"`
	Column   int                `json:"column"`
	Severity DiagnosticSeverity `json:"severity"`
	Message  string             `json:"message"`
	Source   string             `json:"source,omitzero"`
	Code     string             `json:"code,omitzero"`
}

// DiagnosticSeverity is how bad a problem is.
type DiagnosticSeverity string

// The severities.
const (
	SeverityError       DiagnosticSeverity = "error"
	SeverityWarning     DiagnosticSeverity = "warning"
	SeverityInformation DiagnosticSeverity = "information"
	SeverityHint        DiagnosticSeverity = "hint"
)
