package wire

// SessionNewParams starts a session.
type SessionNewParams struct {
	// Cwd is a folder URI or an absolute path; default the first folder, else the
	// home directory.
	Cwd string `json:"cwd,omitzero"`
	// Model is a model id; default the one of the settings.
	Model string `json:"model,omitzero"`
	// Mode is a mode id; default the one of the settings.
	Mode string `json:"mode,omitzero"`
}

// SessionNewResult describes the new session.
type SessionNewResult struct {
	SessionID string `json:"sessionId"`
	// Cwd is an absolute path.
	Cwd   string           `json:"cwd"`
	Model string           `json:"model"`
	Mode  string           `json:"mode"`
	Modes SessionModeState `json:"modes"`
}

// SessionModeState is ACP's: the modes and the current one.
type SessionModeState struct {
	CurrentModeID  string        `json:"currentModeId"`
	AvailableModes []SessionMode `json:"availableModes"`
}

// SessionMode is one permission mode.
type SessionMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// SessionListParams asks for one page of sessions.
type SessionListParams struct {
	Cursor string `json:"cursor,omitzero"`
}

// SessionListResult is one page of sessions, the newest first.
type SessionListResult struct {
	Sessions   []SessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitzero"`
}

// SessionInfo is ACP's description of a kept session.
type SessionInfo struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitzero"`
	UpdatedAt string `json:"updatedAt,omitzero"`
}

// SessionLoadParams opens a session. With Limit only its last messages are
// replayed; Before is an earlier answer's NextBefore.
type SessionLoadParams struct {
	SessionID string `json:"sessionId"`
	Before    string `json:"before,omitzero"`
	Limit     int    `json:"limit,omitzero"`
}

// SessionLoadResult follows the replayed updates.
type SessionLoadResult struct {
	Model      string           `json:"model"`
	Mode       string           `json:"mode"`
	Modes      SessionModeState `json:"modes"`
	NextBefore string           `json:"nextBefore,omitzero"`
}

// SessionPromptParams is a user's prompt.
type SessionPromptParams struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// StopReason is ACP's reason why a turn ended.
type StopReason string

// The stop reasons.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
)

// SessionPromptResult answers a prompt when its turn has ended.
type SessionPromptResult struct {
	StopReason StopReason `json:"stopReason"`
	Usage      *Usage     `json:"usage,omitzero"`
	// MessageID names the user's message that began the turn, for fork and rollback.
	MessageID string `json:"messageId,omitzero"`
}

// Usage counts the tokens of one turn.
type Usage struct {
	TotalTokens       int  `json:"totalTokens"`
	InputTokens       int  `json:"inputTokens"`
	OutputTokens      int  `json:"outputTokens"`
	ThoughtTokens     *int `json:"thoughtTokens,omitzero"`
	CachedReadTokens  *int `json:"cachedReadTokens,omitzero"`
	CachedWriteTokens *int `json:"cachedWriteTokens,omitzero"`
}

// SessionCancelParams names the session whose turn ends.
type SessionCancelParams struct {
	SessionID string `json:"sessionId"`
}

// SessionSetModeParams chooses a mode.
type SessionSetModeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// SessionSetModelParams chooses a model.
type SessionSetModelParams struct {
	SessionID string `json:"sessionId"`
	ModelID   string `json:"modelId"`
}

// SessionSteerParams adds to the running turn.
type SessionSteerParams struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// SessionCompactParams names the session whose conversation is made smaller.
type SessionCompactParams struct {
	SessionID string `json:"sessionId"`
}

// SessionCompactResult is what the next request costs, in tokens, without and with
// the compaction. Both are the same where there was nothing to leave out.
type SessionCompactResult struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// SessionContextParams names the session that is looked into.
type SessionContextParams struct {
	SessionID string `json:"sessionId"`
}

// SessionContextResult is what the next model request is made of, in the order in
// which providers cache it: tools, blocks, messages. Tokens are estimates, hashes
// tell whether the bytes are still the same.
type SessionContextResult struct {
	// Blocks are the parts of the system prompt.
	Blocks   []ContextBlock  `json:"blocks"`
	Tools    ContextTools    `json:"tools"`
	Messages ContextMessages `json:"messages"`
	// ContextTokens is the size of the model's window, absent when unknown.
	ContextTokens int `json:"contextTokens,omitzero"`
	// CacheBreak is the first part that is not as the last request had it: what the
	// provider has cached is good up to there. Absent when all of it is, and before
	// the first request.
	CacheBreak CacheBreak `json:"cacheBreak,omitzero"`
}

