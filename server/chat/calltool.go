package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.initialize(ctx, o.Dir, o.Version, o.Locale); err != nil {
		return lang.Errorf(zh, textStartingServer, err)
	}
	if err := c.waitFor(ctx, server); err != nil {
		return err
	}
	var result wire.MCPCallToolResult
	params := wire.MCPCallToolParams{Server: server, Tool: tool, Arguments: jsontext.Value(arguments)}
	if err := c.call(ctx, wire.MCPCallTool.Name, params, &result); err != nil {
		return promptFailure(err)
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
