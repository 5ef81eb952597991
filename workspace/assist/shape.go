package assist

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/session/permission"
	"github.com/codebot-ls/codebot-ls/workspace"
)

// shape is what may stand at one place of a settings file. The tree of shapes comes
// from the Go types that the file is read into; what a type cannot say (what a key is
// for, which words a string may be) is in notes.
type shape struct {
	// types are the JSON types, in the words of JSON Schema.
	types string
	// keys are the keys an object may have, in the order they are explained.
	keys []*key
	// entry is the shape of the values of an object whose keys are names.
	entry *shape
	// element is the shape of the elements of an array.
	element *shape
	// words are the only strings that may stand here, nil when any may.
	words []word
	// source names where other suggestions come from.
	source source
}

// key is one key of an object.
type key struct {
	name string
	// means is the text that explains it, a key of the catalog.
	means string
	// userOnly says that it has no effect in a project's file.
	userOnly bool
	// example is what a snippet puts in the value's place, "" for the value of the
	// type.
	example string
	value   *shape
}

// word is one string of an enumeration and the text that explains it.
type word struct{ word, means string }

// source says where suggestions for a string come from.
type source string

// The sources.
const (
	fromNowhere   source = ""
	fromPrograms  source = "programs"  // on PATH
	fromVariables source = "variables" // names in the environment
	fromRules     source = "rules"
	fromModels    source = "models"
	fromFolders   source = "folders" // the two variables that stand for a folder
	fromHeaders   source = "headers"
	fromServers   source = "servers" // the names of entries: known servers
	fromTools     source = "tools"   // of the server of the entry
)

// note is what the Go type of a key does not say of it.
type note struct {
	means    string
	userOnly bool
	example  string
	words    []word
	source   source
}

// notes explains every key, by its path; "*" stands for a name.
var notes = map[string]note{
	"model":      {means: docModel, example: `"${1:offline}"`, source: fromModels},
	"providers":  {means: docProviders, userOnly: true},
	"model_info": {means: docModelInfo, userOnly: true},

	"fallback_model": {means: docFallback, userOnly: true, example: `"${1:offline}"`, source: fromModels},
	"mcp_servers":    {means: docServers, source: fromServers},
	"permissions":    {means: docPermissions},

	"providers.*.type":    {means: docProviderType, words: []word{{"anthropic", docAnthropic}, {"openai", docOpenAI}}},
	"providers.*.api":     {means: docProviderAPI, words: []word{{"responses", docResponses}, {"chat_completions", docChat}}},
	"providers.*.ca_file": {means: docCAFile},

	"providers.*.tool_references": {means: docReferences, example: "${1:true}"},

	"providers.*.base_url": {means: docBaseURL},
	"providers.*.api_key":  {means: docAPIKey, example: `"\${${1:API_KEY}}"`},
	"providers.*.models":   {means: docModels},

	"model_info.*.context_tokens":     {means: docInfoContext, example: "${1:128000}"},
	"model_info.*.max_tokens":         {means: docInfoMax, example: "${1:16000}"},
	"model_info.*.price_input":        {means: docPriceInput, example: "${1:0}"},
	"model_info.*.price_output":       {means: docPriceOutput, example: "${1:0}"},
	"model_info.*.price_cached_read":  {means: docPriceRead, example: "${1:0}"},
	"model_info.*.price_cached_write": {means: docPriceWrite, example: "${1:0}"},

	"permissions.mode": {means: docMode, userOnly: true, words: []word{
		{string(permission.ModeDefault), docModeDefault}, {string(permission.ModeAcceptEdits), docModeAcceptEdits},
		{string(permission.ModePlan), docModePlan}, {string(permission.ModeAuto), docModeAuto},
	}},
	"permissions.allow": {means: docAllow, userOnly: true, source: fromRules},
	"permissions.ask":   {means: docAsk, source: fromRules},
	"permissions.deny":  {means: docDeny, source: fromRules},

	"mcp_servers.*.type": {means: docType, words: []word{
		{mcp.TransportStdio, docStdio}, {mcp.TransportHTTP, docHTTP}, {mcp.TransportSSE, docSSE},
	}},
	"mcp_servers.*.command":            {means: docCommand, source: fromPrograms},
	"mcp_servers.*.args":               {means: docArgs},
	"mcp_servers.*.env":                {means: docEnv, source: fromVariables},
	"mcp_servers.*.env_from":           {means: docEnvFrom, source: fromVariables},
	"mcp_servers.*.cwd":                {means: docCwd, source: fromFolders},
	"mcp_servers.*.url":                {means: docURL, example: `"${1:https://}"`},
	"mcp_servers.*.headers":            {means: docHeaders, source: fromHeaders},
	"mcp_servers.*.disabled":           {means: docDisabled, example: "${1:true}"},
	"mcp_servers.*.connect_timeout_ms": {means: docConnectTimeout, example: "${1:30000}"},
	"mcp_servers.*.call_timeout_ms":    {means: docCallTimeout, example: "${1:60000}"},
	"mcp_servers.*.autostart": {means: docAutostart, words: []word{
		{mcp.AutostartAlways, docAutostartAlways}, {mcp.AutostartOnDemand, docAutostartOnDemand}, {mcp.AutostartNever, docAutostartNever},
	}},
	"mcp_servers.*.oauth":               {means: docOAuth},
	"mcp_servers.*.oauth.client_id":     {means: docOAuthClientID},
	"mcp_servers.*.oauth.client_secret": {means: docOAuthClientSecret, example: `"\${${1:CLIENT_SECRET}}"`},
	"mcp_servers.*.oauth.scopes":        {means: docOAuthScopes},
	"mcp_servers.*.oauth.callback_port": {means: docOAuthCallbackPort, example: "${1:8765}"},
	"mcp_servers.*.oauth.grant": {means: docOAuthGrant, words: []word{
		{mcp.GrantCode, docOAuthGrantCode}, {mcp.GrantClientCredentials, docOAuthGrantClient},
	}},
	"mcp_servers.*.oauth.private_key_file": {means: docOAuthPrivateKeyFile, userOnly: true},

	"mcp_servers.*.tools":             {means: docTools},
	"mcp_servers.*.tools.allow":       {means: docToolsAllow, source: fromTools},
	"mcp_servers.*.tools.deny":        {means: docToolsDeny, source: fromTools},
	"mcp_servers.*.sampling":          {means: docSampling, userOnly: true, example: "${1:true}"},
	"mcp_servers.*.trust_annotations": {means: docTrustAnnotations, userOnly: true, example: "${1:true}"},
}

