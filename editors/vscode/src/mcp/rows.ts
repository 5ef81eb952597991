import type { MCPDidChangeStatusParams, MCPKey, MCPServer, MCPStatusResult } from "../protocol.gen";

/** Names a server in a map: servers are known by folder and name. */
export function keyOf(of: MCPKey): string {
  return `${of.folder ?? ""}\n${of.name}`;
}

/**
 * Rows is what the server last said of the MCP servers. It changes only by what the
 * server sends: a picture, or a change that follows it without a gap.
 */
export class Rows {
  private rows = new Map<string, MCPServer>();
  /** The revision of the last change, or undefined while no picture is known. */
  private revision: number | undefined;

  /** All rows, the user's first, then by folder and name. */
  list(): MCPServer[] {
    return [...this.rows.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row);
  }

  get(key: MCPKey): MCPServer | undefined {
    return this.rows.get(keyOf(key));
  }

  /** Takes the whole picture, the answer to codebot/mcp/status. */
  replace(picture: MCPStatusResult): void {
    this.revision = picture.revision;
    this.rows = new Map(picture.servers.map((row) => [keyOf(row), row]));
  }

  /**
   * Takes a change and reports whether it followed the last one. When it did not,
   * nothing changes and the picture has to be asked for.
   */
  apply(change: MCPDidChangeStatusParams): boolean {
    if (this.revision === undefined || change.revision !== this.revision + 1) {
      return false;
    }
    this.revision = change.revision;
    for (const key of change.removed) {
      this.rows.delete(keyOf(key));
    }
    for (const row of change.servers) {
      this.rows.set(keyOf(row), row);
    }
    return true;
  }

  /** Forgets everything: the server is gone. */
  clear(): void {
    this.revision = undefined;
    this.rows.clear();
  }
}
