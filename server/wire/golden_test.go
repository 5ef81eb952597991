package wire_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// example is one message with a golden file. acp names the definition of the Agent
// Client Protocol's schema that it must satisfy, "" where that protocol has none.
type example struct {
	name  string
	value any
	acp   string
}

func updateOf(v wire.SessionUpdateVariant) wire.SessionUpdateParams {
	return wire.SessionUpdateParams{SessionID: "s1", Update: wire.SessionUpdate{Value: v}}
}

// examples are the messages with unions, optional members or lists, each with and
// without what may be absent.
func examples() []example {
	const call = "call_1"
	meta := &wire.ToolCallMeta{Codebot: wire.ToolCallOrigin{Tool: "mcp__docs__search", Server: "docs", Original: "search"}}
	text := func(s string) *string { return &s }
	number := func(n int) *int { return &n }
	size := int64(12)
	options := []wire.PermissionOption{
		{OptionID: "allow_once", Name: "Allow once", Kind: wire.PermissionAllowOnce},
		{OptionID: "allow_session", Name: "Allow for this session", Kind: wire.PermissionAllowAlways},
		{OptionID: "allow_always", Name: "Always allow", Kind: wire.PermissionAllowAlways},
		{OptionID: "reject_once", Name: "Reject", Kind: wire.PermissionRejectOnce},
		{OptionID: "reject_always", Name: "Reject for this session", Kind: wire.PermissionRejectAlways},
	}
	modes := wire.SessionModeState{
		CurrentModeID:  "default",
		AvailableModes: []wire.SessionMode{{ID: "default", Name: "Default", Description: "Asks first."}, {ID: "plan", Name: "Plan"}},
	}
	return []example{
		{"update_user_message_chunk", updateOf(&wire.UserMessageChunk{Content: wire.TextBlock("hello")}), "SessionNotification"},
		{"update_agent_message_chunk", updateOf(&wire.AgentMessageChunk{Content: wire.TextBlock("查一下\u2028\"<&>")}), "SessionNotification"},
		{"update_agent_message_chunk_empty", updateOf(&wire.AgentMessageChunk{Content: wire.TextBlock("")}), "SessionNotification"},
		{"update_agent_thought_chunk", updateOf(&wire.AgentThoughtChunk{Content: wire.TextBlock("hm")}), "SessionNotification"},
		{"update_content_image", updateOf(&wire.AgentMessageChunk{Content: wire.ContentBlock{
			Type: wire.BlockImage, Data: "aGk=", MimeType: "image/png", URI: "file:///a.png",
		}}), "SessionNotification"},
		{"update_content_audio", updateOf(&wire.AgentMessageChunk{Content: wire.ContentBlock{
			Type: wire.BlockAudio, Data: "aGk=", MimeType: "audio/wav",
		}}), "SessionNotification"},
		{"update_content_resource_link", updateOf(&wire.UserMessageChunk{Content: wire.ContentBlock{
			Type: wire.BlockResourceLink, URI: "file:///a.go", Name: "a.go", Title: "A", Description: "the a", MimeType: "text/x-go", Size: &size,
		}}), "SessionNotification"},
		{"update_content_resource_text", updateOf(&wire.UserMessageChunk{Content: wire.ContentBlock{
			Type: wire.BlockResource, Resource: &wire.EmbeddedResource{URI: "file:///a.go", MimeType: "text/x-go", Text: text("")},
		}}), "SessionNotification"},
		{"update_content_resource_blob", updateOf(&wire.UserMessageChunk{Content: wire.ContentBlock{
			Type: wire.BlockResource, Resource: &wire.EmbeddedResource{URI: "file:///a.bin", Blob: text("aGk=")},
		}}), "SessionNotification"},
		{"update_tool_call", updateOf(&wire.ToolCallStart{ToolCall: wire.ToolCall{
			ToolCallID: call, Title: "Search documentation", Kind: wire.ToolFetch, Status: wire.ToolPending,
			RawInput: jsontext.Value(`{"query":"worktree"}`), Meta: meta,
		}}), "SessionNotification"},
		{"update_tool_call_least", updateOf(&wire.ToolCallStart{ToolCall: wire.ToolCall{ToolCallID: call, Title: "read a.go"}}), "SessionNotification"},
		{"update_tool_call_update_content", updateOf(&wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{
			ToolCallID: call, Status: wire.ToolCompleted,
			Content: []wire.ToolCallContent{
				{Type: wire.ToolContent, Content: &wire.ContentBlock{Type: wire.BlockText, Text: text("done")}},
				{Type: wire.ToolDiff, Path: "/w/a.go", OldText: text("a"), NewText: text("b")},
			},
			Locations: []wire.ToolCallLocation{{Path: "/w/a.go", Line: 3}, {Path: "/w/b.go"}},
			RawOutput: jsontext.Value(`{"n":12345678901234567890}`),
		}}), "SessionNotification"},
		{"update_tool_call_update_new_file", updateOf(&wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{
			ToolCallID: call, Content: []wire.ToolCallContent{{Type: wire.ToolDiff, Path: "/w/new.go", NewText: text("")}},
		}}), "SessionNotification"},
		{"update_tool_call_update_status", updateOf(&wire.ToolCallProgress{ToolCallUpdate: wire.ToolCallUpdate{ToolCallID: call, Status: wire.ToolFailed}}), "SessionNotification"},
		{"update_plan", updateOf(&wire.PlanUpdate{Entries: []wire.PlanEntry{{Content: "look", Priority: wire.PlanHigh, Status: wire.PlanInProgress}}}), "SessionNotification"},
		{"update_plan_empty", updateOf(&wire.PlanUpdate{}), "SessionNotification"},
		{"update_current_mode", updateOf(&wire.CurrentModeUpdate{CurrentModeID: "plan"}), "SessionNotification"},
		{"update_config_option", updateOf(&wire.ConfigOptionUpdate{ConfigOptions: []wire.SessionConfigOption{{
			ID: "model", Name: "Model", Category: "model", Type: "select", CurrentValue: "offline",
			Options: []wire.SessionConfigSelectOption{{Value: "offline", Name: "Offline", Description: "no language model"}},
		}}}), "SessionNotification"},
		{"update_available_commands", updateOf(&wire.AvailableCommandsUpdate{AvailableCommands: []wire.AvailableCommand{{Name: "compact", Description: "Shorten the history"}}}), "SessionNotification"},
		{"update_session_info", updateOf(&wire.SessionInfoUpdate{Title: "Search the docs"}), "SessionNotification"},
		{"update_usage", updateOf(&wire.UsageUpdate{Used: 10, Size: 200000}), "SessionNotification"},

		{"permission_request", wire.RequestPermissionParams{
			SessionID: "s1",
			ToolCall:  wire.ToolCallUpdate{ToolCallID: call, Title: "Trigger a deployment", Kind: wire.ToolOther, Status: wire.ToolPending, Meta: meta},
			Options:   options,
		}, "RequestPermissionRequest"},
		{"permission_selected", wire.RequestPermissionResult{Outcome: wire.PermissionOutcome{Outcome: wire.OutcomeSelected, OptionID: "allow_once"}}, "RequestPermissionResponse"},
		{"permission_cancelled", wire.RequestPermissionResult{Outcome: wire.PermissionOutcome{Outcome: wire.OutcomeCancelled}}, "RequestPermissionResponse"},
		{"permission_resolved", wire.PermissionResolvedParams{SessionID: "s1", ToolCallID: call, Outcome: wire.PermissionOutcome{Outcome: wire.OutcomeCancelled}}, ""},

		{"prompt", wire.SessionPromptParams{SessionID: "s1", Prompt: []wire.ContentBlock{wire.TextBlock("hello")}}, "PromptRequest"},
		{"prompt_result", wire.SessionPromptResult{StopReason: wire.StopEndTurn, Usage: &wire.Usage{
			TotalTokens: 3, InputTokens: 1, OutputTokens: 2, ThoughtTokens: number(0), CachedReadTokens: number(1), CachedWriteTokens: number(2),
		}}, "PromptResponse"},
		{"prompt_result_least", wire.SessionPromptResult{StopReason: wire.StopCancelled}, "PromptResponse"},
		{"session_new", wire.SessionNewParams{}, ""},
		{"session_new_result", wire.SessionNewResult{SessionID: "s1", Cwd: "/w", Model: "offline", Mode: "default", Modes: modes}, "NewSessionResponse"},
		{"session_load_result", wire.SessionLoadResult{Model: "offline", Mode: "default", Modes: modes, NextBefore: "7"}, "LoadSessionResponse"},
		{"session_list_result", wire.SessionListResult{
			Sessions:   []wire.SessionInfo{{SessionID: "s1", Cwd: "/w", Title: "hello", UpdatedAt: "2026-01-02T03:04:05Z"}, {SessionID: "s2", Cwd: "/w"}},
			NextCursor: "c",
		}, "ListSessionsResponse"},
		{"update_user_message_chunk_replayed", updateOf(&wire.UserMessageChunk{Content: wire.TextBlock("hello"), MessageID: "3"}), "SessionNotification"},
		{"session_context_result", wire.SessionContextResult{
			Blocks: []wire.ContextBlock{{Key: "identity", Hash: "ab12", Tokens: 300}}, Tools: wire.ContextTools{Count: 2, Tokens: 90, Hash: "cd34"},
			Messages: wire.ContextMessages{Count: 3, Tokens: 70}, ContextTokens: 200_000, CacheBreak: wire.CacheBreakTools,
		}, ""},
		{"session_context_result_least", wire.SessionContextResult{}, ""},
		{"session_fork", wire.SessionForkParams{SessionID: "s1"}, ""},
		{"session_fork_to", wire.SessionForkParams{SessionID: "s1", ToMessageID: "3"}, ""},
		{"session_did_change", wire.SessionDidChangeParams{Removed: []string{"s2"}}, ""},
		{"session_list_result_empty", wire.SessionListResult{}, "ListSessionsResponse"},
		{"session_set_mode", wire.SessionSetModeParams{SessionID: "s1", ModeID: "plan"}, "SetSessionModeRequest"},
		{"session_cancel", wire.SessionCancelParams{SessionID: "s1"}, "CancelNotification"},

		{"mcp_status_result", wire.MCPStatusResult{
			Revision: 4, Totals: wire.MCPTotals{Connected: 1, Failed: 1, Tools: 2},
			Servers: []wire.MCPServer{
				{Name: "docs", State: wire.MCPConnected, Scope: wire.MCPUser, Source: "file:///h/.codebot/settings.json", Transport: wire.MCPStdio,
					ToolCount: 2, Pid: 42, ProtocolVersion: "2025-11-25", Since: "2026-01-02T03:04:05Z", ToolTokens: 90},
				{Name: "bad", Folder: "file:///w", State: wire.MCPFailed, Scope: wire.MCPProject, Source: "file:///w/.codebot/settings.json",
					Shadows: "file:///h/.codebot/settings.json", Transport: wire.MCPStdio, Since: "2026-01-02T03:04:05Z", NextRetryAt: "2026-01-02T03:04:06Z",
					Error: &wire.MCPError{Code: "exited", Message: "it ended", Hint: "see its log", ExitCode: number(0), StderrTail: "boom"}},
				{Name: "new", Folder: "file:///w", State: wire.MCPUntrusted, Scope: wire.MCPProject, Source: "file:///w/.codebot/settings.json",
					Transport: wire.MCPHTTP, Since: "2026-01-02T03:04:05Z",
					Consent: &wire.MCPConsent{Hash: "abc", URL: "https://example.test/mcp", Variables: []string{"TOKEN"}, Changed: true}},
			},
		}, ""},
		// Without a folder any server of that name is meant, with an empty one the user's.
		{"mcp_start", wire.MCPServerRef{Name: "docs"}, ""},
		{"mcp_start_users", wire.MCPServerRef{Name: "docs", Folder: text("")}, ""},
		{"mcp_approve", wire.MCPApproveParams{Name: "docs", Folder: text("file:///w"), Hash: "abc"}, ""},
		{"mcp_call_tool", wire.MCPCallToolParams{Server: "docs", Tool: "search", Arguments: jsontext.Value(`{"n":12345678901234567890}`)}, ""},
		{"mcp_status_result_empty", wire.MCPStatusResult{}, ""},
		{"mcp_did_change_status", wire.MCPDidChangeStatusParams{Revision: 5, Removed: []wire.MCPKey{{Name: "docs"}, {Name: "bad", Folder: "file:///w"}}}, ""},
		{"mcp_tools_result", wire.MCPToolsResult{Tools: []wire.MCPTool{{
			Name: "mcp__docs__search", Server: "docs", Tool: "search", Description: "Search documentation. (readOnly)",
			InputSchema: jsontext.Value(`{"type":"object"}`), Permission: wire.MCPToolPermission{Capability: "read", Reason: ""},
		}}}, ""},
		{"mcp_call_tool_result", wire.MCPCallToolResult{Content: []wire.ContentBlock{wire.TextBlock("ok")}, StructuredContent: jsontext.Value(`{"a":[1]}`)}, ""},
		{"mcp_call_tool_result_empty", wire.MCPCallToolResult{}, ""},
		{"mcp_logs_result", wire.MCPLogsResult{Entries: []wire.MCPLogEntry{{Time: "2026-01-02T03:04:05Z", Level: "info", Source: wire.MCPLogStderr, Text: "up"}}}, ""},
		{"status_result", wire.StatusResult{Health: wire.HealthWarning, Busy: true, Text: "codebot 1/2", Tooltip: "**docs**",
			Command: &wire.Command{Title: "MCP servers", Command: wire.CommandUI, Arguments: []any{"mcp"}}}, ""},
		{"status_result_least", wire.StatusResult{Health: wire.HealthInactive}, ""},
		{"models_result", wire.ModelsResult{Current: "offline", Models: []wire.Model{
			{ID: "offline", Provider: "offline", Name: "Offline", Available: true},
			{ID: "a/b", Provider: "a", Name: "b", ContextTokens: 1000, Reason: "no key"},
		}}, ""},
		{"action_error", wire.ActionError{Kind: wire.KindAmbiguousServer, Name: "docs", Folders: []string{"file:///a", "file:///b"}, Hint: "name a folder"}, ""},
		{"model_error", wire.ModelError{Kind: wire.KindModelQuota, Message: "no more", ProviderMessage: "429", Action: wire.ActionRetry, RetryAt: "2026-01-02T03:04:05Z"}, ""},
		{"capabilities_client", wire.ClientCapabilities{RequestPermission: true, Elicit: &wire.ElicitCapability{URL: true}}, ""},
		{"capabilities_client_none", wire.ClientCapabilities{}, ""},
		{"capabilities_server", wire.ServerCapabilities{ProtocolVersion: wire.ProtocolVersion}, ""},
	}
}

