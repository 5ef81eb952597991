package wire

// The session family, editor to server.
var (
	// SessionNew starts a session. One that never got a prompt is not kept.
	SessionNew = request[SessionNewParams, SessionNewResult]("SessionNew", "codebot/session/new", ToServer)
	// SessionList lists the kept sessions, the newest first.
	SessionList = request[SessionListParams, SessionListResult]("SessionList", "codebot/session/list", ToServer)
	// SessionLoad opens a kept session: its messages are replayed as
	// codebot/session/update notifications, then the request is answered.
	SessionLoad = request[SessionLoadParams, SessionLoadResult]("SessionLoad", "codebot/session/load", ToServer)
	// SessionPrompt runs one turn and answers when it has ended. All updates of
	// the turn precede the answer. A second prompt while one runs: sessionBusy.
	SessionPrompt = request[SessionPromptParams, SessionPromptResult]("SessionPrompt", "codebot/session/prompt", ToServer)
	// SessionCancel ends the running turn: its prompt answers with stopReason
	// "cancelled". Without a running turn it does nothing.
	SessionCancel = notification[SessionCancelParams]("SessionCancel", "codebot/session/cancel", ToServer)
	// SessionSetMode changes the permission mode, also of a running turn; a
	// current_mode_update follows.
	SessionSetMode = request[SessionSetModeParams, Empty]("SessionSetMode", "codebot/session/setMode", ToServer)
	// SessionSetModel changes the model from the next model request on; a
	// config_option_update follows.
	SessionSetModel = request[SessionSetModelParams, Empty]("SessionSetModel", "codebot/session/setModel", ToServer)
	// SessionSteer adds to the running turn: what is said reaches the model with its
	// next request, after the tools that run now. Calls that have not started then are
	// not run. A user_message_chunk tells when it was taken in. Without a running turn
	// it is refused (-32602): send a prompt.
	SessionSteer = request[SessionSteerParams, Empty]("SessionSteer", "codebot/session/steer", ToServer)
	// SessionCompact makes the conversation smaller for the model: its older part
	// becomes a summary, which the model writes. What a person sees stays. It may be
	// cancelled as a turn; while one runs: sessionBusy.
	SessionCompact = request[SessionCompactParams, SessionCompactResult]("SessionCompact", "codebot/session/compact", ToServer)
	// SessionContext tells what the next model request is made of, and what of the
	// last one's cache is lost.
	SessionContext = request[SessionContextParams, SessionContextResult]("SessionContext", "codebot/session/context", ToServer)
	// SessionRename gives a session, open or kept, another title.
	SessionRename = request[SessionRenameParams, Empty]("SessionRename", "codebot/session/rename", ToServer)
	// SessionDelete removes a session, open or kept, for good. While a turn runs, or
	// when another window has it open: sessionBusy.
	SessionDelete = request[SessionDeleteParams, Empty]("SessionDelete", "codebot/session/delete", ToServer)
	// SessionFork opens a copy of a session, open or kept, which goes on by itself.
	// While a turn of it runs: sessionBusy.
	SessionFork = request[SessionForkParams, SessionNewResult]("SessionFork", "codebot/session/fork", ToServer)
	// SessionExport writes a conversation, of an open or a kept session, as a document.
	SessionExport = request[SessionExportParams, SessionExportResult]("SessionExport", "codebot/session/export", ToServer)
	// SessionRollback takes turns back: their edits of files, their messages, or both.
	// It works on open and kept sessions, also after a restart. While a turn runs:
	// sessionBusy.
	SessionRollback = request[SessionRollbackParams, SessionRollbackResult]("SessionRollback", "codebot/session/rollback", ToServer)
	// SessionCommands lists the slash commands of a session.
	SessionCommands = request[SessionCommandsParams, SessionCommandsResult]("SessionCommands", "codebot/session/commands", ToServer)
	// SessionMentions completes what stands behind an @ in a prompt.
	SessionMentions = request[SessionMentionsParams, SessionMentionsResult]("SessionMentions", "codebot/session/mentions", ToServer)
)

