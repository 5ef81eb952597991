package endpoint

// What a person reads of a model that failed. The first %s is the model's id, the
// second the provider's address.
const (
	textAuth        = "%s: %s does not accept the key. Enter a working key, or correct \"api_key\" of its provider in settings.json"
	textNoKey       = "%s: %s wants a key and none is configured. Enter one, or set \"api_key\" of its provider in settings.json"
	textQuota       = "%s: the account at %s has no quota left. Add credit there, or choose another model"
	textNotFound    = "%s: %s does not know this model. Choose another one, or correct \"model\" or \"base_url\" in settings.json"
	textTooLong     = "%s: the conversation is too long for this model. Compact it, or start a new session"
	textOverloaded  = "%s: %s is overloaded or limits the rate of requests. Try again later, or choose another model"
	textUnreachable = "%s: %s cannot be reached (%s). Check that it runs and that \"base_url\" of its provider in settings.json is right"
	textCut         = "%s: the answer of %s broke off (%s). What had arrived is kept; send the prompt again to go on"
	textCutNothing  = "%s: the answer of %s broke off (%s) before anything had arrived. Send the prompt again"
	textModel       = "%s: %s answered with an error. Try again, or choose another model"
	textPage        = "%s: %s answered with a web page, so it is not a model's address. Correct \"base_url\" of its provider in settings.json"
	textRedirect    = "%s: %s redirects to %s. The key is not sent there; if that is the right address, put it into \"base_url\" of its provider in settings.json"
	textProtocol    = "%s: %s did not answer in the protocol of its provider's type. Correct \"type\" or \"base_url\" in settings.json"

	textProxy = "%s: the proxy on the way to %s wants a login. Put user and password into HTTPS_PROXY, or into the editor's proxy setting"
	textTLS   = "%s: the certificate of %s is not trusted (%s). Name the file of your company's certificates in \"ca_file\" of its provider in settings.json"

	textNotPEM = "%s has no certificates in PEM form"

	textRetry = "%s: %s; sending the request again (%d of %d)"

	reasonEnd      = "the connection ended early"
	reasonIdle     = "nothing came for %s"
	reasonNoAnswer = "no answer within %s"
	reasonRefused  = "connection refused"
	reasonHost     = "the host is not known"
	reasonTimeout  = "timeout"

	whyOverloaded  = "the model is overloaded"
	whyRate        = "the rate limit is reached"
	whyServer      = "the provider failed"
	whyUnreachable = "the provider cannot be reached"
	whyCut         = "the answer broke off"
)
