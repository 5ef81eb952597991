import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, parseField, type Field } from "../../src/ask/form";
import { loopbackRedirect } from "../../src/ask/redirect";
import { codeOf } from "../../src/editor/code";
import { entryOf, nameFor } from "../../src/mcp/entry";
import { promptCommand, templateVariables, withVariable } from "../../src/mcp/prompt";

test("a form that a server asks for is empty, or in another order each time", () => {
  const fields = fieldsOf({ properties: { b: { type: "string" }, a: { type: "integer", title: "A", default: 3 }, c: 5 }, required: ["a"] });
  assert.deepEqual(fields.map((f) => [f.name, f.label, f.type, f.required, f.fallback]), [["a", "A", "integer", true, 3], ["b", "b", "string", false, undefined], ["c", "c", "string", false, undefined]]);
  assert.deepEqual(fieldsOf(undefined), []);
  assert.deepEqual(fieldsOf({ properties: [1] }), []);
});

test("the choices of a field are not offered", () => {
  const choices = (schema: object) => fieldsOf({ properties: { x: schema } })[0]?.choices?.map((c) => [c.value, c.name]);
  assert.deepEqual(choices({ type: "string", enum: ["a", "b"], enumNames: ["First"] }), [["a", "First"], ["b", "b"]]);
  assert.deepEqual(choices({ type: "string", oneOf: [{ const: "a", title: "First" }] }), [["a", "First"]]);
  assert.deepEqual(choices({ type: "array", items: { anyOf: [{ const: 1 }] } }), [[1, "1"]]);
  assert.deepEqual(choices({ type: "boolean" }), [[true, "true"], [false, "false"]]);
  assert.equal(choices({ type: "string" }), undefined);
});

test("what was typed goes to the server in another type, or out of bounds", () => {
  const field = (more: Partial<Field>): Field => ({ name: "x", label: "x", required: true, type: "string", several: false, ...more });
  const read = (more: Partial<Field>, text: string): unknown => {
    const parsed = parseField(field(more), text);
    return parsed.ok ? parsed.value : parsed.problem;
  };
  assert.equal(read({ type: "integer" }, "7"), 7);
  assert.equal(read({ type: "integer" }, "7.5"), "whole");
  assert.equal(read({ type: "number" }, ""), "number");
  assert.equal(read({ type: "number", minimum: 1 }, "0"), "low");
  assert.equal(read({ type: "number", maximum: 1 }, "2"), "high");
  assert.equal(read({ minLength: 3 }, "你好"), "short");
  assert.equal(read({ maxLength: 2 }, "😀😀"), "😀😀");
  assert.equal(read({ format: "email" }, "nobody"), "format");
  assert.equal(read({ format: "made-up" }, "x"), "x");
});

test("an argument of a prompt becomes two words, or a variable of the shell", () => {
  const prompt = { command: "mcp__docs__review", arguments: [{ name: "path" }, { name: "focus" }, { name: "none" }] };
  assert.equal(promptCommand(prompt, { path: "a/b.go", focus: 'say "hi" $HOME' }), '/mcp__docs__review path=a/b.go focus="say \\"hi\\" \\$HOME"');
});

test("a resource template is filled in the wrong places", () => {
  assert.deepEqual(templateVariables("demo://r/{kind}/{id}{?page,size}"), ["kind", "id", "page", "size"]);
  assert.equal(withVariable("demo://r/{kind}/{id}", "id", "a b"), "demo://r/{kind}/a%20b");
  assert.equal(withVariable("file:///{+path}", "path", "a/b"), "file:///a/b");
});

test("a command line is taken apart in other places than a shell would", () => {
  assert.deepEqual(entryOf('npx -y "@scope/server with space" \'a "b"\' .'), { command: "npx", args: ["-y", "@scope/server with space", 'a "b"', "."] });
  assert.deepEqual(entryOf("https://example.test/mcp"), { type: "http", url: "https://example.test/mcp" });
  assert.deepEqual(entryOf("C:\\tools\\server.exe"), { command: "C:\\tools\\server.exe" });
  assert.equal(entryOf('npx "open'), undefined);
  const name = (line: string) => nameFor(entryOf(line) ?? { command: "" });
  assert.equal(name("npx -y @modelcontextprotocol/server-filesystem ."), "filesystem");
  assert.equal(name("https://mcp.example.test/v1"), "example");
  assert.equal(name("/usr/local/bin/docs-mcp"), "docs");
});

test("a rewrite puts the model's talk, or half an answer, into the file", () => {
  assert.equal(codeOf("Here it is:\n```go\na := 1\n```\nDone."), "a := 1");
  assert.equal(codeOf("~~~\n```\ninner\n```\n~~~"), "```\ninner\n```");
  assert.equal(codeOf("just the line"), "just the line");
  assert.equal(codeOf("```go\ncut off"), undefined);
  assert.equal(codeOf("  "), undefined);
});

test("the port that a login comes back to is not forwarded, or another site's is", () => {
  const page = (redirect: string): string => `https://id.example/authorize?client_id=x&redirect_uri=${encodeURIComponent(redirect)}`;
  for (const redirect of ["http://127.0.0.1:4000/callback", "http://localhost:1/", "http://[::1]:9/x?y=1"]) {
    assert.equal(loopbackRedirect(page(redirect)), redirect);
  }
  for (const url of [page("https://evil.example/"), page("http://127.0.0.1.evil.example/"), page("command:x"), page(""), "https://id.example/", "no address"]) {
    assert.equal(loopbackRedirect(url), undefined);
  }
});