// ContextBlock is one block of the system prompt.
type ContextBlock struct {
	// Key is identity, instructions or dynamic.
	Key    string `json:"key"`
	Hash   string `json:"hash"`
	Tokens int    `json:"tokens"`
}

// ContextTools are the tools that the request offers.
type ContextTools struct {
	Count  int    `json:"count"`
	Tokens int    `json:"tokens"`
	Hash   string `json:"hash"`
}

// ContextMessages are the messages of the conversation, as the model gets them.
type ContextMessages struct {
	Count  int `json:"count"`
	Tokens int `json:"tokens"`
}

// CacheBreak names a part of a model request.
type CacheBreak string

// The parts, in the order in which providers cache them. Another model has nothing
// of it.
const (
	CacheBreakModel        CacheBreak = "model"
	CacheBreakTools        CacheBreak = "tools"
	CacheBreakIdentity     CacheBreak = "identity"
	CacheBreakInstructions CacheBreak = "instructions"
	CacheBreakDynamic      CacheBreak = "dynamic"
	CacheBreakMessages     CacheBreak = "messages"
)

// SessionRenameParams gives a session a title.
type SessionRenameParams struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
}

// SessionDeleteParams names the session that is removed.
type SessionDeleteParams struct {
	SessionID string `json:"sessionId"`
}

// SessionForkParams names the session to copy.
type SessionForkParams struct {
	SessionID string `json:"sessionId"`
	// ToMessageID is the messageId of the last message to copy, as a load gave it;
	// default all.
	ToMessageID string `json:"toMessageId,omitzero"`
}

// ExportFormat is a format to write a conversation in.
type ExportFormat string

// The formats.
const (
	ExportMarkdown ExportFormat = "markdown"
	ExportJSON     ExportFormat = "json"
)

// SessionExportParams asks for a conversation as a document.
type SessionExportParams struct {
	SessionID string       `json:"sessionId"`
	Format    ExportFormat `json:"format"`
}

// SessionExportResult is the document.
type SessionExportResult struct {
	Text string `json:"text"`
}

// SessionDidChangeParams says what of the list of sessions is different now. Rows
// are whole.
type SessionDidChangeParams struct {
	Sessions []SessionInfo `json:"sessions"`
	// Removed are ids of sessions.
	Removed []string `json:"removed"`
}

// PermissionOptionKind is ACP's hint of how an option looks.
type PermissionOptionKind string

// The kinds of permission options.
const (
	PermissionAllowOnce    PermissionOptionKind = "allow_once"
	PermissionAllowAlways  PermissionOptionKind = "allow_always"
	PermissionRejectOnce   PermissionOptionKind = "reject_once"
	PermissionRejectAlways PermissionOptionKind = "reject_always"
)

// PermissionOption is one answer a person may give. OptionID is fixed:
// allow_once, allow_session, allow_always, reject_once, reject_always.
type PermissionOption struct {
	OptionID string               `json:"optionId"`
	Name     string               `json:"name"`
	Kind     PermissionOptionKind `json:"kind"`
}

// RequestPermissionParams asks about one tool call.
type RequestPermissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  ToolCallUpdate     `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
}

// RequestPermissionResult is the person's answer.
type RequestPermissionResult struct {
	Outcome PermissionOutcome `json:"outcome"`
}

// PermissionOutcome is "selected" with an OptionID, or "cancelled".
type PermissionOutcome struct {
	Outcome  PermissionOutcomeKind `json:"outcome"`
	OptionID string                `json:"optionId,omitzero"`
}

// PermissionOutcomeKind says whether an option was chosen.
type PermissionOutcomeKind string

// The outcomes.
const (
	OutcomeSelected  PermissionOutcomeKind = "selected"
	OutcomeCancelled PermissionOutcomeKind = "cancelled"
)

// PermissionResolvedParams says how a question ended.
type PermissionResolvedParams struct {
	SessionID  string            `json:"sessionId"`
	ToolCallID string            `json:"toolCallId"`
	Outcome    PermissionOutcome `json:"outcome"`
}
