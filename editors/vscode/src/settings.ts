import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { MCPServer } from "./protocol.gen";
import { emptySettings, offsetOfServer } from "./settingsfile";

/** Settings opens the settings files; it writes one only where there is none. */
export class Settings {
  async openUser(): Promise<void> {
    const extra = vscode.workspace.getConfiguration("codebot").get<Record<string, string>>("server.extraEnv", {});
    const home = extra["CODEBOT_HOME"] || process.env["CODEBOT_HOME"] || join(extra["HOME"] || homedir(), ".codebot");
    await open(vscode.Uri.file(join(home, "settings.json")));
  }

  async openFolder(folder: vscode.WorkspaceFolder): Promise<void> {
    await open(vscode.Uri.joinPath(folder.uri, ".codebot", "settings.json"));
  }

  /** Opens the file that declares a server, at its entry. */
  async openServer(row: MCPServer): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(row.source));
    const at = document.positionAt(offsetOfServer(document.getText(), row.name) ?? 0);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
  }
}

async function open(file: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.stat(file);
  } catch {
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(emptySettings));
  }
  await vscode.window.showTextDocument(file);
}
