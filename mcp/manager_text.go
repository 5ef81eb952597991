package mcp

// What the connections and the manager say to a person, as keys of their
// translations.
const (
	textConnectTimeout   = `connect to %s: timeout after %s`
	textConnectHint      = `see the server's log; raise "connect_timeout_ms" if it needs longer to start`
	textExitedStart      = `%s exited with code %d before it could be used`
	textSignalStart      = `%s was ended by a signal (%s) before it could be used`
	textExited           = `%s exited with code %d`
	textSignal           = `%s was ended by a signal (%s)`
	textClosedOutput     = `%s closed its output`
	textHandshake        = `handshake with %s failed: %s`
	textWithheld         = `these variables were not passed on: %s; name those it needs in "env_from"`
	textWithheldMore     = `these variables were not passed on: %s, and %d more; name those it needs in "env_from"`
	textTwoHints         = `%s. %s`
	textNotStarted       = `command %q cannot be started: %w`
	textNoPath           = `command %q was not found: PATH is empty`
	textNotFound         = `command %q was not found; searched PATH=%s`
	textDirectory        = `it is a directory`
	textNotExecutable    = `it is not executable`
	textPipes            = `opening pipes for %s: %w`
	textTooLong          = `the server sent a message of more than %d MiB`
	textItEnded          = `it ended`
	textStartHint        = `install the command, or give its absolute path or a PATH in the entry's "env"`
	textStarting         = `starting %s: %v`
	textNoCwd            = `the folder to run in, %s, does not exist`
	textNoInProcess      = `there is no built-in server named %q`
	textNeedsAuth        = `%s %s`
	textNeedsAuthHint    = `log in from the editor, or put a valid "Authorization" into the entry's "headers"`
	textListFailed       = `tools/list: %s`
	textListHint         = `its other parts work; the list is tried again by itself`
	textStopped          = `%s is being stopped`
	textSessionLost      = `the connection to %s was lost: %s`
	textNotConnected     = `server %q is %s: its tools cannot be called now`
	textNotConnectedHint = `start the server`
	textCallTimeout      = `call of %s on %s: timeout after %s`
	textCallTimeoutHard  = `call of %s on %s: still running after %s, though it reports progress`
	textCallLost         = `the call ended with the connection: %s`
	textBadArguments     = `the arguments of %s are not a JSON object`
	textOtherOrigin      = `%s redirects to another origin, %s: not followed`
	textInvalidHint      = `mend the entry in the settings file`

	textUnknownServer     = `there is no server named %q`
	textUnknownServerHint = `known servers: %s`
	textNoServers         = `no server is configured`
	textUntrusted         = `server %q waits for your approval`
	textUntrustedHint     = `look at what it would run and approve it`
	textDisabled          = `server %q is disabled`
	textDisabledHint      = `remove "disabled" from its entry`
	textInvalid           = `server %q cannot be used: %s`
	textActionTimeout     = `server %q is still %s`
	textActionTimeoutHint = `it goes on by itself: watch its status`
	textClosed            = `the servers are being stopped`
)

// What goes wrong over HTTP, without the server's name.
const (
	textUnreachable      = `%s cannot be reached: %s`
	textHTTPFailed       = `%s: %s`
	textWantsLogin       = `wants a login: it answered 401 Unauthorized`
	textTokenRefused     = `refused the token of the entry's headers: it answered 401 Unauthorized`
	textTokenRefusedHint = `renew the token in the entry's "headers"; then start the server again`
	textForbidden        = `access was refused: %s`
	textForbiddenHint    = `the account or the token lacks a right at this server`
	textNotFoundHint     = `check the path of the entry's "url"`
	textNotAllowedHint   = `check the entry's "url"; a server of the older kind needs "type": "sse"`
	textWebPage          = `a web page came instead of an answer`
	textWebPageHint      = `the entry's "url" must be the address of the MCP endpoint itself`
	textOtherType        = `the answer is of type %s, not MCP`
	textNoAnswer         = `no answer to the request came (HTTP %d)`
	textNotAnAnswer      = `what came is no answer to this request`
	textAnswerCut        = `the connection ended before the answer came; the request may have been carried out`
	textDropped          = `the connection was lost (%v); the request may have been carried out`
	textLinkClosed       = `the connection to the server was ended`
	textTooLarge         = `the answer has more than the %d MiB one message may have`
	textRedirects        = `it redirects in a circle`
	textRedirectMethod   = `it redirects to %s in a way that loses the request: use that address in the entry`
	textSessionGone      = `%s does not know the session any more (%s): the call was not carried out; a new session is being made, so it can be called again`
)

// What is said of coming back to a server.
const (
	textReconnectHint = `it is tried again by itself; "restart" tries at once`
	textGaveUpHint    = `%d tries in a row failed: start it again ("restart") once it is well`
	textReconnecting  = `%s is not connected now (%s); it is tried again by itself`
)

// The states, for people: [State.In].
const (
	textDisabledState     = `disabled`
	textUntrustedState    = `untrusted`
	textStartingState     = `starting`
	textConnectedState    = `connected`
	textDegradedState     = `degraded`
	textNeedsAuthState    = `needs_auth`
	textReconnectingState = `reconnecting`
	textFailedState       = `failed`
	textStoppingState     = `stopping`
	textStoppedState      = `stopped`
)

// What goes into the log of a server.
//
//lang:untranslated logs are English
const (
	textCursorRepeats  = `the list's cursor %q came again: the list was ended there`
	textListTooLong    = `the list has more than %d items: the rest was left out`
	textTooManyPages   = `the list has more than %d pages: the rest was left out`
	textSchemaChanged  = `%s: %s`
	textToolsTwice     = `%d tools were listed twice and taken once`
	textOldHandshake   = `it does not answer server/discover: trying again with the older handshake`
	textNoStream       = `it offers no stream for announcements: %s`
	textSessionRenewed = `%s did not know the session any more (%s): a new one was made`
	textRetryAt        = `trying again in %s (try %d)`
	textCut            = `[... cut]`
)
