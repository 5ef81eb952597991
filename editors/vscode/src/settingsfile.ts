import { findNodeAtLocation, parseTree } from "jsonc-parser";

/** What a settings file begins with when there is none yet. */
export const emptySettings = `{
  "mcp_servers": {
    // "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}
  }
}
`;

/** offsetOfServer is where the entry of a server begins in a settings file, or undefined. */
export function offsetOfServer(text: string, name: string): number | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, ["mcp_servers", name]);
  return (node?.parent ?? node)?.offset;
}
