import assert from "node:assert/strict";
import { test } from "node:test";
import { actionsFor } from "../../src/mcp/actions";
import { consentText } from "../../src/mcp/consent";
import { unseenEntries } from "../../src/mcp/logmerge";
import { Rows } from "../../src/mcp/rows";
import type { MCPLogEntry, MCPServer, MCPState } from "../../src/protocol.gen";
import { emptySettings, offsetOfServer } from "../../src/settingsfile";
import { statusView } from "../../src/statusview";
import { visible } from "../../src/visible";

const row = (name: string, state: MCPState, folder?: string): MCPServer => ({
  name, state, scope: folder === undefined ? "user" : "project", source: "file:///s", transport: "stdio",
  toolCount: 0, promptCount: 0, resourceCount: 0, since: "", ...(folder !== undefined && { folder }),
});
const totals = { connected: 0, failed: 0, tools: 0 };

test("a lost status notification leaves old rows on the screen", () => {
  const rows = new Rows();
  assert.equal(rows.apply({ revision: 1, totals, servers: [row("a", "starting")], removed: [] }), false, "no picture yet");
  rows.replace({ revision: 4, totals, servers: [row("a", "starting")] });
  assert.equal(rows.apply({ revision: 5, totals, servers: [row("a", "connected")], removed: [] }), true);
  assert.equal(rows.apply({ revision: 7, totals, servers: [row("a", "failed")], removed: [] }), false);
  assert.equal(rows.get({ name: "a" })?.state, "connected", "a change after a gap was applied");
  assert.equal(rows.apply({ revision: 5, totals, servers: [row("a", "failed")], removed: [] }), false, "an old change was applied");
});

test("servers of one name in two folders are mixed up", () => {
  const rows = new Rows();
  rows.replace({ revision: 0, totals, servers: [row("a", "connected", "file:///w1"), row("a", "failed"), row("b", "stopped")] });
  rows.apply({ revision: 1, totals, servers: [], removed: [{ name: "a", folder: "file:///w1" }] });
  assert.deepEqual(rows.list().map((r) => [r.name, r.state]), [["a", "failed"], ["b", "stopped"]]);
});

test("an action is offered that the server would refuse", () => {
  assert.deepEqual(actionsFor(row("a", "untrusted", "file:///w")).includes("start"), false);
  assert.equal(actionsFor(row("a", "untrusted", "file:///w"))[0], "approve");
  assert.equal(actionsFor(row("a", "disabled")).includes("restart"), false);
  assert.equal(actionsFor(row("a", "connected")).includes("revoke"), false, "the user's own server has no approval");
  assert.equal(actionsFor(row("a", "connected", "file:///w")).includes("revoke"), true);
});

// The person approves what is shown: CVE-2025-54136 was a command that did not look like what ran.
test("an argument hides another one in the consent", () => {
  const text = consentText(
    { hash: "", argv: ["sh", "-c", "ls\n    rm -rf ~", "a\u202egpj.exe", "b\u200b", "\x1b[2K"], cwd: "/w", envNames: ["A"], variables: ["TOKEN"] },
    { changed: "Changed", changes: "Different", nothing: "nothing", command: "Command", folder: "Folder", url: "URL", env: "Env", variables: "Reads" },
  );
  assert.equal(text, [
    "Command\n    sh\n    -c\n    ls\\n    rm -rf ~\n    a\\u{202e}gpj.exe\n    b\\u{200b}\n    \\u{1b}[2K",
    "Folder\n    /w", "Env\n    A", "Reads\n    TOKEN",
  ].join("\n\n"));
});

test("an entry that changed does not say in what", () => {
  const text = consentText(
    { hash: "", argv: ["a"], cwd: "", envNames: [], variables: [], changed: true, changes: [{ field: "args", before: "", after: "--all\u200b" }] },
    { changed: "Changed", changes: "Different", nothing: "nothing", command: "Command", folder: "Folder", url: "URL", env: "Env", variables: "Reads" },
  );
  assert.equal(text, "Changed\n\nDifferent\n    args: nothing → --all\\u{200b}\n\nCommand\n    a");
});

test("a backslash and a letter pass for a line break", () => {
  assert.notEqual(visible("a\\nb"), visible("a\nb"));
  assert.notEqual(visible("\\u{202e}"), visible("\u202e"));
  assert.equal(visible("C:\\dir 中文 é"), "C:\\dir 中文 é");
});

test("a log line is shown twice or lost while the log is being fetched", () => {
  const entry = (text: string): MCPLogEntry => ({ time: "t", level: "info", source: "stderr", text });
  assert.deepEqual(unseenEntries([entry("a"), entry("b")], [entry("b"), entry("b"), entry("c")]).map((e) => e.text), ["b", "c"]);
});

test("the settings open at the top instead of at the server", () => {
  const text = '{\n  // my servers\n  "mcp_servers": {\n    "a": {"command": "x"},\n    "b": {"command": "y"},\n  },\n}';
  assert.equal(offsetOfServer(text, "b"), text.indexOf('"b"'));
  assert.equal(offsetOfServer(text, "c"), undefined);
  assert.equal(offsetOfServer("{ bad", "c"), undefined);
  assert.equal(offsetOfServer(emptySettings, "files"), undefined);
});

test("a server's name draws an icon in the status bar", () => {
  assert.deepEqual(statusView({ health: "ok", busy: false, text: "codebot 2/2" }), { text: "$(pass) codebot 2/2" });
  assert.deepEqual(statusView({ health: "error", busy: true, text: "codebot" }), { text: "$(loading~spin) codebot", background: "statusBarItem.errorBackground" });
  assert.equal(statusView({ health: "warning", busy: false, text: "a $(flame)" }).text.includes("$(flame)"), false);
});
