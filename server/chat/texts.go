package chat

// The texts a person reads, as keys of their translations.
const (
	textError       = "error:"
	textInterrupted = "interrupted"

	textStartingServer  = "starting the server: %w"
	textAskingServers   = "asking for the MCP servers: %w"
	textStartingSession = "starting a session: %w"
	textServerEnded     = "the server has ended"
	textServerEndedBy   = "the server has ended: %w"
	textServerStays     = "the server did not end within %v"
	textToolFailed      = "%s of %s reports a failure"
	textStillStarting   = "server %s is still starting: %w"

	textSession    = "model %s, mode %s, folder %s"
	textMode       = "mode %s"
	textType       = "type a prompt; q or an empty line ends"
	textGoingOn    = "still starting after %v, going on without: %s"
	textCancelling = "cancelling; Ctrl-C again stops waiting"
	textCancelled  = "cancelled"
	textEndedEarly = "the turn ended early: %s"

	textWithHint     = "%s: %s"
	textWithReason   = "%w: %s"
	textProviderSays = "%s (the provider says: %s)"

	textServers   = "MCP servers"
	textNoServers = "no MCP server is configured; --demo brings two"
	textNotRead   = "no MCP server is in effect; mend the settings first"
	textTotal     = "Total: %d connected, %d failed, %d tools"
	textUntrusted = "a project's entry; approve it in an editor, or --trust-workspace"
	textAnd       = "; "
	textHint      = ": %s"
	textTool      = "1 tool"
	textTools     = "%d tools"
	textLine      = "1 more line"
	textLines     = "%d more lines"

	textMayRun     = "may %s run?"
	textYourAnswer = "your answer (y, n or a number):"
	textAnswerWith = "answer with a number from 1 to %d, y or n"
	textAnswer     = "answer:"
	textBecause    = "%s (%s)"
	textNobody     = "nobody to ask; --yes allows"
	textWithdrawn  = "the question is withdrawn"
)

// The statuses of calls and of entries of a plan, in the protocol's words.
const (
	textPending    = "pending"
	textInProgress = "in_progress"
	textCompleted  = "completed"
	textFailed     = "failed"
)
