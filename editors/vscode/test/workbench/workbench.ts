import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium, type Browser, type Frame, type Locator, type Page } from "playwright-core";

/**
 * How long anything may take before it counts as broken, in milliseconds. Opening a
 * window takes ten seconds on two cores that have nothing else to do.
 */
export const patience = 90_000;

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set; scripts/test.sh -suite "vscode workbench" sets it`);
  }
  return value;
}

/** Asks again and again until it is so; for what happens in other processes. */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const end = Date.now() + patience;
  let problem: unknown;
  for (;;) {
    try {
      const value = await ask();
      if (value !== undefined && value !== false) {
        return value;
      }
    } catch (err) {
      problem = err;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain for ${what}`, { cause: problem });
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What the kernel says of a process, from its third member, the state, on. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name, which comes second, may have spaces in it.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** When a process was started, in hundredths of a second since the machine was. */
function startOf(pid: number): number {
  return Number(statOf(pid)[19]);
}

/**
 * Workbench is a VS Code with the packed extension in it, in a browser, in a world of
 * its own: home, settings, extensions and project are new.
 */
export class Workbench {
  readonly output = given("CODEBOT_TEST_OUTPUT");
  private shots = 0;

  private constructor(
    readonly dir: string,
    private readonly host: ChildProcess,
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async start(): Promise<Workbench> {
    const dir = mkdtempSync(join(tmpdir(), "codebot-workbench-"));
    for (const sub of ["home/bin", "shop-backend", "data/User", "extensions"]) {
      mkdirSync(join(dir, sub), { recursive: true });
    }
    writeFileSync(join(dir, "shop-backend", "README.md"), "# shop\n");
    writeFileSync(
      join(dir, "data", "User", "settings.json"),
      JSON.stringify({
        "workbench.startupEditor": "none",
        "workbench.secondarySideBar.defaultVisibility": "hidden",
        "workbench.tips.enabled": false,
        "breadcrumbs.enabled": false,
        "editor.autoIndent": "none",
        "editor.minimap.enabled": false,
        "chat.disableAIFeatures": true,
        "extensions.autoCheckUpdates": false,
        "telemetry.telemetryLevel": "off",
        "security.workspace.trust.enabled": false,
        "files.autoSave": "off",
        "editor.autoClosingBrackets": "never",
        "editor.autoClosingQuotes": "never",
        "editor.quickSuggestions": { "other": "off", "strings": "off", "comments": "off" },
      }),
    );
    const installed = given("CODEBOT_TEST_HOST");
    const node = join(installed, "node");
    const common = [join(installed, "node_modules/code-server/out/node/entry.js"), "--user-data-dir", join(dir, "data"), "--extensions-dir", join(dir, "extensions")];
    // Where the settings of the tests find it.
    const server = join(given("CODEBOT_TEST_ROOT"), "editors/vscode/server/codebot-ls");
    chmodSync(server, 0o755);
    symlinkSync(server, join(dir, "home", "bin", "codebot-ls"));
    // Nothing of the machine's own: neither keys nor models nor settings.
    const env: NodeJS.ProcessEnv = { PATH: process.env["PATH"], HOME: join(dir, "home"), LANG: "C.UTF-8", TMPDIR: tmpdir(), CODEBOT_LOCAL_MODELS: "off" };
    const install = spawn(node, [...common, "--install-extension", given("CODEBOT_TEST_VSIX")], { env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    install.stdout.on("data", (piece) => (text += String(piece)));
    install.stderr.on("data", (piece) => (text += String(piece)));
    const [code] = (await once(install, "exit")) as [number];
    if (code !== 0) {
      throw new Error(`installing the extension ended with ${code}: ${text}`);
    }

    const host = spawn(node, [...common, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", join(dir, "shop-backend")], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let log = "";
    host.stdout.on("data", (piece) => (log += String(piece)));
    host.stderr.on("data", (piece) => (log += String(piece)));
    const url = await until(`code-server to listen; it said ${log}`, () => /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1]);

    const browser = await chromium.launch({
      executablePath: given("CODEBOT_TEST_CHROMIUM"),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(patience);
    // What the extension host says of the extension is the only log this VS Code has.
    page.on("console", (message) => {
      if (message.type() === "error" && /codebot/i.test(message.text())) {
        console.log(message.text().slice(0, 500));
      }
    });
    const workbench = new Workbench(dir, host, browser, page);
    rmSync(workbench.output, { recursive: true, force: true });
    mkdirSync(workbench.output, { recursive: true });
    await page.goto(`${url}/?folder=${encodeURIComponent(join(dir, "shop-backend"))}`);
    return workbench;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    if (this.host.pid !== undefined && this.host.exitCode === null) {
      const gone = once(this.host, "exit");
      // Its children too: the extension host is one.
      process.kill(-this.host.pid, "SIGTERM");
      await gone;
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The process of the server that the extension has started last, if one runs. */
  serverProcess(): number | undefined {
    return this.serverProcesses()[0];
  }

  /** Waits until the extension has started a server after what it does. */
  async anotherServer(after: () => Promise<void> | void): Promise<void> {
    // The one of a window that was reloaded may live on for as long as the host likes.
    const before = this.serverProcesses();
    await after();
    await until("another server to run", () => this.serverProcesses().some((pid) => !before.includes(pid)));
  }

  /** The servers that run, the last started first. */
  private serverProcesses(): number[] {
    return this.processes((command, args) => command.startsWith(join(this.dir, "extensions")) && args.includes("serve"));
  }

  /** The process of one of the demo's MCP servers, if one runs. */
  demoProcess(name: string): number | undefined {
    const parent = this.serverProcess();
    return this.processes((_, args, pid) => args.slice(0, 3).join(" ") === `mcp demo ${name}` && Number(statOf(pid)[1]) === parent)[0];
  }

  /** The processes that are wanted, the last started first. */
  private processes(wanted: (command: string, args: string[], pid: number) => boolean): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const pid = Number(name);
          const [command = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
          return wanted(command, args, pid) ? [{ pid, started: startOf(pid) }] : [];
        } catch {
          return []; // it has ended meanwhile
        }
      })
      .sort((a, b) => b.started - a.started)
      .map(({ pid }) => pid);
  }

  /** How long ago the server that runs was spawned, in milliseconds; in steps of ten. */
  serverAge(): number {
    const pid = this.serverProcess();
    if (pid === undefined) {
      throw new Error("no server runs");
    }
    const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
    return Math.round(uptime * 1000 - startOf(pid) * 10);
  }

  /** The files of the editor and of the person that hold a text. */
  filesWith(text: string): string[] {
    return readdirSync(this.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(this.dir, "extensions")))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text));
  }

  /** The Node that the workbench runs on. */
  get node(): string {
    return join(given("CODEBOT_TEST_HOST"), "node");
  }

  get userSettings(): string {
    return join(this.dir, "home", ".codebot", "settings.json");
  }

  get projectSettings(): string {
    return join(this.dir, "shop-backend", ".codebot", "settings.json");
  }

  write(path: string, value: unknown): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
  }

  read(path: string): string {
    return readFileSync(path, "utf8");
  }

  get statusItem(): Locator {
    return this.page.locator('.statusbar-item[id="codebot-ls.codebot.codebot.status"]');
  }

  /** Waits until the status item has a text and, if given, an icon. */
  async awaitStatus(text: string, icon?: string): Promise<void> {
    await this.statusItem.filter({ hasText: text }).waitFor();
    if (icon !== undefined) {
      await this.statusItem.locator(`.codicon-${icon}`).waitFor();
    }
  }

  /** Runs a command by its title, as a person would with the palette. */
  async command(title: string): Promise<void> {
    await this.quickAccess("F1", `>${title}`, title);
  }

  /**
   * Opens one of the lists that are searched by typing, types, and takes the row of that
   * label. What takes the focus meanwhile closes the list; then it is opened again.
   */
  private async quickAccess(key: string, typed: string, label: string): Promise<void> {
    const input = this.quickInput.locator("input").first();
    const whole = new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
    // The list of the text before stays for a while, and its rows move away under a click
    // or Enter. In the list of this text, and in no other, the whole label is marked as found.
    const row = this.quickInput
      .locator(".monaco-list-row")
      .filter({ has: this.page.locator(".label-name", { hasText: whole }) })
      .filter({ has: this.page.locator(".label-name .highlight", { hasText: whole }) });
    const focused = row.and(this.page.locator(".focused"));
    await until(`${label} in the list of ${key}`, async () => {
      await this.page.keyboard.press(key);
      await input.fill(typed, { timeout: 5_000 });
      await row.waitFor({ timeout: 5_000 });
      // It may not be the first: what was used last is, and "View: Close Editor" comes after "View: Close All Editors".
      for (let rest = await this.row("").count(); rest > 0 && (await focused.count()) === 0; rest--) {
        await this.page.keyboard.press("ArrowDown");
      }
      await focused.waitFor({ timeout: 5_000 });
      // A list that has closed by now does not get the key, and nothing would tell.
      await input.evaluate((e: HTMLInputElement) => {
        e.dataset["taken"] = "";
        e.addEventListener("keydown", (event) => (e.dataset["taken"] = `${event.key} ${e.value}`), { once: true, capture: true });
      });
      await this.page.keyboard.press("Enter");
      return (await this.page.locator(".quick-input-widget input").first().getAttribute("data-taken")) === `Enter ${typed}`;
    });
  }

  /** The whole text of the editor that is open. */
  async copyAll(): Promise<string> {
    await this.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await this.page.locator(".editor-instance .view-lines").first().click();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.press("Control+C");
    return until("the text on the clipboard", async () => (await this.page.evaluate(() => navigator.clipboard.readText())) || undefined);
  }

  /** Opens a file of the project and waits until its editor has the focus. */
  async openFile(name: string): Promise<void> {
    await this.quickAccess("Control+P", name, name);
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    await this.page.locator(".editor-instance .view-lines").first().click();
    await this.page.keyboard.press("Control+Home");
  }

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget:visible");
  }

