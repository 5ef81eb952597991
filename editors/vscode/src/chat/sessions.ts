import * as vscode from "vscode";
import { sessionDelete, sessionExport, sessionList, sessionRename, type ExportFormat, type SessionInfo } from "../protocol.gen";
import type { Server } from "../server/server";
import { visible } from "../visible";

/** How many sessions the list holds; older ones are found by their title no more. */
const most = 500;

interface Item extends vscode.QuickPickItem {
  info: SessionInfo;
}

/** Sessions are the kept conversations: the list of them and what is done with one. */
export class Sessions {
  constructor(private readonly server: Server) {}

  /** Lets the person choose one. Its buttons rename, delete and export; the list stays open. */
  async pick(): Promise<SessionInfo | undefined> {
    const rename = button("edit", vscode.l10n.t("Rename..."));
    const write = button("export", vscode.l10n.t("Export..."));
    const remove = button("trash", vscode.l10n.t("Delete..."));
    const pick = vscode.window.createQuickPick<Item>();
    pick.title = vscode.l10n.t("Conversations");
    pick.matchOnDetail = true;
    const fill = async (): Promise<void> => {
      const infos = await this.list();
      pick.placeholder = infos.length === 0 ? vscode.l10n.t("There is none yet") : "";
      pick.items = infos.map((info) => ({
        label: titleOf(info),
        description: info.updatedAt === undefined ? "" : new Date(info.updatedAt).toLocaleString(vscode.env.language),
        detail: info.cwd,
        buttons: [rename, write, remove],
        info,
      }));
    };
    try {
      await fill();
      return await new Promise<SessionInfo | undefined>((resolve, reject) => {
        // A dialog of a button takes the focus, and the list must outlive that.
        let busy = false;
        pick.onDidAccept(() => resolve(pick.selectedItems[0]?.info));
        pick.onDidHide(() => {
          if (!busy) {
            resolve(undefined);
          }
        });
        pick.onDidTriggerItemButton(async ({ button: pressed, item }) => {
          busy = true;
          try {
            await (pressed === rename ? this.rename(item.info) : pressed === write ? this.export(item.info) : this.delete(item.info));
            await fill();
            busy = false;
            pick.show();
          } catch (err) {
            reject(err as Error);
          }
        });
        pick.show();
      });
    } finally {
      pick.dispose();
    }
  }

  async rename(info: SessionInfo): Promise<void> {
    const title = await vscode.window.showInputBox({ title: vscode.l10n.t("Rename"), value: info.title ?? "", ignoreFocusOut: true });
    if (title !== undefined && title.trim() !== "") {
      await this.server.request(sessionRename, { sessionId: info.sessionId, title });
    }
  }

  /** Deletes a conversation when the person says so, and reports whether it did. */
  async delete(info: SessionInfo): Promise<boolean> {
    const yes = vscode.l10n.t("Delete");
    const chosen = await vscode.window.showWarningMessage(vscode.l10n.t("Delete the conversation \"{0}\" for good?", titleOf(info)), { modal: true }, yes);
    if (chosen !== yes) {
      return false;
    }
    await this.server.request(sessionDelete, { sessionId: info.sessionId });
    return true;
  }

  /** Opens a conversation as a document that can be saved anywhere. */
  async export(info: SessionInfo): Promise<void> {
    const formats: { label: string; format: ExportFormat; language: string }[] = [
      { label: "Markdown", format: "markdown", language: "markdown" },
      { label: "JSON", format: "json", language: "json" },
    ];
    const chosen = await vscode.window.showQuickPick(formats, { title: vscode.l10n.t("Export as") });
    if (chosen !== undefined) {
      const { text } = await this.server.request(sessionExport, { sessionId: info.sessionId, format: chosen.format });
      const document = await vscode.workspace.openTextDocument({ language: chosen.language, content: text });
      await vscode.window.showTextDocument(document);
    }
  }

  private async list(): Promise<SessionInfo[]> {
    const sessions: SessionInfo[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.server.request(sessionList, cursor === undefined ? {} : { cursor });
      sessions.push(...page.sessions);
      cursor = page.nextCursor;
    } while (cursor !== undefined && sessions.length < most);
    return sessions;
  }
}

function titleOf(info: SessionInfo): string {
  return visible(info.title ?? vscode.l10n.t("Untitled"));
}

function button(icon: string, tooltip: string): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}
