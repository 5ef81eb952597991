package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Browser sends a person to a page and returns the parameters that the page came back
// with: code, state and, where the server says so, iss.
type Browser func(ctx context.Context, page string) (url.Values, error)

// loginName is what an authorization server shows of us.
const loginName = "codebot-ls"

// loginProbe is a request that a server which wants a login refuses.
const loginProbe = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// Login logs in to an HTTP server with the browser (MCP authorization: protected resource
// metadata, RFC 8414, dynamic registration, PKCE) and connects with what that gave.
// redirect is where the browser comes back to. A server that wants no login is just
// connected. Errors are an [*ActionError], or the browser's own.
func (m *Manager) Login(ctx context.Context, name, redirect string, browser Browser) (ServerStatus, error) {
	address, cfg, err := m.loginAddress(name)
	if err != nil {
		return ServerStatus{}, err
	}
	if cfg.OAuth.machine() {
		return m.Restart(ctx, name)
	}
	t := m.tokensOf(address)
	req, res, err := m.refusal(ctx, cfg, t)
	if err != nil {
		return ServerStatus{}, m.loginError(name, err)
	}
	defer func() { _ = res.Body.Close() }()
	no := challengeOf(res)
	if no.status != http.StatusUnauthorized && !no.scopeWanted() {
		return m.Restart(ctx, name)
	}
	from, err := discover(ctx, loginClient(), address, no)
	if err == nil {
		err = m.authorize(ctx, cfg.OAuth, t, from, redirect, browser, func(h *auth.AuthorizationCodeHandler) error { return h.Authorize(ctx, req, res) }, no)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ServerStatus{}, context.Cause(ctx)
	case err != nil:
		return ServerStatus{}, m.loginError(name, err)
	}
	t.lacks.Store(nil)
	return m.Restart(ctx, name)
}

// refusal is what a server says to somebody without a token, or what it said last to one
// whose token allows too little. The answer's body is the caller's to close.
func (m *Manager) refusal(ctx context.Context, cfg ServerConfig, t *tokens) (*http.Request, *http.Response, error) {
	method, body := http.MethodPost, loginProbe
	if cfg.Transport() == TransportSSE {
		method, body = http.MethodGet, ""
	}
	req, err := http.NewRequestWithContext(ctx, method, cfg.URL, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	if said := t.lacks.Load(); said != nil {
		return req, &http.Response{StatusCode: said.status, Header: http.Header{"Www-Authenticate": said.header}, Body: http.NoBody}, nil
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	for header, value := range cfg.Headers {
		if !strings.EqualFold(header, "Authorization") {
			req.Header.Set(header, value)
		}
	}
	raw := m.roundTripper()
	res, err := raw.RoundTrip(req)
	if err != nil {
		raw.CloseIdleConnections()
		return nil, nil, err
	}
	res.Body = &releasingBody{ReadCloser: res.Body, release: raw.CloseIdleConnections}
	return req, res, nil
}

// authorize goes through the flow with the browser and keeps what comes of it.
func (m *Manager) authorize(ctx context.Context, o OAuth, t *tokens, from *authority, redirect string, browser Browser, flow func(*auth.AuthorizationCodeHandler) error, no challenge) error {
	var granted []string
	if before, ok := read(t.store.Fresh(t.name)); ok && before.Issuer == from.server.Issuer {
		granted = before.Scopes // of another server's they say nothing
	}
	wanted := o.wanted(from.offered, no.lacking(), granted)
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, RequestRefreshToken: true, AcceptUnadvertisedIss: true, Client: loginClient(),
		ScopeFilter: func([]string) []string { return wanted },
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if !webPage(args.URL) {
				return nil, errors.New(m.say(textLoginPage, args.URL))
			}
			back, err := browser(ctx, args.URL)
			if err != nil {
				return nil, err
			}
			return &auth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
		},
		NewTokenSource: func(_ context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			scopes := config.Scopes
			if got, ok := token.Extra("scope").(string); ok {
				scopes = strings.Fields(got)
			}
			return oauth2.StaticTokenSource(token), t.keep(ctx, &grant{
				ClientID: config.ClientID, ClientSecret: config.ClientSecret, TokenURL: config.Endpoint.TokenURL, AuthStyle: config.Endpoint.AuthStyle,
				AccessToken: token.AccessToken, RefreshToken: token.RefreshToken, Expiry: token.Expiry,
				Issuer: from.server.Issuer, Resource: from.resource, Scopes: scopes,
			})
		},
	}
	o.register(config)
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return err
	}
	return flow(handler)
}

