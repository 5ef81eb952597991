package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

// Bounds of what servers can put into the prompt, in bytes.
const (
	maxServerInstructions = 32_000
	maxServerReason       = 200
)

// Headings and sentences of the dynamic block.
const (
	textMCPTools        = "## MCP Tools\nYou have %d additional tools from MCP servers:\n"
	textMCPInstructions = "## MCP Server Instructions\nWritten by the servers about the use of their tools; the user's words go before them.\n\n"
	textMCPFailed       = "## Unavailable MCP Servers\nThese failed, so their tools are missing; say so when the user needs them:\n"
	textMCPStarting     = "## Starting MCP Servers\nTheir tools may appear later in this conversation:\n"
)

// BuildDynamicSystemPart is the third block of the system prompt, the one that may
// change while a session runs: the remote tools' names by server (what they do
// stands in the request's tool list), the servers' own instructions, and the
// servers whose tools are missing. It is empty when there is nothing to say, and
// the same bytes for the same input.
func BuildDynamicSystemPart(tools []agent.Tool, instructions string, starting, failed []ServerNote) string {
	return dynamicPart(tools, nil, instructions, starting, failed)
}

// dynamicPart is BuildDynamicSystemPart with tools that are deferred.
func dynamicPart(tools, deferred []agent.Tool, instructions string, starting, failed []ServerNote) string {
	var parts []string
	if n := len(tools) + len(deferred); n > 0 {
		lines := slices.DeleteFunc([]string{toolLines(tools), deferredPart(deferred)}, func(s string) bool { return s == "" })
		parts = append(parts, fmt.Sprintf(textMCPTools, n)+strings.Join(lines, "\n"))
	}
	if instructions = strings.TrimSpace(instructions); instructions != "" {
		if len(instructions) > maxServerInstructions {
			instructions = strings.ToValidUTF8(instructions[:maxServerInstructions], "") + "\n[cut]"
		}
		parts = append(parts, textMCPInstructions+instructions)
	}
	if len(failed) > 0 {
		parts = append(parts, textMCPFailed+noteLines(failed))
	}
	if len(starting) > 0 {
		parts = append(parts, textMCPStarting+noteLines(starting))
	}
	return strings.Join(parts, "\n\n")
}

// toolLines has a line for each server, in the order the tools come in.
func toolLines(tools []agent.Tool) string {
	var order []string
	names := map[string][]string{}
	for _, t := range tools {
		server := serverOf(t)
		if _, ok := names[server]; !ok {
			order = append(order, server)
		}
		names[server] = append(names[server], t.Name())
	}
	lines := make([]string, len(order))
	for i, server := range order {
		lines[i] = "- " + oneLine(server) + ": " + strings.Join(names[server], ", ")
	}
	return strings.Join(lines, "\n")
}

// serverOf is the server's name as it stands in the settings.
func serverOf(t agent.Tool) string {
	if s, ok := t.(interface{ Server() string }); ok {
		return s.Server()
	}
	if d, ok := t.(permission.Describer); ok {
		if r := d.PermissionRequest([]byte("{}")); r.Server != "" {
			return r.Server
		}
	}
	return "other"
}

// noteLines has a line for each note, by name.
func noteLines(notes []ServerNote) string {
	notes = slices.Clone(notes)
	slices.SortFunc(notes, func(a, b ServerNote) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	lines := make([]string, len(notes))
	for i, n := range notes {
		lines[i] = "- " + oneLine(n.Name)
		if r := oneLine(n.Reason); r != "" {
			lines[i] += ": " + r
		}
	}
	return strings.Join(lines, "\n")
}

// oneLine keeps a server's text from looking like a line of ours.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxServerReason {
		s = strings.ToValidUTF8(s[:maxServerReason], "") + "..."
	}
	return s
}
