package server_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func invalidParams(t *testing.T, err error) string {
	t.Helper()
	var e *jsonrpc2.Error
	if !errors.As(err, &e) || e.Code != jsonrpc2.InvalidParams {
		t.Fatalf("want invalid params, got %v", err)
	}
	return e.Message
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Each edit is in the file that declares the server, is answered with the row that
// comes of it, and leaves the other servers alone (opencode#37421, copilot-cli#4562).
func TestEditsByUsHoldAtOnceAndTouchNoOtherServer(t *testing.T) {
	w := servertest.NewWorld(t)
	path := w.User("// mine\n{\n  // the library\n  \"mcp_servers\": {\n    \"docs\": " + string(jsonOf(t, servertest.Demo("docs"))) + ", // read\n    \"deploy\": " + string(jsonOf(t, servertest.Demo("deploy"))) + " // act\n  }\n}\n")
	before := contentOf(t, path)
	e := w.Start(servertest.Config{})
	ready(t, e)
	kept := pids(e)["docs"]
	stays := func(what string) {
		t.Helper()
		row := e.AwaitState("docs", wire.MCPConnected)
		if row.Pid != kept {
			t.Errorf("%s: docs was restarted", what)
		}
		for _, comment := range []string{"// mine", "// the library", "// read", "// act"} {
			if !strings.Contains(contentOf(t, path), comment) {
				t.Errorf("%s: %q is lost in\n%s", what, comment, contentOf(t, path))
			}
		}
	}

	was := pids(e)["deploy"]
	row := servertest.Call(e, wire.MCPDisable, wire.MCPServerRef{Name: "deploy"}).Server
	if row.State != wire.MCPDisabled {
		t.Errorf("disabled, it is %+v", row)
	}
	if servertest.Alive(was) {
		t.Error("disabled, its process still runs")
	}
	stays("disable")
	_, err := servertest.Try(e, wire.MCPStart, wire.MCPServerRef{Name: "deploy"})
	if data := refusal(t, err); data.Kind != wire.KindStartBlocked {
		t.Errorf("start of a disabled one: %+v", data)
	}
	if row = servertest.Call(e, wire.MCPEnable, wire.MCPServerRef{Name: "deploy"}).Server; row.State != wire.MCPConnected {
		t.Errorf("enabled, it is %+v", row)
	}
	if now := contentOf(t, path); now != before {
		t.Errorf("disabled and enabled, the file is\n%s", now)
	}
	stays("enable")

	row = servertest.Call(e, wire.MCPAdd, wire.MCPEntryParams{Name: "more", Entry: jsonOf(t, servertest.Demo("docs"))}).Server
	if row.State != wire.MCPConnected || row.Scope != wire.MCPUser {
		t.Errorf("added, it is %+v", row)
	}
	stays("add")
	_, err = servertest.Try(e, wire.MCPAdd, wire.MCPEntryParams{Name: "more", Entry: jsonOf(t, servertest.Demo("docs"))})
	if data := refusal(t, err); data.Kind != wire.KindConfigInvalid || data.Hint == "" {
		t.Errorf("added twice: %+v", data)
	}
	row = servertest.Call(e, wire.MCPUpdate, wire.MCPEntryParams{Name: "more", Entry: []byte(`{"command": "does-not-exist-anywhere"}`)}).Server
	if row.State != wire.MCPFailed {
		t.Errorf("updated, it is %+v", row)
	}
	_, err = servertest.Try(e, wire.MCPUpdate, wire.MCPEntryParams{Name: "more", Entry: []byte(`{"command": "x", "url": "http://y/"}`)})
	if data := refusal(t, err); data.Kind != wire.KindConfigInvalid {
		t.Errorf("updated to what cannot be used: %+v", data)
	}
	stays("update")
	servertest.Call(e, wire.MCPRemove, wire.MCPServerRef{Name: "more"})
	for _, row := range servertest.Call(e, wire.MCPStatus, wire.Empty{}).Servers {
		if row.Name == "more" {
			t.Errorf("removed, it is %+v", row)
		}
	}
	if now := contentOf(t, path); now != before {
		t.Errorf("added and removed, the file is\n%s", now)
	}
	stays("remove")
}

// Consent does not cover "disabled": who switches an approved server off and on again
// is not asked; who changes what it runs is.
func TestAnApprovedServerCanBeSwitchedOffAndOn(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Project(servertest.Servers(servertest.M{"mine": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{})
	row := e.AwaitState("mine", wire.MCPUntrusted)
	ref := wire.MCPServerRef{Name: "mine", Folder: &row.Folder}
	if got := servertest.Call(e, wire.MCPDisable, ref).Server; got.State != wire.MCPDisabled {
		t.Errorf("disabled before it was approved: %+v", got)
	}
	if got := servertest.Call(e, wire.MCPEnable, ref).Server; got.State != wire.MCPUntrusted {
		t.Errorf("enabled before it was approved: %+v", got)
	}
	servertest.Call(e, wire.MCPApprove, wire.MCPApproveParams{Name: "mine", Hash: row.Consent.Hash})
	if got := servertest.Call(e, wire.MCPDisable, ref).Server; got.State != wire.MCPDisabled {
		t.Errorf("disabled: %+v", got)
	}
	if got := servertest.Call(e, wire.MCPEnable, ref).Server; got.State != wire.MCPConnected {
		t.Errorf("enabled again: %+v", got)
	}
	entry := servertest.Demo("docs")
	entry["args"] = []string{"--evil"}
	if got := servertest.Call(e, wire.MCPUpdate, wire.MCPEntryParams{Name: "mine", Entry: jsonOf(t, entry)}).Server; got.State != wire.MCPUntrusted || !got.Consent.Changed {
		t.Errorf("with another argument: %+v", got)
	}
	// A new entry of a project waits as any other, whoever wrote it.
	got := servertest.Call(e, wire.MCPAdd, wire.MCPEntryParams{Name: "new", Folder: &row.Folder, Entry: jsonOf(t, servertest.Demo("docs"))}).Server
	if got.State != wire.MCPUntrusted || got.Folder != row.Folder {
		t.Errorf("added to the project: %+v", got)
	}
}

// What an editor shows unsaved, a bad file and a server that stands in no file are not
// written over; the refusal says what to do.
func TestEditsThatAreNotDoneSayWhy(t *testing.T) {
	w := servertest.NewWorld(t)
	path := w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{Locale: "zh-cn"})
	e.AwaitState("docs", wire.MCPConnected)
	e.Notify(protocol.MethodTextDocumentDidOpen, servertest.M{"textDocument": servertest.M{
		"uri": string(uri.File(path)), "languageId": "jsonc", "version": 1, "text": contentOf(t, path) + "// more",
	}})
	_, err := servertest.Try(e, wire.MCPDisable, wire.MCPServerRef{Name: "docs"})
	if data := refusal(t, err); data.Kind != wire.KindStartBlocked || !strings.Contains(data.Hint, "保存") || !strings.Contains(err.Error(), path) {
		t.Errorf("with unsaved changes: %v %+v", err, data)
	}
	e.Notify(protocol.MethodTextDocumentDidClose, servertest.M{"textDocument": servertest.M{"uri": string(uri.File(path))}})

	empty, other := "", string(uri.File(filepath.Join(w.UserHome, "elsewhere")))
	_, err = servertest.Try(e, wire.MCPAdd, wire.MCPEntryParams{Name: "x", Folder: &other, Entry: []byte(`{"command":"y"}`)})
	if said := invalidParams(t, err); !strings.Contains(said, "elsewhere") || !strings.Contains(said, "未打开") {
		t.Errorf("a folder that is not open: %s", said)
	}
	_, err = servertest.Try(e, wire.MCPDisable, wire.MCPServerRef{Name: "nobody", Folder: &empty})
	if data := refusal(t, err); data.Kind != wire.KindUnknownServer {
		t.Errorf("an unknown server: %+v", data)
	}

	servertest.WriteFile(t, path, `{"mcp_servers": {`)
	e.Await("the file to be bad", func(s *servertest.State) bool { return len(s.Diagnostics[path]) > 0 })
	_, err = servertest.Try(e, wire.MCPDisable, wire.MCPServerRef{Name: "docs"})
	if data := refusal(t, err); data.Kind != wire.KindConfigInvalid || !strings.Contains(err.Error(), path) {
		t.Errorf("a bad file: %v %+v", err, data)
	}
	if got := contentOf(t, path); got != `{"mcp_servers": {` {
		t.Errorf("the bad file is now %s", got)
	}
}

// A code lens, or a model that can run editor commands, consents to nothing: approve,
// trust, and what writes a command into the user's settings are out of its reach
// (CVE-2025-54135).
func TestCommandsOfAnEditorConsentToNothing(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Project(servertest.Servers(servertest.M{"mine": servertest.Demo("docs")}))
	path := w.User(servertest.Servers(servertest.M{"docs": servertest.Demo("docs")}))
	e := w.Start(servertest.Config{NoPlugin: true})
	row := func() (row wire.MCPServer) {
		for _, r := range servertest.Call(e, wire.MCPStatus, wire.Empty{}).Servers {
			if r.Name == "mine" {
				row = r
			}
		}
		return row
	}
	untrusted := row()
	for method, params := range map[string]any{
		wire.MCPApprove.Name: wire.MCPApproveParams{Name: "mine", Hash: untrusted.Consent.Hash},
		wire.Trust.Name:      wire.TrustParams{Folder: string(uri.File(w.Folder)), Until: wire.TrustSession},
		wire.MCPAdd.Name:     wire.MCPEntryParams{Name: "x", Entry: []byte(`{"command":"sh"}`)},
		wire.MCPUpdate.Name:  wire.MCPEntryParams{Name: "docs", Entry: []byte(`{"command":"sh"}`)},
	} {
		err := e.Raw(protocol.MethodWorkspaceExecuteCommand, servertest.M{"command": wire.CommandRequest, "arguments": []any{method, params}}, nil)
		var rpcErr *jsonrpc2.Error
		if !errors.As(err, &rpcErr) || rpcErr.Code != jsonrpc2.MethodNotFound {
			t.Errorf("%s by a command: %v", method, err)
		}
	}
	if got := row(); got.State != wire.MCPUntrusted || strings.Contains(contentOf(t, path), `"sh"`) {
		t.Errorf("now it is %+v, the settings %s", got, contentOf(t, path))
	}
	var result wire.MCPServerResult
	if err := e.Raw(protocol.MethodWorkspaceExecuteCommand, servertest.M{"command": wire.CommandRequest, "arguments": []any{wire.MCPDisable.Name, servertest.M{"name": "docs"}}}, &result); err != nil || result.Server.State != wire.MCPDisabled {
		t.Errorf("disable by a command: %+v, %v", result, err)
	}
}