  /** A row of the list that is open. */
  row(text: string): Locator {
    return this.quickInput.locator(".monaco-list-row", { hasText: text });
  }

  /** Opens the servers by the status item and waits for one in a state. */
  async openServer(name: string, state: string): Promise<void> {
    await this.statusItem.click();
    await this.row(name).filter({ hasText: state }).click();
    // The first list gives way to the second, whose rows would be taken for its own.
    await this.quickInput.locator(".quick-input-title", { hasText: new RegExp(`^${name}$`) }).waitFor();
  }

  /** Does something with a server, found by the status item. */
  async serverAction(name: string, state: string, action: string): Promise<void> {
    await this.openServer(name, state);
    await this.row(action).first().click();
  }

  /** The chat's page; there is a frame in a frame around it. */
  async chat(): Promise<Frame> {
    return until("the chat's page", async () => {
      for (const frame of this.page.frames()) {
        if (frame !== this.page.mainFrame() && (await frame.locator(".composer").count()) > 0) {
          return frame;
        }
      }
      return undefined;
    });
  }

  async openChat(): Promise<Frame> {
    await this.command("codebot: Focus the Chat");
    return this.focusedChat();
  }

  async newChat(): Promise<Frame> {
    await this.command("codebot: New Chat");
    const chat = await this.focusedChat();
    await chat.locator(".welcome").waitFor();
    return chat;
  }

