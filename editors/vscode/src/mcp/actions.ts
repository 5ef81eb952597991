import type { MCPServer, MCPState } from "../protocol.gen";

export type Action = "approve" | "start" | "stop" | "restart" | "revoke" | "tools" | "log" | "openSettings";

/** actionsFor lists what can be done with a server as it is now, the likeliest first. */
export function actionsFor(row: MCPServer): Action[] {
  const list: Action[] = [];
  switch (row.state) {
    case "untrusted":
      list.push("approve");
      break;
    case "stopped":
      list.push("start");
      break;
    case "failed":
    case "needs_auth":
      list.push("restart", "stop");
      break;
    case "connected":
    case "degraded":
    case "reconnecting":
      list.push("restart", "stop");
      break;
    case "starting":
      list.push("stop", "restart");
      break;
    case "stopping":
    case "disabled":
      break;
  }
  if (row.toolCount > 0) {
    list.push("tools");
  }
  list.push("log", "openSettings");
  if (row.scope === "project" && row.state !== "untrusted") {
    list.push("revoke");
  }
  return list;
}

/** The name of the icon of a state. */
export function stateIcon(state: MCPState): string {
  switch (state) {
    case "connected":
      return "pass";
    case "starting":
    case "stopping":
      return "loading~spin";
    case "reconnecting":
      return "sync~spin";
    case "degraded":
      return "warning";
    case "failed":
      return "error";
    case "needs_auth":
      return "key";
    case "untrusted":
      return "shield";
    case "stopped":
      return "debug-stop";
    case "disabled":
      return "circle-slash";
  }
}
