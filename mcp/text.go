package mcp

// What this part of the package says to a person: problems of an entry, of its
// expansion and of its tools, as keys of their translations.
const (
	textCommandAndURL      = `both "command" and "url" are set: a server is either a program or an address, remove one`
	textNeither            = `neither "command" nor "url" is set`
	textStdioCommand       = `a stdio server needs "command", the program to run`
	textCommandArgs        = `this is a command line: put the program alone in "command" and the rest in "args"`
	textInProcessCommand   = `an inprocess server needs "command", the name of the server`
	textHTTPURL            = `a server of type %q needs "url"`
	textBadURL             = `not an http or https address`
	textExpandedURL        = `what it expands to is not an http or https address`
	textListTotal          = `Total: %d connected, %d failed, %d tools`
	textListTools          = `%d tools`
	textListUntrusted      = `a project's entry that is not approved; approve it in an editor`
	textLogin              = `logging in to %s: %s`
	textLoginHint          = `try again; where it goes on failing put a valid "Authorization" into the entry's "headers"`
	textLoginPage          = `it names %q to log in at, which is no web page`
	textNoLogin            = `%s is no server to log in to`
	textNoLoginHint        = `only servers with a "url" have a login`
	textOwnCredentials     = `%s has credentials of its own: the header %q of its entry`
	textOwnCredentialsHint = `renew them there, or remove the header to log in with the browser`
	textReadResource       = `Read a resource`
	textFollow             = `changes of %s are not told: %v`
	textElicitPage         = `it asks to open %q, which is no web page that can be shown`
	textElicitFailed       = `its question could not be put: %v`
	textOAuthAndHeader     = `an "Authorization" header is set as well, and no token would ever be asked for: remove one of the two`
	textKeyWithoutGrant    = `is for "grant": "client_credentials"`
	textSecretWithoutID    = `needs "client_id", whose secret it is`
	textGrantWithoutID     = `"grant": "client_credentials" needs the id of a client that the server knows`
	textSecretOrKey        = `"grant": "client_credentials" needs either "client_secret" or "private_key_file"`
	textNoCallback         = `no browser comes back with "grant": "client_credentials", remove it`
	textUnknownGrant       = `unknown grant %q: write "authorization_code" or "client_credentials"`
	textBadPort            = `%d is no port: write a number from 1 to 65535`
	textBadScope           = `the scope at place %d holds spaces or other characters that a scope cannot have`
	textNoAuthority        = `its metadata names no authorization server`
	textKeyFile            = `the private key cannot be used: %v`
	textNoKey              = `the file holds no private key in PEM form`
	textKeyKind            = `the server takes none of its signatures, only %s`
	textKeptForUser        = `a key that is kept can be named in your own settings only, not in a project's`
	textNotKept            = `no key is kept under the name %q`
	textNoToken            = `no token from the authorization server: %s`
	textScope              = `it wants more rights than the login gave: %s`
	textScopeHint          = `log in once more to grant them`
	textUnknownAutostart   = `unknown value %q: write "always", "on_demand" or "never"`
	textToolChanged        = `%s of %s is not what it was when it was last seen: look at it again before it is called`
	textNotWoken           = `%s was started for this call and cannot be used: %v`
	textBadGlob            = `%q is no pattern of tools' names: write a name, with * for any letters`
	textUnknownType        = `unknown type %q: write "stdio", "http" or "sse"`
	textUnwanted           = `has no meaning for a server of type %q, remove it`
	textNegative           = `must not be negative`
	textTilde              = `"~" is not expanded here, write ${userHome}`
	textNUL                = `holds a NUL byte`
	textEnvName            = `not the name of an environment variable`
	textHeaderName         = `not the name of an HTTP header`
	textHeaderValue        = `holds a line end or another control character`
	textHeaderTwice        = `is the same header as %q`
	textNameEmpty          = `the name of a server must not be empty`
	textNameControl        = `the name of server %q holds control or invisible characters`

	textUnset       = `%[1]s is not set: set it in the environment, or write ${%[1]s:-default}`
	textNoFolder    = `workspaceFolder is not known here: the entry belongs to no folder`
	textNoHome      = `userHome is not known here`
	textUnclosed    = `"${" has no closing "}"; write "$${" for a plain "${"`
	textBadVariable = `"${%s}" is no variable: write ${NAME} or ${NAME:-default}`
	textEditorStyle = `"${%s}" is another program's notation: write ${%s}`
	textNested      = `the default of %s must not hold another "${"`

	textGone        = `%s is no longer available`
	textMCPErrorOf  = `MCP error: %s`
	textUnknownTool = `unknown tool '%s'`

	textReasonWrite   = `MCP tool may modify external state`
	textReasonExec    = `MCP tool may run commands or set off actions`
	textReasonNetwork = `MCP tool may access external systems`
	textReasonUnknown = `MCP tool requires approval`
)

// What only the model reads of the result of a call.
//
//lang:untranslated the model's
const (
	textToolError      = `tool error: `
	textMCPError       = `MCP error: `
	textNoOutput       = `(no output)`
	textErrorNoText    = `the tool failed and gave no text`
	textImageEmpty     = `[image without data]`
	textImageType      = `[image of type %s, %s, left out: only PNG, JPEG, GIF and WebP can be shown to the model]`
	textImageBroken    = `[image of type %s, %s, left out: it cannot be decoded]`
	textImageLarge     = `[image of type %s, %s, left out: larger than %s or %d pixels a side]`
	textAudio          = `[audio of type %s, %s]`
	textAudioEmpty     = `[audio without data]`
	textBlob           = `[resource %s of type %s, %s]`
	textResourceEmpty  = `[resource without contents]`
	textUnknownContent = `[content of a kind that tools cannot return, left out]`
)
