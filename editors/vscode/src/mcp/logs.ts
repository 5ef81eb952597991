import * as vscode from "vscode";
import { mcpLog, mcpLogs, type MCPKey, type MCPLogEntry } from "../protocol.gen";
import type { Server } from "../server/server";
import { unseenEntries } from "./logmerge";
import { keyOf } from "./rows";

interface OpenLog {
  channel: vscode.OutputChannel;
  /** Entries that come while the kept ones are being asked for; undefined otherwise. */
  early: MCPLogEntry[] | undefined;
}

/** McpLogs shows the logs of MCP servers, each in an output channel from when it is asked for. */
export class McpLogs implements vscode.Disposable {
  private readonly open = new Map<string, OpenLog>();

  constructor(private readonly server: Server) {
    server.on(mcpLog, ({ entries, ...key }) => {
      const log = this.open.get(keyOf(key));
      if (log?.early !== undefined) {
        log.early.push(...entries);
      } else if (log !== undefined) {
        append(log.channel, entries);
      }
    });
  }

  async show(key: MCPKey): Promise<void> {
    let log = this.open.get(keyOf(key));
    if (log === undefined) {
      log = { channel: vscode.window.createOutputChannel(`codebot: ${key.name}`), early: undefined };
      this.open.set(keyOf(key), log);
    }
    log.channel.show();
    if (log.early !== undefined) {
      return;
    }
    log.early = [];
    try {
      const { entries } = await this.server.request(mcpLogs, { ...key });
      log.channel.clear();
      append(log.channel, entries);
      append(log.channel, unseenEntries(entries, log.early));
    } finally {
      log.early = undefined;
    }
  }

  dispose(): void {
    for (const { channel } of this.open.values()) {
      channel.dispose();
    }
  }
}

function append(channel: vscode.OutputChannel, entries: readonly MCPLogEntry[]): void {
  for (const e of entries) {
    channel.appendLine(`${e.time} [${e.level}] ${e.source}: ${e.text}`);
  }
}
