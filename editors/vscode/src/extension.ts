import * as vscode from "vscode";
import { answerLogins } from "./ask/authorize";
import { Elicitations } from "./ask/elicit";
import { answerProblems } from "./ask/problems";
import { answerSamples } from "./ask/sample";
import { Chat } from "./chat/chat";
import { Questions } from "./chat/questions";
import { Sessions } from "./chat/sessions";
import { ChatView } from "./chat/view";
import { Documents } from "./documents";
import { Actions, type About } from "./editor/actions";
import { Rewriter } from "./editor/rewrite";
import { Keys } from "./keys";
import { McpLogs } from "./mcp/logs";
import { McpMenu } from "./mcp/menu";
import { McpOffers } from "./mcp/offers";
import { McpServers } from "./mcp/servers";
import { McpTree } from "./mcp/tree";
import { McpWizard } from "./mcp/wizard";
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
  const view = own(new ChatView(context.extensionUri));
  const questions = own(new Questions(started));
  const keys = new Keys(started);
  const chat = own(new Chat(started, view, questions, documents, settings, new Sessions(started), keys, context.workspaceState));
  const offers = own(new McpOffers(started, (text) => chat.ask(text, [])));
  const menu = new McpMenu(started, servers, logs, settings, documents, offers, new McpWizard(started, settings));
  own(new McpTree(started, servers));
  const actions = own(new Actions(chat));
  const rewriter = new Rewriter(started, documents, () => chat.model);
  new Elicitations(started);
  answerSamples(started, documents);
  answerLogins(started);
  answerProblems(started);

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
  command("codebot.openInTab", () => view.openInTab());
  command("codebot.backToEditor", () => vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup"));
  command("codebot.renameChat", () => chat.rename());
  command("codebot.exportChat", () => chat.export());
  command("codebot.deleteChat", () => chat.delete());
  command("codebot.forkChat", () => chat.fork());
  command("codebot.compact", () => chat.compact());
  command("codebot.context", () => chat.showContext());
  command("codebot.addSelection", () => chat.addSelection());
  command("codebot.addFile", (uri?: vscode.Uri) => chat.addFile(uri));
  command("codebot.fix", (about?: About) => actions.fix(about));
  command("codebot.explain", (about?: About) => actions.explain(about));
  command("codebot.askAboutFile", () => actions.askAboutFile());
  command("codebot.rewrite", () => rewriter.run());
  command("codebot.acceptEdit", () => rewriter.answer(true));
  command("codebot.rejectEdit", () => rewriter.answer(false));
  command("codebot.nextChange", () => vscode.commands.executeCommand("workbench.action.compareEditor.nextChange"));
  command("codebot.send", () => view.post({ type: "key", key: "send" }));
  command("codebot.newLine", () => view.post({ type: "key", key: "newLine" }));
  command("codebot.enterKey", () => keys.enter());
  command("codebot.removeKey", () => keys.remove());
  command("codebot.cycleMode", () => chat.cycleMode());
  command("codebot.pickMode", () => chat.pickMode());
  command("codebot.pickModel", () => chat.pickModel());
  command("codebot.stop", () => chat.stop());
  command("codebot.allow", () => chat.answerOldest("allow_once"));
  command("codebot.reject", () => chat.answerOldest("reject_once"));
  command("codebot.mcp", () => menu.show());
  command("codebot.mcpServer", (node?: { row: MCPKey }) => (node === undefined ? menu.show() : menu.showServer(node.row)));
  command("codebot.resources", () => offers.pickResource());
  command("codebot.prompts", () => offers.pickPrompt());
  command("codebot.addServer", () => menu.add());
  command("codebot.importServers", () => menu.import());
  command("codebot.openDocs", () => openDocs(context.extensionUri));
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
      case "login":
        return menu.login(row);
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

/** Opens the documentation that is in the package; it needs no network. */
async function openDocs(extension: vscode.Uri): Promise<void> {
  const docs = vscode.Uri.joinPath(extension, "docs");
  const files = (await vscode.workspace.fs.readDirectory(docs)).map(([name]) => name).filter((name) => name.endsWith(".md")).sort();
  const chosen = await vscode.window.showQuickPick(files.map((name) => name.replace(/\.md$/, "")), { title: vscode.l10n.t("Documentation") });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(docs, `${chosen}.md`));
  }
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length > 1 ? vscode.window.showWorkspaceFolderPick() : folders[0];
}
