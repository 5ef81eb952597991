// Package mcp is the MCP client side: the configuration of servers, the
// connections to them, and their tools as tools of the agent. Nothing outside
// mcp/... imports the MCP SDK, and mcp imports neither the session nor the editor.
package mcp
