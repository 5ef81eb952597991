package session

// The texts a person reads, as keys of their translations. What the model reads of
// the gate's decisions stands where it is decided, in English.
const (
	textBusy         = "session is busy: a prompt is running; cancel it or wait for its end"
	textClosed       = "session is closed"
	textUnknownMode  = "unknown mode"
	textEmptyPrompt  = "the prompt is empty"
	textIdle         = "no turn is running that this could be added to; send it as a prompt"
	textBadID        = "not a session id"
	textNoSession    = "no such session"
	textInUse        = "session is open in another window; close it there first"
	textBadCursor    = "the cursor is not one of this list"
	textNoMessage    = "the session has no such message"
	textEmptyTitle   = "the title is empty"
	textTorn         = "The session ended in the middle of a line of its journal; what that line said is lost, and all before it is here"
	textSkippedLines = "%d lines of the session's journal could not be read and were left out"
	textFallback     = "%s is overloaded; %s answers this prompt"
	textUntitled     = "Untitled"
	textTodo         = "Plan"
	textSearchTools  = "Look for tools"

	textCompacting    = "Summarising the earlier part of the conversation, so that it goes on fitting into the model's window."
	textCompacted     = "The conversation was made smaller: from about %d to about %d tokens."
	textNotSummarised = "The earlier part of the conversation could not be summarised: %v"

	textKeepContent     = "keep what %s holds, so that it can be given back: %w"
	textRestore         = "give %s back: %w"
	textConflictRead    = "it cannot be read: %v"
	textConflictLost    = "what it held is too large and was not kept"
	textConflictUnsaved = "it has unsaved changes in the editor"
	textConflictGone    = "it was removed since"
	textConflictChanged = "it was changed since by somebody else"

	textFork = "%s (copy)"

	textExportUser    = "User"
	textExportAgent   = "codebot"
	textExportFolder  = "Folder"
	textExportModel   = "Model"
	textExportStarted = "Started"
	textExportResult  = "Result"
	textExportFailed  = "Failed"

	textNew          = "new session: %w %q"
	textRelative     = "new session: the folder %q is not an absolute path"
	textMakeFolder   = "make the folder for sessions: %w"
	textLock         = "lock session %s: %w"
	textOpen         = "open session %s: %w"
	textList         = "list sessions: %w"
	textJournal      = "journal %s: %w"
	textJournalWrite = "journal %s: %w; free some disk space or check the folder's permissions"
	textNoJournal    = "its first line is not a journal's: %w"
	textFirstLine    = "its first line is %q, not a journal's"
	textNewer        = "it was written by a newer version (format %d, this one reads %d)"
	textEmpty        = "it is empty"
	textOtherSession = "it belongs to session %q"
)
