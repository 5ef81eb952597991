package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// TokenStore keeps what a login gave, by a name of ours; a value is one line of text. A
// name that nothing is kept under has an empty value.
type TokenStore interface {
	// Get may answer what it has read a while ago; Fresh does not.
	Get(name string) string
	Fresh(name string) string
	// Lock keeps every other window from renewing until unlock: a refresh token is good
	// for one use, and to use one twice logs everybody out.
	Lock(ctx context.Context) (unlock func(), err error)
	Set(name, value string) error
	Delete(name string) error
}

// refreshTime bounds one renewal of a token.
const refreshTime = 30 * time.Second

// grant is what a login gave, as it is kept: the token, and what renews it.
type grant struct {
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitzero"`
	TokenURL     string           `json:"token_url"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style,omitzero"`
	AccessToken  string           `json:"access_token"`
	RefreshToken string           `json:"refresh_token,omitzero"`
	Expiry       time.Time        `json:"expiry,omitzero"`
	// Issuer is who gave it, Resource what it is for and Scopes what it allows, as far as
	// that is known: to nobody else is it shown, and a next login asks for no less.
	Issuer   string   `json:"issuer,omitzero"`
	Resource string   `json:"resource,omitzero"`
	Scopes   []string `json:"scopes,omitempty"`
}

// expirySlack is how long before its end a token is not used any more.
const expirySlack = 10 * time.Second

// tokenName is what a server's token is kept under: its address, so that a token never
// goes to another server, whatever an entry is called.
func tokenName(address *url.URL) string {
	at := url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}
	return "mcp " + at.String()
}

// tokens gives out the token of one server and renews it. It is safe for concurrent use.
type tokens struct {
	store TokenStore
	name  string

	mu sync.Mutex // one renewal at a time: a refresh token is good for one use

	// lacks is the last answer that a token allows too little, until the next login.
	lacks atomic.Pointer[challenge]
}

// tokensOf are those of the server at an address, nil when nobody can log in.
func (m *Manager) tokensOf(address *url.URL) *tokens {
	if m.opts.Tokens == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name := tokenName(address)
	t := m.tokens[name]
	if t == nil {
		t = &tokens{store: m.opts.Tokens, name: name}
		m.tokens[name] = t
	}
	return t
}

// get returns the access token, renewed where it has ended; empty for none.
func (t *tokens) get(ctx context.Context) string {
	return t.current(ctx, "")
}

// renew returns another token than the one that was refused, empty when there is none: a
// token that allows too little takes a login to be changed for one that allows more.
func (t *tokens) renew(ctx context.Context, refused string, c challenge) string {
	if c.scopeWanted() {
		t.lacks.Store(&c)
		return ""
	}
	if refused == "" {
		return ""
	}
	return t.current(ctx, refused)
}

func (t *tokens) current(ctx context.Context, refused string) string {
	if t == nil || t.store == nil {
		return ""
	}
	if g, ok := read(t.store.Get(t.name)); ok && g.good(refused) {
		return g.AccessToken
	} else if !ok && refused == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	unlock, err := t.alone(ctx)
	if err != nil {
		return ""
	}
	defer unlock()
	// Another window may have renewed it meanwhile, or logged out.
	g, ok := read(t.store.Fresh(t.name))
	switch {
	case !ok:
		return ""
	case g.good(refused):
		return g.AccessToken
	case g.RefreshToken == "":
		return ""
	}
	fresh, err := g.refreshed(ctx)
	if err != nil {
		if said, ok := errors.AsType[*oauth2.RetrieveError](err); ok && said.ErrorCode == "invalid_grant" {
			g.RefreshToken = "" // it will not get better: nobody is asked again
			_ = t.save(g)
		}
		return ""
	}
	g.AccessToken, g.Expiry = fresh.AccessToken, fresh.Expiry
	if fresh.RefreshToken != "" {
		g.RefreshToken = fresh.RefreshToken
	}
	_ = t.save(g) // it works for now all the same
	return g.AccessToken
}

// alone keeps everybody else, here and in other windows, from changing the token.
func (t *tokens) alone(ctx context.Context) (release func(), err error) {
	t.mu.Lock()
	unlock, err := t.store.Lock(ctx)
	if err != nil {
		t.mu.Unlock()
		return nil, err
	}
	return func() {
		unlock()
		t.mu.Unlock()
	}, nil
}

// keep puts a new token in the place of what is there; nil forgets it.
func (t *tokens) keep(ctx context.Context, g *grant) error {
	release, err := t.alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	if g == nil {
		return t.store.Delete(t.name)
	}
	return t.save(*g)
}

// refreshed gets a new token by the refresh token, for the same resource (RFC 8707,
// section 2.2), which is why oauth2's own source does not do.
func (g grant) refreshed(ctx context.Context) (*oauth2.Token, error) {
	config := clientcredentials.Config{
		ClientID: g.ClientID, ClientSecret: g.ClientSecret, TokenURL: g.TokenURL, AuthStyle: g.AuthStyle,
		EndpointParams: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {g.RefreshToken}},
	}
	if g.Resource != "" {
		config.EndpointParams.Set("resource", g.Resource)
	}
	return config.Token(context.WithValue(ctx, oauth2.HTTPClient, loginClient()))
}

// good reports whether the access token can be used, and is another than a refused one.
func (g grant) good(refused string) bool {
	return g.AccessToken != refused && (g.Expiry.IsZero() || time.Until(g.Expiry) >= expirySlack)
}

func read(value string) (g grant, ok bool) {
	return g, value != "" && json.Unmarshal([]byte(value), &g) == nil && g.AccessToken != ""
}

func (t *tokens) save(g grant) error {
	raw, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return t.store.Set(t.name, string(raw))
}

// loginClient speaks to authorization servers.
func loginClient() *http.Client { return &http.Client{Timeout: refreshTime} }