// Clients rely on these bytes: what is absent, what is an empty list, and the order
// of the members.
func TestMessagesAreAsTheyWere(t *testing.T) {
	var names []string
	for _, e := range examples() {
		names = append(names, e.name+".json")
		t.Run(e.name, func(t *testing.T) {
			got, err := json.Marshal(e.value, jsontext.WithIndent("  "))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			path := filepath.Join("testdata", "golden", e.name+".json")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
			if !bytes.Equal(got, want) {
				t.Errorf("the message is\n%s\nand was\n%s", got, want)
			}
			back := reflect.New(reflect.TypeOf(e.value))
			if err := json.Unmarshal(want, back.Interface()); err != nil {
				t.Fatalf("reading it back: %v", err)
			}
			again, err := json.Marshal(back.Interface(), jsontext.WithIndent("  "))
			if err != nil {
				t.Fatal(err)
			}
			if again = append(again, '\n'); !bytes.Equal(again, want) {
				t.Errorf("read and written again it is\n%s", again)
			}
		})
	}
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, filepath.Base(f)) {
			t.Errorf("%s is of no example", f)
		}
	}
}

// A variant without a golden file could change unseen.
func TestEveryUpdateHasAGoldenFile(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range examples() {
		if p, ok := e.value.(wire.SessionUpdateParams); ok {
			seen[p.Update.Value.UpdateKind()] = true
		}
	}
	for _, v := range wire.SessionUpdateVariants() {
		if !seen[v.UpdateKind()] {
			t.Errorf("no example of %s", v.UpdateKind())
		}
	}
}

// A variant of a newer protocol must survive being read and written.
func TestUnknownUpdateIsKeptAsItCame(t *testing.T) {
	const in = `{"sessionId":"s1","update":{"sessionUpdate":"from_the_future","x":[1,2]}}`
	var p wire.SessionUpdateParams
	if err := json.Unmarshal([]byte(in), &p); err != nil {
		t.Fatal(err)
	}
	u, ok := p.Update.Value.(*wire.UnknownUpdate)
	if !ok || u.Name != "from_the_future" {
		t.Fatalf("it was read as %#v", p.Update.Value)
	}
	out, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != in {
		t.Errorf("written again: %s", out)
	}
}
