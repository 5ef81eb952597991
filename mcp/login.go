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
	method, body := http.MethodPost, loginProbe
	if cfg.Transport() == TransportSSE {
		method, body = http.MethodGet, ""
	}
	req, err := http.NewRequestWithContext(ctx, method, cfg.URL, strings.NewReader(body))
	if err != nil {
		return ServerStatus{}, m.loginError(name, err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	for header, value := range cfg.Headers {
		if !strings.EqualFold(header, "Authorization") {
			req.Header.Set(header, value)
		}
	}
	raw := m.roundTripper()
	defer raw.CloseIdleConnections()
	res, err := raw.RoundTrip(req)
	if err != nil {
		return ServerStatus{}, m.loginError(name, err)
	}
	if res.StatusCode != http.StatusUnauthorized {
		_ = res.Body.Close()
		return m.Restart(ctx, name)
	}
	t := m.tokensOf(address)
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: loginName, RedirectURIs: []string{redirect}, ResponseTypes: []string{"code"},
			GrantTypes: []string{"authorization_code", "refresh_token"}, TokenEndpointAuthMethod: "none",
		}},
		RedirectURL: redirect, RequestRefreshToken: true, AcceptUnadvertisedIss: true, Client: loginClient(),
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
			return oauth2.StaticTokenSource(token), t.keep(ctx, &grant{
				ClientID: config.ClientID, ClientSecret: config.ClientSecret, TokenURL: config.Endpoint.TokenURL,
				AuthStyle: config.Endpoint.AuthStyle, AccessToken: token.AccessToken, RefreshToken: token.RefreshToken, Expiry: token.Expiry,
			})
		},
	})
	if err != nil {
		_ = res.Body.Close()
		return ServerStatus{}, m.loginError(name, err)
	}
	if err := handler.Authorize(ctx, req, res); err != nil {
		if ctx.Err() != nil {
			return ServerStatus{}, context.Cause(ctx)
		}
		return ServerStatus{}, m.loginError(name, err)
	}
	return m.Restart(ctx, name)
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

func (m *Manager) loginError(name string, err error) error {
	return &ActionError{Kind: KindNeedsAuth, Name: name, Message: m.say(textLogin, CleanLine(name), Clean(m.opts.Lang.Error(err))), Hint: m.say(textLoginHint)}
}
