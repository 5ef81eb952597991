import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { Model, Sink } from "./model";
import { askingServer, hostileAnswers, hostileServer } from "./servers";
import { until, Workbench } from "./workbench";

// One workbench for all: it takes longer to open than all cases together. The cases
// run in their order, as a person's day with it would go.
let w: Workbench;
let model: Model;
let sink: Sink;
before(async () => {
  model = await Model.start();
  sink = await Sink.start();
  w = await Workbench.start();
}, { timeout: 180_000 });

after(async () => {
  await w?.stop();
  model?.close();
  sink?.close();
});

let failures = 0;

/**
 * A case: a test that leaves a picture. After five that failed the others are not
 * tried, for each would wait for what does not come.
 */
function scene(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    assert.ok(failures < 5, "not tried: too much has failed before");
    try {
      await run();
    } catch (err) {
      failures++;
      throw err;
    } finally {
      await w.screenshot(name);
    }
  });
}

const demo = (name: string) => ({ command: "${userHome}/bin/codebot-ls", args: ["mcp", "demo", name], trust_annotations: true });
const demoSettings = () => ({
  providers: { test: { type: "openai", base_url: model.url, api_key: "none", models: ["scripted"] } },
  model: "offline",
  mcp_servers: { docs: demo("docs"), deploy: demo("deploy") },
});

scene("the first start without any settings shows nothing, or an error", async () => {
  await w.awaitStatus("codebot", "circle-outline");
  const chat = await w.openChat();
  await w.widen(160);
  assert.equal(await chat.locator(".composer .model").textContent(), "offline");
  await chat.locator(".welcome").waitFor();
  // Without a model the chat says what goes all the same, and how to get one.
  for (const remedy of ["enterKey", "pickModel", "openSettings"]) {
    await chat.locator(`.card [data-remedy="${remedy}"]`).waitFor();
  }
  assert.equal(await chat.locator(".card .prompt").count(), 3);
});

scene("servers added to the settings in the editor are not seen until a restart", async () => {
  await w.command("codebot: Open Settings File (User)");
  const lines = w.page.locator(".editor-instance .view-lines").first();
  await lines.getByText("mcp_servers").first().click();
  await w.page.keyboard.press("Control+A");
  await w.page.keyboard.press("Delete");
  await lines.getByText("mcp_servers").waitFor({ state: "detached" });
  await w.page.keyboard.insertText(JSON.stringify(demoSettings(), undefined, 2));
  await w.page.keyboard.press("Control+S");
  await w.awaitStatus("codebot 2/2", "pass");
});

for (const [language, search, deploy, list] of [
  ["English", "Search the docs for the worktree cleanup policy.", "Deploy the current project and report the result.", "What documentation and deployment actions can you perform?"],
  ["Chinese", "查一下文档里的 worktree 清理策略。", "部署当前项目，并告诉我结果。", "你现在可以执行哪些文档和部署操作？"],
] as const) {
  scene(`a prompt in ${language} calls no tool, or one that acts without asking`, async () => {
    const chat = await w.newChat();
    await w.send(search);
    await w.awaitEndOfTurn(chat);
    const searched = chat.locator('.tool.completed[data-tool="mcp__docs__search"]');
    await searched.locator("summary").first().click();
    await searched.getByText("[docs] Found 3 results for").waitFor();
    assert.equal(await chat.locator(".question").count(), 0, "a trusted search was asked for");

    await w.send(deploy);
    const asked = chat.locator('.tool.asked[data-tool="mcp__deploy__trigger"]');
    await asked.getByText('"service": "shop').waitFor();
    assert.deepEqual(
      await asked.locator("[data-option]").evaluateAll((buttons) => buttons.map((b) => (b as HTMLElement).dataset["option"])),
      ["allow_once", "allow_session", "allow_always", "reject_once", "reject_always"],
    );
    // Its buttons are in sight, without a scroll.
    await until("the buttons", () => asked.locator('[data-option="reject_always"]').evaluate((e) => e.getBoundingClientRect().bottom <= (document.querySelector(".composer")?.getBoundingClientRect().top ?? 0)));
    await (language === "English" ? w.picture("permission") : w.screenshot("permission Chinese"));
    await asked.locator('[data-option="allow_once"]').click();
    await w.awaitEndOfTurn(chat);
    await chat.locator('.tool.completed[data-tool="mcp__deploy__trigger"]').waitFor();
    assert.equal(await chat.locator("[data-option]").count(), 0, "the card still asks");

    await w.send(list);
    await w.awaitEndOfTurn(chat);
    await chat.locator(".agent", { hasText: "mcp__deploy__status" }).waitFor();
    assert.equal(await chat.locator(".tool").count(), 2, "a question about the tools called one");
  });
}

