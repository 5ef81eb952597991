package workspace

// The texts a person reads, in one place so that they can be translated. Each names
// the thing, what is wrong with it and the way out.
const (
	msgEmpty       = "the settings file is empty: the last good settings stay in force; write {} to have none"
	msgUTF16       = "the settings file is UTF-16: save it as UTF-8"
	msgNotUTF8     = "the settings file is not valid UTF-8: save it as UTF-8"
	msgTooLarge    = "the settings file is larger than %d KiB: the last good settings stay in force"
	msgTooDeep     = "the settings file is nested deeper than %d levels"
	msgSyntax      = "not valid JSON: %s; the last good settings stay in force"
	msgNotObject   = "the settings must be an object: { ... }"
	msgDirectory   = "is a directory, not a settings file: the last good settings stay in force"
	msgNotRegular  = "is not a regular file: the last good settings stay in force"
	msgUnreadable  = "cannot read the settings file: %v; the last good settings stay in force"
	msgOutside     = "this project's settings file is a link out of its folder and is ignored: put a real file there"
	msgDuplicate   = "%q is here twice (first in line %d): the last one counts"
	msgUnknown     = "unknown key %q is ignored"
	msgUnknownNear = "unknown key %q is ignored: did you mean %q?"
	msgType        = "%s must be %s, not %s"
	msgUserScope   = "%q has no effect in a project's settings: set it in the user's settings file"
	msgModelShape  = "model must be \"<provider>/<model>\" or \"offline\""
	msgModelScope  = "a project may choose only a model you have configured: add %q to the models of its provider in your own settings file"
	msgMode        = "unknown mode %q: use default, accept_edits, plan or auto"
	msgRule        = "this rule is ignored: %v"

	msgProviderName    = "a provider's name must not be empty or contain \"/\": it stands before the \"/\" of a model"
	msgProviderType    = "provider %q: unknown type %q: use \"anthropic\", or \"openai\" for anything compatible"
	msgProviderNoType  = "provider %q: type is missing: use \"anthropic\", or \"openai\" for anything compatible"
	msgForeignServers  = "%q is another program's key and is ignored: the key here is \"mcp_servers\""
	msgForeignTransprt = "transport is another program's: put type, url and headers directly into the entry"
	msgForeignCommand  = "command must be a string, not a list: put what follows the program into args"
	msgForeignType     = "type %q is another program's: use %q"
	msgForeignField    = "%q is another program's key: use %s"
	msgNotImplemented  = "%q has no effect in this version"
	msgToolsNoEffect   = "\"tools\" has no effect in this version: use permissions.deny with \"mcp(%s/<tool>)\""

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
