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
		logMessage(log, req.Params)
	}
}

// logNotice does the same for a notification as it came.
func logNotice(log *serverLog, params json.RawMessage) {
	var p sdk.LoggingMessageParams
	if json.Unmarshal(params, &p) == nil {
		logMessage(log, &p)
	}
}

func logMessage(log *serverLog, p *sdk.LoggingMessageParams) {
	text, ok := p.Data.(string)
	if !ok {
		data, err := json.Marshal(p.Data)
		if err != nil {
			return
		}
		text = string(data)
	}
	if p.Logger != "" {
		text = p.Logger + ": " + text
	}
	log.add(string(p.Level), LogServer, text)
}
