package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"

	"github.com/codebot-ls/codebot-ls/mcp/demo"
	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// provider is an OpenID provider: zitadel's, with accounts and a page to log in at. It
// registers nobody, so its clients are known to it before.
type provider struct {
	*storage.Storage
	http.Handler
	*httptest.Server
}

// SetUserinfoFromToken lets the one service user have a token too.
func (p *provider) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, token, subject, origin string) error {
	if subject == "sid1" {
		info.Subject = subject
		return nil
	}
	return p.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin)
}

func newProvider(t *testing.T, clients ...*storage.Client) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.ServeHTTP(w, r) }))
	t.Cleanup(p.Close)
	known := map[string]*storage.Client{}
	for _, c := range clients {
		known[c.GetID()] = c
	}
	p.Storage = storage.NewStorageWithClients(storage.NewUserStore(p.URL), known)
	p.Handler = exampleop.SetupServer(p.URL, p, nil, false)
	return p
}

// shielded is an MCP server that takes the provider's tokens, as the provider itself says
// that they are good.
type shielded struct {
	*httptest.Server
	mu      sync.Mutex
	refused map[string]bool // guarded by mu: tokens it does not take any more
	seen    []string        // guarded by mu: the different tokens it took
}

func newShielded(t *testing.T, p *provider, scopes ...string) *shielded {
	s := &shielded{refused: map[string]bool{}}
	docs := demo.New("docs")
	tools := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return docs }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if !s.takes(r, p) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(servertest.M{"resource": s.URL + "/mcp", "authorization_servers": []string{p.URL}, "scopes_supported": scopes})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *shielded) takes(r *http.Request, p *provider) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	refused := s.refused[token]
	s.mu.Unlock()
	if !ok || refused {
		return false
	}
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, p.URL+"/userinfo", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) == 0 || s.seen[len(s.seen)-1] != token {
		s.seen = append(s.seen, token)
	}
	return true
}

// refuseAll lets no token in that it took so far.
func (s *shielded) refuseAll() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, token := range s.seen {
		s.refused[token] = true
	}
	return len(s.seen)
}

func (s *shielded) tokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

var formID = regexp.MustCompile(`name="id" value="([^"]+)"`)

// logIn does at the provider's page what a person does, and returns what the browser shows
// in the end.
func (p *provider) logIn(page string) (string, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	browser := &http.Client{Jar: jar}
	read := func(res *http.Response, err error) (string, error) {
		if err != nil {
			return "", err
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		return fmt.Sprintf("%d %s", res.StatusCode, body), err
	}
	form, err := read(browser.Get(page))
	if err != nil {
		return "", err
	}
	id := formID.FindStringSubmatch(form)
	if id == nil {
		return "", fmt.Errorf("no form to log in with: %s", form)
	}
	return read(browser.PostForm(p.URL+"/login/username", url.Values{"id": {id[1]}, "username": {"test-user@127.0.0.1"}, "password": {"verysecure"}}))
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// A provider that registers nobody knows the client before, by its id, its secret and the
// one port the browser comes back to; most companies have such a one (claude-code#55970 is
// about such a server). The refresh token it gives renews the token once it is refused,
// and when that has ended too the server wants a login again, once, without a storm.
func TestAClientThatWasRegisteredBeforeLogsIn(t *testing.T) {
	port := freePort(t)
	p := newProvider(t, storage.WebClient("editor", "a-client-secret", fmt.Sprintf("http://localhost:%d/callback", port)))
	s := newShielded(t, p, "openid", "profile")
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"web": servertest.M{"url": s.URL + "/mcp", "oauth": servertest.M{
		"client_id": "editor", "client_secret": "a-client-secret", "callback_port": port,
	}}}))
	shown := make(chan string, 4)
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Authorize: true},
		Authorize: func(ctx context.Context, a wire.MCPAuthorizeParams) wire.MCPAuthorizeResult {
			if a.RedirectURI != fmt.Sprintf("http://localhost:%d/callback", port) {
				t.Errorf("the browser comes back to %s", a.RedirectURI)
			}
			text, err := p.logIn(a.URL)
			if err != nil {
				t.Error(err)
			}
			shown <- text
			<-ctx.Done()
			return wire.MCPAuthorizeResult{}
		},
	})
	e.AwaitState("web", wire.MCPNeedsAuth)
	if res := servertest.Call(e, wire.MCPLogin, wire.MCPLoginParams{Name: "web"}); res.Server.State != wire.MCPConnected {
		t.Fatalf("after the login: %+v %+v", res.Server, res.Server.Error)
	}
	if text := <-shown; !strings.HasPrefix(text, "200 ") || !strings.Contains(text, "You are logged in") {
		t.Errorf("the browser shows %s", text)
	}
	call := func() error {
		_, err := servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "web", Tool: "get_version", Arguments: []byte(`{}`)})
		return err
	}
	if err := call(); err != nil {
		t.Error(err)
	}
	if n := s.refuseAll(); n != 1 {
		t.Errorf("%d tokens before any was refused", n)
	}
	if err := call(); err != nil || s.tokens() != 2 {
		t.Errorf("after the first token was refused: %v, %d tokens", err, s.tokens())
	}

	// The provider ends the session: nothing renews it.
	if err := p.TerminateSession(t.Context(), "id1", "editor"); err != nil {
		t.Fatal(err)
	}
	s.refuseAll()
	if err := call(); err == nil {
		t.Error("a call went well with no token that is good")
	}
	row := e.AwaitState("web", wire.MCPNeedsAuth)
	if row.Error == nil || !strings.Contains(row.Error.Hint, "log in") {
		t.Errorf("the row: %+v", row.Error)
	}
	raw, err := os.ReadFile(filepath.Join(w.Home, "keys.json"))
	if err != nil || strings.Contains(string(raw), `refresh_token\":\"`) {
		t.Errorf("a refresh token that is not good any more is kept: %s, %v", raw, err)
	}
	for _, line := range e.MessageLog() {
		if strings.Contains(line, "a-client-secret") {
			t.Errorf("the secret is on the wire: %.300s", line)
		}
	}
}

