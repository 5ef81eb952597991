// Package demo holds two small MCP servers to try codebot-ls with: "docs", which
// only reads, and "deploy", which acts. They do nothing but answer, need no
// network, and run inside a process or as a child on stdio.
package demo

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// version is what the servers say theirs is.
const version = "1.0.0"

// servers are the servers by name.
var servers = map[string]func() *sdk.Server{
	"docs":   newDocs,
	"deploy": newDeploy,
}

// Names returns the names of the servers, in the order they are offered to a
// newcomer: the harmless one first.
func Names() []string { return []string{"docs", "deploy"} }

// New returns a fresh server of one of [Names], for one connection; nil for any
// other name.
func New(name string) *sdk.Server {
	if build, ok := servers[name]; ok {
		return build()
	}
	return nil
}

// Serve runs the named server on a pair of streams, in and out, as on a child's
// stdin and stdout, until in ends or ctx is cancelled. Neither stream is closed;
// after a cancel, a Read of in that is still blocked is left behind.
func Serve(ctx context.Context, name string, in io.Reader, out io.Writer) error {
	server := New(name)
	if server == nil {
		return fmt.Errorf("unknown demo server %q: there are %s", name, strings.Join(Names(), ", "))
	}
	err := server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: keepOpen{out}})
	if err != nil {
		return fmt.Errorf("demo server %s: %w", name, err)
	}
	return nil
}

// keepOpen leaves a stream to whoever opened it.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

// serviceArgs are the arguments of the tools that are about one service.
type serviceArgs struct {
	Service string `json:"service" jsonschema:"the name of the service"`
}

func newDocs() *sdk.Server {
	type searchArgs struct {
		Query string `json:"query" jsonschema:"what to look for"`
	}
	s := newServer("docs", "Search the documentation here before you answer from memory.")
	sdk.AddTool(s, readOnly("search", "Search documentation."), answer(func(a searchArgs) string {
		return fmt.Sprintf("[docs] Found 3 results for '%s'", a.Query)
	}))
	sdk.AddTool(s, readOnly("get_version", "Get API version."), answer(func(struct{}) string {
		return "[docs] API v2.1.0"
	}))
	return s
}

func newDeploy() *sdk.Server {
	s := newServer("deploy", "Look at the status of a service before and after you deploy it.")
	sdk.AddTool(s, destructive("trigger", "Trigger a deployment."), answer(func(a serviceArgs) string {
		return "[deploy] Triggered: " + a.Service
	}))
	sdk.AddTool(s, readOnly("status", "Check deployment status."), answer(func(a serviceArgs) string {
		return fmt.Sprintf("[deploy] %s: running (v1.4.2)", a.Service)
	}))
	return s
}

func newServer(name, instructions string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: name, Title: "codebot demo: " + name, Version: version},
		&sdk.ServerOptions{
			Instructions: instructions,
			// Not nil, for that would promise log messages.
			Capabilities: &sdk.ServerCapabilities{},
		})
	s.AddReceivingMiddleware(nameUnknownTools)
	return s
}

// nameUnknownTools answers a call of a tool that is not there in the words of
// this project instead of the SDK's.
func nameUnknownTools(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.CallToolRequest)
		if ok && call.Params != nil {
			known, err := knownTools(ctx, next, call.Session)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(known, call.Params.Name) {
				return nil, &jsonrpc.Error{
					Code:    jsonrpc.CodeInvalidParams,
					Message: fmt.Sprintf("MCP error: unknown tool '%s'", call.Params.Name),
				}
			}
		}
		return next(ctx, method, req)
	}
}

// knownTools asks the server itself, so that no second list can go stale.
func knownTools(ctx context.Context, next sdk.MethodHandler, session *sdk.ServerSession) ([]string, error) {
	res, err := next(ctx, "tools/list", &sdk.ListToolsRequest{Session: session, Params: &sdk.ListToolsParams{}})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range res.(*sdk.ListToolsResult).Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

// readOnly and destructive say what a tool does twice: in its annotations, for
// programs, and at the end of its description, for whoever only reads that.
func readOnly(name, description string) *sdk.Tool {
	return &sdk.Tool{
		Name: name, Description: description + " (readOnly)",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
	}
}

func destructive(name, description string) *sdk.Tool {
	yes := true
	return &sdk.Tool{
		Name: name, Description: description + " (destructive)",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes},
	}
}

// answer makes a handler of a function that only makes a text.
func answer[In any](text func(In) string) sdk.ToolHandlerFor[In, any] {
	return func(_ context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text(in)}}}, nil, nil
	}
}
