package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/rpc"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/keystore"
	"github.com/codebot-ls/codebot-ls/session/lang"
	"github.com/codebot-ls/codebot-ls/session/secret"
)

// loginTime is how long a person has for a login.
const loginTime = 10 * time.Minute

// errLoginAgain ends a login whose place another one takes.
var errLoginAgain = errors.New("another login to this server was begun")

// logins are those that wait for a browser, by server.
type logins struct {
	mu      sync.Mutex
	waiting map[mcpKey]*login // guarded by mu
}

type mcpKey struct{ name, root string }

type login struct{ cancel context.CancelCauseFunc }

// begin ends an earlier login to the same server and makes the context of this one.
func (l *logins) begin(ctx context.Context, key mcpKey) (context.Context, func()) {
	ctx, cancelTime := context.WithTimeout(ctx, loginTime)
	ctx, cancel := context.WithCancelCause(ctx)
	mine := &login{cancel}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting == nil {
		l.waiting = map[mcpKey]*login{}
	}
	if before := l.waiting[key]; before != nil {
		before.cancel(errLoginAgain)
	}
	l.waiting[key] = mine
	return ctx, func() {
		l.mu.Lock()
		if l.waiting[key] == mine {
			delete(l.waiting, key)
		}
		l.mu.Unlock()
		cancel(nil)
		cancelTime()
	}
}

func (s *Server) mcpLogin(ctx context.Context, p wire.MCPLoginParams) (wire.MCPServerResult, error) {
	at, err := s.servers.find(p.Name, p.Folder)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	name := strings.Clone(p.Name)
	wanted := strings.Clone(p.RedirectURI)
	rpc.Release(ctx)
	port, err := at.manager.LoginPort(name)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	ctx, end := s.logins.begin(ctx, mcpKey{name, at.root})
	defer end()
	back, err := s.listenForBrowser(wanted, port)
	if err != nil {
		return wire.MCPServerResult{}, refuse(wire.KindStartBlocked, name, lang.Errorf(zh, textLoginPort, mcp.CleanLine(name), err), "")
	}
	defer back.close()
	row, err := at.manager.Login(ctx, name, back.redirect, func(ctx context.Context, page string) (url.Values, error) {
		return s.browse(ctx, name, at.root, page, back)
	})
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errLoginAgain) {
		err = jsonrpc2.NewError(protocol.ErrRequestCancelled.Code, s.say(textLoginAgain, mcp.CleanLine(name)))
	}
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	return s.answerRow(row, at.root), nil
}

func (s *Server) mcpLogout(ctx context.Context, p wire.MCPServerRef) (wire.MCPServerResult, error) {
	at, err := s.servers.find(p.Name, p.Folder)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	name := strings.Clone(p.Name)
	rpc.Release(ctx)
	row, err := at.manager.Logout(ctx, name)
	if err != nil {
		return wire.MCPServerResult{}, err
	}
	return s.answerRow(row, at.root), nil
}

// comeback is where a browser comes back to: a port of this machine that nobody else
// reaches, open for the time of one login.
type comeback struct {
	redirect string
	came     chan url.Values
	server   *http.Server
	serving  sync.WaitGroup
}

// callbackPath is where a browser comes back to.
const callbackPath = "/callback"

// listenForBrowser opens the port, a certain one where port is not 0. wanted is an
// address that leads there from the person's machine, "{port}" in it stands for the port.
func (s *Server) listenForBrowser(wanted string, port int) (*comeback, error) {
	// A client that was registered before has localhost in its address, as everybody
	// registers it; for ourselves we say which of the machine's addresses it is (RFC 8252,
	// sections 7.3 and 8.3).
	home := "http://127.0.0.1:{port}" + callbackPath
	if port != 0 {
		home = "http://localhost:{port}" + callbackPath
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	listeners := []net.Listener{listener}
	if port != 0 {
		if also, err := net.Listen("tcp", net.JoinHostPort("::1", strconv.Itoa(port))); err == nil { // or there is no IPv6
			listeners = append(listeners, also)
		}
	}
	at := listener.Addr().(*net.TCPAddr).Port
	b := &comeback{redirect: strings.ReplaceAll(cmp.Or(wanted, home), "{port}", strconv.Itoa(at)), came: make(chan url.Values, 1)}
	b.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			query := r.URL.Query()
			if r.Method != http.MethodGet || query.Get("state") == "" || query.Get("code") == "" && query.Get("error") == "" {
				http.NotFound(w, r) // a favicon, or somebody who looks around
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			said := s.say(textLoginDone)
			if query.Get("error") != "" {
				said = s.say(textLoginRefused)
			}
			_, _ = fmt.Fprintf(w, "<!doctype html><meta charset=utf-8><title>codebot-ls</title><p>%s</p>", html.EscapeString(said))
			select {
			case b.came <- query:
			default: // the first one counts
			}
		}),
	}
	for _, l := range listeners {
		b.serving.Go(func() { _ = b.server.Serve(l) }) // ends with close
	}
	return b, nil
}

