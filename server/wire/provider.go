package wire

// ProvidersListResult lists the providers of models, configured and found.
type ProvidersListResult struct {
	Providers []Provider `json:"providers"`
}

// Provider is one provider of models.
type Provider struct {
	// Name is its key in "providers"; Type is anthropic or openai.
	Name    string `json:"name"`
	Type    string `json:"type"`
	BaseURL string `json:"baseUrl"`
	// KeyFrom says where its key comes from; the key itself is never told.
	KeyFrom KeySource `json:"keyFrom"`
	// Configured: the settings name it. One that is only known by name can be given a
	// key, which makes it usable; a local one needs none.
	Configured bool `json:"configured"`
	Available  bool `json:"available"`
	// Reason says why it is not available.
	Reason string `json:"reason,omitzero"`
	// Local: it runs on this machine.
	Local bool `json:"local,omitzero"`
}

// KeySource says where a key comes from.
type KeySource string

// The sources of keys.
const (
	KeyNone        KeySource = "none"
	KeySettings    KeySource = "settings"
	KeyEnvironment KeySource = "environment"
	KeyKeychain    KeySource = "keychain"
	KeyFile        KeySource = "file"
)

// ProvidersSetKeyParams gives a provider a key. It is kept in the system's keychain, or
// where there is none in a file that only the user can read; never in a settings file.
type ProvidersSetKeyParams struct {
	Provider string `json:"provider"`
	Key      string `json:"key"`
}

// ProvidersSetKeyResult says where the key is now: keychain or file.
type ProvidersSetKeyResult struct {
	KeyFrom KeySource `json:"keyFrom"`
}

// ProviderRef names a provider.
type ProviderRef struct {
	Provider string `json:"provider"`
}

// ProvidersTestResult is what the provider answered to a request for its models. A
// failure is a result.
type ProvidersTestResult struct {
	OK bool `json:"ok"`
	// Error says what is wrong and what to do, with ModelErrorKind's kinds.
	Error *ModelError `json:"error,omitzero"`
	// Models are the ids that it lists.
	Models []string `json:"models"`
}

// ModelPrice is what a model costs, in US dollars for a million tokens.
type ModelPrice struct {
	Input       float64 `json:"input"`
	Output      float64 `json:"output"`
	CachedRead  float64 `json:"cachedRead,omitzero"`
	CachedWrite float64 `json:"cachedWrite,omitzero"`
}
