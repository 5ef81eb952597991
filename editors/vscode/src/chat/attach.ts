import { basename } from "node:path";
import * as vscode from "vscode";
import type { Attachment } from "./messages";

const images = new Map([[".png", "image/png"], [".jpg", "image/jpeg"], [".jpeg", "image/jpeg"], [".gif", "image/gif"], [".webp", "image/webp"]]);
/** The largest image that is sent, in bytes; a larger one goes along as a link. */
const largestImage = 5 * 1024 * 1024;

/** Lets the person choose files to go along with a prompt. */
export async function pickFiles(): Promise<Attachment[]> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const files = await vscode.window.showOpenDialog({ canSelectMany: true, canSelectFolders: false, ...(folder !== undefined && { defaultUri: folder }) });
  return Promise.all((files ?? []).map(attachFile));
}

/** A file as it goes along: an image as itself, anything else as a link that the agent reads. */
export async function attachFile(uri: vscode.Uri): Promise<Attachment> {
  const name = basename(uri.path);
  const mimeType = images.get(/\.\w+$/.exec(name.toLowerCase())?.[0] ?? "");
  if (mimeType !== undefined) {
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (bytes.length <= largestImage) {
      return { label: name, block: { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType, uri: uri.toString() } };
    }
  }
  return { label: name, block: { type: "resource_link", uri: uri.toString(), name } };
}

/** The selected lines of an editor, whole; without a selection the file. */
export function attachSelection(editor: vscode.TextEditor): Attachment {
  const { document, selection } = editor;
  const name = basename(document.uri.path);
  if (selection.isEmpty) {
    return { label: name, block: { type: "resource_link", uri: document.uri.toString(), name } };
  }
  const { first, last, text } = linesOf(document, selection);
  return {
    label: `${name}:${first}-${last}`,
    block: { type: "resource", resource: { uri: `${document.uri.toString()}#L${first}-L${last}`, text } },
  };
}

/** The whole lines that a range touches, counted from 1. */
export function linesOf(document: vscode.TextDocument, range: vscode.Range): { first: number; last: number; text: string; whole: vscode.Range } {
  // A selection that ends at the beginning of a line does not mean that line.
  const end = range.end.character === 0 && range.end.line > range.start.line ? range.end.line - 1 : range.end.line;
  const whole = new vscode.Range(range.start.line, 0, end, document.lineAt(end).text.length);
  return { first: range.start.line + 1, last: end + 1, text: document.getText(whole), whole };
}
