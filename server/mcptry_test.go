package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// A person tries an entry before it is saved: it says what it offers or why it does not
// work, with its log, and leaves neither a process nor a row nor a letter in a file.
func TestAnEntryIsTriedBeforeItIsSaved(t *testing.T) {
	w := servertest.NewWorld(t)
	e := w.Start(servertest.Config{})
	try := func(entry any, folder *string) (wire.MCPTestResult, error) {
		t.Helper()
		raw, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		return servertest.Try(e, wire.MCPTest, wire.MCPTestParams{Name: "docs", Entry: raw, Folder: folder})
	}
	res, err := try(servertest.Demo("docs"), nil)
	if err != nil || res.Server.State != wire.MCPConnected || res.Server.Name != "docs" || len(res.Tools) != 2 || res.Tools[0].Name != "mcp__docs__get_version" || res.Server.Pid == 0 {
		t.Fatalf("a good one: %+v, %v", res, err)
	}
	servertest.Poll(t, "its process to be gone", func() bool { return !servertest.Alive(res.Server.Pid) })
	res, err = try(faulty(t, "exit3"), nil)
	if err != nil || res.Server.State != wire.MCPFailed || res.Server.Error == nil || len(res.Tools) != 0 {
		t.Errorf("one that exits: %+v, %v", res, err)
	}
	said := ""
	for _, line := range res.Log {
		said += line.Text + "\n"
	}
	if !strings.Contains(said, "no such db") {
		t.Errorf("its log is %q", said)
	}
	if _, err := try(servertest.M{"command": "x", "url": "http://x"}, nil); err == nil || !strings.Contains(err.Error(), `"command" and "url"`) {
		t.Errorf("both: %v", err)
	}
	if _, err := try(servertest.M{"command": 5}, nil); err == nil || !strings.Contains(err.Error(), "command") {
		t.Errorf("a wrong type: %v", err)
	}
	// In a folder it runs there.
	folder := "file://" + filepath.ToSlash(w.Folder)
	entry := servertest.Demo("docs")
	entry["cwd"] = "${workspaceFolder}"
	if res, err = try(entry, &folder); err != nil || res.Server.State != wire.MCPConnected || res.Server.Folder != folder {
		t.Errorf("in a folder: %+v, %v", res, err)
	}
	if status := servertest.Call(e, wire.MCPStatus, wire.Empty{}); len(status.Servers) != 0 {
		t.Errorf("rows that stay: %+v", status.Servers)
	}
	if servertest.IsExist(filepath.Join(w.Home, "settings.json")) || servertest.IsExist(filepath.Join(w.Folder, ".codebot")) {
		t.Error("a file was written")
	}
}

// Servers of other programs are found, shown without their secrets, and written as they
// are where they are chosen; one whose name is taken can have another.
func TestServersOfOtherProgramsAreImported(t *testing.T) {
	w := servertest.NewWorld(t)
	docs := servertest.Demo("docs")
	env := docs["env"].(servertest.M)
	env["API_TOKEN"] = "hush-hush-1"
	delete(docs, "trust_annotations")
	cursor := filepath.Join(w.UserHome, ".cursor", "mcp.json")
	servertest.WriteFile(t, cursor, w.Text(servertest.M{"mcpServers": servertest.M{"docs": docs, "other": servertest.M{"command": "x"}}}))
	servertest.WriteFile(t, filepath.Join(w.Folder, ".vscode", "mcp.json"), `{"servers": {"gone": {"command": "${input:path}"}}}`)
	servertest.WriteFile(t, filepath.Join(w.UserHome, ".codex", "config.toml"), "[broken")
	w.User("{\n  // mine\n  \"mcp_servers\": {\"docs\": {\"command\": \"y\", \"disabled\": true}}\n}\n")
	e := w.Start(servertest.Config{})
	found := servertest.Call(e, wire.MCPImport, wire.MCPImportParams{})
	if len(found.Servers) != 3 || len(found.Problems) != 1 || !strings.Contains(found.Problems[0], "config.toml") {
		t.Fatalf("found %+v", found)
	}
	first := found.Servers[0]
	if first.Name != "docs" || first.Client != "Cursor" || !first.Exists || first.Imported || strings.Contains(string(first.Entry), "hush") || !strings.Contains(string(first.Entry), "API_TOKEN") {
		t.Errorf("the first is %+v, %s", first, first.Entry)
	}
	if last := found.Servers[2]; last.Client != "VS Code" || len(last.Notes) != 1 || !strings.Contains(last.Notes[0], "PATH") {
		t.Errorf("the last is %+v", last)
	}
	source := first.Source
	done := servertest.Call(e, wire.MCPImport, wire.MCPImportParams{Import: []wire.MCPImportChoice{
		{Name: "docs", Source: source, As: "docs2"}, {Name: "other", Source: source, As: "docs"},
	}})
	if !done.Servers[0].Imported || done.Servers[1].Imported || len(done.Problems) != 2 || !strings.HasPrefix(done.Problems[1], "docs: ") {
		t.Errorf("imported %+v", done)
	}
	e.AwaitState("docs2", wire.MCPConnected)
	text, err := os.ReadFile(filepath.Join(w.Home, "settings.json"))
	if err != nil || !strings.Contains(string(text), "// mine") || !strings.Contains(string(text), "hush-hush-1") {
		t.Errorf("the file says %s, %v", text, err)
	}
	one := servertest.Call(e, wire.MCPImport, wire.MCPImportParams{Source: source})
	if len(one.Servers) != 2 || len(one.Problems) != 0 {
		t.Errorf("of one file: %+v", one)
	}
}
