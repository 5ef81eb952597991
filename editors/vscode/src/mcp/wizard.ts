import * as vscode from "vscode";
import { mcpAdd, mcpImport, mcpTest } from "../protocol.gen";
import type { Server } from "../server/server";
import type { Settings } from "../settings";
import { visible } from "../visible";
import { entryOf, nameFor } from "./entry";

/** McpWizard adds servers: by a command or an address that is tried first, or from other programs. */
export class McpWizard {
  constructor(
    private readonly server: Server,
    private readonly settings: Settings,
  ) {}

  /** Asks for a command or an address, tries it, and writes it into the user's or a project's settings. */
  async add(folder?: vscode.WorkspaceFolder): Promise<void> {
    const where = folder === undefined ? {} : { folder: folder.uri.toString() };
    const line = await vscode.window.showInputBox({
      title: vscode.l10n.t("Add MCP server"),
      prompt: vscode.l10n.t("A command line, or an address. Write keys as ${NAME}, so that they stay in the environment."),
      placeHolder: "npx -y @modelcontextprotocol/server-filesystem .",
      ignoreFocusOut: true,
    });
    if (line === undefined || line.trim() === "") {
      return;
    }
    const entry = entryOf(line.trim());
    if (entry === undefined) {
      void vscode.window.showErrorMessage(vscode.l10n.t("A quotation mark is open in this command line."));
      return;
    }
    const name = await vscode.window.showInputBox({ title: vscode.l10n.t("Name of the server"), value: nameFor(entry), ignoreFocusOut: true });
    if (name === undefined || name.trim() === "") {
      return;
    }
    const tested = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Trying {0}", visible(name)), cancellable: true }, (_, token) =>
      this.server.request(mcpTest, { name: name.trim(), entry, ...where }, token),
    );
    const save = vscode.l10n.t("Save");
    const edit = vscode.l10n.t("Save and edit");
    const works = tested.server.error === undefined;
    const said = works
      ? vscode.l10n.t("{0} works: {1} tools.", visible(name), tested.tools.length)
      : `${visible(name)}: ${[tested.server.error?.message, tested.server.error?.hint].filter((part) => part !== undefined).map(visible).join(" ")}`;
    const chosen = works ? await vscode.window.showInformationMessage(said, save, edit) : await vscode.window.showWarningMessage(said, save, edit);
    if (chosen === undefined) {
      return;
    }
    const { server } = await this.server.request(mcpAdd, { name: name.trim(), entry, ...where });
    if (chosen === edit) {
      await this.settings.openServer(server);
    }
  }

  /** Shows the servers in the settings of other programs and writes the chosen ones. */
  async import(): Promise<void> {
    const found = await this.server.request(mcpImport, {});
    const items = found.servers.map((s) => ({
      label: visible(s.name),
      description: visible(s.client) + (s.exists === true ? ` · ${vscode.l10n.t("there is one of that name")}` : ""),
      detail: s.notes.map(visible).join(" "),
      picked: s.exists !== true,
      server: s,
    }));
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Servers of other programs"),
      canPickMany: true,
      placeHolder: items.length === 0 ? vscode.l10n.t("None was found") : "",
      ignoreFocusOut: true,
    });
    if (chosen !== undefined && chosen.length > 0) {
      await this.server.request(mcpImport, { import: chosen.map(({ server }) => ({ name: server.name, source: server.source })) });
      await this.settings.openUser();
    }
  }
}
