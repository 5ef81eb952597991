import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const json = (path: string): Record<string, string> => JSON.parse(readFileSync(join(root, path), "utf8")) as Record<string, string>;

function texts(): Set<string> {
  const found = new Set<string>();
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.tsx?$/.test(entry.name)) {
      const source = readFileSync(join(entry.parentPath, entry.name), "utf8");
      for (const [, text] of source.matchAll(/l10n\.t\(\s*("(?:\\.|[^"\\])*")/g)) {
        found.add(JSON.parse(text ?? "") as string);
      }
    }
  }
  return found;
}

test("a text that is shown in English in a Chinese editor", () => {
  const bundle = json("l10n/bundle.l10n.zh-cn.json");
  const used = texts();
  assert.ok(used.size > 50, `only ${used.size} texts found`);
  assert.deepEqual([...used].filter((text) => !/\p{Script=Han}/u.test(bundle[text] ?? "")), [], "not translated");
  assert.deepEqual(Object.keys(bundle).filter((text) => !used.has(text)), [], "translated and not used");
  for (const text of used) {
    assert.deepEqual(bundle[text]?.match(/\{\d\}/g)?.sort(), text.match(/\{\d\}/g)?.sort(), `the placeholders of ${text}`);
  }
});

test("a command or setting without a name in one of the languages", () => {
  const manifest = readFileSync(join(root, "package.json"), "utf8");
  const used = new Set([...manifest.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? ""));
  for (const file of ["package.nls.json", "package.nls.zh-cn.json"]) {
    assert.deepEqual(Object.keys(json(file)).sort(), [...used].sort(), file);
  }
});

test("a command that is in the palette and does nothing", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { contributes: { commands: { command: string }[] } };
  const source = readFileSync(join(root, "src/extension.ts"), "utf8");
  const registered = new Set([...source.matchAll(/command\("([^"]+)"/g)].map(([, id]) => id));
  for (const { command } of manifest.contributes.commands) {
    assert.ok(registered.has(command), command);
  }
});
