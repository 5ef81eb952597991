package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp/demo"
	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// guarded is an MCP server behind a login, and its authorization server: RFC 9728, 8414,
// 7591, 7636, 8707, with refresh tokens that are good for one use.
type guarded struct {
	*httptest.Server
	t *testing.T

	mu        sync.Mutex // guards what follows
	redirects map[string]string
	codes     map[string]url.Values // the request of each code
	access    string                // the one that is good
	refresh   string
	n         int
	refreshed int
	deny      bool
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{t: t, redirects: map[string]string{}, codes: map[string]url.Values{}}
	docs := demo.New("docs")
	tools := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return docs }, nil)
	mux := http.NewServeMux()
	say := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		ok := g.access != "" && r.Header.Get("Authorization") == "Bearer "+g.access
		g.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		tools.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, servertest.M{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}, "scopes_supported": []string{"read"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 200, servertest.M{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"grant_types_supported": []string{"authorization_code", "refresh_token"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			RedirectURIs []string `json:"redirect_uris"`
			ClientName   string   `json:"client_name"`
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || len(m.RedirectURIs) != 1 || m.ClientName != "codebot-ls" {
			say(w, 400, servertest.M{"error": "invalid_client_metadata"})
			return
		}
		g.mu.Lock()
		g.n++
		id := fmt.Sprintf("client%d", g.n)
		g.redirects[id] = m.RedirectURIs[0]
		g.mu.Unlock()
		say(w, 201, servertest.M{"client_id": id, "redirect_uris": m.RedirectURIs, "token_endpoint_auth_method": "none"})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.redirects[q.Get("client_id")] != q.Get("redirect_uri") || q.Get("code_challenge_method") != "S256" || q.Get("resource") != g.URL+"/mcp" || q.Get("scope") != "read" {
			http.Error(w, "bad request: "+r.URL.RawQuery, 400)
			return
		}
		back := url.Values{"state": {q.Get("state")}}
		if g.deny {
			back.Set("error", "access_denied")
			back.Set("error_description", "the person said no")
		} else {
			g.n++
			code := fmt.Sprintf("code%d", g.n)
			g.codes[code] = q
			back.Set("code", code)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		g.mu.Lock()
		defer g.mu.Unlock()
		switch r.PostForm.Get("grant_type") {
		case "authorization_code":
			q, ok := g.codes[r.PostForm.Get("code")]
			delete(g.codes, r.PostForm.Get("code"))
			sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
			if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") || r.PostForm.Get("redirect_uri") != q.Get("redirect_uri") {
				say(w, 400, servertest.M{"error": "invalid_grant"})
				return
			}
		case "refresh_token":
			if g.refresh == "" || r.PostForm.Get("refresh_token") != g.refresh {
				say(w, 400, servertest.M{"error": "invalid_grant"})
				return
			}
			g.refreshed++
		default:
			say(w, 400, servertest.M{"error": "unsupported_grant_type"})
			return
		}
		g.n++
		g.access, g.refresh = fmt.Sprintf("access-secret-%d", g.n), fmt.Sprintf("refresh-secret-%d", g.n)
		say(w, 200, servertest.M{"access_token": g.access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": g.refresh})
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// revoke makes the tokens that are out useless.
func (g *guarded) revoke(alsoRefresh bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.access = "another"
	if alsoRefresh {
		g.refresh = ""
	}
}

// visit is a browser; the body is what it shows in the end.
func visit(t *testing.T, page string) string {
	t.Helper()
	res, err := http.Get(page)
	if err != nil {
		t.Errorf("the browser: %v", err)
		return ""
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	return fmt.Sprintf("%d %s", res.StatusCode, body)
}

// A server that wants a login says so, opens no browser by itself, and is connected once
// the person has logged in; the token is kept for the next start, renewed when it is
// refused, and gone after a logout. No log and no settings file has it (mcphub.nvim#210,
// go-sdk#1058).
func TestALoginWithTheBrowserIsKeptAndRenewed(t *testing.T) {
	g := newGuarded(t)
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"web": servertest.M{"url": g.URL + "/mcp"}}))
	var asked []wire.MCPAuthorizeParams
	shown := make(chan string, 3)
	config := servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Authorize: true},
		Authorize: func(ctx context.Context, p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult {
			asked = append(asked, p)
			shown <- visit(t, p.URL)
			<-ctx.Done() // it stays until the server takes it back
			return wire.MCPAuthorizeResult{}
		},
	}
	e := w.Start(config)
	row := e.AwaitState("web", wire.MCPNeedsAuth)
	if len(asked) != 0 || row.Error == nil || !strings.Contains(row.Error.Hint, "log in") {
		t.Fatalf("asked %v, row %+v", asked, row.Error)
	}
	res := servertest.Call(e, wire.MCPLogin, wire.MCPLoginParams{Name: "web"})
	if res.Server.State != wire.MCPConnected || res.Server.ToolCount != 2 {
		t.Fatalf("after the login: %+v %+v", res.Server, res.Server.Error)
	}
	if page := <-shown; !strings.HasPrefix(page, "200 ") || !strings.Contains(page, "You are logged in") {
		t.Errorf("the browser shows %s", page)
	}
	if len(asked) != 1 || asked[0].Server != "web" || !strings.HasPrefix(asked[0].RedirectURI, "http://127.0.0.1:") || asked[0].Issuer != strings.TrimPrefix(g.URL, "http://") {
		t.Errorf("asked %+v", asked)
	}
	raw, err := os.ReadFile(filepath.Join(w.Home, "keys.json"))
	if err != nil || !strings.Contains(string(raw), "access-secret") {
		t.Errorf("kept: %s, %v", raw, err)
	}
	search := func(e *servertest.Editor) {
		t.Helper()
		if res := servertest.Call(e, wire.MCPCallTool, wire.MCPCallToolParams{Server: "web", Tool: "get_version", Arguments: []byte(`{}`)}); res.IsError {
			t.Errorf("the call answers %+v", res)
		}
	}
	search(e)
	g.revoke(false)
	search(e) // with another token, unasked
	g.mu.Lock()
	if g.refreshed != 1 {
		t.Errorf("renewed %d times", g.refreshed)
	}
	g.mu.Unlock()

	second := w.Start(config) // another window, and another day
	if row := second.AwaitState("web", wire.MCPConnected, wire.MCPNeedsAuth, wire.MCPFailed); row.State != wire.MCPConnected {
		t.Errorf("in another window: %+v %+v", row, row.Error)
	}
	search(second)

	// A token that both have ended for both: one renews, the other takes that one.
	g.revoke(false)
	search(e)
	search(second)
	g.mu.Lock()
	if g.refreshed != 2 {
		t.Errorf("renewed %d times for two windows", g.refreshed-1)
	}
	g.mu.Unlock()

	g.revoke(true)
	res = servertest.Call(e, wire.MCPRestart, wire.MCPServerRef{Name: "web"})
	if res.Server.State != wire.MCPNeedsAuth {
		t.Errorf("with nothing that is good: %+v", res.Server)
	}
	servertest.Call(e, wire.MCPLogin, wire.MCPLoginParams{Name: "web"})
	if res := servertest.Call(e, wire.MCPLogout, wire.MCPServerRef{Name: "web"}); res.Server.State != wire.MCPNeedsAuth {
		t.Errorf("after the logout: %+v", res.Server)
	}
	if raw, err := os.ReadFile(filepath.Join(w.Home, "keys.json")); err == nil && strings.Contains(string(raw), "secret") {
		t.Errorf("kept after the logout: %s", raw)
	}
	for _, line := range e.MessageLog() {
		if strings.Contains(line, "access-secret") || strings.Contains(line, "refresh-secret") {
			t.Errorf("a token is on the wire: %.300s", line)
		}
	}
}

// A browser on another machine cannot come back: the person pastes where it stopped, or
// the code alone. A no is a no, at once; the server's own no is told in its words.
func TestALoginCanBePastedAndRefused(t *testing.T) {
	g := newGuarded(t)
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"web": servertest.M{"url": g.URL + "/mcp"}, "docs": servertest.Demo("docs"),
		"own": servertest.M{"url": g.URL + "/mcp", "headers": servertest.M{"Authorization": "Bearer mine"}}}))
	var answer func(p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Authorize: true},
		Authorize:    func(_ context.Context, p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult { return answer(p) },
	})
	e.AwaitState("web", wire.MCPNeedsAuth)
	login := func() (wire.MCPServerResult, error) {
		return servertest.Try(e, wire.MCPLogin, wire.MCPLoginParams{Name: "web", RedirectURI: "https://tunnel.test/{port}/callback"})
	}
	// elsewhere is a browser that cannot reach the machine.
	elsewhere := func(page string) *url.URL {
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Get(page)
		if err != nil {
			t.Error(err)
			return &url.URL{}
		}
		_ = res.Body.Close()
		at, err := res.Location()
		if err != nil {
			t.Error(err)
			return &url.URL{}
		}
		return at
	}
	answer = func(wire.MCPAuthorizeParams) wire.MCPAuthorizeResult { return wire.MCPAuthorizeResult{Cancelled: true} }
	if _, err := login(); err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("a no: %v", err)
	}
	answer = func(p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult {
		at := elsewhere(p.URL)
		query := at.Query()
		query.Set("state", "forged")
		at.RawQuery = query.Encode()
		return wire.MCPAuthorizeResult{Callback: at.String()}
	}
	if _, err := login(); err == nil || !strings.Contains(err.Error(), "state") {
		t.Errorf("the address of another login: %v", err)
	}
	g.mu.Lock()
	g.deny = true
	g.mu.Unlock()
	answer = func(p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult {
		return wire.MCPAuthorizeResult{Callback: elsewhere(p.URL).String()}
	}
	if _, err := login(); err == nil || !strings.Contains(err.Error(), "the person said no") {
		t.Errorf("the server's no: %v", err)
	}
	g.mu.Lock()
	g.deny = false
	g.mu.Unlock()
	for _, paste := range []func(*url.URL) string{
		func(u *url.URL) string { return " " + u.String() + "\n" },
		func(u *url.URL) string { return u.Query().Get("code") },
	} {
		answer = func(p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult {
			at := elsewhere(p.URL)
			if at.Host != "tunnel.test" || strings.Contains(at.Path, "{") {
				t.Errorf("the browser ends at %s", at)
			}
			return wire.MCPAuthorizeResult{Callback: paste(at)}
		}
		if res, err := login(); err != nil || res.Server.State != wire.MCPConnected {
			t.Errorf("pasted: %+v, %v", res.Server, err)
		}
		servertest.Call(e, wire.MCPLogout, wire.MCPServerRef{Name: "web"})
	}
	if _, err := servertest.Try(e, wire.MCPLogin, wire.MCPLoginParams{Name: "own"}); err == nil || !strings.Contains(err.Error(), `"Authorization"`) {
		t.Errorf("an entry with credentials of its own: %v", err)
	}
	if _, err := servertest.Try(e, wire.MCPLogin, wire.MCPLoginParams{Name: "docs"}); err == nil || !strings.Contains(err.Error(), "no server to log in to") {
		t.Errorf("a server on stdio: %v", err)
	}
}

// An editor without the plug-in asks with a message and opens the page by
// window/showDocument.
func TestALoginWithoutThePluginOpensThePage(t *testing.T) {
	g := newGuarded(t)
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"web": servertest.M{"url": g.URL + "/mcp"}}))
	var messages []string
	var browsing sync.WaitGroup
	e := w.Start(servertest.Config{
		NoPlugin: true,
		Message: func(p protocol.ShowMessageRequestParams) string {
			messages = append(messages, p.Message)
			return p.Actions[0].Title
		},
		Show: func(page string) bool {
			browsing.Go(func() { visit(t, page) })
			return true
		},
	})
	servertest.Poll(t, "the login to be wanted", func() bool {
		servers := servertest.Call(e, wire.MCPStatus, wire.Empty{}).Servers
		return len(servers) == 1 && servers[0].State == wire.MCPNeedsAuth
	})
	res := servertest.Call(e, wire.MCPLogin, wire.MCPLoginParams{Name: "web"})
	if res.Server.State != wire.MCPConnected {
		t.Errorf("row %+v", res.Server)
	}
	browsing.Wait()
	if len(messages) != 1 || !strings.Contains(messages[0], "web") || !strings.Contains(messages[0], g.URL) {
		t.Errorf("asked %q", messages)
	}
}

