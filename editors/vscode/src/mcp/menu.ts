import * as vscode from "vscode";
import {
  mcpApprove,
  mcpDisable,
  mcpEnable,
  mcpLogin,
  mcpLogout,
  mcpRestart,
  mcpRevoke,
  mcpStart,
  mcpStop,
  mcpTools,
  type ActionError,
  type MCPKey,
  type MCPServer,
  type MCPServerRef,
  type MCPServerResult,
  type MCPState,
  type RequestMethod,
} from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import type { Settings } from "../settings";
import type { Documents } from "../documents";
import { visible } from "../visible";
import { actionsFor, stateIcon, type Action } from "./actions";
import { consentText } from "./consent";
import type { McpLogs } from "./logs";
import type { McpOffers } from "./offers";
import type { McpServers } from "./servers";
import type { McpWizard } from "./wizard";

interface ServerItem extends vscode.QuickPickItem {
  run: () => Promise<void>;
}

/** McpMenu is what a click on the status item opens: the servers and what can be done with them. */
export class McpMenu {
  constructor(
    private readonly server: Server,
    private readonly servers: McpServers,
    private readonly logs: McpLogs,
    private readonly settings: Settings,
    private readonly documents: Documents,
    private readonly offers: McpOffers,
    private readonly wizard: McpWizard,
  ) {}

  /** Shows all servers; the list follows their states while it is open. */
  async show(): Promise<void> {
    await this.pick(vscode.l10n.t("MCP servers"), () => [
      ...this.servers.list().map((row) => this.serverItem(row)),
      ...this.generalItems(),
    ]);
  }

  async add(): Promise<void> {
    await this.wizard.add();
  }

  async import(): Promise<void> {
    await this.wizard.import();
  }

  /** Shows what can be done with one server. */
  async showServer(key: MCPKey): Promise<void> {
    await this.pick(visible(key.name), () => {
      const row = this.servers.get(key);
      return row === undefined ? [] : actionsFor(row).map((action) => this.actionItem(row, action));
    });
  }

  /** Shows what an entry would start and lets it act when the person says so. */
  async approve(key: MCPKey): Promise<void> {
    const row = this.servers.get(key);
    if (row?.consent === undefined) {
      return;
    }
    const { consent } = row;
    const approve = vscode.l10n.t("Approve");
    const file = vscode.workspace.asRelativePath(vscode.Uri.parse(row.source));
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("Let the MCP server \"{0}\" start? The project's file {1} declares it.", visible(row.name), visible(file)),
      {
        modal: true,
        detail: consentText(consent, {
          changed: vscode.l10n.t("It has changed since you approved it."),
          changes: vscode.l10n.t("This is different:"),
          nothing: vscode.l10n.t("nothing"),
          command: vscode.l10n.t("It starts this program, one argument a line:"),
          folder: vscode.l10n.t("In this folder:"),
          url: vscode.l10n.t("It connects to:"),
          env: vscode.l10n.t("It sets these environment variables:"),
          variables: vscode.l10n.t("It reads these variables of yours:"),
        }),
      },
      approve,
    );
    if (chosen === approve) {
      await this.act(row, () => this.server.request(mcpApprove, { ...keyParams(row), hash: consent.hash }));
    }
  }

  async run(row: MCPServer, action: Action): Promise<void> {
    const plain = (method: RequestMethod<MCPServerRef, MCPServerResult>): Promise<void> =>
      this.act(row, () => this.server.request(method, keyParams(row)));
    switch (action) {
      case "approve":
        return this.approve(row);
      case "start":
        return plain(mcpStart);
      case "stop":
        return plain(mcpStop);
      case "restart":
        return plain(mcpRestart);
      case "enable":
        return plain(mcpEnable);
      case "disable":
        return plain(mcpDisable);
      case "revoke":
        return plain(mcpRevoke);
      case "login":
        return this.login(row);
      case "logout":
        return plain(mcpLogout);
      case "tools":
        return this.showTools(row);
      case "resources":
        return this.offers.pickResource(row);
      case "prompts":
        return this.offers.pickPrompt(row);
      case "log":
        return this.logs.show(keyParams(row));
      case "openSettings":
        return this.settings.openServer(row);
    }
  }

  /** Logs in with the browser; the notification that runs meanwhile ends it. */
  async login(row: MCPServer): Promise<void> {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Logging in to {0}", visible(row.name)), cancellable: true }, (_, token) =>
      this.act(row, () => this.server.request(mcpLogin, keyParams(row), token)),
    );
  }

  /** Runs an action and tells the person how it ended when it did not end well. */
  private async act(row: MCPServer, request: () => Promise<MCPServerResult>): Promise<void> {
    try {
      const { server } = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: `codebot: ${visible(row.name)}` },
        request,
      );
      if (server.error !== undefined && (server.state === "failed" || server.state === "needs_auth")) {
        await this.complain(server, [server.error.message, server.error.hint]);
      }
    } catch (err) {
      await this.complain(row, [messageOf(err), (err as { data?: ActionError }).data?.hint]);
    }
  }

  private async complain(row: MCPServer, parts: readonly (string | undefined)[]): Promise<void> {
    const log = vscode.l10n.t("Show log");
    const text = parts.filter((part) => part !== undefined && part !== "").join(" ");
    if ((await vscode.window.showWarningMessage(`${visible(row.name)}: ${text}`, log)) === log) {
      await this.logs.show(keyParams(row));
    }
  }

  private async showTools(row: MCPServer): Promise<void> {
    const { tools } = await this.server.request(mcpTools, { server: row.name, folder: row.folder ?? "" });
    const items = tools.map((tool) => ({
      label: `$(tools) ${visible(tool.tool)}`,
      description: tool.permission.capability,
      detail: tool.description,
      tool,
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: visible(row.name), matchOnDetail: true });
    if (chosen !== undefined) {
      await this.documents.show(`${chosen.tool.name}.json`, JSON.stringify(chosen.tool, undefined, 2));
    }
  }

  private serverItem(row: MCPServer): ServerItem {
    const facts = [stateText(row.state)];
    if (row.toolCount > 0) {
      facts.push(row.toolCount === 1 ? vscode.l10n.t("1 tool") : vscode.l10n.t("{0} tools", row.toolCount));
    }
    const item: ServerItem = {
      label: `$(${stateIcon(row.state)}) ${visible(row.name)}`,
      description: facts.join(" · "),
      run: () => this.showServer(keyParams(row)),
    };
    const problem = row.error && [row.error.message, row.error.hint].filter((part) => part !== undefined).join(" ");
    if (problem !== undefined) {
      item.detail = problem;
    } else if (row.consent !== undefined) {
      item.detail = vscode.l10n.t("Waits for your approval");
    }
    return item;
  }

  private actionItem(row: MCPServer, action: Action): ServerItem {
    const [icon, label] = actionText(action);
    return { label: `$(${icon}) ${label}`, run: () => this.run(row, action) };
  }

  private generalItems(): ServerItem[] {
    const items: ServerItem[] = [
      { label: "", kind: vscode.QuickPickItemKind.Separator, run: async () => undefined },
      { label: `$(add) ${vscode.l10n.t("Add MCP server...")}`, description: "~/.codebot/settings.json", run: () => this.wizard.add() },
      { label: `$(cloud-download) ${vscode.l10n.t("Import servers of other programs...")}`, run: () => this.wizard.import() },
    ];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      items.push({
        label: `$(add) ${vscode.l10n.t("Add MCP server to the project...")}`,
        description: `${folder.name}/.codebot/settings.json`,
        run: () => this.wizard.add(folder),
      });
    }
    items.push(
      { label: `$(debug-restart) ${vscode.l10n.t("Restart codebot")}`, run: () => this.server.restart() },
      { label: `$(output) ${vscode.l10n.t("Show codebot's log")}`, run: async () => this.server.log.show() },
    );
    return items;
  }

  private async pick(title: string, items: () => ServerItem[]): Promise<void> {
    const pick = vscode.window.createQuickPick<ServerItem>();
    pick.title = title;
    pick.keepScrollPosition = true;
    pick.items = items();
    const subscription = this.servers.onDidChange(() => {
      const active = pick.activeItems[0]?.label.replace(/^\$\([^)]*\) /, "");
      pick.items = items();
      const same = pick.items.find((item) => item.label.endsWith(` ${active ?? ""}`));
      if (same !== undefined) {
        pick.activeItems = [same];
      }
    });
    try {
      const chosen = await new Promise<ServerItem | undefined>((resolve) => {
        pick.onDidAccept(() => resolve(pick.selectedItems[0]));
        pick.onDidHide(() => resolve(undefined));
        pick.show();
      });
      pick.hide();
      await chosen?.run();
    } finally {
      subscription.dispose();
      pick.dispose();
    }
  }
}

