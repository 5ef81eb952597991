package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// authority is where the tokens of a server come from.
type authority struct {
	// resource is what tokens are for (RFC 8707).
	resource string
	// offered are the scopes that the server speaks of, in its challenge or its metadata.
	offered []string
	server  oauthex.AuthServerMeta
}

// discover finds the authorization server of the MCP server at an address (RFC 9728, RFC
// 8414), or where servers of the revision 2025-03-26 have it: at their own origin.
func discover(ctx context.Context, client *http.Client, address *url.URL, c challenge) (*authority, error) {
	found := &authority{offered: c.scopes()}
	var issuer string
	for _, at := range metadataPlaces(address, c) {
		meta, err := oauthex.GetProtectedResourceMetadata(ctx, at.url, at.resource, client)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil || meta == nil {
			continue // the next place, as the specification wants it
		}
		if len(meta.AuthorizationServers) == 0 {
			return nil, lang.Errorf(zh, textNoAuthority)
		}
		issuer, found.resource = meta.AuthorizationServers[0], meta.Resource
		if len(found.offered) == 0 {
			found.offered = meta.ScopesSupported
		}
		break
	}
	if issuer == "" {
		issuer, found.resource = origin(address), address.String()
	}
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, client)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case meta == nil:
		meta = &oauthex.AuthServerMeta{Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token", RegistrationEndpoint: issuer + "/register"}
	}
	if !webPage(meta.TokenEndpoint) {
		return nil, errors.New("token_endpoint: " + CleanLine(meta.TokenEndpoint))
	}
	found.server = *meta
	return found, nil
}

type metadataPlace struct{ url, resource string }

// metadataPlaces are where the metadata of a protected resource may be, the best first.
func metadataPlaces(address *url.URL, c challenge) []metadataPlace {
	var places []metadataPlace
	resource := address.String()
	if told := c.param("resource_metadata"); told != "" {
		places = append(places, metadataPlace{told, resource})
	}
	at := url.URL{Scheme: address.Scheme, Host: address.Host, Path: path.Join("/.well-known/oauth-protected-resource", address.Path)}
	places = append(places, metadataPlace{at.String(), resource})
	at.Path = "/.well-known/oauth-protected-resource"
	return append(places, metadataPlace{at.String(), origin(address)})
}

// origin is an address without all that comes behind the host.
func origin(address *url.URL) string {
	return (&url.URL{Scheme: address.Scheme, Host: address.Host}).String()
}
