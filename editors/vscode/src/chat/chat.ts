import * as vscode from "vscode";
import type { Documents } from "../documents";
import {
  models,
  sessionCancel,
  sessionList,
  sessionLoad,
  sessionNew,
  sessionPrompt,
  sessionSetMode,
  sessionSetModel,
  sessionUpdate,
  type RequestPermissionParams,
  type SessionInfo,
  type SessionModeState,
  type SessionUpdate,
} from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import type { Settings } from "../settings";
import { visible } from "../visible";
import { failureOf } from "./failure";
import { openDiff, openFile, openLink } from "./open";
import type { FromPage, Remedy } from "./messages";
import type { Questions } from "./questions";
import { strings } from "./strings";
import type { ChatView } from "./view";

/** Where the id of the session is kept over a reload of the window. */
const sessionKey = "codebot.session";

interface OpenSession {
  id: string;
  modes: SessionModeState;
  model: string;
}

/**
 * Chat joins the page, the questions and one session of the server. It keeps no
 * transcript: the page has it, and a new page gets it from the server again.
 */
export class Chat implements vscode.Disposable {
  private session: OpenSession | undefined;
  /** The sessions whose turn runs. */
  private readonly running = new Set<string>();
  /** Sessions that were replayed in the middle of a turn, where what is being written is missing. */
  private readonly incomplete = new Set<string>();
  private lastPrompt = "";
  private readonly disposables: vscode.Disposable[] = [];
  /** Openings of sessions run one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private readonly view: ChatView,
    private readonly questions: Questions,
    private readonly documents: Documents,
    private readonly settings: Settings,
    private readonly memory: vscode.Memento,
  ) {
    server.on(sessionUpdate, ({ sessionId, update }) => this.updated(sessionId, update));
    this.disposables.push(
      view.onDidReceive((message) => void this.received(message)),
      server.onDidChangeState(() => this.serverChanged()),
      questions.onDidAsk((q) => this.asked(q)),
      questions.onDidClose((q) => this.questionClosed(q)),
    );
  }

  dispose(): void {
    for (const d of this.disposables) {
      d.dispose();
    }
  }

  /** Starts a new session, in a folder that the person chooses where there are several. */
  async newChat(): Promise<void> {
    let cwd: string | undefined;
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (folders.length > 1) {
      const folder = await vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t("The folder to work in") });
      if (folder === undefined) {
        return;
      }
      cwd = folder.uri.toString();
    }
    await this.view.reveal();
    await this.enqueue(() => this.openNew(cwd));
  }

  /** Lets the person choose among the kept sessions and opens the one chosen. */
  async pickSession(): Promise<void> {
    const sessions: SessionInfo[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.server.request(sessionList, cursor === undefined ? {} : { cursor });
      sessions.push(...page.sessions);
      cursor = page.nextCursor;
    } while (cursor !== undefined && sessions.length < 500);
    const items = sessions.map((info) => ({
      label: visible(info.title ?? vscode.l10n.t("Untitled")),
      description: info.updatedAt === undefined ? "" : new Date(info.updatedAt).toLocaleString(vscode.env.language),
      detail: info.cwd,
      info,
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Conversations"),
      placeHolder: items.length === 0 ? vscode.l10n.t("There is none yet") : "",
      matchOnDetail: true,
    });
    if (chosen !== undefined) {
      await this.view.reveal();
      await this.enqueue(() => this.load(chosen.info.sessionId));
    }
  }

  async pickMode(): Promise<void> {
    const session = this.session;
    if (session === undefined) {
      return;
    }
    const items = session.modes.availableModes.map((mode) => ({
      label: `${mode.id === session.modes.currentModeId ? "$(check) " : ""}${mode.name}`,
      detail: mode.description ?? "",
      mode,
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Mode") });
    if (chosen !== undefined) {
      await this.server.request(sessionSetMode, { sessionId: session.id, modeId: chosen.mode.id });
    }
  }

  async pickModel(): Promise<void> {
    const session = this.session;
    if (session === undefined) {
      return;
    }
    const list = (await this.server.request(models, {})).models;
    const items = list.map((model) => ({
      label: `${model.available ? (model.id === session.model ? "$(check) " : "") : "$(circle-slash) "}${visible(model.id)}`,
      description: model.contextTokens === undefined ? "" : vscode.l10n.t("{0} tokens", model.contextTokens.toLocaleString(vscode.env.language)),
      detail: model.available ? model.name : (model.reason ?? ""),
      model,
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Model"), matchOnDetail: true });
    if (chosen === undefined) {
      return;
    }
    if (chosen.model.available) {
      await this.server.request(sessionSetModel, { sessionId: session.id, modelId: chosen.model.id });
    } else if (await vscode.window.showWarningMessage(chosen.model.reason ?? chosen.model.id, vscode.l10n.t("Open settings")) !== undefined) {
      await this.settings.openUser();
    }
  }

  /** Ends the running turn of the session that is open. */
  stop(): void {
    if (this.session !== undefined) {
      this.server.notify(sessionCancel, { sessionId: this.session.id });
    }
  }

  /** Answers the oldest open question. */
  answerOldest(optionId: string): void {
    const oldest = this.questions.list()[0];
    if (oldest !== undefined) {
      this.questions.answer(oldest.sessionId, oldest.toolCall.toolCallId, optionId);
    }
  }

  private async received(message: FromPage): Promise<void> {
    try {
      await this.handle(message);
    } catch (err) {
      void vscode.window.showErrorMessage(messageOf(err));
    }
  }

  private async handle(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        this.view.post({ type: "hello", strings: strings(), locale: vscode.env.language });
        this.postServer();
        return this.enqueue(() => this.reopen());
      case "send":
        return this.send(message.text);
      case "stop":
        return this.stop();
      case "answer":
        if (this.session !== undefined) {
          this.questions.answer(this.session.id, message.toolCallId, message.optionId);
        }
        return;
      case "link":
        return openLink(message.href);
      case "file":
        return openFile(message.path, message.line);
      case "diff":
        return openDiff(this.documents, message);
      case "copy":
        return vscode.env.clipboard.writeText(message.text);
      case "insert": {
        const editor = vscode.window.activeTextEditor;
        await editor?.edit((edit) => editor.selections.forEach((selection) => edit.replace(selection, message.text)));
        return;
      }
      case "pickMode":
        return this.pickMode();
      case "pickModel":
        return this.pickModel();
      case "remedy":
        return this.remedy(message.remedy);
    }
  }

  private async remedy(remedy: Remedy): Promise<void> {
    switch (remedy) {
      case "retry":
        return this.send(this.lastPrompt);
      case "pickModel":
        return this.pickModel();
      case "openSettings":
        return this.settings.openUser();
      case "restart":
        return this.server.restart();
      case "showLog":
        return this.server.log.show();
    }
  }

  private async send(text: string): Promise<void> {
    try {
      await this.enqueue(() => (this.session === undefined ? this.openNew() : Promise.resolve()));
    } catch (err) {
      this.view.post({ type: "unsent", text });
      throw err;
    }
    const session = this.session;
    if (session === undefined || this.running.has(session.id) || this.server.state.kind !== "running") {
      // The page did not know yet; what was written is not lost.
      this.view.post({ type: "unsent", text });
      return;
    }
    const { id } = session;
    this.lastPrompt = text;
    this.setRunning(id, true);
    this.view.post({ type: "prompt", text });
    this.view.post({ type: "turn", running: true });
    await this.memory.update(sessionKey, id);
    let end: Parameters<ChatView["post"]>[0];
    try {
      const { stopReason } = await this.server.request(sessionPrompt, { sessionId: id, prompt: [{ type: "text", text }] });
      end = { type: "turn", running: false, stopReason };
    } catch (err) {
      this.server.log.warn(`codebot/session/prompt: ${messageOf(err)}`);
      end = { type: "turn", running: false, failure: failureOf(err, remedyText) };
    }
    this.setRunning(id, false);
    if (this.session?.id !== id) {
      return;
    }
    if (this.incomplete.delete(id) && this.server.state.kind === "running") {
      await this.enqueue(() => this.load(id));
    }
    this.view.post(end);
  }

  private updated(sessionId: string, update: SessionUpdate): void {
    const session = this.session;
    if (session === undefined || session.id !== sessionId) {
      return; // another session's turn goes on; opening it replays it
    }
    switch (update.sessionUpdate) {
      case "current_mode_update":
        session.modes = { ...session.modes, currentModeId: update.currentModeId };
        this.postSession();
        break;
      case "config_option_update": {
        const model = update.configOptions.find((option) => option.category === "model" || option.id === "model");
        session.model = model?.currentValue ?? session.model;
        this.postSession();
        break;
      }
      default:
        this.view.post({ type: "update", update });
    }
  }

  private serverChanged(): void {
    this.postServer();
    if (this.server.state.kind === "running") {
      void this.enqueue(() => this.reopen());
    } else {
      this.running.clear();
      this.incomplete.clear();
      this.setContext();
    }
  }

  /** Shows the session that is or was open, else a new one. */
  private async reopen(): Promise<void> {
    if (this.server.state.kind !== "running") {
      return;
    }
    const id = this.session?.id ?? this.memory.get<string>(sessionKey);
    if (id !== undefined) {
      try {
        return await this.load(id);
      } catch (err) {
        this.server.log.info(`the last session cannot be opened: ${messageOf(err)}`);
      }
    }
    await this.openNew();
  }

  private async openNew(cwd?: string): Promise<void> {
    const made = await this.server.request(sessionNew, cwd === undefined ? {} : { cwd });
    this.session = { id: made.sessionId, modes: made.modes, model: made.model };
    await this.memory.update(sessionKey, made.sessionId);
    this.view.post({ type: "clear" });
    this.postSession();
  }

  private async load(id: string): Promise<void> {
    const before = this.session;
    // The updates come before the answer, so it has to be the session's page by then.
    this.session = { id, modes: before?.modes ?? { currentModeId: "", availableModes: [] }, model: before?.model ?? "" };
    this.view.post({ type: "clear" });
    try {
      const { modes, model } = await this.server.request(sessionLoad, { sessionId: id });
      this.session = { id, modes, model };
    } catch (err) {
      this.session = undefined;
      throw err;
    }
    await this.memory.update(sessionKey, id);
    this.postSession();
    if (this.running.has(id)) {
      this.incomplete.add(id);
      this.view.post({ type: "turn", running: true });
    }
    for (const q of this.questions.list()) {
      if (q.sessionId === id) {
        this.view.post({ type: "question", call: q.toolCall, options: q.options });
      }
    }
  }

  private asked(q: RequestPermissionParams): void {
    this.setContext();
    const shown = q.sessionId === this.session?.id;
    if (shown) {
      this.view.post({ type: "question", call: q.toolCall, options: q.options });
    }
    if (!shown || !this.view.visible) {
      void this.notify(q);
    }
  }

  /** Asks where the person can see it, the page being out of sight. */
  private async notify(q: RequestPermissionParams): Promise<void> {
    if (!vscode.workspace.getConfiguration("codebot").get("notifications", true)) {
      return;
    }
    const show = vscode.l10n.t("Show");
    const title = visible(q.toolCall.title ?? q.toolCall._meta?.codebot.tool ?? "");
    const input = q.toolCall.rawInput === undefined ? "" : visible(JSON.stringify(q.toolCall.rawInput)).slice(0, 300);
    // What lasts longer than this call is decided where the whole of it can be seen;
    // and more buttons than these are cut to a few letters each.
    const offered = q.options.filter((o) => o.kind === "allow_once" || o.kind === "reject_once");
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("codebot asks whether it may run {0} {1}", title, input),
      ...offered.map((option) => option.name),
      show,
    );
    const option = offered.find((o) => o.name === chosen);
    if (option !== undefined) {
      this.questions.answer(q.sessionId, q.toolCall.toolCallId, option.optionId);
    } else if (chosen === show) {
      await this.view.reveal();
    }
  }

  private questionClosed(q: RequestPermissionParams): void {
    this.setContext();
    if (q.sessionId === this.session?.id) {
      this.view.post({ type: "answered", toolCallId: q.toolCall.toolCallId });
    }
  }

  private setRunning(id: string, running: boolean): void {
    if (running) {
      this.running.add(id);
    } else {
      this.running.delete(id);
    }
    this.setContext();
  }

  private setContext(): void {
    const asking = this.questions.list().length;
    this.view.showWaiting(asking);
    void vscode.commands.executeCommand("setContext", "codebot.asking", asking > 0);
    void vscode.commands.executeCommand("setContext", "codebot.running", this.session !== undefined && this.running.has(this.session.id));
  }

  private postServer(): void {
    const { state } = this.server;
    this.view.post(state.kind === "failed" ? { type: "server", state: "failed", message: state.message } : { type: "server", state: state.kind });
  }

  private postSession(): void {
    const session = this.session;
    if (session !== undefined) {
      const { currentModeId, availableModes } = session.modes;
      const mode = availableModes.find((m) => m.id === currentModeId)?.name ?? currentModeId;
      this.view.post({ type: "session", session: { id: session.id, mode, model: session.model } });
    }
  }

  private enqueue(job: () => Promise<void>): Promise<void> {
    const run = this.queue.then(job);
    this.queue = run.catch(() => undefined);
    return run;
  }
}

function remedyText(remedy: Remedy): string {
  switch (remedy) {
    case "retry":
      return vscode.l10n.t("Try again");
    case "pickModel":
      return vscode.l10n.t("Choose a model");
    case "openSettings":
      return vscode.l10n.t("Open settings");
    case "restart":
      return vscode.l10n.t("Restart");
    case "showLog":
      return vscode.l10n.t("Show log");
  }
}
