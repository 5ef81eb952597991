import * as vscode from "vscode";
import { mcpDidChangeStatus, mcpStatus, type MCPKey, type MCPServer } from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import { Rows } from "./rows";

/** McpServers keeps the rows up to date with the server that runs. */
export class McpServers implements vscode.Disposable {
  private readonly rows = new Rows();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscription: vscode.Disposable;
  /** A picture is on its way; changes that come before it are part of it, as a rule. */
  private asking = false;
  /** The revision of the last change that came meanwhile. */
  private newest = 0;

  constructor(private readonly server: Server) {
    server.on(mcpDidChangeStatus, (change) => {
      if (this.asking) {
        this.newest = change.revision;
        return;
      }
      if (this.rows.apply(change)) {
        this.changed.fire();
      } else {
        void this.ask();
      }
    });
    this.subscription = server.onDidChangeState((state) => {
      if (state.kind === "running") {
        void this.ask();
      } else {
        this.rows.clear();
        this.changed.fire();
      }
    });
  }

  list(): MCPServer[] {
    return this.rows.list();
  }

  get(key: MCPKey): MCPServer | undefined {
    return this.rows.get(key);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private async ask(): Promise<void> {
    if (this.asking) {
      return;
    }
    this.asking = true;
    this.newest = 0;
    try {
      let picture = await this.server.request(mcpStatus, {});
      // One that was overtaken on its way lacks what came before it.
      while (picture.revision < this.newest) {
        picture = await this.server.request(mcpStatus, {});
      }
      this.rows.replace(picture);
    } catch (err) {
      this.server.log.warn(`codebot/mcp/status: ${messageOf(err)}`);
      this.rows.clear();
    } finally {
      this.asking = false;
    }
    this.changed.fire();
  }
}