/** The members that name a server to the server: an absent folder is the user's. */
function keyParams(row: MCPKey): { name: string; folder: string } {
  return { name: row.name, folder: row.folder ?? "" };
}

function stateText(state: MCPState): string {
  switch (state) {
    case "disabled":
      return vscode.l10n.t("disabled");
    case "untrusted":
      return vscode.l10n.t("not approved");
    case "starting":
      return vscode.l10n.t("starting");
    case "connected":
      return vscode.l10n.t("connected");
    case "degraded":
      return vscode.l10n.t("degraded");
    case "needs_auth":
      return vscode.l10n.t("needs a login");
    case "reconnecting":
      return vscode.l10n.t("reconnecting");
    case "failed":
      return vscode.l10n.t("failed");
    case "stopping":
      return vscode.l10n.t("stopping");
    case "stopped":
      return vscode.l10n.t("stopped");
  }
}

function actionText(action: Action): [icon: string, label: string] {
  switch (action) {
    case "approve":
      return ["shield", vscode.l10n.t("Approve...")];
    case "start":
      return ["play", vscode.l10n.t("Start")];
    case "stop":
      return ["debug-stop", vscode.l10n.t("Stop")];
    case "restart":
      return ["debug-restart", vscode.l10n.t("Restart")];
    case "revoke":
      return ["circle-slash", vscode.l10n.t("Take the approval back")];
    case "enable":
      return ["check", vscode.l10n.t("Enable in the settings")];
    case "disable":
      return ["circle-slash", vscode.l10n.t("Disable in the settings")];
    case "login":
      return ["key", vscode.l10n.t("Log in...")];
    case "logout":
      return ["sign-out", vscode.l10n.t("Log out")];
    case "resources":
      return ["file", vscode.l10n.t("Show resources")];
    case "prompts":
      return ["comment", vscode.l10n.t("Run a prompt")];
    case "tools":
      return ["tools", vscode.l10n.t("Show tools")];
    case "log":
      return ["output", vscode.l10n.t("Show log")];
    case "openSettings":
      return ["go-to-file", vscode.l10n.t("Open its line in the settings")];
  }
}