  /** Waits until the chat is there and has taken the focus: what is opened before that would be closed by it. */
  private async focusedChat(): Promise<Frame> {
    const chat = await this.chat();
    await chat.locator(".composer .mode").filter({ hasText: /\S/ }).waitFor();
    await until("the chat to take the focus", () => chat.evaluate(() => document.hasFocus() && document.activeElement?.tagName === "TEXTAREA"));
    return chat;
  }

  /** Does something that opens the conversation anew, and waits until all of it is there. */
  async reopened(chat: Frame, after: () => Promise<void>): Promise<void> {
    await chat.evaluate(() => {
      delete document.body.dataset["opened"];
      let cleared = false;
      const listen = ({ data }: MessageEvent<{ type: string }[]>): void => {
        for (const { type } of data) {
          cleared ||= type === "clear";
          if (cleared && type === "session") {
            window.removeEventListener("message", listen);
            document.body.dataset["opened"] = "";
          }
        }
      };
      window.addEventListener("message", listen);
    });
    await after();
    await chat.locator("body[data-opened]").waitFor();
  }

  /** Makes the chat wider by so many pixels. */
  async widen(by: number): Promise<void> {
    const box = await this.page.locator(".part.auxiliarybar").boundingBox();
    if (box !== null) {
      // The handle is in the gap before it.
      await this.page.mouse.move(box.x - 3, box.y + box.height / 2);
      await this.page.mouse.down();
      await this.page.mouse.move(box.x - by, box.y + box.height / 2, { steps: 5 });
      await this.page.mouse.up();
    }
  }

  /** Sends a prompt as a person would; idle waits first until no turn runs, and then until the prompt is shown. */
  async send(text: string, idle = true): Promise<Frame> {
    const chat = await this.chat();
    if (idle) {
      await this.awaitEndOfTurn(chat);
    }
    await chat.locator("textarea").fill(text);
    // Not while there is no server.
    await chat.locator(".composer .send:enabled").waitFor();
    await chat.locator("textarea").press("Enter");
    if (idle) {
      await chat.locator(".item.user", { hasText: text }).last().waitFor();
    }
    return chat;
  }

  async awaitEndOfTurn(chat: Frame): Promise<void> {
    await chat.locator(".working").waitFor({ state: "detached" });
  }

  /** Takes one of the pictures that the README shows, by the name of its file. */
  async picture(name: string): Promise<void> {
    const dir = join(this.output, "pictures");
    mkdirSync(dir, { recursive: true });
    await this.page.screenshot({ path: join(dir, `${name}.png`), animations: "disabled", caret: "hide" });
  }

  async screenshot(name: string): Promise<void> {
    this.shots++;
    await this.page.screenshot({ path: join(this.output, `${String(this.shots).padStart(2, "0")}-${name.replace(/\W+/g, "-")}.png`) });
  }
}
