import { basename } from "node:path";
import * as vscode from "vscode";
import { linesOf } from "../chat/attach";
import type { Documents } from "../documents";
import { sessionCancel, sessionDelete, sessionNew, sessionPrompt, sessionUpdate } from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import { codeOf } from "./code";

/** Rewrites what is selected: asked for in a session of its own, shown as a diff, put in place as one change. */
export class Rewriter {
  /** What the model says in the sessions that rewrite, by their ids. */
  private readonly answers = new Map<string, string>();

  /** Decides about the lines that are proposed. */
  private decide: ((accept: boolean) => void) | undefined;

  constructor(
    private readonly server: Server,
    private readonly documents: Documents,
    private readonly model: () => string | undefined,
  ) {
    server.on(sessionUpdate, ({ sessionId, update }) => {
      const before = this.answers.get(sessionId);
      if (before === undefined) {
        return;
      }
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
        this.answers.set(sessionId, before + update.content.text);
      } else if (update.sessionUpdate === "tool_call") {
        // What was said before a tool was called is not the answer.
        this.answers.set(sessionId, "");
      }
    });
  }

  /** Takes the proposed lines or leaves them; it does nothing when there are none. */
  answer(accept: boolean): void {
    this.decide?.(accept);
  }

  async run(wish?: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return;
    }
    if (this.model() === "offline") {
      void vscode.window.showWarningMessage(vscode.l10n.t("To rewrite code takes a model; none is set up."));
      return;
    }
    const how = wish ?? (await vscode.window.showInputBox({ title: vscode.l10n.t("Rewrite how?"), ignoreFocusOut: true }));
    if (how === undefined || how.trim() === "") {
      return;
    }
    const { document } = editor;
    const { first, last, text, whole } = linesOf(document, editor.selection);
    const answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("codebot rewrites..."), cancellable: true }, (_, token) =>
      this.ask(document.uri, `${document.uri.toString()}#L${first}-L${last}`, how, text, first, last, token),
    );
    const lines = answer === undefined ? undefined : codeOf(answer);
    if (answer === undefined) {
      return;
    }
    if (lines === undefined) {
      void vscode.window.showWarningMessage(vscode.l10n.t("The model gave no lines to put there."));
      return;
    }
    await this.propose(document, whole, text, lines);
  }

  private async ask(file: vscode.Uri, uri: string, wish: string, text: string, first: number, last: number, token: vscode.CancellationToken): Promise<string | undefined> {
    const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.toString();
    const model = this.model();
    // In plan mode nothing but these lines can be written.
    const { sessionId } = await this.server.request(sessionNew, { mode: "plan", ...(model !== undefined && { model }), ...(folder !== undefined && { cwd: folder }) });
    this.answers.set(sessionId, "");
    const cancel = token.onCancellationRequested(() => this.server.notify(sessionCancel, { sessionId }));
    try {
      const { stopReason } = await this.server.request(sessionPrompt, {
        sessionId,
        prompt: [
          {
            type: "text",
            text:
              `Rewrite the lines ${first} to ${last} of this file: ${wish}\n\n` +
              "Answer with the lines that shall stand in their place and nothing else, in one fenced code block, " +
              "with the indentation that they need. Do not edit the file; it is done for you.",
          },
          { type: "resource", resource: { uri, text: `${text}\n` } },
        ],
      });
      return token.isCancellationRequested || stopReason !== "end_turn" ? undefined : this.answers.get(sessionId);
    } finally {
      cancel.dispose();
      this.answers.delete(sessionId);
      this.server.request(sessionDelete, { sessionId }).catch((err: unknown) => this.server.log.debug(messageOf(err)));
    }
  }

  private async propose(document: vscode.TextDocument, range: vscode.Range, old: string, lines: string): Promise<void> {
    const name = basename(document.uri.path);
    const changed = this.documents.put(name, lines);
    await vscode.commands.executeCommand("vscode.diff", this.documents.put(name, old), changed, `${name} (codebot)`, { preview: true });
    const accept = vscode.l10n.t("Accept");
    // An older proposal is left where a newer one comes.
    this.decide?.(false);
    let mine: ((accept: boolean) => void) | undefined;
    const accepted = await new Promise<boolean>((resolve) => {
      this.decide = mine = resolve;
      void vscode.commands.executeCommand("setContext", "codebot.proposing", true);
      void vscode.window
        .showInformationMessage(vscode.l10n.t("Put the new lines into {0}?", name), accept, vscode.l10n.t("Reject"))
        .then((chosen) => resolve(chosen === accept));
    });
    if (this.decide === mine) {
      this.decide = undefined;
      void vscode.commands.executeCommand("setContext", "codebot.proposing", false);
    }
    await closeDiff(changed);
    if (!accepted) {
      return;
    }
    if (document.getText(range) !== old) {
      void vscode.window.showWarningMessage(vscode.l10n.t("The lines have changed meanwhile; nothing was put there."));
      return;
    }
    await vscode.window.showTextDocument(document);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, range, lines);
    await vscode.workspace.applyEdit(edit);
  }
}

/** Closes the diff that shows a text, wherever it is by now. */
async function closeDiff(changed: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const diff = tabs.find(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === changed.toString());
  if (diff !== undefined) {
    await vscode.window.tabGroups.close(diff);
  }
}
