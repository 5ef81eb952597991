import * as vscode from "vscode";
import { mcpSetTool, mcpTools, type MCPServer, type MCPTool } from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import { visible } from "../visible";
import { stateIcon } from "./actions";
import type { McpServers } from "./servers";

type Node = { kind: "server"; row: MCPServer } | { kind: "tool"; row: MCPServer; tool: MCPTool };

/** McpTree is the view of the servers and their tools; a tool's check box switches it. */
export class McpTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly disposables: vscode.Disposable[] = [];

  constructor(
    private readonly server: Server,
    private readonly servers: McpServers,
  ) {
    this.view = vscode.window.createTreeView("codebot.servers", { treeDataProvider: this, showCollapseAll: true, manageCheckboxStateManually: true });
    this.disposables.push(
      this.view,
      this.changed,
      servers.onDidChange(() => this.changed.fire()),
      this.view.onDidChangeCheckboxState(({ items }) => void this.switchTools(items)),
    );
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === "server") {
      const { row } = node;
      const item = new vscode.TreeItem(visible(row.name), row.toolCount > 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
      item.id = `${row.folder ?? ""}\n${row.name}`;
      item.description = row.error === undefined ? row.state : `${row.state}: ${visible(row.error.message)}`;
      item.iconPath = new vscode.ThemeIcon(stateIcon(row.state));
      item.contextValue = "server";
      item.command = { command: "codebot.mcpServer", title: "", arguments: [node] };
      return item;
    }
    const { tool, row } = node;
    const item = new vscode.TreeItem(visible(tool.tool), vscode.TreeItemCollapsibleState.None);
    item.id = `${row.folder ?? ""}\n${row.name}\n${tool.tool}`;
    item.description = `${tool.permission.capability} · ${visible(tool.permission.reason)}`;
    item.tooltip = tool.description;
    item.iconPath = new vscode.ThemeIcon("tools");
    item.checkboxState = tool.off === true ? vscode.TreeItemCheckboxState.Unchecked : vscode.TreeItemCheckboxState.Checked;
    return item;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      return this.servers.list().map((row) => ({ kind: "server", row }));
    }
    if (node.kind === "tool") {
      return [];
    }
    try {
      const { tools } = await this.server.request(mcpTools, { server: node.row.name, folder: node.row.folder ?? "" });
      return tools.map((tool) => ({ kind: "tool", row: node.row, tool }));
    } catch (err) {
      this.server.log.info(`codebot/mcp/tools: ${messageOf(err)}`);
      return [];
    }
  }

  dispose(): void {
    for (const d of this.disposables) {
      d.dispose();
    }
  }

  private async switchTools(items: readonly [Node, vscode.TreeItemCheckboxState][]): Promise<void> {
    try {
      for (const [node, state] of items) {
        if (node.kind === "tool") {
          const enabled = state === vscode.TreeItemCheckboxState.Checked;
          await this.server.request(mcpSetTool, { server: node.row.name, folder: node.row.folder ?? "", tool: node.tool.tool, enabled });
        }
      }
    } catch (err) {
      void vscode.window.showErrorMessage(messageOf(err));
    }
    this.changed.fire();
  }
}
