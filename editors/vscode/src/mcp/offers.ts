import * as vscode from "vscode";
import {
  mcpComplete,
  mcpDidChangeResource,
  mcpPrompts,
  mcpReadResource,
  mcpResources,
  type MCPKey,
  type MCPPrompt,
  type MCPResourceTemplate,
  type PromptArgument,
} from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import { visible } from "../visible";
import { promptCommand, templateVariables, withVariable } from "./prompt";

const scheme = "codebot-resource";

interface ResourceKey {
  server: string;
  folder?: string;
  address: string;
}

/** McpOffers shows the resources of MCP servers as read-only documents, and runs their prompts in the chat. */
export class McpOffers implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  constructor(
    private readonly server: Server,
    private readonly ask: (text: string) => Promise<void>,
  ) {
    server.on(mcpDidChangeResource, (key) => this.changed.fire(uriOf(key)));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { server, folder, address } = keyOf(uri);
    const { contents } = await this.server.request(mcpReadResource, { server, folder: folder ?? "", address, subscribe: true });
    return contents.map((c) => c.text ?? `${c.mimeType ?? "?"}, ${Math.floor(((c.blob ?? "").length * 3) / 4)} bytes`).join("\n\n");
  }

  /** Lets the person choose a resource, of one server or of all, and opens it. */
  async pickResource(row?: MCPKey): Promise<void> {
    const { resources, templates } = await this.server.request(mcpResources, filter(row));
    const items = [
      ...resources.map((resource) => ({ label: `$(file) ${visible(resource.title ?? resource.name)}`, description: visible(resource.server), detail: visible(resource.address), resource, template: undefined })),
      ...templates.map((template) => ({ label: `$(symbol-parameter) ${visible(template.title ?? template.name)}`, description: visible(template.server), detail: visible(template.template), resource: undefined, template })),
    ];
    const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Resources"), matchOnDetail: true, placeHolder: items.length === 0 ? vscode.l10n.t("There is none yet") : "" });
    if (chosen?.resource !== undefined) {
      await vscode.window.showTextDocument(uriOf(chosen.resource), { preview: true });
    } else if (chosen?.template !== undefined) {
      await this.openTemplate(chosen.template);
    }
  }

  /** Lets the person choose a prompt, asks for its arguments and sends it. */
  async pickPrompt(row?: MCPKey): Promise<void> {
    const { prompts } = await this.server.request(mcpPrompts, filter(row));
    const items = prompts.map((prompt) => ({ label: `$(comment) ${visible(prompt.title ?? prompt.name)}`, description: visible(prompt.server), detail: visible(prompt.description ?? ""), prompt }));
    const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Prompts"), matchOnDetail: true, placeHolder: items.length === 0 ? vscode.l10n.t("There is none yet") : "" });
    if (chosen !== undefined) {
      await this.runPrompt(chosen.prompt);
    }
  }

  async runPrompt(prompt: MCPPrompt): Promise<void> {
    const given: Record<string, string> = {};
    for (const [i, argument] of prompt.arguments.entries()) {
      const value = await this.askArgument(prompt, argument, given, `${visible(prompt.title ?? prompt.name)} (${i + 1}/${prompt.arguments.length})`);
      if (value === undefined) {
        return;
      }
      if (value !== "") {
        given[argument.name] = value;
      }
    }
    await this.ask(promptCommand(prompt, given));
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** Asks for one argument; the server completes it while it is typed. */
  private async askArgument(prompt: MCPPrompt, argument: PromptArgument, given: Record<string, string>, title: string): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick();
    pick.title = title;
    pick.ignoreFocusOut = true;
    const label = visible(argument.description === undefined ? argument.name : `${argument.name}: ${argument.description}`);
    pick.placeholder = argument.required === true ? label : vscode.l10n.t("{0} (may be left out)", label);
    let asked = 0;
    const complete = async (value: string): Promise<void> => {
      const number = ++asked;
      let values: string[] = [];
      try {
        ({ values } = await this.server.request(mcpComplete, { server: prompt.server, folder: prompt.folder ?? "", prompt: prompt.name, argument: argument.name, value, given }));
      } catch (err) {
        this.server.log.debug(`codebot/mcp/complete: ${messageOf(err)}`);
      }
      if (number === asked) {
        // What was typed is always there to be taken.
        pick.items = [...new Set([value, ...values])].filter((v) => v !== "").map((v) => ({ label: visible(v), alwaysShow: true }));
      }
    };
    try {
      return await new Promise<string | undefined>((resolve) => {
        pick.onDidChangeValue((value) => void complete(value));
        pick.onDidHide(() => resolve(undefined));
        pick.onDidAccept(() => {
          const value = pick.activeItems[0]?.label ?? pick.value;
          if (value !== "" || argument.required !== true) {
            resolve(value);
          }
        });
        pick.show();
        void complete("");
      });
    } finally {
      pick.dispose();
    }
  }

  private async openTemplate(template: MCPResourceTemplate): Promise<void> {
    let address = template.template;
    for (const name of templateVariables(template.template)) {
      const value = await vscode.window.showInputBox({ title: visible(template.title ?? template.name), prompt: visible(name), ignoreFocusOut: true });
      if (value === undefined) {
        return;
      }
      address = withVariable(address, name, value);
    }
    await vscode.window.showTextDocument(uriOf({ ...template, address }), { preview: true });
  }
}

function filter(row: MCPKey | undefined): { server?: string; folder?: string } {
  return row === undefined ? {} : { server: row.name, folder: row.folder ?? "" };
}

/** A document's address: the whole key is in its query, the end of the resource's address chooses the language. */
function uriOf({ server, folder, address }: ResourceKey): vscode.Uri {
  const name = address.replace(/[?#].*$/, "").replace(/\/+$/, "").replace(/^.*\//, "") || "resource";
  return vscode.Uri.from({ scheme, authority: "mcp", path: `/${server.replace(/[\\/]/g, "_")}/${name}`, query: JSON.stringify({ server, folder, address }) });
}

function keyOf(uri: vscode.Uri): ResourceKey {
  return JSON.parse(uri.query) as ResourceKey;
}
