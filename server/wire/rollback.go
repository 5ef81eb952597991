package wire

// SessionRollbackParams takes a session back to before a message of the user's.
type SessionRollbackParams struct {
	SessionID string `json:"sessionId"`
	// ToMessageID is the messageId of the user's message that begins the first turn to
	// take back: that turn and all after it go.
	ToMessageID string `json:"toMessageId"`
	// Files: the files that those turns edited get the content they had before.
	Files bool `json:"files"`
	// Messages: those turns leave the conversation.
	Messages bool `json:"messages"`
	// Overwrite are absolute paths of files that may be restored although somebody
	// else changed them since: the conflicts of an earlier answer that the person gave
	// up.
	Overwrite []string `json:"overwrite,omitempty"`
}

// SessionRollbackResult says what was done. With conflicts nothing was.
type SessionRollbackResult struct {
	// Files are the files that were given back, or would be were there no conflict.
	Files []RolledBackFile `json:"files"`
	// Conflicts are the files that were changed since by somebody else: ask, then call
	// again with the ones to overwrite.
	Conflicts []RollbackConflict `json:"conflicts"`
	// NotUndone are the commands that those turns ran, one line each, and other calls
	// whose effects are not known.
	NotUndone []string `json:"notUndone"`
	// Prompt is the text of the user's message that was taken back, to edit and send
	// again; absent when messages stay.
	Prompt string `json:"prompt,omitzero"`
}

// RollbackChange says what happens to a file.
type RollbackChange string

// The changes.
const (
	RollbackRestored RollbackChange = "restored"
	RollbackRemoved  RollbackChange = "removed"
)

// RolledBackFile is one file that a rollback gives back. Path is absolute.
type RolledBackFile struct {
	Path   string         `json:"path"`
	Change RollbackChange `json:"change"`
}

// RollbackConflict is a file that is not as the turn left it. Path is absolute.
type RollbackConflict struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}