// Where something else has the port, the login says which, and nobody is sent anywhere.
func TestALoginWhosePortIsTakenSaysSo(t *testing.T) {
	p := newProvider(t)
	s := newShielded(t, p, "openid")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"web": servertest.M{"url": s.URL + "/mcp", "oauth": servertest.M{"client_id": "editor", "callback_port": port}}}))
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{Authorize: true},
		Authorize: func(context.Context, wire.MCPAuthorizeParams) wire.MCPAuthorizeResult {
			t.Error("somebody was asked")
			return wire.MCPAuthorizeResult{Cancelled: true}
		},
	})
	e.AwaitState("web", wire.MCPNeedsAuth)
	_, err = servertest.Try(e, wire.MCPLogin, wire.MCPLoginParams{Name: "web"})
	if err == nil || !strings.Contains(err.Error(), "callback_port") || !strings.Contains(err.Error(), fmt.Sprint(port)) {
		t.Errorf("the login ended with %v", err)
	}
}

// With the grant for machines nobody is asked: the server is connected, and a token that
// is refused is changed for another. A secret that is wrong is told in the server's log
// and row, and asked for once a try, not for ever.
func TestAMachineGetsItsTokenByItself(t *testing.T) {
	p := newProvider(t)
	s := newShielded(t, p, "openid")
	w := servertest.NewWorld(t)
	entry := func(secret string) servertest.M {
		return servertest.M{"url": s.URL + "/mcp", "oauth": servertest.M{"grant": "client_credentials", "client_id": "sid1", "client_secret": secret}}
	}
	w.Env = append(w.Env, "MACHINE_SECRET=verysecret")
	w.User(servertest.Servers(servertest.M{"web": entry("${MACHINE_SECRET}"), "bad": entry("another-secret")}))
	e := w.Start(servertest.Config{})
	if row := e.AwaitState("web", wire.MCPConnected, wire.MCPNeedsAuth, wire.MCPFailed); row.State != wire.MCPConnected {
		t.Fatalf("%+v %+v", row, row.Error)
	}
	e.AwaitState("bad", wire.MCPNeedsAuth)
	log := servertest.Call(e, wire.MCPLogs, wire.MCPLogsParams{Name: "bad"})
	raw, err := json.Marshal(log)
	if err != nil || !strings.Contains(string(raw), "invalid_client") || strings.Contains(string(raw), "another-secret") {
		t.Errorf("the log of a wrong secret: %s", raw)
	}
	if s.refuseAll() != 1 {
		t.Errorf("%d tokens", s.tokens())
	}
	if res, err := servertest.Try(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "web", Tool: "get_version", Arguments: []byte(`{}`)}); err != nil || res.IsError || s.tokens() != 2 {
		t.Errorf("after the token was refused: %+v, %v, %d tokens", res, err, s.tokens())
	}
}