// register says which client we are. A client id that is an address names a document
// about us (draft-ietf-oauth-client-id-metadata-document), which a server has to know of;
// where it does not, and without an id, we register ourselves.
func (o OAuth) register(config *auth.AuthorizationCodeHandlerConfig) {
	document := strings.HasPrefix(o.ClientID, "https://") && o.ClientSecret == ""
	switch {
	case document:
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: o.ClientID}
	case o.ClientID != "":
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ClientID}
		if o.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: o.ClientSecret}
		}
		return
	}
	config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		ClientName: loginName, RedirectURIs: []string{config.RedirectURL}, ResponseTypes: []string{"code"},
		GrantTypes: []string{"authorization_code", "refresh_token"}, TokenEndpointAuthMethod: "none",
	}}
}

// LoginPort is the port that the browser has to come back to at a login to a server, 0
// for any. Errors are an [*ActionError].
func (m *Manager) LoginPort(name string) (int, error) {
	_, cfg, err := m.loginAddress(name)
	return cfg.OAuth.CallbackPort, err
}

// Logout forgets the token of a server and connects without it.
func (m *Manager) Logout(ctx context.Context, name string) (ServerStatus, error) {
	address, _, err := m.loginAddress(name)
	if err != nil {
		return ServerStatus{}, err
	}
	if err := m.tokensOf(address).keep(ctx, nil); err != nil {
		return ServerStatus{}, m.loginError(name, err)
	}
	return m.Restart(ctx, name)
}

// loginAddress is the address of a server that can be logged in to, and its entry,
// expanded.
func (m *Manager) loginAddress(name string) (*url.URL, ServerConfig, error) {
	m.mu.Lock()
	e, err := m.find(name)
	if err == nil {
		err = m.blocked(name, e)
	}
	var entry ServerConfig
	if err == nil {
		entry = e.cfg
	}
	m.mu.Unlock()
	if err != nil {
		return nil, entry, err
	}
	if kind := entry.Transport(); kind != TransportHTTP && kind != TransportSSE || m.opts.Tokens == nil {
		return nil, entry, &ActionError{Kind: KindStartBlocked, Name: name, Message: m.say(textNoLogin, CleanLine(name)), Hint: m.say(textNoLoginHint)}
	}
	cfg, err := entry.Expanded(Vars{Lookup: m.lookupEnv, WorkspaceFolder: m.workspaceFolder(), UserHome: m.opts.Home})
	if err != nil {
		return nil, cfg, &ActionError{Kind: KindConfigInvalid, Name: name, Message: m.opts.Lang.Error(err), Hint: m.say(textInvalidHint)}
	}
	if cfg.OAuth.ClientSecret, err = m.clientSecret(cfg); err != nil {
		return nil, cfg, &ActionError{Kind: KindConfigInvalid, Name: name, Message: m.opts.Lang.Error(err), Hint: m.say(textInvalidHint)}
	}
	for header := range cfg.Headers {
		if soundsSecret(header) { // a token would not be sent beside it
			return nil, cfg, &ActionError{Kind: KindStartBlocked, Name: name, Message: m.say(textOwnCredentials, CleanLine(name), CleanLine(header)), Hint: m.say(textOwnCredentialsHint)}
		}
	}
	address, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, cfg, &ActionError{Kind: KindConfigInvalid, Name: name, Message: m.say(textBadURL), Hint: m.say(textInvalidHint)}
	}
	return address, cfg, nil
}

// keychainPrefix begins a secret that is kept in the keychain, under the name behind it.
const keychainPrefix = "keychain:"

// clientSecret is the secret of an expanded entry. A project's entry has no way to those
// that are kept: it says itself where they would be sent.
func (m *Manager) clientSecret(cfg ServerConfig) (string, error) {
	name, kept := strings.CutPrefix(cfg.OAuth.ClientSecret, keychainPrefix)
	switch {
	case !kept:
		return cfg.OAuth.ClientSecret, nil
	case cfg.Origin.Scope == ScopeProject:
		return "", fieldError("oauth.client_secret", lang.Messagef(zh, textKeptForUser))
	}
	if m.opts.Tokens != nil {
		if secret := m.opts.Tokens.Get(name); secret != "" {
			return secret, nil
		}
	}
	return "", fieldError("oauth.client_secret", lang.Messagef(zh, textNotKept, CleanLine(name)))
}

func (m *Manager) loginError(name string, err error) error {
	return &ActionError{Kind: KindNeedsAuth, Name: name, Message: m.say(textLogin, CleanLine(name), Clean(m.opts.Lang.Error(err))), Hint: m.say(textLoginHint)}
}
