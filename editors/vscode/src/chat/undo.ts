import { basename } from "node:path";
import * as vscode from "vscode";
import { sessionRollback, type SessionRollbackResult } from "../protocol.gen";
import type { Server } from "../server/server";
import { visible } from "../visible";

/** What came of taking turns back. */
export interface Undone {
  result: SessionRollbackResult;
  /** The messages are gone too. */
  messages: boolean;
}

/**
 * Takes the turn that a message began back, and all after it: after a question, its
 * files, its messages or both. Nothing is done where the person leaves a question.
 */
export async function undo(server: Server, sessionId: string, messageId: string): Promise<Undone | undefined> {
  const choices = [
    { label: vscode.l10n.t("Files and messages"), files: true, messages: true },
    { label: vscode.l10n.t("Only the files"), files: true, messages: false },
    { label: vscode.l10n.t("Only the messages"), files: false, messages: true },
  ];
  const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("Take back from here on") });
  if (chosen === undefined) {
    return undefined;
  }
  const { files, messages } = chosen;
  const params = { sessionId, toMessageId: messageId, files, messages };
  let result = await server.request(sessionRollback, params);
  if (result.conflicts.length > 0) {
    const overwrite = vscode.l10n.t("Overwrite them");
    const detail = result.conflicts.map(({ path, reason }) => `${visible(path)}: ${visible(reason)}`).join("\n");
    const answer = await vscode.window.showWarningMessage(vscode.l10n.t("These files were changed since by somebody else."), { modal: true, detail }, overwrite);
    if (answer !== overwrite) {
      return undefined;
    }
    result = await server.request(sessionRollback, { ...params, overwrite: result.conflicts.map(({ path }) => path) });
  }
  return { result, messages };
}

/** What was done, and what was not, for the conversation. */
export function undoneText({ files, notUndone }: SessionRollbackResult): string {
  const lines = [
    ...files.map(({ path, change }) => (change === "removed" ? vscode.l10n.t("removed {0}", visible(basename(path))) : vscode.l10n.t("restored {0}", visible(basename(path))))),
    ...notUndone.map((command) => vscode.l10n.t("not undone: {0}", visible(command))),
  ];
  return lines.length === 0 ? vscode.l10n.t("Taken back; no file had been edited.") : lines.join("\n");
}
