import * as vscode from "vscode";
import type { Documents } from "../documents";
import {
  models,
  sessionCancel,
  sessionCompact,
  sessionContext,
  sessionDidChange,
  sessionFork,
  sessionLoad,
  sessionNew,
  sessionPrompt,
  sessionSetMode,
  sessionSetModel,
  sessionSteer,
  sessionUpdate,
  type ContentBlock,
  type RequestPermissionParams,
  type SessionModeState,
  type SessionUpdate,
} from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import type { Settings } from "../settings";
import { visible } from "../visible";
import type { Keys } from "../keys";
import { attachFile, attachSelection, pickFiles } from "./attach";
import { offlineCard } from "./card";
import { proposals } from "./complete";
import { contextText } from "./contexttext";
import { failureOf } from "./failure";
import { applyCode, openDiff, openFile, openLink } from "./open";
import type { FromPage, Remedy } from "./messages";
import type { Questions } from "./questions";
import type { Sessions } from "./sessions";
import { strings } from "./strings";
import { undo, undoneText } from "./undo";
import type { ChatView } from "./view";

/** A turn that took longer, in milliseconds, tells its end where nobody looks. */
const longTurn = 10_000;

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
  private lastPrompt: { text: string; blocks: ContentBlock[] } = { text: "", blocks: [] };
  /** What waits for the end of the turn of a session. */
  private readonly after = new Map<string, (() => void)[]>();
  private readonly disposables: vscode.Disposable[] = [];
  /** The open questions that a notification has asked already. */
  private readonly notified = new WeakSet<RequestPermissionParams>();
  /** Openings of sessions run one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private readonly view: ChatView,
    private readonly questions: Questions,
    private readonly documents: Documents,
    private readonly settings: Settings,
    private readonly sessions: Sessions,
    private readonly keys: Keys,
    private readonly memory: vscode.Memento,
  ) {
    server.on(sessionUpdate, ({ sessionId, update }) => this.updated(sessionId, update));
    server.on(sessionDidChange, ({ removed }) => {
      // The one that is shown may have been deleted in the list: nothing can be said in it any more.
      if (this.session !== undefined && removed.includes(this.session.id)) {
        this.session = undefined;
        void this.enqueue(() => (this.session === undefined ? this.openNew() : Promise.resolve())).catch((err: unknown) => this.server.log.warn(`codebot/session/new: ${messageOf(err)}`));
      }
    });
    this.disposables.push(
      view.onDidReceive((message) => void this.received(message)),
      server.onDidChangeState(() => this.serverChanged()),
      questions.onDidAsk((q) => this.asked(q)),
      questions.onDidClose((q) => this.questionClosed(q)),
      view.onDidHide(() => this.notifyUnseen()),
    );
  }

  dispose(): void {
    for (const d of this.disposables) {
      d.dispose();
    }
  }

  /** The model of the session that is open. */
  get model(): string | undefined {
    return this.session?.model;
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
    const info = await this.sessions.pick();
    if (info !== undefined) {
      await this.view.reveal();
      await this.enqueue(() => this.load(info.sessionId));
    }
  }

  async rename(): Promise<void> {
    if (this.session !== undefined) {
      await this.sessions.rename({ sessionId: this.session.id, cwd: "" });
    }
  }

  async export(): Promise<void> {
    if (this.session !== undefined) {
      await this.sessions.export({ sessionId: this.session.id, cwd: "" });
    }
  }

  async delete(): Promise<void> {
    const session = this.session;
    if (session !== undefined) {
      await this.sessions.delete({ sessionId: session.id, cwd: "" });
    }
  }

  /** Goes on in a copy of the conversation, whole or up to a message of the person's. */
  async fork(messageId?: string): Promise<void> {
    const session = this.session;
    if (session === undefined) {
      return;
    }
    const { sessionId } = await this.server.request(sessionFork, { sessionId: session.id, ...(messageId !== undefined && { toMessageId: messageId }) });
    await this.enqueue(() => this.load(sessionId));
    this.view.post({ type: "note", text: vscode.l10n.t("This is a copy; the other conversation is as it was.") });
  }

  /** Takes the turn that a message began back, and all after it. */
  async undo(messageId: string): Promise<void> {
    const session = this.session;
    const undone = session === undefined ? undefined : await undo(this.server, session.id, messageId);
    if (undone === undefined) {
      return;
    }
    if (undone.messages) {
      this.view.post({ type: "cut", messageId });
    }
    this.view.post({ type: "note", text: undoneText(undone.result) });
    if (undone.result.prompt !== undefined) {
      this.view.post({ type: "unsent", text: undone.result.prompt });
    }
  }

  /** Makes the conversation smaller for the model. */
  async compact(): Promise<void> {
    const session = this.session;
    if (session === undefined) {
      return;
    }
    const { before, after } = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Compacting the conversation") }, () =>
      this.server.request(sessionCompact, { sessionId: session.id }),
    );
    const text = before === after ? vscode.l10n.t("There is nothing to leave out yet.") : vscode.l10n.t("Compacted: {0} tokens became {1}.", before, after);
    this.view.post({ type: "note", text });
  }

  /** Shows what the next request is made of. */
  async showContext(): Promise<void> {
    if (this.session !== undefined) {
      await this.documents.show("context.md", contextText(await this.server.request(sessionContext, { sessionId: this.session.id })));
    }
  }

  /** Attaches what is selected in the editor, or its file, to the next prompt. */
  async addSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) {
      await this.view.reveal();
      this.view.post({ type: "attach", attachment: attachSelection(editor) });
    }
  }

  /** Attaches a file, named by the explorer or chosen. */
  async addFile(uri?: vscode.Uri): Promise<void> {
    const attachments = uri === undefined ? await pickFiles() : [await attachFile(uri)];
    if (attachments.length > 0) {
      await this.view.reveal();
    }
    for (const attachment of attachments) {
      this.view.post({ type: "attach", attachment });
    }
  }

  /** Asks in the conversation that is open, from elsewhere in the editor. */
  async ask(text: string, blocks: ContentBlock[]): Promise<void> {
    await this.view.reveal();
    await this.send(text, blocks);
  }

  /** Goes to the next mode, as the server lists them. */
  async cycleMode(): Promise<void> {
    const session = this.session;
    if (session !== undefined) {
      const { availableModes, currentModeId } = session.modes;
      const next = availableModes[(availableModes.findIndex((mode) => mode.id === currentModeId) + 1) % availableModes.length];
      if (next !== undefined) {
        await this.server.request(sessionSetMode, { sessionId: session.id, modeId: next.id });
      }
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
      description: [
        ...(model.contextTokens === undefined ? [] : [vscode.l10n.t("{0} tokens", model.contextTokens.toLocaleString(vscode.env.language))]),
        ...(model.price === undefined ? [] : [vscode.l10n.t("${0} in, ${1} out per million", model.price.input, model.price.output)]),
      ].join(" · "),
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
        return this.send(message.text, message.blocks);
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
      case "apply":
        return applyCode(message.text);
      case "pickMode":
        return this.pickMode();
      case "pickModel":
        return this.pickModel();
      case "pickFile":
        return this.addFile();
      case "dropped":
        for (const uri of message.uris) {
          await this.addFile(vscode.Uri.parse(uri, true));
        }
        return;
      case "context":
        return this.showContext();
      case "undo":
        return this.undo(message.messageId);
      case "fork":
        return this.fork(message.messageId);
      case "complete":
        if (this.session !== undefined) {
          const list = await proposals(this.server, this.session.id, message.trigger, message.query);
          this.view.post({ type: "proposals", number: message.number, proposals: list });
        }
        return;
      case "remedy":
        return this.remedy(message.remedy);
    }
  }

  private async remedy(remedy: Remedy): Promise<void> {
    switch (remedy) {
      case "retry":
        return this.send(this.lastPrompt.text, this.lastPrompt.blocks);
      case "pickModel":
        return this.pickModel();
      case "enterKey":
        return this.keys.enter();
      case "compact":
        return this.compact();
      case "openSettings":
        return this.settings.openUser();
      case "restart":
        return this.server.restart();
      case "showLog":
        return this.server.log.show();
    }
  }

  private async send(text: string, blocks: ContentBlock[]): Promise<void> {
    if (text.trim() === "/clear") {
      return this.newChat(); // the old conversation stays among the sessions
    }
    try {
      await this.enqueue(() => (this.session === undefined ? this.openNew() : Promise.resolve()));
    } catch (err) {
      this.view.post({ type: "unsent", text });
      throw err;
    }
    const session = this.session;
    if (session === undefined || this.server.state.kind !== "running") {
      // The page did not know yet; what was written is not lost.
      this.view.post({ type: "unsent", text });
      return;
    }
    if (this.running.has(session.id)) {
      return this.steer(session.id, text, blocks);
    }
    const { id } = session;
    this.lastPrompt = { text, blocks };
    this.setRunning(id, true);
    this.view.post({ type: "prompt", text: [text, ...blocks.map(labelOf)].join(" ") });
    this.view.post({ type: "turn", running: true });
    await this.memory.update(sessionKey, id);
    const begun = Date.now();
    let end: Parameters<ChatView["post"]>[0];
    try {
      const { stopReason, messageId } = await this.server.request(sessionPrompt, { sessionId: id, prompt: [{ type: "text", text }, ...blocks] });
      end = { type: "turn", running: false, stopReason, ...(messageId !== undefined && { messageId }) };
    } catch (err) {
      this.server.log.warn(`codebot/session/prompt: ${messageOf(err)}`);
      end = { type: "turn", running: false, failure: failureOf(err, remedyText) };
    }
    this.setRunning(id, false);
    if (this.session?.id === id) {
      if (this.incomplete.delete(id) && this.server.state.kind === "running") {
        await this.enqueue(() => this.load(id));
      }
      this.view.post(end);
    }
    if (Date.now() - begun >= longTurn && (this.session?.id !== id || !this.view.visible)) {
      void this.tellEnd(id);
    }
    for (const then of this.after.get(id) ?? []) {
      then();
    }
    this.after.delete(id);
  }

  /** Adds to the running turn. Where it has just ended, this is the next prompt. */
  private async steer(id: string, text: string, blocks: ContentBlock[]): Promise<void> {
    try {
      await this.server.request(sessionSteer, { sessionId: id, prompt: [{ type: "text", text }, ...blocks] });
      this.view.post({ type: "note", text: vscode.l10n.t("The turn takes it in at its next step: {0}", text) });
    } catch (err) {
      this.server.log.info(`codebot/session/steer: ${messageOf(err)}`);
      const again = (): void => void this.send(text, blocks).catch((e: unknown) => this.server.log.error(messageOf(e)));
      if (this.running.has(id)) {
        // Its end is on the way.
        this.after.set(id, [...(this.after.get(id) ?? []), again]);
      } else {
        again();
      }
    }
  }

  private async tellEnd(id: string): Promise<void> {
    if (!vscode.workspace.getConfiguration("codebot").get("notifications", true)) {
      return;
    }
    const show = vscode.l10n.t("Show");
    if ((await vscode.window.showInformationMessage(vscode.l10n.t("codebot has answered."), show)) === show) {
      await this.view.reveal();
      if (this.session?.id !== id) {
        await this.enqueue(() => this.load(id));
      }
    }
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
      this.after.clear();
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
    this.notifyUnseen();
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
    this.notifyUnseen();
  }

  private asked(q: RequestPermissionParams): void {
    this.setContext();
    if (q.sessionId === this.session?.id) {
      this.view.post({ type: "question", call: q.toolCall, options: q.options });
    }
    this.notifyUnseen();
  }

  /**
   * Asks elsewhere what waits for an answer where the person does not look, each
   * question once. It may have been in sight when it came: the page, the window or
   * another session can go in front of it at any time.
   */
  private notifyUnseen(): void {
    for (const q of this.questions.list()) {
      if (!this.notified.has(q) && (q.sessionId !== this.session?.id || !this.view.visible)) {
        this.notified.add(q);
        void this.notify(q);
      }
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
      void this.postCard(session);
    }
  }

  /** Tells the page what a chat without a model offers. */
  private async postCard(session: OpenSession): Promise<void> {
    const card = session.model === "offline" ? await offlineCard(this.server) : undefined;
    if (this.session?.id === session.id) {
      this.view.post({ type: "card", card });
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
    case "enterKey":
      return vscode.l10n.t("Enter API key");
    case "compact":
      return vscode.l10n.t("Compact the conversation");
    case "openSettings":
      return vscode.l10n.t("Open settings");
    case "restart":
      return vscode.l10n.t("Restart");
    case "showLog":
      return vscode.l10n.t("Show log");
  }
}

/** How what goes along with a prompt is named in it. */
function labelOf(block: ContentBlock): string {
  switch (block.type) {
    case "resource_link":
      return `@${block.name}`;
    case "resource":
      return `@${block.resource.uri.replace(/^.*\//, "")}`;
    default:
      return `[${block.type}]`;
  }
}
