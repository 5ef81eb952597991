package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"github.com/codebot-ls/codebot-ls/mcp"
	"github.com/codebot-ls/codebot-ls/server/wire"
	"github.com/codebot-ls/codebot-ls/session/lang"
)

// callPatience bounds the wait for the one server that is called: its own connect
// time-out ends sooner as a rule.
const callPatience = time.Minute

// CallTool makes one call as a person's own, prints what the tool answered and ends
// the server. Of o it uses Serve, Dir, Version, Locale and Out. The error says that
// the call was not made, or that the tool reports a failure.
func CallTool(ctx context.Context, o Options, server, tool string, arguments json.RawMessage) (err error) {
	c, err := dial(ctx, o.Serve)
	if err != nil {
		return err
	}
	defer func() {
		// How the server ended after a failure is a consequence, not news.
		if closed := c.close(); err == nil {
			err = closed
		}
	}()
	if err := c.initialize(ctx, o.Dir, o.Version, o.Locale); err != nil {
		return lang.Errorf(zh, textStartingServer, err)
	}
	if err := c.waitFor(ctx, server); err != nil {
		return err
	}
	var result wire.MCPCallToolResult
	params := wire.MCPCallToolParams{Server: server, Tool: tool, Arguments: jsontext.Value(arguments)}
	if err := c.call(ctx, wire.MCPCallTool.Name, params, &result); err != nil {
		return c.withFindings(c.withReason(ctx, server, promptFailure(err)))
	}
	for _, block := range result.Content {
		fmt.Fprintln(o.Out, mcp.Clean(blockText(block)))
	}
	if len(result.Content) == 0 && len(result.StructuredContent) > 0 {
		fmt.Fprintln(o.Out, mcp.Clean(string(result.StructuredContent)))
	}
	if result.IsError {
		return lang.Errorf(zh, textToolFailed, tool, server)
	}
	return nil
}

// withReason adds to the failure of a call why the server called is not well, as its
// row has it, unless the failure says so itself.
func (c *client) withReason(ctx context.Context, name string, failure error) error {
	var status wire.MCPStatusResult
	if err := c.call(ctx, wire.MCPStatus.Name, wire.Empty{}, &status); err != nil {
		return failure
	}
	for _, row := range status.Servers {
		if row.Name != name || row.Error == nil || mcp.State(row.State).Usable() {
			continue
		}
		for _, reason := range []string{row.Error.Message, row.Error.Hint} {
			if reason != "" && !strings.Contains(failure.Error(), reason) {
				failure = lang.Errorf(zh, textWithReason, failure, reason)
			}
		}
	}
	return failure
}

// withFindings adds what makes the settings files unreadable: the server called may
// stand in one of them.
func (c *client) withFindings(failure error) error {
	all := findings{}
	for _, e := range c.take() {
		if e, ok := e.(protocol.PublishDiagnosticsParams); ok {
			all.apply(e)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(all)) {
		for _, f := range all[file] {
			if f.severity == protocol.DiagnosticSeverityError {
				failure = lang.Errorf(zh, textWithReason, failure, f.String())
			}
		}
	}
	return failure
}

// waitFor returns when no server of that name is starting. Whether it can be called
// then is for the call to say.
func (c *client) waitFor(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	var status wire.MCPStatusResult
	if err := c.call(ctx, wire.MCPStatus.Name, wire.Empty{}, &status); err != nil {
		return lang.Errorf(zh, textAskingServers, err)
	}
	var servers servers
	servers.reset(status.Servers, status.Totals)
	for servers.isStarting(name) {
		select {
		case <-c.ready():
			for _, e := range c.take() {
				if p, ok := e.(wire.MCPDidChangeStatusParams); ok {
					servers.apply(p)
				}
			}
		case <-c.gone:
			return lang.Errorf(zh, textServerEnded)
		case <-ctx.Done():
			return lang.Errorf(zh, textStillStarting, name, ctx.Err())
		}
	}
	return nil
}
