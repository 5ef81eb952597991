package assist

// What the keys of a settings file mean, as keys of their translations. They are
// shown by hover and completion and stand in docs/settings.md and the JSON Schema.
const (
	docFile = "Settings of codebot. The user's are in `~/.codebot/settings.json`, a project's in `.codebot/settings.json` of its folder; " +
		"a project's entry of \"mcp_servers\" replaces the user's of the same name once you have approved it. Comments and trailing commas are allowed."

	docModel       = "The model to use: `<provider>/<model>`, or `offline` for the planner that needs no model. A project may choose only one that you have configured."
	docProviders   = "Where models come from, by a name of your choice: it stands before the `/` of a model."
	docServers     = "The MCP servers, by a name of your choice. Each is either a program (`command`) or an address (`url`)."
	docPermissions = "What the agent may do without asking. Deny rules come first, then ask rules, then what you have granted, then allow rules, then the mode."

	docFallback    = "The model that answers when the chosen one is overloaded and stays so. You are told each time, and the next prompt tries the chosen one again."
	docModelInfo   = "What is known of models, by id (`<provider>/<model>`) or by the model's own name; a `*` at the end stands for any rest. It goes before what codebot knows itself."
	docProviderAPI = "Which of OpenAI's protocols it speaks. Left out, OpenAI's own address has `responses`, every other one `chat_completions`."
	docResponses   = "The Responses API: newer models think beside tools only there"
	docChat        = "Chat completions, which everything compatible knows"
	docCAFile      = "A PEM file with certificates to trust for this provider beside the system's, as a company's proxy needs. `${userHome}` and `${VARIABLE}` are replaced."

	docReferences = "Of type `anthropic`: the address takes tools that are loaded where the result of a search names them (`defer_loading`), as Anthropic's own does. A search then leaves the provider's cache as it is."

	docInfoContext = "The size of its context window in tokens, which decides when a conversation is made smaller."
	docInfoMax     = "The most tokens it may answer with."
	docPriceInput  = "The price of a million tokens that it reads, in US dollars."
	docPriceOutput = "The price of a million tokens that it writes, in US dollars."
	docPriceRead   = "The price of a million tokens that it reads from its provider's cache, in US dollars. Default: that of reading."
	docPriceWrite  = "The price of a million tokens that it reads and its provider keeps in the cache, in US dollars. Default: that of reading."

	docProviderType = "What the provider speaks. It may be left out when the provider is named `anthropic` or `openai`."
	docAnthropic    = "Anthropic's Messages API"
	docOpenAI       = "OpenAI's API and everything compatible: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter and others"
	docBaseURL      = "Where the provider is, when it is not the usual place. The key is sent there and nowhere else."
	docAPIKey       = "The key, best as `${VARIABLE}`, so that it is not in the file."
	docModels       = "The models to choose from. A project may choose one of them."

	docMode            = "The mode that new sessions start in."
	docModeDefault     = "Reads in the folder; asks before it edits, runs or reaches out"
	docModeAcceptEdits = "Edits in the folder too; asks before anything else that acts"
	docModePlan        = "Only reads and plans; refuses everything that acts"
	docModeAuto        = "Acts without asking, except where a rule says otherwise"
	docAllow           = "Rules for what may run without asking: `read(glob)`, `edit(glob)`, `bash(command *)`, `mcp(server/tool, argument=glob)`, `fetch(host)`."
	docAsk             = "Rules for what always asks. Those of the user and of the project hold together."
	docDeny            = "Rules for what never runs. Those of the user and of the project hold together."

	docType                = "How the server is reached. It may be left out: `command` means `stdio`, `url` means `http`."
	docStdio               = "A program that speaks MCP on its standard input and output"
	docHTTP                = "An address that speaks MCP over streamable HTTP"
	docSSE                 = "An address that speaks the older HTTP with server-sent events"
	docCommand             = "The program to run, alone: its arguments go into `args`. `${VARIABLE}`, `${workspaceFolder}` and `${userHome}` are replaced."
	docArgs                = "The arguments of the program, one element each; no shell reads them. `${VARIABLE}` is replaced."
	docEnv                 = "Environment variables to set for the program. `${VARIABLE}` and `${VARIABLE:-default}` are replaced when the server starts."
	docEnvFrom             = "Names of environment variables that the program gets from yours. Without it, it gets only the usual ones such as PATH and HOME."
	docCwd                 = "The folder to run the program in. A relative one is below the project's folder, or below your home."
	docURL                 = "The address of the server. `${VARIABLE}` is replaced."
	docHeaders             = "HTTP headers to send, to this server alone. `${VARIABLE}` is replaced."
	docDisabled            = "Keeps the entry without running it."
	docConnectTimeout      = "How long one attempt to connect may take, in milliseconds. Default: 30000."
	docCallTimeout         = "How long one call of a tool may take, in milliseconds. Default: no limit of ours."
	docAutostart           = "When the server is started."
	docAutostartAlways     = "With the editor; the default."
	docAutostartOnDemand   = "When one of its tools is first called, or the agent connects it. Its tools are offered as they were last seen."
	docAutostartNever      = "Only when you start it, or when you let the agent connect it."
	docOAuth               = "How the token of a server that wants one is got. Most servers need nothing here: log in from the editor."
	docOAuthClientID       = "The id of a client that was registered with the server before, or the https address of its metadata document. Without it one is registered at the login."
	docOAuthClientSecret   = "The secret of that client: `${VAR}`, or `keychain:<name>` in your own settings."
	docOAuthScopes         = "The rights to ask for, instead of those that the server names."
	docOAuthCallbackPort   = "The port the browser comes back to, for a client that was registered with `http://localhost:<port>/callback`."
	docOAuthGrant          = "How the token is granted."
	docOAuthGrantCode      = "You log in with the browser; the default."
	docOAuthGrantClient    = "The client itself, by its secret or key; nobody logs in."
	docOAuthPrivateKeyFile = "A PEM file with the key that the client signs in with instead of a secret."
	docTools               = "Chooses which of the server's tools the agent gets, by their own names; `*` stands for any letters."
	docToolsAllow          = "Only these tools. Without it all are in."
	docToolsDeny           = "Not these tools."
	docSampling            = "Let the server ask your model. You are asked each time, and shown what it would send."
	docTrustAnnotations    = "Believe the server when it says that a tool only reads. Such tools then run without asking."

	docUserOnly = "Only in the user's settings; ignored in a project's."

	docKnownEmpty   = "Empty settings"
	docKnownStdio   = "A program as a server"
	docKnownHTTP    = "An address as a server"
	docKnownFiles   = "Files of a folder (npm)"
	docKnownMemory  = "A knowledge graph that remembers (npm)"
	docKnownThink   = "Thinking step by step (npm)"
	docKnownAll     = "Everything MCP has, for trying out (npm)"
	docKnownGit     = "A Git repository (uv)"
	docKnownFetch   = "Web pages (uv)"
	docKnownTime    = "The time and time zones (uv)"
	docKnownGitHub  = "GitHub, at its own address"
	docKnownBrowser = "A browser to steer (npm)"

	docFolder       = "The project's folder"
	docUserHome     = "Your home folder"
	docVariable     = "Variable of the environment"
	docModelOffline = "The planner that needs no model"
	docModelOf      = "Model of provider %s"
	docRuleRead     = "Read files that match a glob"
	docRuleEdit     = "Edit files that match a glob"
	docRuleBash     = "Run a command, with any arguments"
	docRuleMCP      = "Call tools of MCP servers"
	docAllTools     = "Every tool of %s"
)

