package server

// The texts a person reads, as keys of their translations. What is wrong with a
// message of the protocol is for whoever writes the client, and English.
const (
	textNoServer   = "no MCP server named %q"
	textAmbiguous  = "%d servers are named %q"
	textUserServer = "%s is a server of the user's own settings and needs no approval"
	textDenied     = "the deny rule %s forbids %s of %s"
	textNotOpen    = "no open session %q"
	textNoFolder   = "%q is neither a file URI nor an absolute path"

	hintFolder      = "Give the folder of the server's row."
	hintServers     = "codebot/mcp/status lists the servers; add one under \"mcp_servers\" in settings.json."
	hintAmbiguous   = "Name the folder, or an empty one for the user's server."
	hintProjectOnly = "Only entries of a project's settings file are approved."
	hintDenied      = "Change \"permissions\" in settings.json to allow it."
	hintLoad        = "Load it, or start a new one."
	hintBusy        = "Wait for the answer, or cancel the turn."
	hintInUse       = "Close the session in the other window first."
	hintNoSession   = "List the sessions, or start a new one."
	hintMode        = "The modes are default, accept_edits, plan and auto."
	hintConsent     = "Show the server's consent again and approve that hash."
	hintModel       = "codebot/models lists the models and why one cannot be used."

	textElicit     = "The MCP server %s asks: %s"
	textElicitYes  = "Yes"
	textElicitNo   = "No"
	textNoTool     = "the MCP server %s has no tool %q: codebot/mcp/tools lists them"
	textTrustUntil = "a folder can be trusted until \"session\" only, not until %q"

	hintNotInFile   = "It stands in no settings file: there is nothing to change."
	hintFileChanged = "Save the file if it has unsaved changes, look at what it says now and repeat."
	hintBadFile     = "Mend the settings file, then repeat."
	hintEntry       = "Mend the entry, or take another name, then repeat."
	hintNotWritten  = "See that the file and its folder can be written, or change the file by hand."

	textQuestion       = "codebot wants to run %s"
	textQuestionTitle  = ": %s"
	textQuestionReason = " (%s)"

	textServers     = "MCP servers"
	textBadFile     = "Settings file `%s` cannot be used; its last good content holds."
	textNotWatching = "The system does not tell of changed settings files (%s); they are looked at every second instead."
	textNone        = "No MCP server is configured."
	textTable       = "| Server | State | Tools | |"
	textWaits       = "waits for your approval"

	textDefault          = "Default"
	textDefaultMeans     = "Reads the folder; asks before it edits, runs or reaches out."
	textAcceptEdits      = "Accept edits"
	textAcceptEditsMeans = "Edits files in the folder without asking; asks before anything else that acts."
	textPlan             = "Plan"
	textPlanMeans        = "Only reads and plans; refuses everything that acts."
	textAuto             = "Auto"
	textAutoMeans        = "Runs tools without asking, except what deny and ask rules name and protected folders."

	textListResources = "List what MCP servers offer to read"
	textReadResource  = "Read %s of %s"
	textProblems      = "Look at the editor's problems"
	textProblemsOf    = "Look at the problems of %s"
	textConnect       = "Connect an MCP server"
	textConnectServer = "Connect MCP server %s"
	textConnectReason = "starts an MCP server"

	textModel      = "Model"
	textNoKeptKey  = "no key is kept under %q: enter one"
	textNoProvider = "there is no provider %q: there are %s"
	textBadKey     = "the key is empty or has a line break in it"
	textKeyNotKept = "the key could not be kept: %w"
	textNoAddress  = "its base_url is no http or https address"
	textOfField    = "%s: %v"
	textAnd        = "; "
)