// The session family, server to editor.
var (
	// SessionUpdateNotification carries everything that happens in a session, in
	// order. It is sent to every client, also one that declared no capability.
	SessionUpdateNotification = notification[SessionUpdateParams]("SessionUpdateNotification", "codebot/session/update", ToClient)
	// SessionDidChange tells of sessions that this connection made, wrote to, renamed
	// or removed; what another process does is seen by codebot/session/list.
	SessionDidChange = notification[SessionDidChangeParams]("SessionDidChange", "codebot/session/didChange", ToClient)
	// RequestPermission asks the person before a risky call. The answer is an
	// optionId; an unknown one, null or an error is a reject.
	RequestPermission = request[RequestPermissionParams, RequestPermissionResult]("RequestPermission", "codebot/session/requestPermission", ToClient)
	// PermissionResolved says that a question is no longer open: it was answered,
	// or its turn was cancelled.
	PermissionResolved = notification[PermissionResolvedParams]("PermissionResolved", "codebot/session/permissionResolved", ToClient)
)

// The mcp family, editor to server.
var (
	// MCPStatus answers with every server's row and the current revision. An answer whose
	// revision is below that of a notification that came before it was overtaken on its
	// way: ask again.
	MCPStatus = request[Empty, MCPStatusResult]("MCPStatus", "codebot/mcp/status", ToServer)
	// MCPStart starts a stopped or failed server and answers when it has left
	// "starting".
	MCPStart = request[MCPServerRef, MCPServerResult]("MCPStart", "codebot/mcp/start", ToServer)
	// MCPStop stops a server and answers when it has left "stopping".
	MCPStop = request[MCPServerRef, MCPServerResult]("MCPStop", "codebot/mcp/stop", ToServer)
	// MCPRestart stops and starts a server with the entry of the settings file.
	MCPRestart = request[MCPServerRef, MCPServerResult]("MCPRestart", "codebot/mcp/restart", ToServer)
	// MCPApprove lets a project entry act. Hash is the one the person saw in the
	// row's consent; any other is consentChanged.
	MCPApprove = request[MCPApproveParams, MCPServerResult]("MCPApprove", "codebot/mcp/approve", ToServer)
	// MCPRevoke takes an approval back and stops the server.
	MCPRevoke = request[MCPServerRef, MCPServerResult]("MCPRevoke", "codebot/mcp/revoke", ToServer)
	// MCPEnable takes "disabled" out of a server's entry, in the file that declares
	// it, and answers when the server has left "starting".
	MCPEnable = request[MCPServerRef, MCPServerResult]("MCPEnable", "codebot/mcp/enable", ToServer)
	// MCPDisable writes "disabled": true into a server's entry, in the file that
	// declares it, and answers when the server has stopped.
	MCPDisable = request[MCPServerRef, MCPServerResult]("MCPDisable", "codebot/mcp/disable", ToServer)
	// MCPAdd writes a new entry into a settings file. An entry of a project waits
	// for approval as any other.
	MCPAdd = request[MCPEntryParams, MCPServerResult]("MCPAdd", "codebot/mcp/add", ToServer)
	// MCPUpdate replaces an entry in the file that declares it.
	MCPUpdate = request[MCPEntryParams, MCPServerResult]("MCPUpdate", "codebot/mcp/update", ToServer)
	// MCPRemove takes an entry out of the file that declares it.
	MCPRemove = request[MCPServerRef, Empty]("MCPRemove", "codebot/mcp/remove", ToServer)
	// MCPLogin logs in to a server, with codebot/mcp/authorize or the editor's own means
	// to open a page, and answers when it has ended. To cancel the request ends it.
	MCPLogin = request[MCPLoginParams, MCPServerResult]("MCPLogin", "codebot/mcp/login", ToServer)
	// MCPLogout forgets the tokens of a server.
	MCPLogout = request[MCPServerRef, MCPServerResult]("MCPLogout", "codebot/mcp/logout", ToServer)
	// MCPTest starts an entry without saving it, lists what it offers and ends it.
	MCPTest = request[MCPTestParams, MCPTestResult]("MCPTest", "codebot/mcp/test", ToServer)
	// MCPImport looks for servers in the settings of other programs, and writes those
	// that are chosen.
	MCPImport = request[MCPImportParams, MCPImportResult]("MCPImport", "codebot/mcp/import", ToServer)
	// MCPSetTool switches a tool of a server off or on, in the file that declares the
	// server ("tools": {"deny"}).
	MCPSetTool = request[MCPSetToolParams, MCPServerResult]("MCPSetTool", "codebot/mcp/setTool", ToServer)
	// MCPResources lists the resources and templates of servers.
	MCPResources = request[MCPListParams, MCPResourcesResult]("MCPResources", "codebot/mcp/resources", ToServer)
	// MCPReadResource reads one resource.
	MCPReadResource = request[MCPReadResourceParams, MCPReadResourceResult]("MCPReadResource", "codebot/mcp/readResource", ToServer)
	// MCPPrompts lists the prompts of servers.
	MCPPrompts = request[MCPListParams, MCPPromptsResult]("MCPPrompts", "codebot/mcp/prompts", ToServer)
	// MCPGetPrompt fills a prompt.
	MCPGetPrompt = request[MCPGetPromptParams, MCPGetPromptResult]("MCPGetPrompt", "codebot/mcp/getPrompt", ToServer)
	// MCPComplete completes an argument of a prompt or a variable of a template.
	MCPComplete = request[MCPCompleteParams, MCPCompleteResult]("MCPComplete", "codebot/mcp/complete", ToServer)
	// MCPTools lists tools as the agent would get them.
	MCPTools = request[MCPToolsParams, MCPToolsResult]("MCPTools", "codebot/mcp/tools", ToServer)
	// MCPCallTool is a person's own call: deny rules hold, the gate does not ask.
	MCPCallTool = request[MCPCallToolParams, MCPCallToolResult]("MCPCallTool", "codebot/mcp/callTool", ToServer)
	// MCPLogs answers with the kept end of a server's log.
	MCPLogs = request[MCPLogsParams, MCPLogsResult]("MCPLogs", "codebot/mcp/logs", ToServer)
)

