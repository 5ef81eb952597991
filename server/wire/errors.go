package wire

// CodeActionFailed is the code of every error that carries an ActionError or a
// ModelError as data: LSP's RequestFailed.
const CodeActionFailed = -32803

// ActionErrorKind says why an action was not tried.
type ActionErrorKind string

// The kinds of action errors.
const (
	KindUnknownServer   ActionErrorKind = "unknownServer"
	KindUntrusted       ActionErrorKind = "untrusted"
	KindNeedsAuth       ActionErrorKind = "needsAuth"
	KindConfigInvalid   ActionErrorKind = "configInvalid"
	KindStartBlocked    ActionErrorKind = "startBlocked"
	KindTimeout         ActionErrorKind = "timeout"
	KindAmbiguousServer ActionErrorKind = "ambiguousServer"
	KindConsentChanged  ActionErrorKind = "consentChanged"
	KindUnknownSession  ActionErrorKind = "unknownSession"
	KindSessionBusy     ActionErrorKind = "sessionBusy"
	KindUnknownModel    ActionErrorKind = "unknownModel"
	KindUnknownMode     ActionErrorKind = "unknownMode"
)

// ActionError is the data of an error that says an action was not tried.
type ActionError struct {
	Kind ActionErrorKind `json:"kind"`
	// Name of the server, session, model or mode in question.
	Name string `json:"name,omitzero"`
	// Folders to choose from, for ambiguousServer.
	Folders []string `json:"folders,omitempty"`
	// Hint says what to do, for a person.
	Hint string `json:"hint"`
}

// ModelErrorKind tells failures of a model apart.
type ModelErrorKind string

// The kinds of model errors.
const (
	KindModelAuth        ModelErrorKind = "modelAuth"
	KindModelQuota       ModelErrorKind = "modelQuota"
	KindModelNotFound    ModelErrorKind = "modelNotFound"
	KindModelTooLong     ModelErrorKind = "modelTooLong"
	KindModelOverloaded  ModelErrorKind = "modelOverloaded"
	KindModelUnreachable ModelErrorKind = "modelUnreachable"
	KindModelStreamCut   ModelErrorKind = "modelStreamCut"
	KindModelError       ModelErrorKind = "modelError"
)

// ModelAction is the way out of a model failure.
type ModelAction string

// The actions.
const (
	ActionEnterKey     ModelAction = "enterKey"
	ActionChooseModel  ModelAction = "chooseModel"
	ActionCompact      ModelAction = "compact"
	ActionRetry        ModelAction = "retry"
	ActionOpenSettings ModelAction = "openSettings"
)

// ModelError is the data of the error that answers a prompt whose model failed.
type ModelError struct {
	Kind            ModelErrorKind `json:"kind"`
	Message         string         `json:"message"`
	ProviderMessage string         `json:"providerMessage,omitzero"`
	Action          ModelAction    `json:"action,omitzero"`
	// RetryAt is an ISO 8601 time.
	RetryAt string `json:"retryAt,omitzero"`
}