// What is wrong.
const (
	msgWouldRead    = "%q would read the variable %s, which is not set: set it before the editor starts, or write ${%s:-default}"
	msgEnvFrom      = "env_from would pass on the variable %s, which is not set"
	msgNotOnPath    = "the program %q is not on PATH: install it, or give its whole path"
	msgNoSuchFile   = "there is no program %q"
	msgSecret       = "this looks like a secret: anyone who can read the file has it; write ${VARIABLE} and set the variable instead"
	msgReplaces     = "replaces the server %q of your own settings"
	msgWillReplace  = "will replace the server %q of your own settings once you approve it; until then yours runs"
	msgReplaced     = "in %s the project's own server of this name is used"
	msgRuleServer   = "no server is named so: the rule speaks of nothing"
	msgNoTool       = "%s has no such tool: this speaks of nothing"
	msgNoProvider   = "%q is no provider: add it to \"providers\", or choose a model of one that is there"
	msgRuleTool     = "%s has no such tool: the rule speaks of nothing"
	msgServerState  = "MCP server %q: %s"
	msgServerReason = "MCP server %q: %s: %s"
	msgExpand       = "MCP server %q: %v"
)

// What can be done.
const (
	fixRename       = "Rename to %q"
	fixRemove       = "Remove %q"
	fixRemoveFirst  = "Remove the first %q"
	fixReplace      = "Replace with %q"
	fixMoveSecret   = "Take it from the environment variable %s"
	fixDefault      = "Give ${%s} an empty default"
	fixFlatten      = "Put what is in %q directly into the entry"
	fixSplit        = "Split into \"command\" and \"args\""
	fixConvert      = "Convert to %s"
	fixConvertAll   = "Convert all that another program writes differently"
	actionTrust     = "Trust..."
	actionStart     = "Start"
	actionStop      = "Stop"
	actionRestart   = "Restart"
	actionEnable    = "Enable"
	actionLog       = "Log"
	actionLogin     = "Login"
	countTool       = "%d tool"
	countTools      = "%d tools"
	wordUntrusted   = "waits for your approval"
	wordNotSet      = "not set"
	wordSet         = "set"
	wordVariable    = "variable `%s`: %s"
	wordMatchesNone = "matches no tool of a connected server"
	wordMatches     = "matches:"
)

// The rows of a hover over an entry.
const (
	rowState     = "State"
	rowTools     = "Tools"
	rowTokens    = "%d tools, about %d tokens in a prompt"
	rowProtocol  = "Protocol"
	rowTransport = "Transport"
	rowSince     = "Since"
	rowRetry     = "Next attempt"
	rowSource    = "Source"
	rowShadows   = "Replaces"
	rowProcess   = "Process"
	rowMore      = "and %d more"
	rowTool      = "about %d tokens"
)

// How texts are put together.
//
//lang:untranslated signs, no words
const (
	actionOfServer = "%s: %s"
	stateTools     = "%s - %s"
)