// A login that was left waiting does not keep a person from another.
func TestASecondLoginTakesThePlaceOfTheFirst(t *testing.T) {
	g := newGuarded(t)
	w := servertest.NewWorld(t)
	w.User(servertest.Servers(servertest.M{"web": servertest.M{"url": g.URL + "/mcp"}}))
	asked := make(chan struct{}, 2)
	first := true
	e := w.Start(servertest.Config{
		Capabilities: &wire.ClientCapabilities{RequestPermission: true, Authorize: true},
		Authorize: func(ctx context.Context, p wire.MCPAuthorizeParams) wire.MCPAuthorizeResult {
			mine := first
			first = false
			asked <- struct{}{}
			if !mine {
				visit(t, p.URL)
			}
			<-ctx.Done()
			return wire.MCPAuthorizeResult{}
		},
	})
	e.AwaitState("web", wire.MCPNeedsAuth)
	wait := servertest.Start(context.Background(), e, wire.MCPLogin, wire.MCPLoginParams{Name: "web"})
	<-asked
	res := servertest.Call(e, wire.MCPLogin, wire.MCPLoginParams{Name: "web"})
	if res.Server.State != wire.MCPConnected {
		t.Errorf("the second: %+v", res.Server)
	}
	if _, err := wait(); err == nil || !strings.Contains(err.Error(), "another login") {
		t.Errorf("the first: %v", err)
	}
}
