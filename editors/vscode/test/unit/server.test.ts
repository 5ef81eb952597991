import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Backoff } from "../../src/server/backoff";
import { findServer } from "../../src/server/find";
import { withProxy } from "../../src/server/proxy";
import { checkServer } from "../../src/server/version";

const places = { configured: "", bundled: "/ext/server/codebot-ls", path: "/a:/b", home: "/home/me", windows: false };
const only = (...there: string[]) => (path: string): boolean => there.includes(path);

test("the wrong one of several binaries is started", () => {
  const all = only("/mine", "/ext/server/codebot-ls", "/b/codebot-ls");
  assert.deepEqual(findServer({ ...places, configured: "/mine" }, all), { from: "setting", command: "/mine" });
  assert.deepEqual(findServer(places, all), { from: "bundled", command: "/ext/server/codebot-ls" });
  assert.deepEqual(findServer(places, only("/b/codebot-ls")), { from: "path", command: "/b/codebot-ls" });
  assert.deepEqual(findServer(places, only()), { from: "nowhere" });
});

test("a mistyped setting starts another binary silently", () => {
  assert.deepEqual(findServer({ ...places, configured: "~/bin/x" }, only("/b/codebot-ls")), {
    from: "nowhere",
    missing: join("/home/me", "bin/x"),
  });
});

// A PATH with an empty entry or "." means the working directory, which may be a cloned project's.
test("a project's own codebot-ls is started because PATH has a dot", () => {
  assert.deepEqual(findServer({ ...places, path: ".::bin" }, () => true), { from: "bundled", command: places.bundled });
  assert.deepEqual(findServer({ ...places, path: ".::bin" }, only("codebot-ls", "bin/codebot-ls", "./codebot-ls")), { from: "nowhere" });
});

test("a server that crashes at once is started for ever", () => {
  const backoff = new Backoff();
  const delays = [0, 1, 2, 3, 4].map((i) => backoff.crashed(i * 1000));
  assert.deepEqual(delays, [500, 1_000, 4_000, 15_000, undefined]);
});

test("a crash a day counts as a crash loop", () => {
  const backoff = new Backoff();
  for (let day = 0; day < 10; day++) {
    assert.equal(backoff.crashed(day * 86_400_000), 500);
  }
});

test("a foreign or outdated server is talked to as if it were ours", () => {
  const hello = (protocolVersion: unknown) => ({
    serverInfo: { name: "codebot-ls", version: "1.2" },
    capabilities: { experimental: { codebot: { protocolVersion, methods: ["codebot/status", 3] } } },
  });
  assert.deepEqual(checkServer(hello(1), 1), { ok: true, version: "1.2", methods: new Set(["codebot/status"]) });
  assert.deepEqual(checkServer(hello(1), 2), { ok: false, problem: "older", version: "1.2", protocol: 1 });
  assert.deepEqual(checkServer(hello(3), 2), { ok: false, problem: "newer", version: "1.2", protocol: 3 });
  assert.equal(checkServer({ serverInfo: { name: "gopls" }, capabilities: {} }, 1).ok, false);
  assert.equal(checkServer({ ...hello(1), serverInfo: { name: "gopls" } }, 1).ok, false);
  assert.equal(checkServer(undefined, 1).ok, false);
});

test("behind a company's proxy no model is reached, though the editor is set up for it", () => {
  const settings = { proxy: " http://proxy.test:3128 ", noProxy: ["localhost", " *.corp.test "], support: "override" };
  assert.deepEqual(withProxy({ A: "1" }, settings), {
    A: "1",
    HTTP_PROXY: "http://proxy.test:3128",
    HTTPS_PROXY: "http://proxy.test:3128",
    NO_PROXY: "localhost,*.corp.test",
  });
  assert.deepEqual(withProxy({ https_proxy: "http://mine" }, { ...settings, noProxy: [] }), {
    https_proxy: "http://mine",
    HTTP_PROXY: "http://proxy.test:3128",
  });
  for (const off of [{ ...settings, proxy: "" }, { ...settings, support: "off" }]) {
    assert.deepEqual(withProxy({ A: "1" }, off), { A: "1" });
  }
});