// settingsShape is the shape of a whole file.
var settingsShape = sync.OnceValue(func() *shape {
	named := func(path string, t reflect.Type) *shape {
		return &shape{types: "object", entry: shapeOf(path+".*", t), source: notes[path].source}
	}
	root := &shape{types: "object"}
	for name, s := range map[string]*shape{
		"model":      {types: "string", source: fromModels},
		"providers":  named("providers", reflect.TypeFor[workspace.Provider]()),
		"model_info": named("model_info", reflect.TypeFor[workspace.ModelInfo]()),

		"fallback_model": {types: "string", source: fromModels},
		"mcp_servers":    named("mcp_servers", reflect.TypeFor[mcp.ServerConfig]()),
		"permissions":    shapeOf("permissions", reflect.TypeFor[workspace.Permissions]()),
	} {
		root.keys = append(root.keys, newKey(name, name, s))
	}
	order := []string{"model", "fallback_model", "providers", "model_info", "mcp_servers", "permissions"}
	slices.SortFunc(root.keys, func(a, b *key) int { return slices.Index(order, a.name) - slices.Index(order, b.name) })
	return root
})

func newKey(path, name string, s *shape) *key {
	n := notes[path]
	return &key{name: name, means: n.means, userOnly: n.userOnly, example: n.example, value: s}
}

// shapeOf is the shape of what is read into a Go type.
func shapeOf(path string, t reflect.Type) *shape {
	n := notes[path]
	switch t.Kind() {
	case reflect.String:
		return &shape{types: "string", words: n.words, source: n.source}
	case reflect.Bool:
		return &shape{types: "boolean"}
	case reflect.Int:
		return &shape{types: "integer"}
	case reflect.Float64:
		return &shape{types: "number"}
	case reflect.Slice:
		return &shape{types: "array", element: &shape{types: "string", source: n.source}}
	case reflect.Map:
		return &shape{types: "object", entry: &shape{types: "string"}, source: n.source}
	}
	s := &shape{types: "object"}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		s.keys = append(s.keys, newKey(path+"."+name, name, shapeOf(path+"."+name, t.Field(i).Type)))
	}
	return s
}

// at returns the shape at a path, nil where none can be.
func (s *shape) at(path []string) *shape {
	for _, name := range path {
		switch {
		case s == nil:
			return nil
		case name == "*" && s.element != nil:
			s = s.element
		case s.entry != nil:
			s = s.entry
		default:
			k := s.key(name)
			if k == nil {
				return nil
			}
			s = k.value
		}
	}
	return s
}

// key returns the key of that name, nil when there is none.
func (s *shape) key(name string) *key {
	i := slices.IndexFunc(s.keys, func(k *key) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return s.keys[i]
}
