package mcp

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// A 403 that names a scope is about the one call, not about the server: the call says that
// a login would help and which right is lacking, and the others go on (MCP authorization,
// "Scope Challenge Handling").
func TestACallThatLacksAScopeDoesNotEndTheSession(t *testing.T) {
	f := &fakeWeb{tools: helloTool, on: map[string]func(http.ResponseWriter, *http.Request, json.RawMessage) bool{}}
	f.on["tools/call"] = func(w http.ResponseWriter, r *http.Request, id json.RawMessage) bool {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="files:write files:admin"`)
		http.Error(w, `{"error":"insufficient_scope"}`, http.StatusForbidden)
		return true
	}
	m := NewManager(Options{Scope: ScopeUser})
	t.Cleanup(func() { _ = m.Close(context.WithoutCancel(t.Context())) })
	if errs := m.StartAll(t.Context(), serveFake(t, f)); len(errs) > 0 {
		t.Fatal(errs)
	}
	rows, _ := m.Status()
	_, err := m.CallTool(t.Context(), rows[0].Name, "hello", nil, nil)
	refused, ok := errors.AsType[*ActionError](err)
	if !ok || refused.Kind != KindNeedsAuth || !strings.Contains(refused.Message, "files:write files:admin") || !strings.Contains(refused.Hint, "log in once more") {
		t.Errorf("the call ended with %#v", err)
	}
	f.change(func() { delete(f.on, "tools/call") })
	if rows, _ = m.Status(); rows[0].State != StateConnected {
		t.Errorf("the server is %s after that", rows[0].State)
	}
	if _, err := m.CallTool(t.Context(), rows[0].Name, "hello", nil, nil); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// What a key of a kind signs, a server can check with that key; a kind that the server
// does not take is told before anything is sent.
func TestEachKindOfKeySignsTheClientIn(t *testing.T) {
	ec256, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ec384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	_, edKey, _ := ed25519.GenerateKey(rand.Reader)
	pkcs8 := func(key any) *pem.Block {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return &pem.Block{Type: "PRIVATE KEY", Bytes: der}
	}
	sec1, err := x509.MarshalECPrivateKey(ec256)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		block    *pem.Block
		public   crypto.PublicKey
		accepted []string
		want     string
	}{
		"EC":              {pkcs8(ec256), ec256.Public(), nil, "ES256"},
		"EC of 384":       {pkcs8(ec384), ec384.Public(), []string{"RS256", "ES384"}, "ES384"},
		"EC, older":       {&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1}, ec256.Public(), nil, "ES256"},
		"RSA":             {pkcs8(rsaKey), rsaKey.Public(), nil, "RS256"},
		"RSA, PSS wanted": {pkcs8(rsaKey), rsaKey.Public(), []string{"PS256"}, "PS256"},
		"RSA, older":      {&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)}, rsaKey.Public(), nil, "RS256"},
		"Ed25519":         {pkcs8(edKey), edKey.Public(), []string{"EdDSA"}, "EdDSA"},
		"not taken":       {pkcs8(edKey), edKey.Public(), []string{"RS256"}, ""},
	} {
		file := filepath.Join(t.TempDir(), "key.pem")
		// Tools put the parameters of a curve before the key.
		text := append(pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{6, 0}}), pem.EncodeToMemory(tt.block)...)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		signed, err := assertion(OAuth{ClientID: "me", PrivateKeyFile: file}, "https://issuer.test", tt.accepted)
		if tt.want == "" {
			if err == nil || !strings.Contains(err.Error(), "RS256") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var claims jwt.RegisteredClaims
		token, err := jwt.ParseWithClaims(signed, &claims, func(*jwt.Token) (any, error) { return tt.public, nil },
			jwt.WithAudience("https://issuer.test"), jwt.WithIssuer("me"), jwt.WithSubject("me"), jwt.WithExpirationRequired())
		if err != nil || token.Method.Alg() != tt.want || claims.ID == "" {
			t.Errorf("%s: %v, %+v", name, err, token)
		}
	}
	for text, want := range map[string]string{"": "no private key", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n": "no private key"} {
		file := filepath.Join(t.TempDir(), "key.pem")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := assertion(OAuth{ClientID: "me", PrivateKeyFile: file}, "https://issuer.test", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// One right more must not cost another (MCP authorization, "Scope Challenge Handling";
// SEP-2350): a login asks for what is lacking and for what was granted before.
func TestALoginForOneMoreRightKeepsTheOthers(t *testing.T) {
	for _, tt := range []struct{ configured, offered, lacking, granted, want []string }{
		{nil, nil, nil, nil, nil},
		{nil, []string{"a"}, nil, nil, []string{"a"}},
		{[]string{"c"}, []string{"a"}, nil, nil, []string{"c"}},
		{[]string{"c"}, []string{"a"}, []string{"w"}, []string{"c", "r"}, []string{"c", "w", "r"}},
		{nil, []string{"w"}, []string{"w"}, []string{"a"}, []string{"w", "a"}},
	} {
		if got := (OAuth{Scopes: tt.configured}).wanted(tt.offered, tt.lacking, tt.granted); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// A project chooses neither which of the user's kept keys nor where it goes.
func TestAProjectCannotNameAKeptKey(t *testing.T) {
	m := NewManager(Options{Tokens: vault{"work": "kept-secret"}})
	for scope, want := range map[Scope]string{ScopeUser: "kept-secret", ScopeProject: ""} {
		got, err := m.clientSecret(ServerConfig{OAuth: OAuth{ClientSecret: "keychain:work"}, Origin: Origin{Scope: scope}})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", scope, got, err)
		}
	}
	if _, err := m.clientSecret(ServerConfig{OAuth: OAuth{ClientSecret: "keychain:none"}, Origin: Origin{Scope: ScopeUser}}); err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("one that is not kept: %v", err)
	}
}

// vault is a TokenStore that only has.
type vault map[string]string

func (v vault) Get(name string) string               { return v[name] }
func (v vault) Fresh(name string) string             { return v[name] }
func (v vault) Lock(context.Context) (func(), error) { return func() {}, nil }
func (v vault) Set(string, string) error             { return errors.New("read only") }
func (v vault) Delete(string) error                  { return errors.New("read only") }
