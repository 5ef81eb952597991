package main

// The texts a person reads, as keys of their translations.
const (
	textUsage = `codebot-ls is a coding agent that an editor runs like a language server.

Usage:
  codebot-ls [serve] [--stdio] [--log-file FILE] [--trace]
        speak JSON-RPC over stdio with an editor (the default)
  codebot-ls chat [--demo] [--model M] [--mode MODE] [--yes] [--no-wait]
                  [--trust-workspace] [--] [PROMPT]
        prompt the agent in a terminal
  codebot-ls mcp list | test NAME | call SERVER TOOL JSON | demo docs|deploy
        look at the configured MCP servers
  codebot-ls version
`
	textChatUsage = `usage: codebot-ls chat [flags] [--] [PROMPT]

Runs PROMPT in the current folder, or one prompt for each line that is typed;
q or an empty line ends. Flags may follow PROMPT too; what follows -- is PROMPT.

`
	textMCPUsage = `usage: codebot-ls mcp list                      connect to every configured server, one line each
       codebot-ls mcp test NAME                 connect to one server and show what it offers
       codebot-ls mcp call SERVER TOOL [JSON]   call a tool with an object of arguments
       codebot-ls mcp demo docs|deploy          be a demo server on stdin and stdout
`

	textFlagStdio   = "speak over stdin and stdout; there is no other way"
	textFlagLogFile = "write the log to `FILE` instead of stderr"
	textFlagTrace   = "log every message, secrets hidden"
	textFlagVersion = "print the version"
	textFlagDemo    = "add the demo MCP servers docs and deploy"
	textFlagTrust   = "run the MCP servers of this folder's settings, this once"
	textFlagModel   = "the `model` to use, instead of that of the settings"
	textFlagMode    = "the permission `mode`: default, accept_edits, plan or auto"
	textFlagYes     = "answer every question with \"allow once\""
	textFlagNoWait  = "do not wait for MCP servers that are still starting"

	textNoCommand     = "no command %q"
	textServeArgument = "serve takes no argument %q"
	textOpeningLog    = "opening the log file: %v"
	textEndedEarly    = "the server ended before it was told to"
	textFindingSelf   = "finding this program, which is also the demo servers: %w"

	textNotUsable      = "server %s is %s"
	textBadArguments   = "the arguments must be one JSON object, such as %s"
	textNoneConfigured = "no server %q: no MCP server is configured"
	textNoServer       = "no server %q; there are %s"
	textBadSettings    = "no server %q: mend the settings first"

	textServer    = "server"
	textState     = "state"
	textTransport = "transport"
	textProtocol  = "protocol"
	textSource    = "source"
	textCommand   = "command"
	textVariables = "variables"
	textTool      = "tool"
	textError     = "error"
	textHint      = "hint"
	textExitCode  = "exit code"
)
