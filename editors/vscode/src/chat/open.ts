import { basename, isAbsolute } from "node:path";
import * as vscode from "vscode";
import type { Documents } from "../documents";
import { visible } from "../visible";
import { targetOf } from "./links";

/** Opens what a link in a message leads to; a web address only when the person says so. */
export async function openLink(href: string): Promise<void> {
  const target = targetOf(href);
  switch (target.kind) {
    case "web":
      return openWeb(target.url);
    case "file":
      return openFile(target.path, target.line);
    case "none":
      return;
  }
}

/**
 * Asks and then opens a web address. VS Code asks too, though not for the domains that
 * it trusts, and an address of any of them can carry away what was in the conversation.
 */
async function openWeb(url: string): Promise<void> {
  const open = vscode.l10n.t("Open");
  const copy = vscode.l10n.t("Copy");
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t("Open this address?"), { modal: true, detail: visible(url) }, open, copy);
  if (chosen === open) {
    await vscode.env.openExternal(vscode.Uri.parse(url, true));
  } else if (chosen === copy) {
    await vscode.env.clipboard.writeText(url);
  }
}

/** Opens a file of the workspace's folders; a file elsewhere only when it is named by its whole path. */
export async function openFile(path: string, line?: number): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const candidates = isAbsolute(path) ? [vscode.Uri.file(path)] : folders.map((folder) => vscode.Uri.joinPath(folder.uri, path));
  for (const uri of candidates) {
    try {
      const { type } = await vscode.workspace.fs.stat(uri);
      if ((type & vscode.FileType.File) === 0) {
        continue;
      }
    } catch {
      continue;
    }
    const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preview: true });
    return;
  }
  void vscode.window.showWarningMessage(vscode.l10n.t("There is no file {0}.", path));
}

/** Shows a change in the editor's own diff. */
export async function openDiff(documents: Documents, diff: { path: string; oldText?: string; newText: string }): Promise<void> {
  const name = basename(diff.path);
  await vscode.commands.executeCommand(
    "vscode.diff",
    documents.put(name, diff.oldText ?? ""),
    documents.put(name, diff.newText),
    `${name} (codebot)`,
    { preview: true },
  );
}

/**
 * Puts code into the file that is in front, in place of the selection or of the whole
 * file where nothing is selected: first as a diff that the person accepts.
 */
export async function applyCode(code: string): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find((e) => e.document.uri.scheme === "file");
  if (editor === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Open the file to apply it to, then try again."));
    return;
  }
  const { document, selection } = editor;
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, selection.isEmpty ? whole : selection, code, { label: "codebot", needsConfirmation: true });
  // Its own preview shows the change as a diff, and undo takes it back.
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
}
