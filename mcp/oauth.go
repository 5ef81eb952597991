package mcp

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// OAuth is how an entry gets the token of a server that wants one. The zero value is what
// most servers need: a client that registers itself, and the browser.
type OAuth struct {
	// ClientID is of a client that was registered with the authorization server before, or
	// the https address of a client's metadata document. Empty: we register ourselves.
	ClientID string `json:"client_id,omitzero"`
	// ClientSecret goes with ClientID: the secret itself, a ${VAR}, or "keychain:<name>".
	ClientSecret string `json:"client_secret,omitzero"`
	// Scopes are asked for instead of those the server speaks of.
	Scopes []string `json:"scopes,omitempty"`
	// CallbackPort is the port the browser comes back to, for a client that was
	// registered with http://localhost:<port>/callback; 0 for any that is free.
	CallbackPort int `json:"callback_port,omitzero"`
	// Grant is GrantCode (default) or GrantClientCredentials.
	Grant string `json:"grant,omitzero"`
	// PrivateKeyFile is a PEM file (EC, RSA or Ed25519) to sign in with instead of
	// ClientSecret, for GrantClientCredentials (RFC 7523). User scope only: a project must
	// not choose which of the user's keys signs what.
	PrivateKeyFile string `json:"private_key_file,omitzero"`
}

// The grants of an entry.
const (
	GrantCode              = "authorization_code"
	GrantClientCredentials = "client_credentials"
)

// IsZero reports whether nothing is set; an empty list is as good as none.
func (o OAuth) IsZero() bool { return o.Equal(OAuth{}) }

// Equal reports whether both get the same token in the same way.
func (o OAuth) Equal(p OAuth) bool {
	return slices.Equal(o.Scopes, p.Scopes) && o.ClientID == p.ClientID && o.ClientSecret == p.ClientSecret && o.CallbackPort == p.CallbackPort &&
		o.Grant == p.Grant && o.PrivateKeyFile == p.PrivateKeyFile
}

// machine reports whether the token is got without a person.
func (o OAuth) machine() bool { return o.Grant == GrantClientCredentials }

func (k *checker) oauth(c ServerConfig) {
	o := c.OAuth
	if o.IsZero() {
		return
	}
	if kind := c.Transport(); kind != TransportHTTP && kind != TransportSSE {
		k.add("oauth", textUnwanted, kind)
		return
	}
	for header := range c.Headers {
		if strings.EqualFold(header, "Authorization") {
			k.add("oauth", textOAuthAndHeader)
		}
	}
	switch o.Grant {
	case "", GrantCode:
		if o.PrivateKeyFile != "" {
			k.add("oauth.private_key_file", textKeyWithoutGrant)
		}
		if o.ClientSecret != "" && o.ClientID == "" {
			k.add("oauth.client_secret", textSecretWithoutID)
		}
	case GrantClientCredentials:
		switch {
		case o.ClientID == "":
			k.add("oauth.client_id", textGrantWithoutID)
		case (o.ClientSecret == "") == (o.PrivateKeyFile == ""):
			k.add("oauth", textSecretOrKey)
		}
		if o.CallbackPort != 0 {
			k.add("oauth.callback_port", textNoCallback)
		}
	default:
		k.add("oauth.grant", textUnknownGrant, CleanLine(o.Grant))
	}
	if o.CallbackPort < 0 || o.CallbackPort > 65535 {
		k.add("oauth.callback_port", textBadPort, o.CallbackPort)
	}
	for i, scope := range o.Scopes {
		if !validScope(scope) {
			k.add("oauth.scopes", textBadScope, i)
		}
	}
}

// validScope reports whether s is a scope-token of RFC 6749, section 3.3.
func validScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// wanted are the scopes to ask for: those of the settings, else those that the server
// speaks of, and in any case what it said is lacking and what was granted before, so that
// one more right does not cost another (MCP, scope challenge handling).
func (o OAuth) wanted(offered, lacking, granted []string) []string {
	scopes := slices.Clone(o.Scopes)
	if len(scopes) == 0 {
		scopes = slices.Clone(offered)
	}
	for _, scope := range slices.Concat(lacking, granted) {
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// challenge is a server's no to a request: 401, or 403 for want of a scope.
type challenge struct {
	status int
	header []string // WWW-Authenticate
}

// parsed are its parts; a header that cannot be read has none.
func (c challenge) parsed() []oauthex.Challenge {
	list, err := oauthex.ParseWWWAuthenticate(c.header)
	if err != nil {
		return nil
	}
	return list
}

func (c challenge) param(name string) string {
	for _, one := range c.parsed() {
		if one.Scheme == "bearer" && one.Params[name] != "" {
			return one.Params[name]
		}
	}
	return ""
}

// scopes are those the server names.
func (c challenge) scopes() []string { return strings.Fields(c.param("scope")) }

// lacking are those the server names as what the token lacks; none for another reason.
func (c challenge) lacking() []string {
	if !c.scopeWanted() {
		return nil
	}
	return c.scopes()
}

// scopeWanted reports whether the token is good and allows too little.
func (c challenge) scopeWanted() bool {
	return c.status == 403 && c.param("error") == "insufficient_scope"
}