scene("a call that was rejected runs", async () => {
  const chat = await w.send("Deploy the current project and report the result.");
  const asked = chat.locator(".tool.asked");
  await asked.locator('[data-option="reject_once"]').click();
  await w.awaitEndOfTurn(chat);
  await chat.locator(".tool.failed").last().waitFor();
  assert.doesNotMatch((await chat.locator(".tool.failed").last().textContent()) ?? "", /Triggered/);
});

/** Chooses the model that says what the test tells it to. */
async function useScripted(): Promise<void> {
  const chat = await w.chat();
  await chat.locator(".composer .pick", { has: chat.locator(".model") }).click();
  await w.row("test/scripted").click();
  await chat.locator(".composer .model", { hasText: "test/scripted" }).waitFor();
}

/** A gate that a script waits at until the test opens it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

scene("a key is shown while it is typed, or kept in the settings", async () => {
  const key = "key-of-the-test-4711";
  const settings = JSON.parse(w.read(w.userSettings)) as ReturnType<typeof demoSettings>;
  w.write(w.userSettings, { ...settings, providers: { ...settings.providers, locked: { type: "anthropic", base_url: model.url.replace("/v1", ""), models: ["shut"] } } });
  await w.command("codebot: Choose the Model...");
  await w.row("anthropic/").filter({ has: w.page.locator(".codicon-circle-slash") }).filter({ hasText: "no key" }).first().waitFor();
  await w.screenshot("a model that cannot be chosen");
  await w.page.keyboard.press("Escape");

  await w.command("codebot: Enter an API Key...");
  await w.row("locked").click();
  const input = w.quickInput.locator('input[type="password"]');
  await input.fill(key);
  await w.screenshot("key");
  await w.page.keyboard.press("Enter");
  const toast = w.page.locator(".notification-toast", { hasText: "The key works" });
  await toast.waitFor();
  assert.equal(model.keys.at(-1), key);
  const kept = w.filesWith(key);
  assert.equal(kept.filter((path) => path.endsWith("settings.json") || path.startsWith(join(w.dir, "data"))).length, 0, kept.join(" "));
  await w.command("Notifications: Clear All Notifications");
  w.write(w.userSettings, settings);
});

scene("a permission that is asked for while the chat is hidden is never seen", async () => {
  await w.newChat();
  await useScripted();
  const hidden = gate();
  model.script = async function* (results) {
    await hidden.opened;
    yield results === 0 ? { tool: "mcp__deploy__trigger", args: { service: "hidden" } } : "That is all.";
  };
  const chat = await w.send("Go on when I do not look.");
  await w.command("View: Toggle Secondary Side Bar Visibility");
  await w.page.locator(".part.auxiliarybar").waitFor({ state: "hidden" });
  hidden.open();
  const toast = w.page.locator(".notification-toast", { hasText: "codebot asks whether it may run" });
  await toast.waitFor();
  await w.screenshot("notification");
  await toast.getByRole("button", { name: "Allow once" }).click();
  await w.openChat();
  await w.awaitEndOfTurn(chat);
  await chat.locator(".agent", { hasText: "That is all." }).waitFor();
  await chat.locator('.tool.completed[data-tool="mcp__deploy__trigger"]').waitFor();
});

scene("a permission that waits is never seen once the chat is hidden", async () => {
  model.script = async function* (results) {
    yield results === 0 ? { tool: "mcp__deploy__trigger", args: { service: "seen-first" } } : "That was no.";
  };
  const chat = await w.send("Ask while I look.");
  await chat.locator(".tool.asked").waitFor();
  assert.equal(await w.page.locator(".notification-toast", { hasText: "codebot asks" }).count(), 0, "it asks twice");
  await w.command("View: Toggle Secondary Side Bar Visibility");
  const toast = w.page.locator(".notification-toast", { hasText: "seen-first" });
  await toast.waitFor();
  await toast.getByRole("button", { name: "Reject" }).click();
  await w.openChat();
  await w.awaitEndOfTurn(chat);
  await chat.locator(".agent", { hasText: "That was no." }).waitFor();
});

scene("stop does not stop what is being written", async () => {
  model.script = async function* (_results, stopped) {
    for (let i = 1; !stopped.aborted; i++) {
      yield `word${i} `;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const abandoned = model.abandoned;
  const chat = await w.send("Write for ever.");
  await chat.locator(".agent", { hasText: "word20 " }).waitFor();
  await chat.locator(".composer .stop").click();
  await w.awaitEndOfTurn(chat);
  await chat.locator(".notice", { hasText: "Stopped." }).waitFor();
  await until("the request to the model to be given up", () => model.abandoned === abandoned + 1);
});

scene("what is sent while a turn runs is refused, or starts a second one", async () => {
  const second = gate();
  let turns = 0;
  model.script = async function* () {
    if (++turns === 1) {
      yield "I look. ";
      await second.opened;
      yield { tool: "mcp__docs__search", args: { query: "x" } };
    } else {
      yield "Both are done.";
    }
  };
  const chat = await w.send("First thing.");
  await chat.locator(".agent", { hasText: "I look." }).waitFor();
  await w.send("And a second thing.", false);
  await chat.locator(".notice", { hasText: "And a second thing." }).waitFor();
  second.open();
  await chat.locator(".agent", { hasText: "Both are done." }).waitFor();
  await w.awaitEndOfTurn(chat);
  await chat.locator(".item.user", { hasText: "And a second thing." }).waitFor();
  assert.equal(turns, 2);
});

scene("commands and files are not offered in the prompt, or do nothing", async () => {
  const chat = await w.chat();
  const prompt = chat.locator("textarea");
  await prompt.fill("");
  await prompt.pressSequentially("/mc");
  await chat.locator(".proposals li", { hasText: "/mcp" }).first().waitFor();
  await w.screenshot("proposals");
  await prompt.press("Enter");
  await until("the command in the prompt", async () => (await prompt.inputValue()).trim() === "/mcp");
  await prompt.press("Enter");
  await chat.locator(".agent", { hasText: "Total: 2 connected, 0 failed" }).waitFor();
  model.script = async function* () {
    yield "I have read it.";
  };
  await prompt.pressSequentially("look at @READ");
  await chat.locator(".proposals li", { hasText: "README.md" }).first().waitFor();
  await prompt.press("Enter");
  await until("the file in the prompt", async () => (await prompt.inputValue()).includes("@README.md"));
  await prompt.press("Enter");
  await chat.locator(".agent", { hasText: "I have read it." }).waitFor();
  await w.awaitEndOfTurn(chat);
});

scene("a turn cannot be taken back, or its file stays as it made it", async () => {
  const notes = ["# Release notes", "", "- Worktrees are cleaned up after 14 days.", "- Deploys wait for a yes.", ""].join("\n");
  const made = join(dirname(dirname(w.projectSettings)), "made.txt");
  model.script = async function* (results) {
    yield results === 0 ? { tool: "write", args: { path: "made.txt", content: notes } } : "It is made.";
  };
  const chat = await w.send("Make a file.");
  await chat.locator(".tool.asked .diff .added").first().waitFor();
  await w.picture("edit");
  await chat.locator('.tool.asked [data-option="allow_once"]').click();
  await chat.locator(".agent", { hasText: "It is made." }).waitFor();
  await w.awaitEndOfTurn(chat);
  assert.equal(w.read(made), notes);
  const message = chat.locator(".item.user", { hasText: "Make a file." });
  await message.hover();
  await message.locator(".undo").click();
  await w.row("Files and messages").click();
  await message.waitFor({ state: "detached" });
  await until("the file to be gone", () => !existsSync(made));
  await until("the prompt to be there again", async () => (await chat.locator("textarea").inputValue()) === "Make a file.");
  await chat.locator("textarea").fill("");
});

scene("a line cannot be rewritten, or the file is changed without a yes", async () => {
  await w.openFile("README.md");
  model.script = async function* () {
    yield "```markdown\n# store\n```";
  };
  for (const [answer, text] of [["Reject", "# shop"], ["Accept", "# store"]] as const) {
    await w.command("codebot: Rewrite the Selection...");
    await w.quickInput.locator(".quick-input-title", { hasText: "Rewrite how?" }).waitFor();
    await w.quickInput.locator("input").first().fill("sell more");
    await w.page.keyboard.press("Enter");
    const toast = w.page.locator(".notification-toast", { hasText: "Put the new lines into" });
    await toast.waitFor();
    await toast.getByRole("button", { name: answer }).click();
    await w.page.locator(".tab.active", { hasText: /^README\.md$/ }).waitFor();
    const editor = w.page.locator(".editor-instance .view-lines").first();
    await until(`the editor to show ${text}`, async () => (await editor.textContent())?.replace(/\u00a0/g, " ").trim() === text);
  }
  await w.command("File: Revert File");
  await w.command("View: Close Editor");
});

scene("a window that was reloaded has lost the conversation", async () => {
  let chat = await w.chat();
  // What a command of codebot's own says is no part of the conversation.
  const before = (await chat.locator(".item.user").allTextContents()).filter((text) => !text.startsWith("/mcp"));
  await w.anotherServer(async () => void (await w.page.reload()));
  chat = await w.chat();
  await chat.locator(".composer .mode").filter({ hasText: /\S/ }).waitFor();
  console.log(`measured: the chat can be used ${w.serverAge()} ms after the server was spawned, in a window that opens`);
  await w.awaitStatus("codebot 2/2", "pass");
  await chat.locator(".item.user", { hasText: "Write for ever." }).waitFor();
  assert.deepEqual(await chat.locator(".item.user").allTextContents(), before);
  await chat.locator('.tool.completed[data-tool="mcp__deploy__trigger"]').waitFor();
  await chat.locator(".agent", { hasText: "That is all." }).waitFor();
  assert.equal(await chat.locator(".composer .model").textContent(), "test/scripted");
});

scene("a server that was killed stays dead, or takes the conversation with it", async () => {
  const chat = await w.chat();
  const before = await chat.locator(".item.user").allTextContents();
  const pid = w.serverProcess();
  assert.ok(pid !== undefined);
  await w.reopened(chat, () => w.anotherServer(() => void process.kill(pid, "SIGKILL")));
  await w.awaitStatus("codebot 2/2", "pass");
  assert.deepEqual(await chat.locator(".item.user").allTextContents(), before);
  model.script = async function* () {
    yield "Back again.";
  };
  await w.send("Are you there?");
  await chat.locator(".agent", { hasText: "Back again." }).waitFor();
  await w.awaitEndOfTurn(chat);
});

scene("what an answer says is run, loaded or followed", async () => {
  const hostile = [
    `<img src="${sink.url}/img"><script>fetch("${sink.url}/script")</script><iframe src="${sink.url}/frame"></iframe>`,
    `![pixel](${sink.url}/markdown-image)`,
    "[run](command:codebot.restart) [js](javascript:alert(1)) [ref]\n\n[ref]: command:codebot.restart",
    `<style>@import url(${sink.url}/style);</style><link rel="stylesheet" href="${sink.url}/link">`,
    `[a page](${sink.url}/page)`,
  ];
  model.script = async function* () {
    yield hostile.join("\n\n");
  };
  const chat = await w.send("Say something hostile.");
  await w.awaitEndOfTurn(chat);
  const answer = chat.locator(".agent").last();
  await answer.getByText("a page").waitFor();
  assert.equal(await answer.locator("img, script, iframe, style, link, [href], [src]").count(), 0);
  const links = await answer.locator("a").evaluateAll((all) => all.map((a) => (a as HTMLElement).dataset["href"] ?? ""));
  assert.ok(links.length > 0 && links.every((href) => href.startsWith(sink.url)), links.join(" "));
  // A real link is asked about, even to this machine, and the answer here is no.
  await answer.locator("a", { hasText: "a page" }).click();
  const dialog = w.page.locator(".monaco-dialog-box");
  await dialog.getByText("/page").waitFor();
  await w.screenshot("link");
  await w.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(sink.requests, []);
});

scene("what a tool answers is run, loaded or followed", async () => {
  const file = join(w.dir, "hostile.mjs");
  w.write(file, hostileServer);
  const good = w.read(w.userSettings);
  const settings = JSON.parse(good) as ReturnType<typeof demoSettings> & { mcp_servers: Record<string, unknown> };
  settings.mcp_servers["hostile"] = { command: w.node, args: [file], env: { SINK: sink.url }, trust_annotations: true };
  w.write(w.userSettings, settings);
  await w.awaitStatus("codebot 3/3", "pass");
  const names = Object.keys(hostileAnswers);
  assert.equal(names.length, 10);
  model.script = async function* (results) {
    const name = names[results];
    yield name === undefined ? "All ten are done." : { tool: `mcp__hostile__${name}`, args: {} };
  };
  const chat = await w.send("Call all the hostile tools.");
  await chat.locator(".agent", { hasText: "All ten are done." }).waitFor();
  await w.awaitEndOfTurn(chat);
  for (const name of names) {
    const card = chat.locator(`.tool.completed[data-tool="mcp__hostile__${name}"]`);
    await card.evaluate((e) => [e, ...e.querySelectorAll("details")].forEach((d) => d.setAttribute("open", "")));
    await card.scrollIntoViewIfNeeded();
    const text = (await card.textContent()) ?? "";
    assert.ok(text.includes(hostileAnswers[name] ?? "?"), `${name} shows ${text}`);
    assert.doesNotMatch(text, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/, name);
    assert.equal(await card.locator("script, style, link, meta, base, iframe, object, embed, svg, img, [href], [src], [onerror], [onload]").count(), 0, name);
    for (const link of await card.locator("a").all()) {
      await link.click();
    }
    await w.screenshot(`hostile ${name}`);
  }
  assert.equal(await w.page.locator(".monaco-dialog-box").count(), 0, "a link was followed");
  assert.deepEqual(sink.requests, []);
  // It would have told of a request.
  await fetch(`${sink.url}/control`);
  assert.deepEqual(sink.requests.splice(0), ["/control"]);
  w.write(w.userSettings, good);
  await w.awaitStatus("codebot 2/2", "pass");
});

scene("a server cannot be restarted from the status bar, or the list shows old states", async () => {
  // The pictures of this and what follows show a conversation of every day.
  await w.newChat();
  await useScripted();
  model.script = async function* (results) {
    yield results === 0 ? { tool: "mcp__docs__search", args: { query: "worktree cleanup policy" } } : "Worktrees are removed **14 days** after the last commit.";
  };
  await w.send("How long are worktrees kept?");
  await (await w.chat()).locator(".agent", { hasText: "14 days" }).waitFor();
  await w.awaitEndOfTurn(await w.chat());
  await w.serverAction("docs", "connected", "Stop");
  await w.awaitStatus("codebot 1/2");
  await w.serverAction("docs", "stopped", "Start");
  await w.awaitStatus("codebot 2/2", "pass");
  await w.openServer("deploy", "connected");
  await w.picture("servers");
  // How the item looks meanwhile may be over before anybody has looked.
  const before = w.demoProcess("deploy");
  assert.ok(before !== undefined);
  await w.row("Restart").first().click();
  await until("another process", () => ![undefined, before].includes(w.demoProcess("deploy")));
  await w.awaitStatus("codebot 2/2", "pass");
});

scene("codebot cannot be restarted, or the chat stays dead after it", async () => {
  const chat = await w.openChat();
  const shown = await chat.locator(".item.user").allTextContents();
  await w.reopened(chat, () => w.anotherServer(() => w.command("codebot: Restart")));
  console.log(`measured: the chat shows its conversation again ${w.serverAge()} ms after the server was spawned, in an open window`);
  await chat.locator(".banner").waitFor({ state: "detached" });
  assert.deepEqual(await chat.locator(".item.user").allTextContents(), shown);
  await w.awaitStatus("codebot 2/2", "pass");
});

scene("a project's server starts before it was approved, or cannot be approved", async () => {
  w.write(w.projectSettings, { mcp_servers: { "team-docs": { command: "${userHome}/bin/codebot-ls", args: ["mcp", "demo", "docs"], env: { TOKEN: "${TEAM_TOKEN:-}" } } } });
  await w.awaitStatus("codebot 2/3", "warning");
  await w.serverAction("team-docs", "not approved", "Approve...");
  const dialog = w.page.locator(".monaco-dialog-box");
  for (const text of ["codebot-ls", "mcp", "demo", "TEAM_TOKEN", "TOKEN", "shop-backend"]) {
    await dialog.getByText(text, { exact: false }).first().waitFor();
  }
  await w.screenshot("approve");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await w.awaitStatus("codebot 3/3", "pass");
  // An entry that was changed asks again, and says what is different.
  w.write(w.projectSettings, { mcp_servers: { "team-docs": { command: "${userHome}/bin/codebot-ls", args: ["mcp", "demo", "deploy"], env: { TOKEN: "${TEAM_TOKEN:-}" } } } });
  await w.awaitStatus("codebot 2/3", "warning");
  await w.serverAction("team-docs", "not approved", "Approve...");
  await dialog.getByText("It has changed since you approved it.").waitFor();
  await dialog.getByText("→").waitFor();
  await w.picture("approval");
  await w.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await w.awaitStatus("codebot 2/3", "warning");
});

scene("settings that cannot be read take the servers away, or nobody says so", async () => {
  await w.command("codebot: Open Settings File (User)");
  const good = w.read(w.userSettings);
  const lines = w.page.locator(".editor-instance .view-lines").first();
  await lines.getByText("mcp_servers").first().click();
  await w.page.keyboard.press("Control+Home");
  await w.page.keyboard.type("{");
  await w.page.locator(".squiggly-error").first().waitFor();
  await w.page.keyboard.press("Control+S");
  await w.awaitStatus("codebot 2/3", "error");
  assert.equal(w.read(w.userSettings), `{${good}`);
  // What the file said before goes on, and so does the conversation.
  model.script = async function* (results) {
    yield results === 0 ? { tool: "mcp__docs__search", args: { query: "still there" } } : "It is still there.";
  };
  const chat = await w.send("Are the tools still there?");
  await chat.locator(".agent", { hasText: "It is still there." }).waitFor();
  await w.awaitEndOfTurn(chat);
  await w.screenshot("bad settings");
  await lines.click();
  await w.page.keyboard.press("Control+Home");
  await w.page.keyboard.press("Delete");
  await w.page.keyboard.press("Control+S");
  await w.awaitStatus("codebot 2/3", "warning");
  await w.page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  assert.equal(w.read(w.userSettings), good);
});

scene("a server that cannot start looks like one that runs", async () => {
  w.write(w.projectSettings, "{}");
  await w.awaitStatus("codebot 2/2", "pass");
  const good = w.read(w.userSettings);
  const settings = JSON.parse(good) as ReturnType<typeof demoSettings> & { mcp_servers: Record<string, unknown> };
  settings.mcp_servers["broken"] = { command: "/nowhere/at/all" };
  w.write(w.userSettings, settings);
  await w.awaitStatus("codebot 2/3", "warning");
  await w.statusItem.click();
  await w.row("broken").filter({ hasText: "failed" }).filter({ hasText: "/nowhere/at/all" }).waitFor();
  await w.page.keyboard.press("Escape");
  w.write(w.userSettings, good);
  await w.awaitStatus("codebot 2/2", "pass");
});

scene("an answer that streams fast comes late to the screen", async () => {
  const words = 400;
  model.script = async function* () {
    const begin = Date.now();
    for (let i = 0; i < words; i++) {
      yield `\`${Date.now()}\` word${i}${i % 20 === 19 ? "\n\n" : " "}`;
      // 200 words a second, whatever the timer's own lateness.
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, begin + (i + 1) * 5 - Date.now())));
    }
  };
  const chat = await w.chat();
  await chat.evaluate((last) => {
    const came: number[] = [];
    const late: number[] = [];
    const drawn: number[] = [];
    const work: number[] = [];
    let frame = 0;
    const begin = (now: number): void => {
      frame = Math.max(now, performance.now());
      requestAnimationFrame(begin); // before what the page asks for in this frame
    };
    requestAnimationFrame(begin);
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    Object.assign(window, { came, late, drawn, work, finished });
    let seen = 0;
    let got = 0;
    window.addEventListener("message", ({ data }) => {
      const stamp = Number(/`(\d{13})`/.exec(JSON.stringify(data))?.[1]);
      if (stamp > 0) {
        came.push(Date.now() - stamp);
        got ||= performance.now();
      }
    });
    new MutationObserver(() => {
      work.push(performance.now() - frame);
      // The page changes in a frame; what is set here runs after that frame is painted.
      setTimeout(() => {
        const answer = [...document.querySelectorAll(".agent")].at(-1);
        const stamp = Number([...(answer?.querySelectorAll("code") ?? [])].at(-1)?.textContent);
        if (answer?.textContent.includes(last) === true) {
          finish();
        }
        if (stamp > seen) {
          seen = stamp;
          late.push(Date.now() - stamp);
          if (got > 0) {
            drawn.push(performance.now() - got);
            got = 0;
          }
        }
      });
    }).observe(document.querySelector(".messages") ?? document.body, { childList: true, subtree: true, characterData: true });
  }, `word${words - 1}`);
  await w.send("Write fast.", false);
  // The page itself says when it is there: to ask it in each frame took most of its time.
  await chat.evaluate(() => (window as unknown as { finished: Promise<void> }).finished);
  await w.awaitEndOfTurn(chat);
  const [came, late, drawn, work] = await chat.evaluate(() => {
    const { came, late, drawn, work } = window as unknown as Record<"came" | "late" | "drawn" | "work", number[]>;
    const sort = (list: number[]): number[] => list.sort((a, b) => a - b);
    return [sort(came), sort(late), sort(drawn), sort(work)] as const;
  });
  const at = (list: readonly number[], q: number): number => Math.round(list[Math.floor(list.length * q)] ?? NaN);
  console.log(`measured: ${words} words at 200 a second reach the chat's page after ${at(came, 0.5)} ms (p95 ${at(came, 0.95)}), are painted ${at(drawn, 0.5)} ms later (p95 ${at(drawn, 0.95)}, wanted: 16; of it the chat's own work ${at(work, 0.5)} ms, p95 ${at(work, 0.95)}), ${at(late, 0.5)} ms after they were said (p95 ${at(late, 0.95)}), in ${late.length} frames`);
  assert.ok(late.length > 10, `only ${late.length} frames were painted`);
  // A bound for a machine that does other things too; what it must not do is fall behind.
  assert.ok(at(late, 0.95) < 2000, `p95 ${at(late, 0.95)} ms`);
});

scene("a conversation of 2 000 messages, or an answer of 200 kB, makes the chat stutter", async () => {
  const chat = await w.newChat();
  // As the extension would send them; what is measured here is the page alone.
  const [shown, frames] = await chat.evaluate(async () => {
    const send = (...messages: object[]): void => void window.dispatchEvent(new MessageEvent("message", { data: messages }));
    const said = (text: string): object => ({ type: "update", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } });
    const painted = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
    const begun = performance.now();
    send(...Array.from({ length: 1000 }, (_, i) => [{ type: "prompt", text: `Question ${i}` }, said(`Answer **${i}** with \`code\`.\n\n- one\n- two\n`)]).flat());
    await painted();
    const shown = (await painted()) - begun;
    send({ type: "prompt", text: "The long one" }, { type: "turn", running: true });
    const frames: number[] = [];
    const paragraph = `${"Words of a long answer, *some* of them marked, `others` code. ".repeat(8)}\n\n`;
    for (let length = 0; length < 200_000; length += paragraph.length) {
      const start = performance.now();
      send(said(paragraph));
      frames.push((await painted()) - start);
    }
    send({ type: "turn", running: false, stopReason: "end_turn" });
    await painted();
    return [shown, frames.sort((a, b) => a - b)] as const;
  });
  const at = (q: number): number => Math.round(frames[Math.floor(frames.length * q)] ?? NaN);
  console.log(`measured: 2 000 messages are shown after ${Math.round(shown)} ms, and each piece of an answer of 200 kB below them after ${at(0.5)} ms (p95 ${at(0.95)})`);
  assert.equal(await chat.locator(".messages .item").count(), 2002);
  assert.ok(at(0.95) < 500, `p95 ${at(0.95)} ms`);
});

scene("a key of codebot's is taken from the editor", async () => {
  await w.command("View: Close All Editors");
  await w.command("Preferences: Open Default Keyboard Shortcuts (JSON)");
  await w.page.locator(".tab.active", { hasText: "Default Keybindings" }).waitFor();
  const text = await w.copyAll();
  await w.command("View: Close All Editors");
  const all = [...text.matchAll(/^\{ "key": "((?:[^"\\]|\\.)+)",\s+"command": "([^"]+)"/gm)].map(([, key = "", command = ""]) => ({ key, command }));
  const own = all.filter(({ command }) => command.startsWith("codebot."));
  assert.ok(all.length > 500 && own.length >= 10, `${own.length} of ${all.length} keys are codebot's`);
  // Escape goes back to the file only from the chat, and the editors of those keys are not there.
  const shared = ["escape", "ctrl+enter", "alt+enter"];
  const taken = own.filter(({ key }) => !shared.includes(key) && all.some((other) => other.key === key && !other.command.startsWith("codebot.")));
  assert.deepEqual(taken, []);
});

scene("undo in the editor does not take an edit back, or takes what was typed before along", async () => {
  const path = join(dirname(dirname(w.projectSettings)), "undo.txt");
  await w.newChat();
  await useScripted();
  w.write(path, "one\ntwo\n");
  await w.openFile("undo.txt");
  await w.page.keyboard.type("mine ");
  model.script = async function* (results) {
    yield results === 0 ? { tool: "edit", args: { path: "undo.txt", old_string: "two", new_string: "three" } } : "It is edited.";
  };
  const chat = await w.send("Edit it.");
  await chat.locator('.tool.asked [data-option="allow_once"]').click();
  await chat.locator(".agent", { hasText: "It is edited." }).waitFor();
  await w.awaitEndOfTurn(chat);
  assert.equal(w.read(path), "mine one\nthree\n");
  assert.equal(await w.copyAll(), "mine one\nthree\n");
  await w.page.keyboard.press("Control+Z");
  assert.equal(await w.copyAll(), "mine one\ntwo\n");
  await w.page.keyboard.press("Control+S");
  await until("the file to be saved", () => w.read(path) === "mine one\ntwo\n");
  await w.command("View: Close Editor");
});

scene("what a sub-agent does is lost among the calls of the agent, or gone after a reload", async () => {
  await w.newChat();
  await useScripted();
  model.script = async function* (results, _, subAgent) {
    if (subAgent) {
      yield results === 0 ? { tool: "write", args: { path: "rule.txt", content: "seven days\n" } } : "Noted: seven days.";
    } else {
      yield results === 0 ? { tool: "task", args: { description: "Note the rule", prompt: "Write it down." } } : "The sub-agent has noted it.";
    }
  };
  let chat = await w.send("Note the rule.");
  const inner = '.tool[data-tool="task"] .nested .tool[data-tool="write"]';
  await chat.locator(`${inner}.asked [data-option="allow_once"]`).click();
  await chat.locator(".agent", { hasText: "The sub-agent has noted it." }).waitFor();
  await w.awaitEndOfTurn(chat);
  await chat.locator(`${inner}.completed`).waitFor();
  assert.match((await chat.locator('.tool[data-tool="task"]').first().textContent()) ?? "", /Sub-agent: Note the rule[^]*Noted: seven days\./);
  assert.equal(w.read(join(dirname(dirname(w.projectSettings)), "rule.txt")), "seven days\n");
  await w.anotherServer(async () => void (await w.page.reload()));
  chat = await w.openChat();
  await chat.locator(`${inner}.completed`).waitFor();
});

scene("a conversation cannot be renamed, exported or deleted from the list", async () => {
  const item = (title: string) => w.row(title).filter({ has: w.page.locator(".quick-input-list-entry-action-bar") });
  const press = async (title: string, button: string) => {
    // The row's own hint comes to lie over it.
    await item(title).first().hover({ force: true });
    await item(title).first().locator(`.codicon-${button}`).click({ force: true });
  };
  await w.command("codebot: Open a Conversation...");
  await press("Note the rule.", "edit");
  await w.quickInput.locator(".quick-input-title", { hasText: /^Rename$/ }).waitFor();
  await w.quickInput.locator("input").first().fill("The rule of seven days");
  await w.page.keyboard.press("Enter");
  await item("The rule of seven days").waitFor();
  await w.screenshot("conversations");
  await press("The rule of seven days", "export");
  await w.row("Markdown").click();
  await w.page.locator(".editor-instance .view-lines", { hasText: "The rule of seven days" }).waitFor();
  await until("the list to be there again", async () => (await item("The rule of seven days").count()) > 0);
  await press("The rule of seven days", "trash");
  await w.page.locator(".monaco-dialog-box").getByRole("button", { name: "Delete" }).click();
  await until("the conversation to be gone", async () => (await w.quickInput.count()) > 0 && (await item("The rule of seven days").count()) === 0);
  // It was the one that is shown: the chat goes on with a new one.
  await (await w.chat()).locator(".welcome").waitFor();
  await w.page.keyboard.press("Escape");
  await w.command("View: Close All Editors");
  await w.page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" }).click();
});

scene("what a server asks cannot be answered, or its prompt cannot be filled in", async () => {
  const file = join(w.dir, "asking.mjs");
  w.write(file, askingServer);
  const good = w.read(w.userSettings);
  await w.command("codebot: Add an MCP Server...");
  await w.quickInput.locator(".quick-input-title", { hasText: "Add MCP server" }).waitFor();
  await w.quickInput.locator("input").first().fill(`"${w.node}" "${file}"`);
  await w.page.keyboard.press("Enter");
  await w.quickInput.locator(".quick-input-title", { hasText: "Name of the server" }).waitFor();
  await w.quickInput.locator("input").first().fill("asking");
  await w.page.keyboard.press("Enter");
  const works = w.page.locator(".notification-toast", { hasText: "asking works: 1 tools." });
  await works.waitFor();
  assert.equal(w.read(w.userSettings), good, "a server is kept before the person has said so");
  await works.getByRole("button", { name: "Save", exact: true }).click();
  await w.awaitStatus("codebot 3/3", "pass");

  await useScripted();
  model.script = async function* (results) {
    yield results === 0 ? { tool: "mcp__asking__book", args: {} } : "It is booked.";
  };
  const chat = await w.send("Book a table.");
  await chat.locator('.tool.asked [data-option="allow_once"]').click();
  await w.quickInput.locator(".quick-input-title", { hasText: "asking asks" }).waitFor();
  await w.row("Answer").click();
  const seats = w.quickInput.locator("input").first();
  await w.quickInput.locator(".quick-input-title", { hasText: "asking (1/2)" }).waitFor();
  await seats.fill("9");
  await w.quickInput.locator(".quick-input-message", { hasText: "at most 8" }).waitFor();
  await w.screenshot("a form of a server");
  await seats.fill("4");
  await w.page.keyboard.press("Enter");
  await w.row("garden").click();
  await chat.locator(".agent", { hasText: "It is booked." }).waitFor();
  await w.awaitEndOfTurn(chat);
  assert.match((await chat.locator('.tool[data-tool="mcp__asking__book"]').last().textContent()) ?? "", /booked: accept \{"seats":4,"table":"garden"\}/);

  model.script = async function* () {
    yield "Hello, Ada.";
  };
  await w.command("codebot: Run an MCP Prompt...");
  await w.row("greet").click();
  await w.quickInput.locator("input").first().fill("Ada");
  await w.page.keyboard.press("Enter");
  await chat.locator(".agent", { hasText: "Hello, Ada." }).waitFor();
  await w.awaitEndOfTurn(chat);
  w.write(w.userSettings, good);
  await w.awaitStatus("codebot 2/2", "pass");
});

scene("the chat keeps the colours of another theme in high contrast", async () => {
  await w.command("Preferences: Color Theme");
  await w.quickInput.locator("input").first().fill("Dark High Contrast");
  await w.row("Dark High Contrast").first().click();
  const chat = await w.chat();
  await chat.locator("body.vscode-high-contrast").waitFor();
  const [text, ground] = await chat.locator("body").evaluate((body) => [getComputedStyle(body).color, getComputedStyle(document.documentElement).getPropertyValue("--vscode-sideBar-background")]);
  assert.deepEqual([text, ground], ["rgb(255, 255, 255)", "#000000"]);
  await w.screenshot("high contrast");
  // What can be pressed has a border there, for its ground is that of all else.
  assert.notEqual(await chat.locator(".composer").evaluate((e) => getComputedStyle(e).borderTopColor), "rgba(0, 0, 0, 0)");
});
