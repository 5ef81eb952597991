import * as vscode from "vscode";
import { Chat } from "./chat/chat";
import { Questions } from "./chat/questions";
import { ChatView } from "./chat/view";
import { Documents } from "./documents";
import { McpLogs } from "./mcp/logs";
import { McpMenu } from "./mcp/menu";
import { McpServers } from "./mcp/servers";
import { commandRequest, commandUI, type MCPKey } from "./protocol.gen";
import { messageOf, Server } from "./server/server";
import { Settings } from "./settings";
import { StatusItem } from "./statusitem";

let server: Server | undefined;

/** Builds everything once; from then on each part follows the server's state. */
export function activate(context: vscode.ExtensionContext): void {
  const own = <T extends vscode.Disposable>(d: T): T => {
    context.subscriptions.push(d);
    return d;
  };
  const started = own(new Server(context));
  server = started;
  own(new StatusItem(started));
  const servers = own(new McpServers(started));
  const logs = own(new McpLogs(started));
  const documents = own(new Documents());
  const settings = new Settings();
  const menu = new McpMenu(started, servers, logs, settings, documents);
  const view = own(new ChatView(context.extensionUri));
  const questions = own(new Questions(started));
  const chat = own(new Chat(started, view, questions, documents, settings, context.workspaceState));

  const command = (id: string, run: (...args: never[]) => unknown): void => {
    own(
      vscode.commands.registerCommand(id, async (...args: never[]) => {
        try {
          return await run(...args);
        } catch (err) {
          started.log.error(`${id}: ${messageOf(err)}`);
          void vscode.window.showErrorMessage(messageOf(err));
          return undefined;
        }
      }),
    );
  };
  command("codebot.focusChat", () => view.reveal());
  command("codebot.newChat", () => chat.newChat());
  command("codebot.sessions", () => chat.pickSession());
  command("codebot.pickMode", () => chat.pickMode());
  command("codebot.pickModel", () => chat.pickModel());
  command("codebot.stop", () => chat.stop());
  command("codebot.allow", () => chat.answerOldest("allow_once"));
  command("codebot.reject", () => chat.answerOldest("reject_once"));
  command("codebot.mcp", () => menu.show());
  command("codebot.restart", () => started.restart());
  command("codebot.showLog", () => started.log.show());
  command("codebot.openUserSettings", () => settings.openUser());
  command("codebot.openFolderSettings", async () => {
    const folder = await chooseFolder();
    if (folder !== undefined) {
      await settings.openFolder(folder);
    }
  });
  // The two commands that the server puts into lenses, actions and the status item.
  command(commandRequest, (method: string, params: unknown) => started.requestNamed(method, params));
  command(commandUI, async (action: string, of: Partial<MCPKey> | undefined) => {
    const row = of?.name === undefined ? undefined : servers.get({ name: of.name, ...(of.folder !== undefined && { folder: of.folder }) });
    if (row === undefined) {
      return menu.show();
    }
    switch (action) {
      case "trust":
        return menu.approve(row);
      case "log":
        return menu.run(row, "log");
      case "openSettings":
        return menu.run(row, "openSettings");
      default:
        return menu.showServer(row);
    }
  });

  own(
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("codebot.server")) {
        void started.restart();
      }
    }),
  );
  void started.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 1 ? vscode.window.showWorkspaceFolderPick() : folders[0];
}
