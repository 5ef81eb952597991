package workspace

// The texts a person reads, in one place, as keys of their translations. Each names
// the thing, what is wrong with it and the way out.
const (
	msgEmpty       = "the settings file is empty: write {} to have no settings"
	msgUTF16       = "the settings file is UTF-16: save it as UTF-8"
	msgNotUTF8     = "the settings file is not valid UTF-8: save it as UTF-8"
	msgTooLarge    = "the settings file is larger than %d KiB"
	msgTooDeep     = "the settings file is nested deeper than %d levels"
	msgSyntax      = "not valid JSON: %s"
	msgNotObject   = "the settings must be an object: { ... }"
	msgDirectory   = "is a directory, not a settings file"
	msgNotRegular  = "is not a regular file"
	msgUnreadable  = "cannot read the settings file: %v"
	msgLastGood    = "%s; the last good settings stay in force"
	msgOutside     = "this project's settings file is a link out of its folder and is ignored: put a real file there"
	msgDuplicate   = "%q is here twice (first in line %d): the last one counts"
	msgUnknown     = "unknown key %q is ignored"
	msgUnknownNear = "unknown key %q is ignored: did you mean %q?"
	msgType        = "%s must be %s, not %s"
	msgUserScope   = "%q has no effect in a project's settings: set it in the user's settings file"
	msgModelShape  = "%s must be \"<provider>/<model>\" or \"offline\""
	msgModelScope  = "a project may choose only a model you have configured: add %q to the models of its provider in your own settings file"
	msgNegative    = "%s must not be negative"
	msgMode        = "unknown mode %q: use default, accept_edits, plan or auto"
	msgRule        = "this rule is ignored: %v"

	msgProviderName    = "a provider's name must not be empty or contain \"/\": it stands before the \"/\" of a model"
	msgProviderType    = "provider %q: unknown type %q: use \"anthropic\", or \"openai\" for anything compatible"
	msgProviderNoType  = "provider %q: type is missing: use \"anthropic\", or \"openai\" for anything compatible"
	msgProviderAPI     = "unknown api %q: use chat_completions, or responses"
	msgForeignServers  = "%q is another program's key and is ignored: the key here is \"mcp_servers\""
	msgForeignTransprt = "transport is another program's: put type, url and headers directly into the entry"
	msgForeignCommand  = "command must be a string, not a list: put what follows the program into args"
	msgForeignType     = "type %q is another program's: use %q"
	msgForeignField    = "%q is another program's key: use %s"
	msgNotImplemented  = "%q has no effect in this version"

	msgServerProblem = "mcp server %q: %s"
	msgTheEntry      = "the entry"
	msgProvider      = "provider %q"
	msgUseAllow      = "permissions.allow with %q"
	msgEnvOrFrom     = `"env" or "env_from"`

	msgNoServer       = "no such server in the project's settings"
	msgConsentChanged = "the entry has changed since it was shown: look at it again"
	msgOfServer       = "mcp server %q: %w"
	msgOfFolder       = "folder %s: %w"
	msgServerIn       = "mcp server %q in %s: %w"

	msgModelKey = "%s holds a model's key, which no project's server gets: use another variable, or put the entry into your own settings file"

	msgEditBad       = "%s cannot be edited: %v; %w"
	msgEditMend      = "mend the file first"
	msgEditChanged   = "the settings file has changed since it was read: look at it and try again"
	msgEditToolGlob  = "%w: the tool %q is off by the pattern %q, which speaks of others too: change it in the settings file"
	msgEditExists    = "there is an entry of that name already: change that one, or take another name"
	msgEditUnusable  = "the entry cannot be used"
	msgEditHome      = "this folder is your home and has no settings of its own: leave the folder out to change yours"
	msgEditFile      = "%s: %w"
	msgEditOf        = "%s: mcp server %q: %w"
	msgEditInvalid   = "%s: mcp server %q: %w: %s"
	msgEditInvalidIs = "%w: %v"
	msgEditNoObject  = "%s is %s: make it an object first"
	msgEditWrite     = "writing %s: %w"
	msgNotOpen       = "this folder is not open"

	msgRelative = "%s is %q: it must be an absolute path"
	msgNoHome   = "%s is not set: set it, or set CODEBOT_HOME to the directory that holds your settings"

	msgTrustKeep    = "keeping the approval of %q: %w"
	msgTrustRevoke  = "revoking the approval of %q: %w"
	msgTrustLock    = "waiting for another process to release %s: %w"
	msgTrustMend    = "%s: %w; fix or delete it"
	msgTrustLarge   = "too large"
	msgTrustJSON    = "not valid JSON: %w"
	msgTrustVersion = "version %d is not known to this version of codebot-ls"

	msgTrust = "the file of approvals cannot be used, so no project server is approved: %v; fix or delete it"
)

// Names of JSON values for people.
const (
	nounObject  = "an object"
	nounArray   = "a list"
	nounStrings = "a list of strings"
	nounMap     = "an object of strings"
	nounString  = "a string"
	nounNumber  = "a number"
	nounInteger = "a whole number"
	nounBoolean = "true or false"
	nounNull    = "null"
)

// What the parser of JSON finds, in its words (hujson's parse.go).
const (
	syntaxTop          = "invalid character %s after top-level value"
	syntaxName         = "invalid character %s at start of object name"
	syntaxAfterName    = "invalid character %s after object name"
	syntaxMember       = "invalid character %s after object value (expecting ',' or '}')"
	syntaxElement      = "invalid character %s after array value (expecting ',' or ']')"
	syntaxValue        = "invalid character %s at start of value"
	syntaxComment      = "invalid character %s in line comment"
	syntaxLiteral      = "invalid literal"
	syntaxEndValue     = "parsing value: unexpected EOF"
	syntaxEndAfterName = "parsing object after name: unexpected EOF"
	syntaxEndMember    = "parsing object after value: unexpected EOF"
	syntaxEndElement   = "parsing array after value: unexpected EOF"
	syntaxEndString    = "parsing string: unexpected EOF"
	syntaxEndComment   = "parsing comment: unexpected EOF"
)

var syntaxFormats = []string{
	syntaxTop, syntaxName, syntaxAfterName, syntaxMember, syntaxElement, syntaxValue, syntaxComment, syntaxLiteral,
	syntaxEndValue, syntaxEndAfterName, syntaxEndMember, syntaxEndElement, syntaxEndString, syntaxEndComment,
}
