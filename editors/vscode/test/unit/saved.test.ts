import assert from "node:assert/strict";
import { test } from "node:test";
import { applyAndSave, difference, type Target } from "../../src/editor/saved";

const reasons = { notSaved: "not saved", leftThere: "left there" };

/** A document in which an edit is made by edit(). */
class Doc implements Target {
  version = 1;
  disk = "one\n";
  constructor(
    private shown: string,
    private readonly saves: (doc: Doc) => boolean,
  ) {}
  text(): string {
    return this.shown;
  }
  put(text: string): Promise<void> {
    this.version++;
    this.shown = text;
    return Promise.resolve();
  }
  save(): Promise<boolean> {
    const saved = this.saves(this);
    if (saved) {
      this.disk = this.shown;
    }
    return Promise.resolve(saved);
  }
  async edit(text: string): Promise<{ applied: boolean }> {
    await this.put(text);
    return { applied: true };
  }
}

test("the agent's commands do not see the edit that was made in a document", async () => {
  const doc = new Doc("mine\none\n", () => true);
  assert.deepEqual(await applyAndSave(doc, () => doc.edit("mine\ntwo\n"), reasons), { applied: true });
  assert.equal(doc.disk, "mine\ntwo\n");
});

test("an edit that cannot be saved stays in the document", async () => {
  const doc = new Doc("mine\none\n", () => false);
  assert.deepEqual(await applyAndSave(doc, () => doc.edit("mine\ntwo\n"), reasons), { applied: false, failureReason: "not saved" });
  assert.deepEqual([doc.text(), doc.disk], ["mine\none\n", "one\n"]);
});

test("what is typed while an edit is being saved is lost when that fails", async () => {
  const doc = new Doc("one\n", (typed) => {
    void typed.put("two and mine\n");
    return false;
  });
  assert.deepEqual(await applyAndSave(doc, () => doc.edit("two\n"), reasons), { applied: false, failureReason: "left there" });
  assert.equal(doc.text(), "two and mine\n");
});

test("a document is saved though the edit was for an older version of it", async () => {
  const doc = new Doc("mine\n", () => true);
  assert.deepEqual(await applyAndSave(doc, () => Promise.resolve({ applied: false }), reasons), { applied: false });
  assert.equal(doc.disk, "one\n");
});

test("all of a document is replaced to take an edit back, and the cursor jumps", () => {
  for (const [from, to] of [["", ""], ["abc", "abc"], ["aXc", "abc"], ["ac", "abc"], ["abc", "ac"], ["aa", "aaa"], ["aaa", "aa"], ["x", ""], ["", "x"]] as const) {
    const { start, end, text } = difference(from, to);
    assert.equal(from.slice(0, start) + text + from.slice(end), to);
  }
  assert.deepEqual(difference("a\nb\nc\n", "a\nB\nc\n"), { start: 2, end: 3, text: "B" });
});
