import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "../../src/chat/failure";
import { targetOf } from "../../src/chat/links";
import type { ToPage } from "../../src/chat/messages";
import type { SessionUpdate } from "../../src/protocol.gen";
import { Blocks, markdown, split } from "../../src/webview/markdown";
import { triggerAt, urisOf, withProposal } from "../../src/webview/suggest";
import { emptyTranscript, money, nest, reduce, type Item, type Transcript } from "../../src/webview/transcript";

const play = (...messages: ToPage[]): Transcript => messages.reduce(reduce, emptyTranscript);
const up = (update: SessionUpdate): ToPage => ({ type: "update", update });
const say = (text: string): ToPage => up({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const kinds = (t: Transcript): string[] => t.items.map((item) => item.kind);

test("an answer that comes in pieces becomes several messages", () => {
  const t = play({ type: "prompt", text: "hi" }, say("a"), say("b"), up({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "t" } }), say("c"));
  assert.deepEqual(t.items.map((item) => [item.kind, "text" in item && item.text]), [["user", "hi"], ["agent", "ab"], ["thought", "t"], ["agent", "c"]]);
});

test("progress of a tool call wipes out its title and arguments", () => {
  const t = play(
    up({ sessionUpdate: "tool_call", toolCallId: "1", title: "Search", kind: "read", rawInput: { q: 1 } }),
    say("x"),
    up({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", content: [{ type: "content", content: { type: "text", text: "found" } }] }),
  );
  const item = t.items[0] as Extract<Item, { kind: "tool" }>;
  assert.equal(t.items.length, 2);
  assert.deepEqual([item.call.title, item.call.kind, item.call.status, item.call.rawInput], ["Search", "read", "completed", { q: 1 }]);
});

test("a permission card stays after it was answered, or has no call to sit on", () => {
  const options = [{ optionId: "allow_once", name: "Allow", kind: "allow_once" as const }];
  let t = play({ type: "question", call: { toolCallId: "9", title: "Deploy" }, options });
  assert.deepEqual((t.items[0] as Extract<Item, { kind: "tool" }>).question, options);
  t = reduce(t, up({ sessionUpdate: "tool_call", toolCallId: "9", title: "Deploy now" }));
  assert.equal(t.items.length, 1, "the call that was asked for came and got a second card");
  t = reduce(t, { type: "answered", toolCallId: "9" });
  assert.equal("question" in (t.items[0] ?? {}), false);
});

test("a turn that was taken back stays on the screen", () => {
  let t = play({ type: "prompt", text: "failed" }, { type: "turn", running: false, failure: failureOf(new Error("x"), (r) => r) });
  t = [{ type: "prompt", text: "1" }, say("a"), up({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "steer" } }), { type: "turn", running: false, stopReason: "end_turn", messageId: "7" }].reduce(
    (all, message) => reduce(all, message as ToPage),
    t,
  );
  assert.deepEqual(t.items.filter((item) => item.kind === "user").map((item) => [item.text, item.messageId]), [["failed", undefined], ["1", "7"], ["steer", undefined]]);
  assert.deepEqual(kinds(reduce(t, { type: "cut", messageId: "7" })), ["user", "failure"]);
  assert.equal(reduce(t, { type: "cut", messageId: "8" }), t);
});

test("two prompts that follow each other become one", () => {
  const user = (text: string, messageId: string): ToPage => up({ sessionUpdate: "user_message_chunk", content: { type: "text", text }, messageId });
  const link: ToPage = up({ sessionUpdate: "user_message_chunk", content: { type: "resource_link", uri: "file:///a", name: "a" }, messageId: "1" });
  assert.deepEqual(play(user("x", "1"), link, user("y", "2")).items.map((item) => "text" in item && item.text), ["x @a", "y"]);
});

test("what a sub-agent does stands beside the task, not under it", () => {
  const call = (id: string, parent?: string): ToPage =>
    up({ sessionUpdate: "tool_call", toolCallId: id, title: id, _meta: { codebot: { tool: "t", ...(parent !== undefined && { parent }) } } });
  const { top, nested } = nest(play(call("task"), call("a", "task"), call("b", "task"), call("other"), call("orphan", "gone")).items);
  const ids = (items: readonly Item[] | undefined) => items?.map((item) => item.kind === "tool" && item.call.toolCallId);
  assert.deepEqual(ids(top), ["task", "other", "orphan"]);
  assert.deepEqual(ids(nested.get("task")), ["a", "b"]);
});

test("a word is completed that is none, or in the wrong place", () => {
  assert.deepEqual(triggerAt("/com", 4), { trigger: "/", query: "com", start: 0 });
  assert.equal(triggerAt("say /com", 8), undefined);
  assert.deepEqual(triggerAt("look at @src/a b", 14), { trigger: "@", query: "src/a", start: 8 });
  assert.equal(triggerAt("mail a@b.test", 13), undefined);
  assert.deepEqual(withProposal("look at @sr and go", 11, "@src/a.go"), { text: "look at @src/a.go and go", caret: 18 });
  assert.deepEqual(withProposal("/c", 2, "/compact"), { text: "/compact ", caret: 9 });
});

test("a replayed conversation is shown below the old one", () => {
  assert.deepEqual(kinds(play(say("old"), { type: "clear" }, up({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "q" } }), say("a"))), ["user", "agent"]);
});

test("a plan that is sent again is shown again", () => {
  const plan = (content: string): ToPage => up({ sessionUpdate: "plan", entries: [{ content, priority: "high", status: "pending" }] });
  assert.deepEqual(kinds(play({ type: "prompt", text: "1" }, plan("a"), say("x"), plan("b"), { type: "prompt", text: "2" }, plan("c"))), ["user", "plan", "agent", "user", "plan"]);
});

test("a turn that was stopped or failed looks like one that ended", () => {
  const t = play({ type: "turn", running: true }, { type: "turn", running: false, stopReason: "cancelled" });
  assert.deepEqual([t.running, kinds(t)], [false, ["stopped"]]);
  assert.deepEqual(kinds(play({ type: "turn", running: false, failure: failureOf(new Error("x"), (r) => r) })), ["failure"]);
  assert.deepEqual(kinds(play({ type: "turn", running: false, stopReason: "end_turn" })), []);
});

test("a model's failure offers no way out, or one that does not exist", () => {
  const fail = (data: unknown) => failureOf(Object.assign(new Error("no"), { data }), (remedy) => remedy);
  assert.deepEqual(fail({ kind: "modelAuth", message: "bad key", action: "enterKey", providerMessage: "401" }), {
    message: "bad key", detail: "401", remedies: [{ remedy: "enterKey", label: "enterKey" }, { remedy: "pickModel", label: "pickModel" }, { remedy: "openSettings", label: "openSettings" }],
  });
  assert.deepEqual(fail({ kind: "modelOverloaded", message: "busy", action: "retry" }).remedies.map((r) => r.remedy), ["retry", "pickModel"]);
  assert.deepEqual(fail(undefined).remedies.map((r) => r.remedy), ["showLog"]);
});

test("a link in a message runs a command or leaves the web", () => {
  for (const href of ["command:workbench.action.quit", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "vscode://x/y", "data:text/html,x", "file:///etc/passwd", "//host/share", "\\\\host\\share", "vscode-insiders:x", "#a", ""]) {
    assert.deepEqual(targetOf(href), { kind: "none" }, href);
  }
  assert.deepEqual(targetOf("https://example.test/a b"), { kind: "web", url: "https://example.test/a%20b" });
  assert.deepEqual(targetOf("src/a.ts:12"), { kind: "file", path: "src/a.ts", line: 12 });
  assert.deepEqual(targetOf("src/a%20b.ts#L3"), { kind: "file", path: "src/a b.ts", line: 3 });
  assert.deepEqual(targetOf("C:\\x\\a.ts:4"), { kind: "file", path: "C:\\x\\a.ts", line: 4 });
});

// A remote image tells its host what was in the conversation (EchoLeak, CVE-2025-32711).
test("hostile Markdown becomes markup", () => {
  const hostile = [
    "<img src=http://sink.test/x onerror=alert(1)>", "<script>alert(1)</script>", "![alt](http://sink.test/x.png)", "[x](command:quit)",
    "[x](javascript:alert(1))", "<a href=\"command:quit\">x</a>", "<iframe src=http://sink.test></iframe>", "[x]: javascript:alert(1)\n[x]", "<style>@import 'http://sink.test'</style>",
    "<svg onload=alert(1)>",
  ];
  for (const source of hostile) {
    const html = markdown.render(source);
    assert.doesNotMatch(html, /<(img|script|iframe|style|svg)|href="(command|javascript)/i, source);
  }
  assert.match(markdown.render("![a <b>](http://sink.test/x.png)"), /<span class="image-text">a &lt;b&gt;<\/span>/);
});

const long = "# Title\n\nSome *text*\nover lines.\n\n- a\n  - b\n\n    deep\n- c\n\n```js\nconst a = 1;\n\n\n// # no title\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n> more\n\nEnd\n===\n\n1. one\n\n   still one\n2. two\n";

test("cutting a message into blocks changes it", () => {
  assert.equal(split(long).map((block) => block.source).join(""), long);
  assert.equal(split(long).map((block) => markdown.render(block.source)).join(""), markdown.render(long));
  assert.equal(split("\r\n\r\na\r\n\r\nb").map((block) => block.source).join(""), "\r\n\r\na\r\n\r\nb");
  assert.deepEqual(split(long).filter((block) => block.code).map((block) => block.code), [{ language: "js", text: "const a = 1;\n\n\n// # no title\n" }]);
});

test("a message that grows is shown otherwise than when it is whole", () => {
  for (const step of [1, 3, 7, 50]) {
    const blocks = new Blocks();
    for (let end = 0; end < long.length; end += step) {
      blocks.update(long.slice(0, end));
    }
    const html = blocks.update(long).map((block) => markdown.render(block.source)).join("");
    assert.equal(html, markdown.render(long), `in pieces of ${step}`);
  }
});

test("every piece of a long answer renders all of it again", () => {
  const blocks = new Blocks();
  const first = blocks.update(long);
  const second = blocks.update(`${long}\nmore`);
  assert.ok(first.length > 6);
  assert.equal(second[0], first[0], "a block that cannot change any more was cut again");
  // Another text in its place begins anew.
  assert.deepEqual(blocks.update("other").map((block) => block.source), ["other"]);
});

test("what a session costs is not shown, or as a heap of digits", () => {
  assert.equal(money(undefined), undefined);
  assert.equal(money({ amount: 0.00312345, currency: "USD" }), "$0.0031");
  assert.equal(money({ amount: 0.5, currency: "USD" }), "$0.50");
  assert.equal(money({ amount: 12.3456, currency: "USD" }), "$12.35");
});

test("a file that is dropped on the prompt goes nowhere, or an address of the web comes along", () => {
  const data = (types: Record<string, string>) => ({ getData: (type: string) => types[type] ?? "" });
  assert.deepEqual(urisOf(data({ "text/uri-list": "# from outside\r\nfile:///a/b.ts\r\nhttps://evil.example/\r\n" })), ["file:///a/b.ts"]);
  assert.deepEqual(urisOf(data({ "application/vnd.code.uri-list": "vscode-remote://wsl/a", "text/uri-list": "file:///other" })), ["vscode-remote://wsl/a"]);
  assert.deepEqual(urisOf(data({ "text/plain": "file:///a" })), []);
  assert.deepEqual(urisOf(null), []);
});
