package mcp

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/permission"
)

func no() *bool  { b := false; return &b }
func yes() *bool { b := true; return &b }

// Looking for pieces of words in names and descriptions called destructive tools
// reads: "get" in "target" and "budget", "read" in "thread" and in the mark
// "(readOnly)" itself, "list" anywhere; and "API" made everything network.
func TestWordsRaiseTheRiskAndNeverLowerIt(t *testing.T) {
	const (
		write, exec = permission.CapabilityWrite, permission.CapabilityExec
		network     = permission.CapabilityNetwork
		unknown     = permission.CapabilityUnknown
	)
	for _, tc := range []struct {
		name, description string
		want              permission.Capability
	}{
		{"execute_sql", "Execute a SQL query", exec},
		{"drop_table", "Drops a table; list the rest", write},
		{"kill_process", "Stop the target group", exec},
		{"transfer_funds", "Move budget between accounts", write},
		{"restart", "Restart the thread pool", exec},
		{"reader", "Does a thing. (readOnly)", unknown},
		{"delete_branch", "Deletes a branch with the API", write},
		{"get_version", "Get API version.", unknown},
		{"deploy", "Ship it", exec},
		{"trigger", "Trigger a deployment. (destructive)", exec},
		{"status", "Check deployment status. (readOnly)", unknown},
		{"merge_pull_request", "", write},
		{"move_file", "", write},
		{"get_and_run", "", exec},
		{"List", "", unknown},
		{"list_files", "Lists files", unknown},
		{"dеlete_all", "with a Cyrillic letter", unknown},
		{"deleteAll", "", write},
		{"runSQL", "", exec},
		{"bulkUPDATE", "", write},
		{"search", "Search documentation.", network},
		{"webSearch", "", network},
		{"cleanup", "Looks around and then deletes what is old", write},
		{"notify", "Sends a message", write},
		{"lookup", "Fetches a page", network},
		{"x", "", unknown},
	} {
		got := judge(ServerConfig{}, &sdk.Tool{Name: tc.name, Description: tc.description})
		if got.capability != tc.want || got.trustedRead {
			t.Errorf("%s (%q): %+v, want %s", tc.name, tc.description, got, tc.want)
		}
		if got.reason == "" {
			t.Errorf("%s: no reason", tc.name)
		}
		// A server's word that it only reads changes nothing.
		lying := judge(ServerConfig{}, &sdk.Tool{
			Name: tc.name, Description: tc.description,
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: no(), OpenWorldHint: no()},
		})
		if lying != got {
			t.Errorf("%s: with readOnlyHint %+v, without %+v", tc.name, lying, got)
		}
	}
}

// The MCP specification calls annotations untrusted unless they come from a
// trusted server (2025-11-25, "Tool annotations").
func TestAnnotationsRaiseAlwaysAndLowerOnlyWhenTrusted(t *testing.T) {
	trusted := ServerConfig{TrustAnnotations: true, Origin: Origin{Scope: ScopeUser}}
	project := ServerConfig{TrustAnnotations: true, Origin: Origin{Scope: ScopeProject}}
	for name, tc := range map[string]struct {
		cfg  ServerConfig
		tool sdk.Tool
		want judgement
	}{
		"trusted read": {trusted, sdk.Tool{Name: "search", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: yes()}},
			judgement{capability: permission.CapabilityRead, trustedRead: true}},
		"trusted read whose name is a deed": {trusted, sdk.Tool{Name: "delete_all", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
			judgement{capability: permission.CapabilityRead, trustedRead: true}},
		"trusted but silent": {trusted, sdk.Tool{Name: "list"},
			judgement{capability: permission.CapabilityUnknown, reason: textReasonUnknown}},
		"trusted and mere words": {trusted, sdk.Tool{Name: "list", Description: "Lists. (readOnly)"},
			judgement{capability: permission.CapabilityUnknown, reason: textReasonUnknown}},
		"trusted and contradicting itself": {trusted, sdk.Tool{Name: "x", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: yes()}},
			judgement{capability: permission.CapabilityWrite, reason: textReasonWrite, destructive: true}},
		"vouched for by the project itself": {project, sdk.Tool{Name: "list", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
			judgement{capability: permission.CapabilityUnknown, reason: textReasonUnknown}},
		"destructive": {ServerConfig{}, sdk.Tool{Name: "list", Annotations: &sdk.ToolAnnotations{DestructiveHint: yes()}},
			judgement{capability: permission.CapabilityWrite, reason: textReasonWrite, destructive: true}},
		"destructive by its mark alone": {ServerConfig{}, sdk.Tool{Name: "x", Description: "X. (destructive)"},
			judgement{capability: permission.CapabilityWrite, reason: textReasonWrite, destructive: true}},
		"not destructive by default": {ServerConfig{}, sdk.Tool{Name: "x", Annotations: &sdk.ToolAnnotations{}},
			judgement{capability: permission.CapabilityUnknown, reason: textReasonUnknown}},
		"open world": {ServerConfig{}, sdk.Tool{Name: "x", Annotations: &sdk.ToolAnnotations{OpenWorldHint: yes()}},
			judgement{capability: permission.CapabilityNetwork, reason: textReasonNetwork}},
		"open world and writing": {ServerConfig{}, sdk.Tool{Name: "send", Annotations: &sdk.ToolAnnotations{OpenWorldHint: yes()}},
			judgement{capability: permission.CapabilityWrite, reason: textReasonWrite}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := judge(tc.cfg, &tc.tool); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}