// close lets the page that the browser shows get there, and ends.
func (b *comeback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		_ = b.server.Close()
	}
	b.serving.Wait()
}

// browse shows a person the page to log in at and waits for the browser, or for what the
// person pastes.
func (s *Server) browse(ctx context.Context, name, root, page string, back *comeback) (url.Values, error) {
	at, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	state := at.Query().Get("state")
	asking, stop := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer stop() // the browser has come back: nobody needs to be asked any more
	type answer struct {
		values url.Values
		err    error
	}
	said := make(chan answer, 1)
	asked.Go(func() {
		values, err := s.askToLogIn(asking, wire.MCPAuthorizeParams{
			Server: name, Folder: uriOf(root), URL: page, Issuer: at.Host, RedirectURI: back.redirect,
		}, state)
		if values != nil || err != nil {
			said <- answer{values, err}
		}
	})
	for {
		var values url.Values
		select {
		case values = <-back.came:
			if values.Get("state") != state {
				continue // of an earlier login, or of somebody else
			}
		case a := <-said:
			if a.err != nil {
				return nil, a.err
			}
			values = a.values
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if why := values.Get("error"); why != "" {
			return nil, errors.New(mcp.CleanLine(cmp.Or(values.Get("error_description"), why)))
		}
		return values, nil
	}
}

// askToLogIn shows the page by what the client can. Nil values without an error mean that
// the browser is waited for.
func (s *Server) askToLogIn(ctx context.Context, p wire.MCPAuthorizeParams, state string) (url.Values, error) {
	refused := jsonrpc2.NewError(protocol.ErrRequestCancelled.Code, s.say(textLoginCancelled, mcp.CleanLine(p.Server)))
	if c := s.client.codebot; c != nil && c.Authorize {
		var answer wire.MCPAuthorizeResult
		if err := protocol.Call(ctx, s.conn, wire.MCPAuthorize.Name, p, &answer); err != nil {
			return nil, err
		}
		switch {
		case answer.Cancelled:
			return nil, refused
		case answer.Callback != "":
			return pasted(strings.Clone(answer.Callback), state), nil
		}
		return nil, nil
	}
	open, no := s.say(textLoginOpen), s.say(textElicitNo)
	params := &protocol.ShowMessageRequestParams{
		Type:    protocol.MessageTypeInfo,
		Message: s.say(textLoginWants, mcp.CleanLine(p.Server), mcp.CleanLine(p.Issuer), mcp.Visible(p.URL)),
		Actions: []protocol.MessageActionItem{{Title: open}, {Title: no}},
	}
	var chosen *protocol.MessageActionItem
	if err := protocol.Call(ctx, s.conn, protocol.MethodWindowShowMessageRequest, params, &chosen); err != nil {
		return nil, err
	}
	if chosen == nil || chosen.Title != open {
		return nil, refused
	}
	var shown protocol.ShowDocumentResult
	err := protocol.Call(ctx, s.conn, protocol.MethodWindowShowDocument, map[string]any{"uri": p.URL, "external": true}, &shown)
	if err == nil && !shown.Success {
		err = errors.New(s.say(textLoginNotShown))
	}
	return nil, err
}

// pasted reads what a person pasted: the address the browser stopped at, or the code in
// it, which then is of this login, for the page was.
func pasted(text, state string) url.Values {
	text = strings.TrimSpace(text)
	if at, err := url.Parse(text); err == nil && (at.Query().Get("code") != "" || at.Query().Get("error") != "") {
		return at.Query()
	}
	if values, err := url.ParseQuery(strings.TrimPrefix(text, "?")); err == nil && values.Get("code") != "" {
		if values.Get("state") == "" {
			values.Set("state", state)
		}
		return values
	}
	return url.Values{"code": {text}, "state": {state}}
}

// tokenStore is the keystore as mcp wants it. What passes it is in no log from then on.
type tokenStore struct{ s *Server }

func (t tokenStore) Get(name string) string { return t.found(name, t.s.keys.Get) }

func (t tokenStore) Fresh(name string) string { return t.found(name, t.s.keys.Fresh) }

// Lock is held by one window at a time.
func (t tokenStore) Lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(t.s.home, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(t.s.home, "tokens.lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil
}

func (t tokenStore) found(name string, get func(string) (string, keystore.Source, error)) string {
	value, _, err := get(name)
	if err != nil && !errors.Is(err, keystore.ErrNotFound) {
		t.s.log.Warn("a token cannot be read", "name", name, "error", err)
	}
	t.learn(value)
	return value
}

func (t tokenStore) Set(name, value string) error {
	t.learn(value)
	_, err := t.s.keys.Set(name, value)
	return err
}

func (t tokenStore) Delete(name string) error { return t.s.keys.Delete(name) }

func (t tokenStore) learn(value string) {
	var held map[string]any
	if value == "" || json.Unmarshal([]byte(value), &held) != nil {
		return
	}
	for name, v := range held {
		if text, ok := v.(string); ok && secret.Certain(name) && !strings.HasSuffix(name, "_url") {
			t.s.opts.Secrets.Learn(text)
		}
	}
}
