// The conformance command is the client that the MCP project's conformance suite
// drives: it gives the address it gets to a Manager, as a settings file would, does what
// the scenario wants by the Manager's own methods, and logs in as a person would whenever
// the row says that the server wants a login.
//
//	conformance URL    with MCP_CONFORMANCE_SCENARIO, and MCP_CONFORMANCE_CONTEXT (JSON)
//
// It exits with 1 and says why when the scenario cannot be gone through.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/mcp"
)

const (
	// name is what the server under test is called.
	name = "conformance"
	// redirect is where the suite's authorization servers send the browser; nobody
	// listens there, for the browser below does not follow.
	redirect = "http://localhost:3000/callback"
	// logins is how often a person logs in before giving up. A server that never has
	// enough of it is the subject of auth/scope-retry-limit.
	logins = 3
	// patience bounds one scenario.
	patience = 25 * time.Second
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: conformance URL")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Getenv("MCP_CONFORMANCE_SCENARIO"), os.Getenv("MCP_CONFORMANCE_CONTEXT")); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// given is the context of a scenario.
type given struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	PrivateKey   string `json:"private_key_pem"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func run(ctx context.Context, address, scenario, about string) (err error) {
	var g given
	if about != "" {
		if err := json.Unmarshal([]byte(about), &g); err != nil {
			return fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	entry, forget, err := entryFor(address, scenario, g)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forget()) }()
	c := &client{manager: mcp.NewManager(mcp.Options{
		ClientVersion: "conformance", Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		LookupEnv: os.LookupEnv, Environ: os.Environ,
		Tokens: &store{values: map[string]string{}}, ElicitForm: true, Elicit: elicit,
	})}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, c.manager.Close(ctx))
	}()
	c.manager.Reconfigure(ctx, map[string]mcp.ServerConfig{name: entry})
	if err := c.connect(ctx); err != nil {
		return err
	}
	play, ok := scenarios[scenario]
	switch {
	case ok:
		return play(ctx, c, g)
	case strings.HasPrefix(scenario, "auth/"):
		return c.call(ctx, "test-tool", nil)
	}
	return fmt.Errorf("the scenario %q is not one of those known here", scenario)
}

// entryFor is the entry that a person would write for a scenario.
func entryFor(address, scenario string, g given) (entry mcp.ServerConfig, forget func() error, err error) {
	forget = func() error { return nil }
	entry = mcp.ServerConfig{Type: mcp.TransportHTTP, URL: address, Origin: mcp.Origin{Scope: mcp.ScopeUser, Approved: true}}
	entry.OAuth.ClientID, entry.OAuth.ClientSecret = g.ClientID, g.ClientSecret
	if strings.HasPrefix(scenario, "auth/client-credentials-") {
		entry.OAuth.Grant = mcp.GrantClientCredentials
	}
	if scenario == "auth/basic-cimd" {
		entry.OAuth.ClientID = "https://conformance-test.local/client-metadata.json"
	}
	if g.PrivateKey != "" {
		dir, err := os.MkdirTemp("", "conformance")
		if err != nil {
			return entry, forget, err
		}
		forget = func() error { return os.RemoveAll(dir) }
		entry.OAuth.PrivateKeyFile = filepath.Join(dir, "key.pem")
		if err := os.WriteFile(entry.OAuth.PrivateKeyFile, []byte(g.PrivateKey), 0o600); err != nil {
			return entry, forget, errors.Join(err, forget())
		}
	}
	return entry, forget, nil
}

// client is the Manager and the person in front of it.
type client struct {
	manager *mcp.Manager
	logins  int
}

// connect waits for the server and logs in when it wants that.
func (c *client) connect(ctx context.Context) error {
	row, err := c.manager.Wait(ctx, name)
	for err == nil && row.State == mcp.StateNeedsAuth {
		row, err = c.login(ctx)
	}
	switch {
	case err != nil:
		return err
	case !row.State.Usable():
		return fmt.Errorf("the server is %s: %s", row.State, why(row))
	}
	return nil
}

func why(row mcp.ServerStatus) string {
	if row.Error == nil {
		return "no reason given"
	}
	return row.Error.Message
}

var errEnough = errors.New("a person would not log in once more")

func (c *client) login(ctx context.Context) (mcp.ServerStatus, error) {
	if c.logins++; c.logins > logins {
		return mcp.ServerStatus{}, errEnough
	}
	return c.manager.Login(ctx, name, redirect, browse)
}

// browse is a browser in front of which somebody says yes at once.
func browse(ctx context.Context, page string) (url.Values, error) {
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	res, err := browser.Do(req)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	at, err := res.Location()
	if err != nil {
		return nil, fmt.Errorf("the page of the authorization server answered %s: %w", res.Status, err)
	}
	return at.Query(), nil
}

// call calls a tool, and once more after each login that the server wants for it.
func (c *client) call(ctx context.Context, tool string, args json.RawMessage) error {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	for {
		_, err := c.manager.CallTool(ctx, name, tool, args, nil)
		if action, ok := errors.AsType[*mcp.ActionError](err); !ok || action.Kind != mcp.KindNeedsAuth {
			return err
		}
		if _, err := c.login(ctx); err != nil {
			return err
		}
		if err := c.connect(ctx); err != nil {
			return err
		}
	}
}

// elicit fills a form as somebody who agrees to everything and changes nothing.
func elicit(_ context.Context, e mcp.Elicitation) (mcp.ElicitAnswer, error) {
	var schema struct {
		Properties map[string]struct {
			Type    string `json:"type"`
			Default any    `json:"default"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(e.Schema, &schema); err != nil {
		return mcp.ElicitAnswer{}, err
	}
	content := map[string]any{}
	for field, s := range schema.Properties {
		switch {
		case s.Default != nil:
			content[field] = s.Default
		case s.Type == "boolean":
			content[field] = true
		}
	}
	return mcp.ElicitAnswer{Action: mcp.ElicitAccept, Content: content}, nil
}

// store keeps tokens for the length of a scenario.
type store struct {
	mu     sync.Mutex
	values map[string]string // guarded by mu
	alone  sync.Mutex
}

func (s *store) Get(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[key]
}

func (s *store) Fresh(key string) string { return s.Get(key) }

func (s *store) Lock(context.Context) (func(), error) {
	s.alone.Lock()
	return s.alone.Unlock, nil
}

func (s *store) Set(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

func (s *store) Delete(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.values, key)
	return nil
}
