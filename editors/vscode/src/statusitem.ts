import * as vscode from "vscode";
import { commandUI, didChangeStatus, status, type StatusResult } from "./protocol.gen";
import { messageOf, type Server, type ServerState } from "./server/server";
import { statusView } from "./statusview";

/** StatusItem shows in the status bar what the server says, or why there is none. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("codebot.status", vscode.StatusBarAlignment.Right, 90);
  private readonly subscription: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.item.name = "codebot";
    server.on(didChangeStatus, (s) => this.show(s));
    this.subscription = server.onDidChangeState((s) => void this.serverChanged(s));
    void this.serverChanged(server.state);
    this.item.show();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private async serverChanged(state: ServerState): Promise<void> {
    if (state.kind === "running") {
      try {
        this.show(await this.server.request(status, {}));
      } catch (err) {
        this.server.log.warn(`codebot/status: ${messageOf(err)}`);
      }
      return;
    }
    const tooltip = state.kind === "failed" ? state.message : state.kind === "starting" ? vscode.l10n.t("codebot is starting.") : vscode.l10n.t("codebot is stopped.");
    this.show({
      health: state.kind === "failed" ? "error" : "inactive",
      busy: state.kind === "starting",
      text: "codebot",
      tooltip: "",
    });
    // Not Markdown: it may hold a path or what a program printed.
    this.item.tooltip = tooltip;
  }

  private show(s: StatusResult): void {
    const view = statusView(s);
    this.item.text = view.text;
    this.item.backgroundColor = view.background === undefined ? undefined : new vscode.ThemeColor(view.background);
    this.item.accessibilityInformation = { label: s.text };
    const tooltip = new vscode.MarkdownString(s.tooltip, false);
    // The server escapes the names in its table; only our own commands may be linked.
    tooltip.isTrusted = { enabledCommands: ["codebot.mcp", "codebot.restart", "codebot.showLog"] };
    tooltip.appendMarkdown(
      `\n\n[${vscode.l10n.t("MCP servers")}](command:codebot.mcp) · [${vscode.l10n.t("Restart")}](command:codebot.restart) · [${vscode.l10n.t("Log")}](command:codebot.showLog)`,
    );
    this.item.tooltip = tooltip;
    this.item.command = s.command === undefined ? "codebot.mcp" : { command: commandUI, title: "codebot", arguments: s.command.arguments ?? [] };
  }
}
