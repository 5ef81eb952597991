package demo

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// served runs the named server with Serve over pipes, as a child on stdio, and
// returns a client's session with it.
func served(t *testing.T, name, protocol string) *sdk.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), name, toServer, fromServer) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "0"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient},
		&sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		fromClient.Close() // the end of stdin ends the server
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

// textOf returns the only text of a result.
func textOf(t *testing.T, res *sdk.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("%d pieces of content", len(res.Content))
	}
	return res.Content[0].(*sdk.TextContent).Text
}

// Both revisions of the protocol: with a discovery request and with a handshake.
var protocols = []string{"", "2025-11-25"}

func TestToolsAreWhatTheWalkthroughPromises(t *testing.T) {
	type tool struct {
		name, description string
		readOnly          bool
		args, answer      string
	}
	for server, want := range map[string][]tool{
		"docs": {
			{"get_version", "Get API version. (readOnly)", true, `{}`, "[docs] API v2.1.0"},
			{"search", "Search documentation. (readOnly)", true, `{"query":"it's"}`, "[docs] Found 3 results for 'it's'"},
		},
		"deploy": {
			{"status", "Check deployment status. (readOnly)", true, `{"service":"web"}`, "[deploy] web: running (v1.4.2)"},
			{"trigger", "Trigger a deployment. (destructive)", false, `{"service":"web"}`, "[deploy] Triggered: web"},
		},
	} {
		for _, protocol := range protocols {
			t.Run(server+protocol, func(t *testing.T) {
				session := served(t, server, protocol)
				var got []*sdk.Tool
				for listed, err := range session.Tools(t.Context(), nil) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, listed)
				}
				if len(got) != len(want) {
					t.Fatalf("%d tools, want %d", len(got), len(want))
				}
				for i, w := range want {
					g := got[i]
					if g.Name != w.name || g.Description != w.description {
						t.Errorf("got %s %q, want %s %q", g.Name, g.Description, w.name, w.description)
					}
					destructive := g.Annotations.DestructiveHint != nil && *g.Annotations.DestructiveHint
					if g.Annotations.ReadOnlyHint != w.readOnly || destructive == w.readOnly {
						t.Errorf("%s is annotated %+v", g.Name, g.Annotations)
					}
					res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: w.name, Arguments: json.RawMessage(w.args)})
					if err != nil {
						t.Fatal(err)
					}
					if text := textOf(t, res); text != w.answer || res.IsError {
						t.Errorf("%s answered %q, want %q", w.name, text, w.answer)
					}
				}
			})
		}
	}
}

func TestUnknownToolIsNamed(t *testing.T) {
	for _, protocol := range protocols {
		session := served(t, "deploy", protocol)
		_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "search", Arguments: map[string]any{}})
		answer, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok || answer.Message != "MCP error: unknown tool 'search'" || answer.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("got %v", err)
		}
	}
}

func TestMissingArgumentIsAFailureTheModelCanRead(t *testing.T) {
	session := served(t, "docs", "")
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "search", Arguments: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	if text := textOf(t, res); !res.IsError || !strings.Contains(text, "query") {
		t.Errorf("got %q, error %t", text, res.IsError)
	}
}

func TestServersAreMadeByName(t *testing.T) {
	names := Names()
	if !slices.Equal(names, []string{"docs", "deploy"}) {
		t.Errorf("got %q", names)
	}
	names[0] = "changed by a caller"
	for _, name := range Names() {
		if one, other := New(name), New(name); one == nil || one == other {
			t.Errorf("%s: each connection gets a server of its own", name)
		}
	}
	if New("nope") != nil {
		t.Error("a server of no name")
	}
	err := Serve(t.Context(), "nope", strings.NewReader(""), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "docs, deploy") {
		t.Errorf("got %v, want the names there are", err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	in, keep := io.Pipe()
	defer keep.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Serve(ctx, "docs", in, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
