package mcp

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// ServerConfig is one entry of "mcp_servers" as it stands in the file, before any
// expansion: ${VAR} is resolved once per connect attempt and never stored.
type ServerConfig struct {
	// Type is "stdio" (default), "http" (default when only URL is set), "sse" or,
	// for servers that run inside this process, "inprocess".
	Type    string            `json:"type,omitzero"`
	Command string            `json:"command,omitzero"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	// EnvFrom names variables of our own environment that the child gets beside
	// the few every child gets.
	EnvFrom []string          `json:"env_from,omitempty"`
	Cwd     string            `json:"cwd,omitzero"`
	URL     string            `json:"url,omitzero"`
	Headers map[string]string `json:"headers,omitempty"`
	// Disabled keeps the entry without running it.
	Disabled bool `json:"disabled,omitzero"`
	// ConnectTimeoutMs bounds one connect attempt; 0 means 30 000.
	ConnectTimeoutMs int `json:"connect_timeout_ms,omitzero"`
	// CallTimeoutMs bounds one tool call; 0 means no bound of ours.
	CallTimeoutMs int `json:"call_timeout_ms,omitzero"`
	// TrustAnnotations lets the server's readOnlyHint lower the risk of its tools.
	// User scope only.
	TrustAnnotations bool `json:"trust_annotations,omitzero"`

	// Sampling lets the server ask for the model, each time with the user's leave. User
	// scope only.
	Sampling bool `json:"sampling,omitzero"`
	// Tools chooses which of the server's tools the agent gets.
	Tools ToolFilter `json:"tools,omitzero"`

	// Autostart is when the server is started: AutostartAlways (default),
	// AutostartOnDemand or AutostartNever.
	Autostart string `json:"autostart,omitzero"`
	// OAuth is how the token of an HTTP server is got.
	OAuth OAuth `json:"oauth,omitzero"`

	// Origin says where the entry came from; it is no part of the file.
	Origin Origin `json:"-"`
}

// ToolFilter chooses tools by globs on the server's own names of them. Without Allow
// all are in; what Deny speaks of is out.
type ToolFilter struct {
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Offers reports whether the agent gets the tool.
func (f ToolFilter) Offers(tool string) bool {
	speaks := func(pattern string) bool { return permission.MatchTool(pattern, tool) }
	return (len(f.Allow) == 0 || slices.ContainsFunc(f.Allow, speaks)) && !slices.ContainsFunc(f.Deny, speaks)
}

// IsZero reports whether nothing is chosen; an empty list is as good as none.
func (f ToolFilter) IsZero() bool { return len(f.Allow) == 0 && len(f.Deny) == 0 }

// Scope says whose file an entry is in.
type Scope string

// The scopes.
const (
	ScopeUser    Scope = "user"
	ScopeProject Scope = "project"
)

// Origin is where an entry stands and whether it may act.
type Origin struct {
	Scope Scope
	// File is the absolute path of the settings file; Line and Column (1-based)
	// are of the entry's key in it.
	File         string
	Line, Column int
	// Shadows is the file of the entry of the same name that this one displaces
	// (or, while untrusted, will displace); empty when none.
	Shadows string
	// Problem says why the entry cannot be used ("both command and url are set"),
	// empty when it can; such an entry is shown as failed with code configInvalid.
	Problem string
	// Approved says whether the entry may run. User entries always are.
	Approved bool
	// ConsentHash is what an approval is bound to; Changed says that an older
	// version of the entry was approved. Project entries only.
	ConsentHash string
	Changed     bool
	// Changes is what is different from the version that was approved, as far as that
	// is known.
	Changes []FieldChange
}

// The transports of an entry, as status rows name them.
const (
	TransportStdio     = "stdio"
	TransportHTTP      = "http"
	TransportSSE       = "sse"
	TransportInProcess = "inprocess"
)

// The values of [ServerConfig.Autostart].
const (
	// AutostartAlways: with the folder.
	AutostartAlways = "always"
	// AutostartOnDemand: at the first call of one of its tools, which are offered as they
	// were last seen, or when the agent connects it.
	AutostartOnDemand = "on_demand"
	// AutostartNever: when a person starts it, or lets the agent connect it.
	AutostartNever = "never"
)

// DefaultConnectTimeout bounds one connect attempt of an entry that sets none.
const DefaultConnectTimeout = 30 * time.Second

// Transport returns how the entry is reached: its type, or what the fields that
// are set imply when it has none. An unknown type is returned as it stands;
// [ServerConfig.Check] reports it.
func (c ServerConfig) Transport() string {
	switch {
	case c.Type != "":
		return c.Type
	case c.URL != "" && c.Command == "":
		return TransportHTTP
	default:
		return TransportStdio
	}
}

// ConnectTimeout returns the bound of one connect attempt.
func (c ServerConfig) ConnectTimeout() time.Duration {
	if c.ConnectTimeoutMs <= 0 {
		return DefaultConnectTimeout
	}
	return milliseconds(c.ConnectTimeoutMs)
}

// CallTimeout returns the bound of one tool call; 0 means none.
func (c ServerConfig) CallTimeout() time.Duration {
	if c.CallTimeoutMs <= 0 {
		return 0
	}
	return milliseconds(c.CallTimeoutMs)
}

// milliseconds saturates, for a settings file may hold any number.
func milliseconds(ms int) time.Duration {
	if int64(ms) > math.MaxInt64/int64(time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(ms) * time.Millisecond
}

// FieldError is one thing wrong with one field of an entry. Field is the path of
// the field within the entry, in the words of the settings file ("headers.X-Key",
// "args[2]"), so that an editor can point at it.
type FieldError struct {
	Field   string
	Problem string // in English

	said lang.Message // Problem
}

func fieldError(field string, problem lang.Message) *FieldError {
	return &FieldError{Field: field, Problem: problem.String(), said: problem}
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// In is the text in a language.
func (e *FieldError) In(l lang.Lang) string { return e.Field + ": " + e.said.In(l) }

// Check reports everything that keeps the entry from being used, before any
// expansion: each problem is a [*FieldError], several are joined. It reads
// nothing but the entry.
func (c ServerConfig) Check() error {
	var k checker
	switch c.Transport() {
	case TransportStdio:
		k.stdio(c)
	case TransportHTTP, TransportSSE:
		k.http(c)
	case TransportInProcess:
		if c.Command == "" {
			k.add("command", textInProcessCommand)
		}
		k.unwanted(c, TransportInProcess, "url", "headers")
	default:
		k.add("type", textUnknownType, CleanLine(c.Type))
	}
	if c.ConnectTimeoutMs < 0 {
		k.add("connect_timeout_ms", textNegative)
	}
	if c.CallTimeoutMs < 0 {
		k.add("call_timeout_ms", textNegative)
	}
	if !slices.Contains([]string{"", AutostartAlways, AutostartOnDemand, AutostartNever}, c.Autostart) {
		k.add("autostart", textUnknownAutostart, CleanLine(c.Autostart))
	}
	k.oauth(c)
	for name, list := range map[string][]string{"allow": c.Tools.Allow, "deny": c.Tools.Deny} {
		for i, pattern := range list {
			if !permission.ValidGlob(pattern) {
				k.add(fmt.Sprintf("tools.%s[%d]", name, i), textBadGlob, CleanLine(pattern))
			}
		}
	}
	return errors.Join(k.errs...)
}

// CheckName reports whether name can be the name of a server: it is a key of the
// settings file, a part of tool names and a word in every status line.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return lang.Errorf(zh, textNameEmpty)
	case Clean(name) != name || strings.ContainsAny(name, "\n\t"):
		return lang.Errorf(zh, textNameControl, CleanLine(name))
	}
	return nil
}

// checker collects the problems of one entry.
type checker struct{ errs []error }

func (k *checker) add(field, format string, args ...any) {
	k.errs = append(k.errs, fieldError(field, lang.Messagef(zh, format, args...)))
}

func (k *checker) stdio(c ServerConfig) {
	switch {
	case c.Command != "" && c.URL != "":
		k.add("command", textCommandAndURL)
	case c.Command == "" && c.URL == "" && c.Type == "":
		k.add("command", textNeither)
	case strings.TrimSpace(c.Command) == "":
		k.add("command", textStdioCommand)
	case holdsArguments(c.Command):
		k.add("command", textCommandArgs)
	}
	if c.Command != "" && c.URL != "" {
		c.URL = "" // said above
	}
	k.unwanted(c, TransportStdio, "url", "headers")
	k.tilde("command", c.Command)
	k.tilde("cwd", c.Cwd)
	k.nul("command", c.Command)
	k.nul("cwd", c.Cwd)
	for i, a := range c.Args {
		k.nul(fmt.Sprintf("args[%d]", i), a)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		k.envName("env."+CleanLine(name), name)
		k.nul("env."+CleanLine(name), c.Env[name])
	}
	for i, name := range c.EnvFrom {
		k.envName(fmt.Sprintf("env_from[%d]", i), name)
	}
}

func (k *checker) http(c ServerConfig) {
	switch {
	case c.Command != "" && c.URL != "":
		k.add("url", textCommandAndURL)
	case c.URL == "":
		k.add("url", textHTTPURL, c.Type)
	case !strings.Contains(c.URL, "${"): // else only what it expands to can be judged
		if !validURL(c.URL) {
			k.add("url", textBadURL)
		}
	}
	if c.Command != "" && c.URL != "" {
		c.Command = "" // said above
	}
	k.unwanted(c, c.Transport(), "command", "args", "env", "env_from", "cwd")
	seen := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		field := "headers." + CleanLine(name)
		if !validHeaderName(name) {
			k.add(field, textHeaderName)
		}
		if !validHeaderValue(c.Headers[name]) {
			k.add(field, textHeaderValue)
		}
		fold := strings.ToLower(name)
		if other, dup := seen[fold]; dup {
			k.add(field, textHeaderTwice, CleanLine(other))
		}
		seen[fold] = name
	}
}

// unwanted reports those of fields that are set though the transport has no use
// for them: they would be ignored in silence.
func (k *checker) unwanted(c ServerConfig, transport string, fields ...string) {
	set := map[string]bool{
		"command": c.Command != "", "args": len(c.Args) > 0, "env": len(c.Env) > 0,
		"env_from": len(c.EnvFrom) > 0, "cwd": c.Cwd != "",
		"url": c.URL != "", "headers": len(c.Headers) > 0,
	}
	for _, f := range fields {
		if set[f] {
			k.add(f, textUnwanted, transport)
		}
	}
}

func (k *checker) tilde(field, s string) {
	if s == "~" || strings.HasPrefix(s, "~/") {
		k.add(field, textTilde)
	}
}

func (k *checker) nul(field, s string) {
	if strings.ContainsRune(s, 0) {
		k.add(field, textNUL)
	}
}

func (k *checker) envName(field, name string) {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		k.add(field, textEnvName)
	}
}

// holdsArguments reports whether command is a command line rather than a
// program. A path may hold spaces, so only a bare first word gives it away.
func holdsArguments(command string) bool {
	first, _, spaced := strings.Cut(strings.TrimSpace(command), " ")
	return spaced && !strings.ContainsAny(first, `/\$`)
}

func validURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// validHeaderName reports whether name is a token of RFC 9110, section 5.6.2.
func validHeaderName(name string) bool {
	for _, r := range name {
		alnum := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !alnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", r) {
			return false
		}
	}
	return name != ""
}

// validHeaderValue reports whether v can be sent: a line end in it would start
// another header (RFC 9110, section 5.5).
func validHeaderValue(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
