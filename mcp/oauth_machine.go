package mcp

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// bearer gives the requests of one link their token. It is safe for concurrent use.
type bearer interface {
	// get returns the token to send, empty for none.
	get(ctx context.Context) string
	// renew returns another token than the one that was refused, which may be none; empty
	// when there is no other.
	renew(ctx context.Context, refused string, c challenge) string
}

// machineTokens gets tokens by the client credentials of an entry (RFC 6749, section 4.4),
// without a person. It keeps them for as long as the link lives.
type machineTokens struct {
	address *url.URL
	oauth   OAuth // expanded
	// failed is told why there is no token.
	failed func(error)

	mu    sync.Mutex // one request at a time; guards what follows
	token *oauth2.Token
	found *authority
	// asked are the scopes of token.
	asked []string
}

func (t *machineTokens) get(ctx context.Context) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == nil {
		return "" // who refuses says where a token is to be had
	}
	if !t.token.Expiry.IsZero() && time.Until(t.token.Expiry) < expirySlack {
		t.fetch(ctx)
	}
	return t.token.AccessToken
}

func (t *machineTokens) renew(ctx context.Context, refused string, c challenge) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != nil && t.token.AccessToken != refused {
		return t.token.AccessToken // somebody else has renewed it meanwhile
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	found, err := discover(ctx, loginClient(), t.address, c)
	if err != nil {
		t.failed(err)
		return ""
	}
	wanted := t.oauth.wanted(found.offered, c.lacking(), t.asked)
	if c.scopeWanted() && t.token != nil && slices.Equal(wanted, t.asked) {
		return "" // it has all that we can ask for
	}
	t.found, t.asked = found, wanted
	if !t.fetch(ctx) {
		return ""
	}
	return t.token.AccessToken
}

// fetch gets a token and reports whether it has one. t.mu is held.
func (t *machineTokens) fetch(ctx context.Context) bool {
	token, err := t.request(ctx)
	if err != nil {
		t.failed(err)
		return false
	}
	t.token = token
	return true
}

func (t *machineTokens) request(ctx context.Context) (*oauth2.Token, error) {
	config := clientcredentials.Config{
		ClientID: t.oauth.ClientID, ClientSecret: t.oauth.ClientSecret, TokenURL: t.found.server.TokenEndpoint, Scopes: t.asked,
		AuthStyle:      secretStyle(t.found.server.TokenEndpointAuthMethodsSupported),
		EndpointParams: url.Values{"resource": {t.found.resource}},
	}
	if t.oauth.PrivateKeyFile != "" {
		signed, err := assertion(t.oauth, t.found.server.Issuer, t.found.server.TokenEndpointAuthSigningAlgValuesSupported)
		if err != nil {
			return nil, err
		}
		config.AuthStyle = oauth2.AuthStyleInParams
		config.EndpointParams.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		config.EndpointParams.Set("client_assertion", signed)
	}
	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, loginClient()))
	if err != nil {
		return nil, refusedToken(err)
	}
	if got, ok := token.Extra("scope").(string); ok {
		t.asked = strings.Fields(got)
	}
	return token, nil
}

// secretStyle is how a client that has a secret sends it: as the server says that it can,
// and in the header where it says nothing (RFC 8414, section 2).
func secretStyle(methods []string) oauth2.AuthStyle {
	if slices.Contains(methods, "client_secret_post") && !slices.Contains(methods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// refusedToken is what an authorization server says, without the answer around it.
func refusedToken(err error) error {
	said, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || said.ErrorCode == "" {
		return err
	}
	text := said.ErrorCode
	if said.ErrorDescription != "" {
		text += ": " + said.ErrorDescription
	}
	return errors.New(CleanLine(text))
}

// assertionTime is how long what we signed is good; it is used at once.
const assertionTime = 5 * time.Minute

// assertion signs that we are the client (RFC 7523, section 2.2). It is for the
// authorization server with that issuer alone.
func assertion(o OAuth, issuer string, algorithms []string) (string, error) {
	raw, err := os.ReadFile(o.PrivateKeyFile)
	if err != nil {
		return "", lang.Errorf(zh, textKeyFile, err)
	}
	key, err := privateKey(raw)
	if err != nil {
		return "", lang.Errorf(zh, textKeyFile, err)
	}
	method := signingMethod(key, algorithms)
	if method == nil {
		return "", lang.Errorf(zh, textKeyKind, strings.Join(algorithms, ", "))
	}
	now := time.Now()
	return jwt.NewWithClaims(method, jwt.RegisteredClaims{
		Issuer: o.ClientID, Subject: o.ClientID, Audience: jwt.ClaimStrings{issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(assertionTime)),
	}).SignedString(key)
}

// privateKey reads the first private key of a PEM file.
func privateKey(raw []byte) (crypto.PrivateKey, error) {
	for {
		block, rest := pem.Decode(raw)
		if block == nil {
			return nil, lang.Errorf(zh, textNoKey)
		}
		switch block.Type {
		case "PRIVATE KEY":
			return x509.ParsePKCS8PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			return x509.ParseECPrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			return x509.ParsePKCS1PrivateKey(block.Bytes)
		}
		raw = rest // parameters of a curve, or a certificate
	}
}

// signingMethod fits a key, and what the server takes where it says so; nil for none.
func signingMethod(key crypto.PrivateKey, accepted []string) jwt.SigningMethod {
	var fits []jwt.SigningMethod
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		for _, m := range []*jwt.SigningMethodECDSA{jwt.SigningMethodES256, jwt.SigningMethodES384, jwt.SigningMethodES512} {
			if m.CurveBits == key.Curve.Params().BitSize {
				fits = append(fits, m)
			}
		}
	case *rsa.PrivateKey:
		fits = []jwt.SigningMethod{jwt.SigningMethodRS256, jwt.SigningMethodPS256, jwt.SigningMethodRS384, jwt.SigningMethodRS512}
	case ed25519.PrivateKey:
		fits = []jwt.SigningMethod{jwt.SigningMethodEdDSA}
	}
	for _, m := range fits {
		if len(accepted) == 0 || slices.Contains(accepted, m.Alg()) {
			return m
		}
	}
	return nil
}

// challengeOf is the challenge in an answer.
func challengeOf(res *http.Response) challenge {
	return challenge{status: res.StatusCode, header: res.Header.Values("WWW-Authenticate")}
}
