-- Code generated from server/wire by make generate. DO NOT EDIT.
---@meta _

--- MCPElicitParams is a question of a server's. Text is as the server wrote it, less what
--- cannot be seen.
---@class codebot.MCPElicitParams
---@field server string
---@field folder? string
---@field mode codebot.ElicitMode
---@field message string
---@field requestedSchema? any RequestedSchema describes the form, a flat JSON Schema object of MCP's kind.
---@field url? string URL is the page that the person is asked to open. Show its host before it is.

--- ElicitMode is how a server asks.
---@alias codebot.ElicitMode
---| "form"
---| "url"

--- MCPElicitResult is the answer. Content is what was filled in, for accept of a form.
---@class codebot.MCPElicitResult
---@field action codebot.ElicitAction
---@field content? any

--- ElicitAction is what the person did.
---@alias codebot.ElicitAction
---| "accept"
---| "decline"
---| "cancel"

--- MCPSampleParams asks whether a server may use the model, and shows what it would send.
---@class codebot.MCPSampleParams
---@field server string
---@field folder? string
---@field model string Model is the id of the model that would answer.
---@field systemPrompt? string
---@field messages codebot.MCPPromptMessage[]
---@field maxTokens integer

--- MCPSampleResult is the person's answer.
---@class codebot.MCPSampleResult
---@field action codebot.SampleAction

--- SampleAction is what the person decided.
---@alias codebot.SampleAction
---| "allow_once"
---| "allow_session"
---| "reject"

--- MCPAuthorizeParams asks the person to log in to a server with a browser. The server
--- cancels the request when the browser has come back by itself.
---@class codebot.MCPAuthorizeParams
---@field server string
---@field folder? string
---@field url string URL is the page to open, Issuer the host whose page it is, RedirectURI where the browser comes back to.
---@field issuer string
---@field redirectUri string

--- MCPAuthorizeResult is what the person did.
---@class codebot.MCPAuthorizeResult
---@field cancelled? boolean Cancelled: the person does not want to log in.
---@field callback? string Callback is the address the browser ended at, or the code in it, pasted by a person whose browser cannot reach the redirect address.

--- DiagnosticsParams asks for the problems that the editor knows of.
---@class codebot.DiagnosticsParams
---@field uri? string URI is one document or folder; default all.

--- DiagnosticsResult lists documents with problems.
---@class codebot.DiagnosticsResult
---@field documents codebot.DocumentDiagnostics[]

--- DocumentDiagnostics are the problems of one document.
---@class codebot.DocumentDiagnostics
---@field uri string
---@field diagnostics codebot.Diagnostic[]

--- Diagnostic is one problem. Line and column count from 1, columns in UTF-16.
---@class codebot.Diagnostic
---@field line integer
---@field column integer
---@field severity codebot.DiagnosticSeverity
---@field message string
---@field source? string
---@field code? string

--- DiagnosticSeverity is how bad a problem is.
---@alias codebot.DiagnosticSeverity
---| "error"
---| "warning"
---| "information"
---| "hint"

