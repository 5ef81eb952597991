package workspace

import (
	"maps"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Settings is what one settings file says, or what several say together. Values
// stand as they were written: no variable is expanded, so that two readings of an
// unchanged file are equal (but for the positions in Origin, which an equality of
// entries must leave out).
//
// A Settings that was published in a Snapshot is shared: its maps and slices are
// read only.
type Settings struct {
	// Model is "<provider>/<model>" or "offline"; empty when not set.
	Model string
	// FallbackModel answers where Model is overloaded; empty when there is none. User
	// scope only.
	FallbackModel string
	// Providers by name. User scope only.
	Providers map[string]Provider
	// ModelInfo is what the user knows of models, by id or by the model's own name, to
	// which a "*" at the end may stand for the rest. User scope only.
	ModelInfo map[string]ModelInfo
	// MCPServers by name, with Origin filled. An entry that cannot be used is here
	// too, with Origin.Problem saying why.
	MCPServers  map[string]mcp.ServerConfig
	Permissions Permissions
}

// Provider is one entry of "providers".
type Provider struct {
	// Type is "anthropic" or "openai" (and whatever speaks like it).
	Type string `json:"type"`
	// API is "chat_completions" or "responses", of type "openai"; empty when the address
	// decides.
	API string `json:"api"`
	// BaseURL is empty for the provider's own. The key goes to it and nowhere else.
	BaseURL string `json:"base_url"`
	// APIKey is a key, a "${VAR}" or a "keychain:<name>". Never log it.
	APIKey string `json:"api_key"`
	// Models are the models the user wants to choose from; a project may set only
	// one of these (or the user's own) as its model.
	Models []string `json:"models"`
	// ToolReferences says that an address of type "anthropic" takes tools that are loaded
	// where a result of a search names them, as Anthropic's own does.
	ToolReferences bool `json:"tool_references"`
	// CAFile is a PEM file of certificates to trust beside the system's, absolute or from
	// the user's home; variables may stand in it.
	CAFile string `json:"ca_file"`
}

// ModelInfo is one entry of "model_info": what is known of a model. Zero means: what is
// known otherwise. Prices are in US dollars for a million tokens.
type ModelInfo struct {
	ContextTokens    int     `json:"context_tokens"`
	MaxTokens        int     `json:"max_tokens"`
	PriceInput       float64 `json:"price_input"`
	PriceOutput      float64 `json:"price_output"`
	PriceCachedRead  float64 `json:"price_cached_read"`
	PriceCachedWrite float64 `json:"price_cached_write"`
}

// Permissions is the "permissions" of a settings file. The rules are those that
// could be parsed, in the order of the file.
type Permissions struct {
	// Mode is the mode new sessions start in; empty when not set. User scope only.
	Mode permission.Mode `json:"mode"`
	// Allow is user scope only; Ask and Deny of all scopes hold together.
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	Deny  []string `json:"deny"`
}

// merge lays a project's settings over the user's. Only what project scope may set
// is taken, whatever project holds. model is the project's model, already checked
// to be one the user configured, or empty.
func merge(user, project Settings, model string) Settings {
	out := Settings{
		Model:         user.Model,
		FallbackModel: user.FallbackModel,
		Providers:     user.Providers,
		ModelInfo:     user.ModelInfo,
		MCPServers:    mergeServers(user.MCPServers, project.MCPServers),
		Permissions:   user.Permissions,
	}
	if model != "" {
		out.Model = model
	}
	out.Permissions.Ask = concat(user.Permissions.Ask, project.Permissions.Ask)
	out.Permissions.Deny = concat(user.Permissions.Deny, project.Permissions.Deny)
	return out
}

// mergeServers returns the entries that are in effect for a folder: a project's
// entry replaces the user's of the same name whole, once it is approved; until
// then it is shown only where the user has none of that name.
func mergeServers(user, project map[string]mcp.ServerConfig) map[string]mcp.ServerConfig {
	out := make(map[string]mcp.ServerConfig, len(user)+len(project))
	maps.Copy(out, user)
	for name, entry := range project {
		if _, taken := out[name]; taken && !entry.Origin.Approved {
			continue
		}
		out[name] = entry
	}
	return out
}

// configured reports whether model is one the user has configured by name. A
// provider alone does not do: a router's endpoint would let a project send the
// code to any vendor behind it.
func configured(user Settings, model string) bool {
	if model == "offline" || model == user.Model {
		return true
	}
	for name, p := range user.Providers {
		for _, m := range p.Models {
			if model == name+"/"+m {
				return true
			}
		}
	}
	return false
}

// concat returns a followed by b in a slice of its own, nil when both are empty.
func concat(a, b []string) []string {
	if len(a)+len(b) == 0 {
		return nil
	}
	return append(append(make([]string, 0, len(a)+len(b)), a...), b...)
}
