//lint:file-ignore SA1019 MCP logging is deprecated by SEP-2577, but servers of the older handshake say there what went wrong.

package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// takeServerLogs puts a server's log notifications into its log.
func takeServerLogs(opts *sdk.ClientOptions, log *serverLog) {
	opts.LoggingMessageHandler = func(_ context.Context, req *sdk.LoggingMessageRequest) {
		text, ok := req.Params.Data.(string)
		if !ok {
			data, err := json.Marshal(req.Params.Data)
			if err != nil {
				return
			}
			text = string(data)
		}
		if req.Params.Logger != "" {
			text = req.Params.Logger + ": " + text
		}
		log.add(string(req.Params.Level), LogServer, text)
	}
}
