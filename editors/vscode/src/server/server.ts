import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  type CancellationToken,
  type ClientCapabilities as LSPCapabilities,
  type StaticFeature,
} from "vscode-languageclient/node";
import { protocolVersion, type ClientCapabilities, type NotificationMethod, type RequestMethod } from "../protocol.gen";
import { applyEdit } from "../editor/apply";
import { Backoff } from "./backoff";
import { findServer, type Found } from "./find";
import { withProxy } from "./proxy";
import { checkServer, type Checked } from "./version";

export type ServerState =
  | { kind: "stopped" }
  | { kind: "starting" }
  | { kind: "running"; version: string }
  /** The server cannot be had; message is for a person. */
  | { kind: "failed"; message: string };

/** What this extension can show; the server asks for nothing else. */
const capabilities: ClientCapabilities = {
  requestPermission: true,
  elicit: { form: true, url: true },
  sample: true,
  authorize: true,
  diagnostics: true,
  savesEdits: true,
};

/**
 * Server owns the one language client and all that listens to it. Handlers outlive
 * a restart: they are given to each client anew, before it starts.
 */
export class Server implements vscode.Disposable {
  readonly log: vscode.LogOutputChannel;
  private readonly trace: vscode.LogOutputChannel;
  private readonly changed = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.changed.event;
  private readonly listeners = new Map<string, ((params: unknown) => void)[]>();
  private readonly hookups: ((client: LanguageClient) => void)[] = [];
  private readonly backoff = new Backoff();
  private client: LanguageClient | undefined;
  private current: ServerState = { kind: "stopped" };
  private retry: NodeJS.Timeout | undefined;
  /** Starts and stops run one after the other. */
  private queue: Promise<void> = Promise.resolve();
  private disposed = false;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.log = vscode.window.createOutputChannel("codebot", { log: true });
    this.trace = vscode.window.createOutputChannel("codebot: trace", { log: true });
  }

  get state(): ServerState {
    return this.current;
  }

  on<P>(method: NotificationMethod<P>, handler: (params: P) => void): void {
    const known = this.listeners.get(method.method);
    if (known !== undefined) {
      known.push(handler as (params: unknown) => void);
      return;
    }
    // The client knows one handler for a method, and the last one given would win.
    const listeners = [handler as (params: unknown) => void];
    this.listeners.set(method.method, listeners);
    this.hookups.push((client) => client.onNotification(method.method, (params: unknown) => listeners.forEach((listener) => listener(params))));
  }

  answer<P, R>(method: RequestMethod<P, R>, handler: (params: P, token: CancellationToken) => Promise<R>): void {
    this.hookups.push((client) => client.onRequest(method.method, handler as (params: P, token: CancellationToken) => Promise<unknown>));
  }

  /** Sends a request; it fails when no server runs. The token takes it back. */
  request<P, R>(method: RequestMethod<P, R>, params: P, token?: CancellationToken): Promise<R> {
    return this.requestNamed(method.method, params, token) as Promise<R>;
  }

  /** For the command codebot.request, whose method comes from the server. */
  async requestNamed(method: string, params: unknown, token?: CancellationToken): Promise<unknown> {
    if (this.client === undefined || this.current.kind !== "running") {
      throw new Error(vscode.l10n.t("codebot-ls is not running."));
    }
    // An undefined token would be taken for a second parameter.
    return token === undefined ? this.client.sendRequest(method, params) : this.client.sendRequest(method, params, token);
  }

  notify<P>(method: NotificationMethod<P>, params: P): void {
    if (this.client !== undefined && this.current.kind === "running") {
      void this.client.sendNotification(method.method, params);
    }
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  /** Stops the server when it runs and starts it again: by hand, so all is forgiven. */
  restart(): Promise<void> {
    this.backoff.reset();
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  async stop(): Promise<void> {
    await this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.retry);
    void this.client?.dispose();
    this.changed.dispose();
    this.log.dispose();
    this.trace.dispose();
  }

  private enqueue(job: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(job, job);
    return this.queue;
  }

  private set(state: ServerState): void {
    this.current = state;
    if (!this.disposed) {
      this.changed.fire(state);
    }
  }

  private async startNow(): Promise<void> {
    clearTimeout(this.retry);
    if (this.client !== undefined || this.disposed) {
      return;
    }
    const found = this.find();
    if (found.from === "nowhere") {
      const message = found.missing === undefined
        ? vscode.l10n.t("codebot-ls was not found: it is not in this package and not on PATH.")
        : vscode.l10n.t("codebot-ls was not found: the setting codebot.server.path names {0}, which is no program.", found.missing);
      this.set({ kind: "failed", message });
      void this.offerInstall(message);
      return;
    }
    this.set({ kind: "starting" });
    this.log.info(`starting ${found.command} (${found.from})`);
    const client = this.newClient(found.command);
    this.client = client;
    try {
      await client.start();
    } catch (err) {
      await this.discard(client);
      this.set({ kind: "failed", message: vscode.l10n.t("codebot-ls could not be started: {0}", messageOf(err)) });
      void this.offerLog();
      return;
    }
    if (this.client !== client) {
      return; // it died meanwhile, and crashed() has seen to it
    }
    const checked = checkServer(client.initializeResult, protocolVersion);
    if (!checked.ok) {
      await this.discard(client);
      this.set({ kind: "failed", message: versionText(checked, found.command) });
      void this.offerInstall(versionText(checked, found.command));
      return;
    }
    this.log.info(`codebot-ls ${checked.version} runs`);
    this.set({ kind: "running", version: checked.version });
  }

  private async stopNow(): Promise<void> {
    clearTimeout(this.retry);
    const client = this.client;
    if (client !== undefined) {
      await this.discard(client);
    }
    this.set({ kind: "stopped" });
  }

  private async discard(client: LanguageClient): Promise<void> {
    this.client = undefined;
    try {
      await client.dispose();
    } catch (err) {
      this.log.debug(`stopping: ${messageOf(err)}`);
    }
  }

  /** The process ended and nobody asked it to. */
  private crashed(client: LanguageClient): void {
    if (this.client !== client || this.disposed) {
      return;
    }
    this.client = undefined;
    void client.dispose().catch(() => undefined);
    const delay = this.backoff.crashed(Date.now());
    if (delay === undefined) {
      this.set({ kind: "failed", message: vscode.l10n.t("codebot-ls crashed five times within three minutes.") });
      void this.offerLog();
      return;
    }
    this.log.warn(`codebot-ls ended unexpectedly; starting it again in ${delay} ms`);
    this.set({ kind: "starting" });
    this.retry = setTimeout(() => void this.start(), delay);
  }

  private find(): Found {
    const windows = process.platform === "win32";
    return findServer(
      {
        configured: vscode.workspace.getConfiguration("codebot").get("server.path", "").trim(),
        bundled: this.context.asAbsolutePath(windows ? "server/codebot-ls.exe" : "server/codebot-ls"),
        path: process.env["PATH"] ?? "",
        home: homedir(),
        windows,
      },
      isExecutable,
    );
  }

  private newClient(command: string): LanguageClient {
    const config = vscode.workspace.getConfiguration("codebot");
    const http = vscode.workspace.getConfiguration("http");
    const env = withProxy(
      { ...process.env, ...config.get<Record<string, string>>("server.extraEnv", {}) },
      {
        proxy: http.get("proxy", ""),
        noProxy: http.get<string[]>("noProxy", []),
        support: http.get("proxySupport", "override"),
      },
    );
    const client: LanguageClient = new LanguageClient(
      "codebot",
      "codebot",
      { command, args: ["serve", "--stdio"], options: { env } },
      {
        // Every file: the agent's tools must see what is not saved yet.
        documentSelector: [{ scheme: "file" }],
        outputChannel: this.log,
        traceOutputChannel: this.trace,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationFailedHandler: () => false,
        middleware: { workspace: { handleApplyEdit: applyEdit } },
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => {
            this.crashed(client);
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
      },
    );
    client.registerFeature(declares(capabilities));
    for (const hookup of this.hookups) {
      hookup(client);
    }
    return client;
  }

  private async offerInstall(message: string): Promise<void> {
    const install = vscode.l10n.t("Install with Go");
    const settings = vscode.l10n.t("Open settings");
    const chosen = await vscode.window.showErrorMessage(message, install, settings);
    if (chosen === install) {
      const terminal = vscode.window.createTerminal("codebot");
      terminal.show();
      // Typed, not run: the person sees what it is first.
      terminal.sendText("go install github.com/codebot-ls/codebot-ls/cmd/codebot-ls@latest", false);
    } else if (chosen === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "codebot.server.path");
    }
  }

  private async offerLog(): Promise<void> {
    if (this.current.kind !== "failed") {
      return;
    }
    const restart = vscode.l10n.t("Restart");
    const log = vscode.l10n.t("Show log");
    const chosen = await vscode.window.showErrorMessage(this.current.message, restart, log);
    if (chosen === restart) {
      await this.restart();
    } else if (chosen === log) {
      this.log.show();
    }
  }
}

/** A feature that does nothing but declare what this client can show. */
function declares(codebot: ClientCapabilities): StaticFeature {
  return {
    fillClientCapabilities(all: LSPCapabilities): void {
      all.experimental = { ...(all.experimental as object | undefined), codebot };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}

function versionText(checked: Exclude<Checked, { ok: true }>, command: string): string {
  switch (checked.problem) {
    case "foreign":
      return vscode.l10n.t("{0} is not codebot-ls.", command);
    case "older":
      return vscode.l10n.t("codebot-ls {0} is too old for this extension: install a newer one.", checked.version);
    case "newer":
      return vscode.l10n.t("codebot-ls {0} is too new for this extension: update the extension.", checked.version);
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The text of whatever was thrown, for a person. */
export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