// The mcp family, server to editor.
var (
	// MCPDidChangeStatus carries the rows that changed. Revision grows by exactly
	// one per notification on a connection; on any other number call
	// codebot/mcp/status. At most 20 a second, the last state always delivered.
	MCPDidChangeStatus = notification[MCPDidChangeStatusParams]("MCPDidChangeStatus", "codebot/mcp/didChangeStatus", ToClient)
	// MCPLog carries new entries of a server's log.
	MCPLog = notification[MCPLogParams]("MCPLog", "codebot/mcp/log", ToClient)
	// MCPDidChangeResource tells of a resource that was read with "subscribe".
	MCPDidChangeResource = notification[MCPDidChangeResourceParams]("MCPDidChangeResource", "codebot/mcp/didChangeResource", ToClient)
	// MCPElicit shows a person what a server asks. It is cancelled when the server no
	// longer waits.
	MCPElicit = request[MCPElicitParams, MCPElicitResult]("MCPElicit", "codebot/mcp/elicit", ToClient)
	// MCPSample asks a person whether a server may use the model.
	MCPSample = request[MCPSampleParams, MCPSampleResult]("MCPSample", "codebot/mcp/sample", ToClient)
	// MCPAuthorize lets a person log in with a browser.
	MCPAuthorize = request[MCPAuthorizeParams, MCPAuthorizeResult]("MCPAuthorize", "codebot/mcp/authorize", ToClient)
)

// The whole.
var (
	// Status answers with what a status bar shows.
	Status = request[Empty, StatusResult]("Status", "codebot/status", ToServer)
	// DidChangeStatus pushes what a status bar shows.
	DidChangeStatus = notification[StatusResult]("DidChangeStatus", "codebot/didChangeStatus", ToClient)
	// Trust approves what a folder's settings hold now, until the connection ends.
	// What comes or changes later asks as ever.
	Trust = request[TrustParams, Empty]("Trust", "codebot/trust", ToServer)
	// Models lists the models that could be chosen, and why one cannot.
	Models = request[Empty, ModelsResult]("Models", "codebot/models", ToServer)
	// ProvidersList lists the providers of models.
	ProvidersList = request[Empty, ProvidersListResult]("ProvidersList", "codebot/providers/list", ToServer)
	// ProvidersSetKey keeps a key for a provider.
	ProvidersSetKey = request[ProvidersSetKeyParams, ProvidersSetKeyResult]("ProvidersSetKey", "codebot/providers/setKey", ToServer)
	// ProvidersRemoveKey forgets the kept key of a provider.
	ProvidersRemoveKey = request[ProviderRef, Empty]("ProvidersRemoveKey", "codebot/providers/removeKey", ToServer)
	// ProvidersTest asks a provider for its models.
	ProvidersTest = request[ProviderRef, ProvidersTestResult]("ProvidersTest", "codebot/providers/test", ToServer)
	// Diagnostics asks the editor for the problems it knows of.
	Diagnostics = request[DiagnosticsParams, DiagnosticsResult]("Diagnostics", "codebot/diagnostics", ToClient)
)