--- ClientCapabilities is what a client declares in the initialize params under
--- capabilities.experimental.codebot. With the object present, codebot/*
--- notifications are sent to the client.
---@class codebot.ClientCapabilities
---@field requestPermission? boolean RequestPermission: the client answers codebot/session/requestPermission. Without it window/showMessageRequest is used.
---@field elicit? codebot.ElicitCapability Elicit: the client can show the forms and links that servers ask for.
---@field sample? boolean Sample: the client can let a person approve a server's model request.
---@field authorize? boolean Authorize: the client answers codebot/mcp/authorize. Without it window/showDocument is used, or a message.
---@field diagnostics? boolean Diagnostics: the client answers codebot/diagnostics.
---@field savesEdits? boolean SavesEdits: the client answers a workspace/applyEdit of this server when it has applied the edit and saved the document in the user's usual way, a formatter included. Where either cannot be done it answers applied false, with the reason, and leaves the document as it was. Without it the server writes the file.

--- ElicitCapability says which elicitations a client can show.
---@class codebot.ElicitCapability
---@field form? boolean
---@field url? boolean

--- ServerCapabilities is what the server answers in the initialize result under
--- capabilities.experimental.codebot.
---@class codebot.ServerCapabilities
---@field protocolVersion integer
---@field methods string[] Methods are the names of the implemented requests and notifications that a client may send.
---@field promptCapabilities codebot.PromptCapabilities

--- PromptCapabilities says which content blocks a prompt may carry beside text and
--- resource links, as in ACP.
---@class codebot.PromptCapabilities
---@field image boolean
---@field audio boolean
---@field embeddedContext boolean

--- SessionCommandsParams names the session whose slash commands are wanted.
---@class codebot.SessionCommandsParams
---@field sessionId string

--- SessionCommandsResult lists the slash commands that a prompt may begin with, in the
--- order in which to show them.
---@class codebot.SessionCommandsResult
---@field commands codebot.SlashCommand[]

--- CommandSource says where a slash command comes from.
---@alias codebot.CommandSource
---| "builtin"
---| "user"
---| "project"
---| "mcp"

--- SlashCommand is one slash command. A prompt whose text begins with "/<name>" runs
--- it; what follows on the line is its input.
---@class codebot.SlashCommand
---@field name string Name is without the slash: "compact", "mcp__docs__review".
---@field description string
---@field source codebot.CommandSource
---@field hint? string Hint says what the input is; absent for a command that takes none.
---@field server? string Server and Folder name the MCP server whose prompt it is.
---@field folder? string
---@field arguments? codebot.PromptArgument[] Arguments are those of an MCP prompt, for a form. On the line they are words, or name=value, with quotes as in a shell.

--- SessionMentionsParams asks what an @ could stand for.
---@class codebot.SessionMentionsParams
---@field sessionId string
---@field query string Query is what was typed after the @.
---@field limit? integer Limit is the largest number of answers, default 50.

--- SessionMentionsResult lists what matches, the best first.
---@class codebot.SessionMentionsResult
---@field mentions codebot.Mention[]

--- MentionKind is a kind of thing that can be mentioned.
---@alias codebot.MentionKind
---| "file"
---| "folder"
---| "diagnostics"
---| "selection"
---| "resource"

--- Mention is one thing that a prompt can refer to.
---@class codebot.Mention
---@field kind codebot.MentionKind
---@field text string Text is what stands in the prompt, with the @.
---@field label string
---@field detail? string
---@field block? codebot.ContentBlock Block goes into the prompt beside the text. Absent for a selection: the editor adds the lines as a resource block.

---@class codebot.ContentBlockText
---@field type "text"
---@field text string

---@class codebot.ContentBlockImage
---@field type "image"
---@field data string
---@field mimeType string
---@field uri? string

---@class codebot.ContentBlockAudio
---@field type "audio"
---@field data string
---@field mimeType string

---@class codebot.ContentBlockResourceLink
---@field type "resource_link"
---@field uri string
---@field name string
---@field title? string
---@field description? string
---@field mimeType? string
---@field size? integer

---@class codebot.ContentBlockResource
---@field type "resource"
---@field resource codebot.EmbeddedResource

--- ContentBlock is ACP's content block. Type says which members are present:
---
---   - text: text
---   - image, audio: data (base64), mimeType; image also uri
---   - resource_link: uri, name, and what is known of title, description, mimeType, size
---   - resource: resource
---@alias codebot.ContentBlock
---| codebot.ContentBlockText
---| codebot.ContentBlockImage
---| codebot.ContentBlockAudio
---| codebot.ContentBlockResourceLink
---| codebot.ContentBlockResource

--- EmbeddedResource is a resource with its content: Text, or Blob (base64).
---@class codebot.EmbeddedResource
---@field uri string
---@field mimeType? string
---@field text? string
---@field blob? string

--- ToolKind is ACP's category of a tool, for icons.
---@alias codebot.ToolKind
---| "read"
---| "fetch"
---| "edit"
---| "execute"
---| "other"

--- ToolCallStatus is where a tool call is.
---@alias codebot.ToolCallStatus
---| "pending"
---| "in_progress"
---| "completed"
---| "failed"

--- ToolCallUpdate changes a tool call: the members that are present replace those
--- of before.
---@class codebot.ToolCallUpdate
---@field toolCallId string
---@field title? string
---@field kind? codebot.ToolKind
---@field status? codebot.ToolCallStatus
---@field content? codebot.ToolCallContent[]
---@field locations? codebot.ToolCallLocation[]
---@field rawInput? any
---@field rawOutput? any
---@field _meta? codebot.ToolCallMeta

--- ToolCallMeta is the _meta of a tool call.
---@class codebot.ToolCallMeta
---@field codebot codebot.ToolCallOrigin

--- ToolCallOrigin says what is behind a tool call.
---@class codebot.ToolCallOrigin
---@field tool string Tool is the name that the model calls.
---@field server? string Server and Original are the MCP server and its own name of the tool; absent for built-in tools.
---@field original? string
---@field reason? string Reason says why a permission question is asked, in the language of the client.
---@field parent? string Parent is the toolCallId of the task whose sub-agent made the call.
---@field progress? codebot.ToolCallFraction Progress is how far a running call is.

--- ToolCallFraction is progress as a server reports it: so much of the total, which is
--- absent when it is not known.
---@class codebot.ToolCallFraction
---@field progress number
---@field total? number
---@field message? string

---@class codebot.ToolCallContentContent
---@field type "content"
---@field content codebot.ContentBlock

---@class codebot.ToolCallContentDiff
---@field type "diff"
---@field path string
---@field newText string
---@field oldText? string

--- ToolCallContent is ACP's: a content block, or a diff (path, oldText, newText;
--- oldText is absent for a new file).
---@alias codebot.ToolCallContent
---| codebot.ToolCallContentContent
---| codebot.ToolCallContentDiff

--- ToolCallLocation is a place in a file: an absolute path, a 1-based line.
---@class codebot.ToolCallLocation
---@field path string
---@field line? integer

--- ActionErrorKind says why an action was not tried.
---@alias codebot.ActionErrorKind
---| "unknownServer"
---| "untrusted"
---| "needsAuth"
---| "configInvalid"
---| "startBlocked"
---| "timeout"
---| "ambiguousServer"
---| "consentChanged"
---| "unknownSession"
---| "sessionBusy"
---| "unknownModel"
---| "unknownMode"

--- ActionError is the data of an error that says an action was not tried.
---@class codebot.ActionError
---@field kind codebot.ActionErrorKind
---@field name? string Name of the server, session, model or mode in question.
---@field folders? string[] Folders to choose from, for ambiguousServer.
---@field hint string Hint says what to do, for a person.

--- ModelErrorKind tells failures of a model apart.
---@alias codebot.ModelErrorKind
---| "modelAuth"
---| "modelQuota"
---| "modelNotFound"
---| "modelTooLong"
---| "modelOverloaded"
---| "modelUnreachable"
---| "modelStreamCut"
---| "modelError"

--- ModelAction is the way out of a model failure.
---@alias codebot.ModelAction
---| "enterKey"
---| "chooseModel"
---| "compact"
---| "retry"
---| "openSettings"

--- ModelError is the data of the error that answers a prompt whose model failed.
---@class codebot.ModelError
---@field kind codebot.ModelErrorKind
---@field message string
---@field providerMessage? string
---@field action? codebot.ModelAction
---@field retryAt? string RetryAt is an ISO 8601 time.

--- MCPState is the state of a server.
---@alias codebot.MCPState
---| "disabled"
---| "untrusted"
---| "starting"
---| "connected"
---| "degraded"
---| "needs_auth"
---| "reconnecting"
---| "failed"
---| "stopping"
---| "stopped"

--- MCPScope says whose settings file declares a server.
---@alias codebot.MCPScope
---| "user"
---| "project"

--- MCPAutostart is when a server is started.
---@alias codebot.MCPAutostart
---| "on_demand" # MCPOnDemand: at the first call of one of its tools, which are those last seen, or by connect_mcp.
---| "never" # MCPNever: by the user, or by connect_mcp.

--- MCPTransport is how a server is reached.
---@alias codebot.MCPTransport
---| "stdio"
---| "http"
---| "sse"
---| "inprocess"

--- MCPServer is the row of one server. Servers are keyed by (folder, name).
---@class codebot.MCPServer
---@field name string
---@field folder? string Folder is the URI of the root whose project file declares the server; absent for a server of the user's.
---@field state codebot.MCPState
---@field scope codebot.MCPScope
---@field source string Source is the URI of the settings file that declares it.
---@field shadows? string Shadows is the URI of the settings file whose entry of the same name this one displaces.
---@field transport codebot.MCPTransport
---@field autostart? codebot.MCPAutostart Autostart is absent for a server that starts with its folder.
---@field toolCount integer
---@field promptCount integer
---@field resourceCount integer
---@field error? codebot.MCPError
---@field pid? integer
---@field protocolVersion? string ProtocolVersion is the MCP version that was negotiated.
---@field since string Since is when the state was entered, ISO 8601.
---@field nextRetryAt? string
---@field toolTokens? integer ToolTokens estimates what its tools cost in a prompt.
---@field consent? codebot.MCPConsent Consent is present while the state is untrusted.

--- MCPError says why a server is not well. Code is an action error kind or
--- "exited", "handshake", "http", "listFailed".
---@class codebot.MCPError
---@field code string
---@field message string
---@field hint? string
---@field exitCode? integer
---@field stderrTail? string StderrTail is the end of what the server wrote to stderr, secrets redacted.

--- MCPConsent is what a person is shown before a project's entry may act, all of
--- it unexpanded. Characters that cannot be seen, or that hide others, are written
--- out as \u{202e}; Hash is of the entry as it stands in the file.
---@class codebot.MCPConsent
---@field hash string
---@field argv string[]
---@field cwd string
---@field envNames string[]
---@field url? string
---@field variables string[] Variables are the names of all variables that starting it would read.
---@field changed? boolean Changed says that another version of the entry was approved before.
---@field changes? codebot.MCPConsentChange[] Changes is what is different from that version; absent when that is not known.

--- MCPConsentChange is one field in which an entry differs from the version that was
--- approved. What was or is not there is empty; literal secrets are blotted out.
---@class codebot.MCPConsentChange
---@field field string Field is the path within the entry: "command", "args", "env.A".
---@field before string
---@field after string

--- MCPTotals counts over all servers; connected counts connected and degraded.
---@class codebot.MCPTotals
---@field connected integer
---@field failed integer
---@field tools integer

--- MCPStatusResult is the whole picture.
---@class codebot.MCPStatusResult
---@field revision integer
---@field totals codebot.MCPTotals
---@field servers codebot.MCPServer[]

--- MCPDidChangeStatusParams carries whole rows, which replace the rows of the same
--- key; a row not listed is unchanged.
---@class codebot.MCPDidChangeStatusParams
---@field revision integer
---@field totals codebot.MCPTotals
---@field servers codebot.MCPServer[]
---@field removed codebot.MCPKey[]

--- MCPKey names one server.
---@class codebot.MCPKey
---@field name string
---@field folder? string

--- MCPServerRef names the server of an action. Without Folder a unique match is
--- taken, else the error is ambiguousServer. An empty Folder names the user's.
---@class codebot.MCPServerRef
---@field name string
---@field folder? string

--- MCPServerResult is the row after an action. A server that then is failed or
--- needs_auth is a result, not an error.
---@class codebot.MCPServerResult
---@field server codebot.MCPServer

--- MCPApproveParams names an entry and the hash of what the person saw.
---@class codebot.MCPApproveParams
---@field name string
---@field folder? string
---@field hash string

--- MCPEntryParams is an entry of "mcp_servers" for a settings file: the user's, or
--- with Folder that of the project.
---@class codebot.MCPEntryParams
---@field name string
---@field folder? string
---@field entry any Entry is the entry as it shall stand in the file, an object.

--- MCPToolsParams filters the tools; empty means all.
---@class codebot.MCPToolsParams
---@field server? string
---@field folder? string

--- MCPToolsResult lists tools by server name, then in the server's order.
---@class codebot.MCPToolsResult
---@field tools codebot.MCPTool[]

--- MCPTool is one tool of a server.
---@class codebot.MCPTool
---@field name string Name is the exposed name: mcp__<server>__<tool>.
---@field server string
---@field folder? string
---@field tool string Tool is the server's own name of it.
---@field description string
---@field inputSchema any
---@field permission codebot.MCPToolPermission
---@field off? boolean Off: the entry's "tools" lists keep it from the agent.

--- MCPToolPermission is what the gate thinks of a tool, and why.
---@class codebot.MCPToolPermission
---@field capability string
---@field reason string

--- MCPCallToolParams is a person's own call; Tool is the server's own name.
---@class codebot.MCPCallToolParams
---@field server string
---@field folder? string
---@field tool string
---@field arguments? any

--- MCPCallToolResult is what the tool answered.
---@class codebot.MCPCallToolResult
---@field content codebot.ContentBlock[]
---@field structuredContent? any
---@field isError boolean

--- MCPLogSource says where a log entry came from.
---@alias codebot.MCPLogSource
---| "stderr"
---| "stdout"
---| "server"
---| "client"

--- MCPLogEntry is one line of a server's log.
---@class codebot.MCPLogEntry
---@field time string Time is ISO 8601.
---@field level string Level is an MCP logging level: debug, info, notice, warning, error, ...
---@field source codebot.MCPLogSource
---@field text string

--- MCPLogsParams asks for the last entries; without Limit all that are kept.
---@class codebot.MCPLogsParams
---@field name string
---@field folder? string
---@field limit? integer

--- MCPLogsResult lists entries, the oldest first.
---@class codebot.MCPLogsResult
---@field entries codebot.MCPLogEntry[]

--- MCPLogParams carries new entries.
---@class codebot.MCPLogParams
---@field name string
---@field folder? string
---@field entries codebot.MCPLogEntry[]

--- Empty is the params or result of a method that carries nothing: {}.
---@class codebot.Empty

--- ProvidersListResult lists the providers of models, configured and found.
---@class codebot.ProvidersListResult
---@field providers codebot.Provider[]

--- Provider is one provider of models.
---@class codebot.Provider
---@field name string Name is its key in "providers"; Type is anthropic or openai.
---@field type string
---@field baseUrl string
---@field keyFrom codebot.KeySource KeyFrom says where its key comes from; the key itself is never told.
---@field configured boolean Configured: the settings name it. One that is only known by name can be given a key, which makes it usable; a local one needs none.
---@field available boolean
---@field reason? string Reason says why it is not available.
---@field local? boolean Local: it runs on this machine.

--- KeySource says where a key comes from.
---@alias codebot.KeySource
---| "none"
---| "settings"
---| "environment"
---| "keychain"
---| "file"

--- ProvidersSetKeyParams gives a provider a key. It is kept in the system's keychain, or
--- where there is none in a file that only the user can read; never in a settings file.
---@class codebot.ProvidersSetKeyParams
---@field provider string
---@field key string

--- ProvidersSetKeyResult says where the key is now: keychain or file.
---@class codebot.ProvidersSetKeyResult
---@field keyFrom codebot.KeySource

--- ProviderRef names a provider.
---@class codebot.ProviderRef
---@field provider string

--- ProvidersTestResult is what the provider answered to a request for its models. A
--- failure is a result.
---@class codebot.ProvidersTestResult
---@field ok boolean
---@field error? codebot.ModelError Error says what is wrong and what to do, with ModelErrorKind's kinds.
---@field models string[] Models are the ids that it lists.

--- ModelPrice is what a model costs, in US dollars for a million tokens.
---@class codebot.ModelPrice
---@field input number
---@field output number
---@field cachedRead? number
---@field cachedWrite? number

--- MCPListParams filters by server; empty means all.
---@class codebot.MCPListParams
---@field server? string
---@field folder? string

--- MCPResourcesResult lists resources and templates by server name, then in the
--- server's order.
---@class codebot.MCPResourcesResult
---@field resources codebot.MCPResource[]
---@field templates codebot.MCPResourceTemplate[]

--- MCPResource is a thing that a server lets be read.
---@class codebot.MCPResource
---@field server string
---@field folder? string
---@field name string
---@field title? string
---@field description? string
---@field mimeType? string
---@field size? integer Size is in bytes.
---@field address string Address is the resource's URI, as the server gives it.

--- MCPResourceTemplate makes addresses of resources (RFC 6570).
---@class codebot.MCPResourceTemplate
---@field server string
---@field folder? string
---@field name string
---@field title? string
---@field description? string
---@field mimeType? string
---@field template string

--- MCPReadResourceParams names a resource by its address.
---@class codebot.MCPReadResourceParams
---@field server string
---@field folder? string
---@field address string
---@field subscribe? boolean Subscribe: codebot/mcp/didChangeResource tells of changes from now on, until a read without it.

--- MCPReadResourceResult is the content of a resource, whole.
---@class codebot.MCPReadResourceResult
---@field contents codebot.EmbeddedResource[]

--- MCPDidChangeResourceParams names a resource that is different now.
---@class codebot.MCPDidChangeResourceParams
---@field server string
---@field folder? string
---@field address string

--- MCPPromptsResult lists prompts by server name, then in the server's order.
---@class codebot.MCPPromptsResult
---@field prompts codebot.MCPPrompt[]

--- MCPPrompt is a prompt that a server offers.
---@class codebot.MCPPrompt
---@field command string Command is the slash command that runs it, without the slash.
---@field server string
---@field folder? string
---@field name string
---@field title? string
---@field description? string
---@field arguments codebot.PromptArgument[]

--- PromptArgument is one argument of a prompt.
---@class codebot.PromptArgument
---@field name string
---@field title? string
---@field description? string
---@field required? boolean

--- MCPGetPromptParams names a prompt by the server's own name and fills its arguments.
---@class codebot.MCPGetPromptParams
---@field server string
---@field folder? string
---@field name string
---@field arguments? table<string, string>

--- MCPGetPromptResult is the filled prompt.
---@class codebot.MCPGetPromptResult
---@field description? string
---@field messages codebot.MCPPromptMessage[]

--- MCPPromptMessage is one message of a prompt; Role is user or assistant.
---@class codebot.MCPPromptMessage
---@field role string
---@field content codebot.ContentBlock

--- MCPCompleteParams asks for values of an argument of a prompt, or of a variable of a
--- resource template: one of Prompt and Template is set.
---@class codebot.MCPCompleteParams
---@field server string
---@field folder? string
---@field prompt? string
---@field template? string
---@field argument string Argument is the name, Value what is typed so far.
---@field value string
---@field given? table<string, string> Given are the arguments that have a value already.

--- MCPCompleteResult lists values, the best first.
---@class codebot.MCPCompleteResult
---@field values string[]
---@field hasMore? boolean HasMore: there are values that are not listed.

--- MCPSetToolParams switches one tool of a server; Tool is the server's own name.
---@class codebot.MCPSetToolParams
---@field server string
---@field folder? string
---@field tool string
---@field enabled boolean

--- MCPTestParams is an entry to try without saving it, an object as in "mcp_servers".
---@class codebot.MCPTestParams
---@field name? string Name is what the entry would be called; default "test".
---@field folder? string
---@field entry any

--- MCPTestResult is how it went: the row that the entry would have, what it offers, and
--- the end of its log.
---@class codebot.MCPTestResult
---@field server codebot.MCPServer
---@field tools codebot.MCPTool[]
---@field log codebot.MCPLogEntry[]
---@field durationMs integer

--- MCPImportParams looks for servers in the settings of other programs, and writes the
--- chosen ones into the user's settings, or with Folder into that project's.
---@class codebot.MCPImportParams
---@field folder? string
---@field source? string Source is the URI of one file to look into; default all known places.
---@field import? codebot.MCPImportChoice[] Import are the servers to write, as an earlier answer listed them; without it nothing is written.

--- MCPImportChoice picks one server of an answer.
---@class codebot.MCPImportChoice
---@field name string
---@field source string
---@field as? string As is another name to write it under.

--- MCPImportResult lists what was found.
---@class codebot.MCPImportResult
---@field servers codebot.MCPImportServer[]
---@field problems string[] Problems are files that could not be read, one line each.

--- MCPImportServer is one server of another program's settings.
---@class codebot.MCPImportServer
---@field name string
---@field client string Client is the program: "VS Code", "Claude Code", "Claude Desktop", "Cursor", "mcphub", "ECA", "Codex".
---@field source string Source is the URI of its file.
---@field entry any Entry is how it would stand in our settings file. Literal secrets are there in the file only, not here.
---@field notes string[] Notes say what a person has to see to: variables to set, parts that were left out.
---@field exists? boolean Exists: our settings have an entry of that name.
---@field imported? boolean Imported: it was written.

--- MCPLoginParams begins a login, or ends one that waits.
---@class codebot.MCPLoginParams
---@field name string
---@field folder? string
---@field redirectUri? string RedirectURI is where the browser shall come back to, when the editor knows a better address than this machine's loopback: one that reaches it from the person's machine. "{port}" in it stands for the port that is listened on.

--- SessionRollbackParams takes a session back to before a message of the user's.
---@class codebot.SessionRollbackParams
---@field sessionId string
---@field toMessageId string ToMessageID is the messageId of the user's message that begins the first turn to take back: that turn and all after it go.
---@field files boolean Files: the files that those turns edited get the content they had before.
---@field messages boolean Messages: those turns leave the conversation.
---@field overwrite? string[] Overwrite are absolute paths of files that may be restored although somebody else changed them since: the conflicts of an earlier answer that the person gave up.

--- SessionRollbackResult says what was done. With conflicts nothing was.
---@class codebot.SessionRollbackResult
---@field files codebot.RolledBackFile[] Files are the files that were given back, or would be were there no conflict.
---@field conflicts codebot.RollbackConflict[] Conflicts are the files that were changed since by somebody else: ask, then call again with the ones to overwrite.
---@field notUndone string[] NotUndone are the commands that those turns ran, one line each, and other calls whose effects are not known.
---@field prompt? string Prompt is the text of the user's message that was taken back, to edit and send again; absent when messages stay.

--- RollbackChange says what happens to a file.
---@alias codebot.RollbackChange
---| "restored"
---| "removed"

--- RolledBackFile is one file that a rollback gives back. Path is absolute.
---@class codebot.RolledBackFile
---@field path string
---@field change codebot.RollbackChange

--- RollbackConflict is a file that is not as the turn left it. Path is absolute.
---@class codebot.RollbackConflict
---@field path string
---@field reason string

--- SessionNewParams starts a session.
---@class codebot.SessionNewParams
---@field cwd? string Cwd is a folder URI or an absolute path; default the first folder, else the home directory.
---@field model? string Model is a model id; default the one of the settings.
---@field mode? string Mode is a mode id; default the one of the settings.

--- SessionNewResult describes the new session.
---@class codebot.SessionNewResult
---@field sessionId string
---@field cwd string Cwd is an absolute path.
---@field model string
---@field mode string
---@field modes codebot.SessionModeState

--- SessionModeState is ACP's: the modes and the current one.
---@class codebot.SessionModeState
---@field currentModeId string
---@field availableModes codebot.SessionMode[]

--- SessionMode is one permission mode.
---@class codebot.SessionMode
---@field id string
---@field name string
---@field description? string

--- SessionListParams asks for one page of sessions.
---@class codebot.SessionListParams
---@field cursor? string

--- SessionListResult is one page of sessions, the newest first.
---@class codebot.SessionListResult
---@field sessions codebot.SessionInfo[]
---@field nextCursor? string

--- SessionInfo is ACP's description of a kept session.
---@class codebot.SessionInfo
---@field sessionId string
---@field cwd string
---@field title? string
---@field updatedAt? string

--- SessionLoadParams opens a session. With Limit only its last messages are
--- replayed; Before is an earlier answer's NextBefore.
---@class codebot.SessionLoadParams
---@field sessionId string
---@field before? string
---@field limit? integer

--- SessionLoadResult follows the replayed updates.
---@class codebot.SessionLoadResult
---@field model string
---@field mode string
---@field modes codebot.SessionModeState
---@field nextBefore? string

--- SessionPromptParams is a user's prompt.
---@class codebot.SessionPromptParams
---@field sessionId string
---@field prompt codebot.ContentBlock[]

--- StopReason is ACP's reason why a turn ended.
---@alias codebot.StopReason
---| "end_turn"
---| "max_tokens"
---| "max_turn_requests"
---| "refusal"
---| "cancelled"

--- SessionPromptResult answers a prompt when its turn has ended.
---@class codebot.SessionPromptResult
---@field stopReason codebot.StopReason
---@field usage? codebot.Usage
---@field messageId? string MessageID names the user's message that began the turn, for fork and rollback.

--- Usage counts the tokens of one turn.
---@class codebot.Usage
---@field totalTokens integer
---@field inputTokens integer
---@field outputTokens integer
---@field thoughtTokens? integer
---@field cachedReadTokens? integer
---@field cachedWriteTokens? integer

--- SessionCancelParams names the session whose turn ends.
---@class codebot.SessionCancelParams
---@field sessionId string

--- SessionSetModeParams chooses a mode.
---@class codebot.SessionSetModeParams
---@field sessionId string
---@field modeId string

--- SessionSetModelParams chooses a model.
---@class codebot.SessionSetModelParams
---@field sessionId string
---@field modelId string

--- SessionSteerParams adds to the running turn.
---@class codebot.SessionSteerParams
---@field sessionId string
---@field prompt codebot.ContentBlock[]

--- SessionCompactParams names the session whose conversation is made smaller.
---@class codebot.SessionCompactParams
---@field sessionId string

--- SessionCompactResult is what the next request costs, in tokens, without and with
--- the compaction. Both are the same where there was nothing to leave out.
---@class codebot.SessionCompactResult
---@field before integer
---@field after integer

--- SessionContextParams names the session that is looked into.
---@class codebot.SessionContextParams
---@field sessionId string

--- SessionContextResult is what the next model request is made of, in the order in
--- which providers cache it: tools, blocks, messages. Tokens are estimates, hashes
--- tell whether the bytes are still the same.
---@class codebot.SessionContextResult
---@field blocks codebot.ContextBlock[] Blocks are the parts of the system prompt.
---@field tools codebot.ContextTools
---@field messages codebot.ContextMessages
---@field contextTokens? integer ContextTokens is the size of the model's window, absent when unknown.
---@field cacheBreak? codebot.CacheBreak CacheBreak is the first part that is not as the last request had it: what the provider has cached is good up to there. Absent when all of it is, and before the first request.

--- ContextBlock is one block of the system prompt.
---@class codebot.ContextBlock
---@field key string Key is identity, instructions or dynamic.
---@field hash string
---@field tokens integer

--- ContextTools are the tools that the request offers.
---@class codebot.ContextTools
---@field count integer
---@field tokens integer
---@field hash string

--- ContextMessages are the messages of the conversation, as the model gets them.
---@class codebot.ContextMessages
---@field count integer
---@field tokens integer

--- CacheBreak names a part of a model request.
---@alias codebot.CacheBreak
---| "model"
---| "tools"
---| "identity"
---| "instructions"
---| "dynamic"
---| "messages"

--- SessionRenameParams gives a session a title.
---@class codebot.SessionRenameParams
---@field sessionId string
---@field title string

--- SessionDeleteParams names the session that is removed.
---@class codebot.SessionDeleteParams
---@field sessionId string

--- SessionForkParams names the session to copy.
---@class codebot.SessionForkParams
---@field sessionId string
---@field toMessageId? string ToMessageID is the messageId of the last message to copy, as a load gave it; default all.

--- ExportFormat is a format to write a conversation in.
---@alias codebot.ExportFormat
---| "markdown"
---| "json"

--- SessionExportParams asks for a conversation as a document.
---@class codebot.SessionExportParams
---@field sessionId string
---@field format codebot.ExportFormat

--- SessionExportResult is the document.
---@class codebot.SessionExportResult
---@field text string

--- SessionDidChangeParams says what of the list of sessions is different now. Rows
--- are whole.
---@class codebot.SessionDidChangeParams
---@field sessions codebot.SessionInfo[]
---@field removed string[] Removed are ids of sessions.

--- PermissionOptionKind is ACP's hint of how an option looks.
---@alias codebot.PermissionOptionKind
---| "allow_once"
---| "allow_always"
---| "reject_once"
---| "reject_always"

--- PermissionOption is one answer a person may give. OptionID is fixed:
--- allow_once, allow_session, allow_always, reject_once, reject_always.
---@class codebot.PermissionOption
---@field optionId string
---@field name string
---@field kind codebot.PermissionOptionKind

--- RequestPermissionParams asks about one tool call.
---@class codebot.RequestPermissionParams
---@field sessionId string
---@field toolCall codebot.ToolCallUpdate
---@field options codebot.PermissionOption[]

--- RequestPermissionResult is the person's answer.
---@class codebot.RequestPermissionResult
---@field outcome codebot.PermissionOutcome

--- PermissionOutcome is "selected" with an OptionID, or "cancelled".
---@class codebot.PermissionOutcome
---@field outcome codebot.PermissionOutcomeKind
---@field optionId? string

--- PermissionOutcomeKind says whether an option was chosen.
---@alias codebot.PermissionOutcomeKind
---| "selected"
---| "cancelled"

--- PermissionResolvedParams says how a question ended.
---@class codebot.PermissionResolvedParams
---@field sessionId string
---@field toolCallId string
---@field outcome codebot.PermissionOutcome

--- Health is the colour of the status item.
---@alias codebot.Health
---| "ok"
---| "warning"
---| "error"
---| "inactive"

--- StatusResult is what a status bar shows.
---@class codebot.StatusResult
---@field health codebot.Health
---@field busy boolean Busy: a turn runs or a server starts.
---@field text string Text is short: "codebot 3/4", usable of enabled servers.
---@field tooltip string Tooltip is Markdown.
---@field command? codebot.Command Command is what a click does.

--- Command is an LSP Command.
---@class codebot.Command
---@field title string
---@field command string
---@field arguments? any[]

--- ModelsResult lists models.
---@class codebot.ModelsResult
---@field current string Current is the id a new session would get.
---@field models codebot.Model[]

--- Model is one model that could be chosen.
---@class codebot.Model
---@field id string ID is "<provider>/<model>" or "offline".
---@field provider string
---@field name string
---@field contextTokens? integer ContextTokens is the size of the context window where it is known.
---@field price? codebot.ModelPrice Price is present where it is known.
---@field available boolean
---@field reason? string Reason says why the model is not available.

--- TrustUntil says how long a folder is trusted.
---@alias codebot.TrustUntil
---| "session" # TrustSession is until the connection ends.

--- TrustParams names a folder, by its URI, and how long it is trusted.
---@class codebot.TrustParams
---@field folder string
---@field until codebot.TrustUntil

--- SessionUpdateParams is one thing that happened in a session.
---@class codebot.SessionUpdateParams
---@field sessionId string
---@field update codebot.SessionUpdate

--- UserMessageChunk is a piece of what the user said: replayed, or, of a steer,
--- where the turn took it in.
---@class codebot.UserMessageChunk
---@field sessionUpdate "user_message_chunk"
---@field content codebot.ContentBlock
---@field messageId? string MessageID is set by a replay: the message that the chunk is of.

--- AgentMessageChunk is a piece of the answer.
---@class codebot.AgentMessageChunk
---@field sessionUpdate "agent_message_chunk"
---@field content codebot.ContentBlock
---@field messageId? string MessageID is set by a replay: the message that the chunk is of.

--- AgentThoughtChunk is a piece of the model's reasoning.
---@class codebot.AgentThoughtChunk
---@field sessionUpdate "agent_thought_chunk"
---@field content codebot.ContentBlock
---@field messageId? string MessageID is set by a replay: the message that the chunk is of.

--- ToolCallStart announces a tool call ("tool_call").
---@class codebot.ToolCallStart
---@field sessionUpdate "tool_call"
---@field toolCallId string
---@field title string
---@field kind? codebot.ToolKind
---@field status? codebot.ToolCallStatus
---@field content? codebot.ToolCallContent[]
---@field locations? codebot.ToolCallLocation[]
---@field rawInput? any
---@field rawOutput? any
---@field _meta? codebot.ToolCallMeta

--- ToolCallProgress changes an announced tool call ("tool_call_update"): only
--- the members that are present change.
---@class codebot.ToolCallProgress
---@field sessionUpdate "tool_call_update"
---@field toolCallId string
---@field title? string
---@field kind? codebot.ToolKind
---@field status? codebot.ToolCallStatus
---@field content? codebot.ToolCallContent[]
---@field locations? codebot.ToolCallLocation[]
---@field rawInput? any
---@field rawOutput? any
---@field _meta? codebot.ToolCallMeta

--- PlanUpdate is the whole plan.
---@class codebot.PlanUpdate
---@field sessionUpdate "plan"
---@field entries codebot.PlanEntry[]

--- CurrentModeUpdate says that the mode is now another.
---@class codebot.CurrentModeUpdate
---@field sessionUpdate "current_mode_update"
---@field currentModeId string

--- ConfigOptionUpdate carries the session's options, the model among them.
---@class codebot.ConfigOptionUpdate
---@field sessionUpdate "config_option_update"
---@field configOptions codebot.SessionConfigOption[]

--- AvailableCommandsUpdate lists the slash commands of the session.
---@class codebot.AvailableCommandsUpdate
---@field sessionUpdate "available_commands_update"
---@field availableCommands codebot.AvailableCommand[]

--- SessionInfoUpdate says that the session has a new title.
---@class codebot.SessionInfoUpdate
---@field sessionUpdate "session_info_update"
---@field title? string
---@field updatedAt? string

--- UsageUpdate says how full the context window is, in tokens.
---@class codebot.UsageUpdate
---@field sessionUpdate "usage_update"
---@field used integer
---@field size integer
---@field cost? codebot.Cost Cost of the session so far, where a price is known.

--- SessionUpdate holds one variant of ACP's SessionUpdate union, told apart by the
--- member "sessionUpdate". A variant this version does not know decodes as
--- UnknownUpdate.
---@alias codebot.SessionUpdate
---| codebot.UserMessageChunk
---| codebot.AgentMessageChunk
---| codebot.AgentThoughtChunk
---| codebot.ToolCallStart
---| codebot.ToolCallProgress
---| codebot.PlanUpdate
---| codebot.CurrentModeUpdate
---| codebot.ConfigOptionUpdate
---| codebot.AvailableCommandsUpdate
---| codebot.SessionInfoUpdate
---| codebot.UsageUpdate

--- PlanEntry is one line of a plan.
---@class codebot.PlanEntry
---@field content string
---@field priority codebot.PlanEntryPriority
---@field status codebot.PlanEntryStatus

--- PlanEntryPriority is high, medium or low.
---@alias codebot.PlanEntryPriority
---| "high"
---| "medium"
---| "low"

--- PlanEntryStatus is pending, in_progress or completed.
---@alias codebot.PlanEntryStatus
---| "pending"
---| "in_progress"
---| "completed"

--- AvailableCommand is a slash command.
---@class codebot.AvailableCommand
---@field name string
---@field description string
---@field input? codebot.CommandInput Input is present for a command that takes some.

--- CommandInput is what may follow a command's name.
---@class codebot.CommandInput
---@field hint string

--- SessionConfigOption is a selector of the session, in ACP's shape; Type is
--- "select".
---@class codebot.SessionConfigOption
---@field id string
---@field name string
---@field category? string
---@field type "select"
---@field currentValue string
---@field options codebot.SessionConfigSelectOption[]

--- SessionConfigSelectOption is one value of a selector.
---@class codebot.SessionConfigSelectOption
---@field value string
---@field name string
---@field description? string

--- Cost is an amount of money.
---@class codebot.Cost
---@field amount number
---@field currency string Currency is its ISO 4217 code.

local M = {}

--- ProtocolVersion is the version of this protocol; it grows when a change would
--- break a client.
M.protocol_version = 1

--- CommandRequest is the LSP command "codebot.request" with arguments
--- [method, params]: for clients without a plug-in, and in code lenses. Approvals,
--- trust, keys and answers to permissions are not reachable through it.
M.command_request = "codebot.request"

--- CommandUI is the LSP command "codebot.ui" with arguments
--- [action, {name, folder?}], run by a plug-in: actions trust, login, log,
--- openSettings, mcp.
M.command_ui = "codebot.ui"

--- CodeActionFailed is the code of every error that carries an ActionError or a
--- ModelError as data: LSP's RequestFailed.
M.code_action_failed = -32803

M.methods = {
  --- SessionNew starts a session. One that never got a prompt is not kept.
  --- request to the server: codebot.SessionNewParams -> codebot.SessionNewResult
  session_new = "codebot/session/new",
  --- SessionList lists the kept sessions, the newest first.
  --- request to the server: codebot.SessionListParams -> codebot.SessionListResult
  session_list = "codebot/session/list",
  --- SessionLoad opens a kept session: its messages are replayed as
  --- codebot/session/update notifications, then the request is answered.
  --- request to the server: codebot.SessionLoadParams -> codebot.SessionLoadResult
  session_load = "codebot/session/load",
  --- SessionPrompt runs one turn and answers when it has ended. All updates of
  --- the turn precede the answer. A second prompt while one runs: sessionBusy.
  --- request to the server: codebot.SessionPromptParams -> codebot.SessionPromptResult
  session_prompt = "codebot/session/prompt",
  --- SessionCancel ends the running turn: its prompt answers with stopReason
  --- "cancelled". Without a running turn it does nothing.
  --- notification to the server: codebot.SessionCancelParams
  session_cancel = "codebot/session/cancel",
  --- SessionSetMode changes the permission mode, also of a running turn; a
  --- current_mode_update follows.
  --- request to the server: codebot.SessionSetModeParams -> codebot.Empty
  session_set_mode = "codebot/session/setMode",
  --- SessionSetModel changes the model from the next model request on; a
  --- config_option_update follows.
  --- request to the server: codebot.SessionSetModelParams -> codebot.Empty
  session_set_model = "codebot/session/setModel",
  --- SessionSteer adds to the running turn: what is said reaches the model with its
  --- next request, after the tools that run now. Calls that have not started then are
  --- not run. A user_message_chunk tells when it was taken in. Without a running turn
  --- it is refused (-32602): send a prompt.
  --- request to the server: codebot.SessionSteerParams -> codebot.Empty
  session_steer = "codebot/session/steer",
  --- SessionCompact makes the conversation smaller for the model: its older part
  --- becomes a summary, which the model writes. What a person sees stays. It may be
  --- cancelled as a turn; while one runs: sessionBusy.
  --- request to the server: codebot.SessionCompactParams -> codebot.SessionCompactResult
  session_compact = "codebot/session/compact",
  --- SessionContext tells what the next model request is made of, and what of the
  --- last one's cache is lost.
  --- request to the server: codebot.SessionContextParams -> codebot.SessionContextResult
  session_context = "codebot/session/context",
  --- SessionRename gives a session, open or kept, another title.
  --- request to the server: codebot.SessionRenameParams -> codebot.Empty
  session_rename = "codebot/session/rename",
  --- SessionDelete removes a session, open or kept, for good. While a turn runs, or
  --- when another window has it open: sessionBusy.
  --- request to the server: codebot.SessionDeleteParams -> codebot.Empty
  session_delete = "codebot/session/delete",
  --- SessionFork opens a copy of a session, open or kept, which goes on by itself.
  --- While a turn of it runs: sessionBusy.
  --- request to the server: codebot.SessionForkParams -> codebot.SessionNewResult
  session_fork = "codebot/session/fork",
  --- SessionExport writes a conversation, of an open or a kept session, as a document.
  --- request to the server: codebot.SessionExportParams -> codebot.SessionExportResult
  session_export = "codebot/session/export",
  --- SessionRollback takes turns back: their edits of files, their messages, or both.
  --- It works on open and kept sessions, also after a restart. While a turn runs:
  --- sessionBusy.
  --- request to the server: codebot.SessionRollbackParams -> codebot.SessionRollbackResult
  session_rollback = "codebot/session/rollback",
  --- SessionCommands lists the slash commands of a session.
  --- request to the server: codebot.SessionCommandsParams -> codebot.SessionCommandsResult
  session_commands = "codebot/session/commands",
  --- SessionMentions completes what stands behind an @ in a prompt.
  --- request to the server: codebot.SessionMentionsParams -> codebot.SessionMentionsResult
  session_mentions = "codebot/session/mentions",
  --- SessionUpdateNotification carries everything that happens in a session, in
  --- order. It is sent to every client, also one that declared no capability.
  --- notification from the server: codebot.SessionUpdateParams
  session_update = "codebot/session/update",
  --- SessionDidChange tells of sessions that this connection made, wrote to, renamed
  --- or removed; what another process does is seen by codebot/session/list.
  --- notification from the server: codebot.SessionDidChangeParams
  session_did_change = "codebot/session/didChange",
  --- RequestPermission asks the person before a risky call. The answer is an
  --- optionId; an unknown one, null or an error is a reject.
  --- request from the server: codebot.RequestPermissionParams -> codebot.RequestPermissionResult
  session_request_permission = "codebot/session/requestPermission",
  --- PermissionResolved says that a question is no longer open: it was answered,
  --- or its turn was cancelled.
  --- notification from the server: codebot.PermissionResolvedParams
  session_permission_resolved = "codebot/session/permissionResolved",
  --- MCPStatus answers with every server's row and the current revision. An answer whose
  --- revision is below that of a notification that came before it was overtaken on its
  --- way: ask again.
  --- request to the server: codebot.Empty -> codebot.MCPStatusResult
  mcp_status = "codebot/mcp/status",
  --- MCPStart starts a stopped or failed server and answers when it has left
  --- "starting".
  --- request to the server: codebot.MCPServerRef -> codebot.MCPServerResult
  mcp_start = "codebot/mcp/start",
  --- MCPStop stops a server and answers when it has left "stopping".
  --- request to the server: codebot.MCPServerRef -> codebot.MCPServerResult
  mcp_stop = "codebot/mcp/stop",
  --- MCPRestart stops and starts a server with the entry of the settings file.
  --- request to the server: codebot.MCPServerRef -> codebot.MCPServerResult
  mcp_restart = "codebot/mcp/restart",
  --- MCPApprove lets a project entry act. Hash is the one the person saw in the
  --- row's consent; any other is consentChanged.
  --- request to the server: codebot.MCPApproveParams -> codebot.MCPServerResult
  mcp_approve = "codebot/mcp/approve",
  --- MCPRevoke takes an approval back and stops the server.
  --- request to the server: codebot.MCPServerRef -> codebot.MCPServerResult
  mcp_revoke = "codebot/mcp/revoke",
  --- MCPEnable takes "disabled" out of a server's entry, in the file that declares
  --- it, and answers when the server has left "starting".
  --- request to the server: codebot.MCPServerRef -> codebot.MCPServerResult
  mcp_enable = "codebot/mcp/enable",
  --- MCPDisable writes "disabled": true into a server's entry, in the file that
  --- declares it, and answers when the server has stopped.
  --- request to the server: codebot.MCPServerRef -> codebot.MCPServerResult
  mcp_disable = "codebot/mcp/disable",
  --- MCPAdd writes a new entry into a settings file. An entry of a project waits
  --- for approval as any other.
  --- request to the server: codebot.MCPEntryParams -> codebot.MCPServerResult
  mcp_add = "codebot/mcp/add",
  --- MCPUpdate replaces an entry in the file that declares it.
  --- request to the server: codebot.MCPEntryParams -> codebot.MCPServerResult
  mcp_update = "codebot/mcp/update",
  --- MCPRemove takes an entry out of the file that declares it.
  --- request to the server: codebot.MCPServerRef -> codebot.Empty
  mcp_remove = "codebot/mcp/remove",
  --- MCPLogin logs in to a server, with codebot/mcp/authorize or the editor's own means
  --- to open a page, and answers when it has ended. To cancel the request ends it.
  --- request to the server: codebot.MCPLoginParams -> codebot.MCPServerResult
  mcp_login = "codebot/mcp/login",
  --- MCPLogout forgets the tokens of a server.
  --- request to the server: codebot.MCPServerRef -> codebot.MCPServerResult
  mcp_logout = "codebot/mcp/logout",
  --- MCPTest starts an entry without saving it, lists what it offers and ends it.
  --- request to the server: codebot.MCPTestParams -> codebot.MCPTestResult
  mcp_test = "codebot/mcp/test",
  --- MCPImport looks for servers in the settings of other programs, and writes those
  --- that are chosen.
  --- request to the server: codebot.MCPImportParams -> codebot.MCPImportResult
  mcp_import = "codebot/mcp/import",
  --- MCPSetTool switches a tool of a server off or on, in the file that declares the
  --- server ("tools": {"deny"}).
  --- request to the server: codebot.MCPSetToolParams -> codebot.MCPServerResult
  mcp_set_tool = "codebot/mcp/setTool",
  --- MCPResources lists the resources and templates of servers.
  --- request to the server: codebot.MCPListParams -> codebot.MCPResourcesResult
  mcp_resources = "codebot/mcp/resources",
  --- MCPReadResource reads one resource.
  --- request to the server: codebot.MCPReadResourceParams -> codebot.MCPReadResourceResult
  mcp_read_resource = "codebot/mcp/readResource",
  --- MCPPrompts lists the prompts of servers.
  --- request to the server: codebot.MCPListParams -> codebot.MCPPromptsResult
  mcp_prompts = "codebot/mcp/prompts",
  --- MCPGetPrompt fills a prompt.
  --- request to the server: codebot.MCPGetPromptParams -> codebot.MCPGetPromptResult
  mcp_get_prompt = "codebot/mcp/getPrompt",
  --- MCPComplete completes an argument of a prompt or a variable of a template.
  --- request to the server: codebot.MCPCompleteParams -> codebot.MCPCompleteResult
  mcp_complete = "codebot/mcp/complete",
  --- MCPTools lists tools as the agent would get them.
  --- request to the server: codebot.MCPToolsParams -> codebot.MCPToolsResult
  mcp_tools = "codebot/mcp/tools",
  --- MCPCallTool is a person's own call: deny rules hold, the gate does not ask.
  --- request to the server: codebot.MCPCallToolParams -> codebot.MCPCallToolResult
  mcp_call_tool = "codebot/mcp/callTool",
  --- MCPLogs answers with the kept end of a server's log.
  --- request to the server: codebot.MCPLogsParams -> codebot.MCPLogsResult
  mcp_logs = "codebot/mcp/logs",
  --- MCPDidChangeStatus carries the rows that changed. Revision grows by exactly
  --- one per notification on a connection; on any other number call
  --- codebot/mcp/status. At most 20 a second, the last state always delivered.
  --- notification from the server: codebot.MCPDidChangeStatusParams
  mcp_did_change_status = "codebot/mcp/didChangeStatus",
  --- MCPLog carries new entries of a server's log.
  --- notification from the server: codebot.MCPLogParams
  mcp_log = "codebot/mcp/log",
  --- MCPDidChangeResource tells of a resource that was read with "subscribe".
  --- notification from the server: codebot.MCPDidChangeResourceParams
  mcp_did_change_resource = "codebot/mcp/didChangeResource",
  --- MCPElicit shows a person what a server asks. It is cancelled when the server no
  --- longer waits.
  --- request from the server: codebot.MCPElicitParams -> codebot.MCPElicitResult
  mcp_elicit = "codebot/mcp/elicit",
  --- MCPSample asks a person whether a server may use the model.
  --- request from the server: codebot.MCPSampleParams -> codebot.MCPSampleResult
  mcp_sample = "codebot/mcp/sample",
  --- MCPAuthorize lets a person log in with a browser.
  --- request from the server: codebot.MCPAuthorizeParams -> codebot.MCPAuthorizeResult
  mcp_authorize = "codebot/mcp/authorize",
  --- Status answers with what a status bar shows.
  --- request to the server: codebot.Empty -> codebot.StatusResult
  status = "codebot/status",
  --- DidChangeStatus pushes what a status bar shows.
  --- notification from the server: codebot.StatusResult
  did_change_status = "codebot/didChangeStatus",
  --- Trust approves what a folder's settings hold now, until the connection ends.
  --- What comes or changes later asks as ever.
  --- request to the server: codebot.TrustParams -> codebot.Empty
  trust = "codebot/trust",
  --- Models lists the models that could be chosen, and why one cannot.
  --- request to the server: codebot.Empty -> codebot.ModelsResult
  models = "codebot/models",
  --- ProvidersList lists the providers of models.
  --- request to the server: codebot.Empty -> codebot.ProvidersListResult
  providers_list = "codebot/providers/list",
  --- ProvidersSetKey keeps a key for a provider.
  --- request to the server: codebot.ProvidersSetKeyParams -> codebot.ProvidersSetKeyResult
  providers_set_key = "codebot/providers/setKey",
  --- ProvidersRemoveKey forgets the kept key of a provider.
  --- request to the server: codebot.ProviderRef -> codebot.Empty
  providers_remove_key = "codebot/providers/removeKey",
  --- ProvidersTest asks a provider for its models.
  --- request to the server: codebot.ProviderRef -> codebot.ProvidersTestResult
  providers_test = "codebot/providers/test",
  --- Diagnostics asks the editor for the problems it knows of.
  --- request from the server: codebot.DiagnosticsParams -> codebot.DiagnosticsResult
  diagnostics = "codebot/diagnostics",
}

return M
