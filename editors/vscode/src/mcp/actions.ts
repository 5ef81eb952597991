import type { MCPServer, MCPState } from "../protocol.gen";

export type Action =
  | "approve" | "login" | "start" | "stop" | "restart" | "enable" | "disable" | "revoke" | "logout"
  | "tools" | "resources" | "prompts" | "log" | "openSettings";

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
      list.push("restart", "stop");
      break;
    case "needs_auth":
      list.push("login", "restart", "stop");
      break;
    case "connected":
    case "degraded":
    case "reconnecting":
      list.push("restart", "stop");
      break;
    case "starting":
      list.push("stop", "restart");
      break;
    case "disabled":
      list.push("enable");
      break;
    case "stopping":
      break;
  }
  if (row.toolCount > 0) {
    list.push("tools");
  }
  if (row.resourceCount > 0) {
    list.push("resources");
  }
  if (row.promptCount > 0) {
    list.push("prompts");
  }
  list.push("log", "openSettings");
  if (row.scope === "project" && row.state !== "untrusted") {
    list.push("revoke");
  }
  if (row.state !== "disabled" && row.state !== "untrusted") {
    list.push("disable");
  }
  if (row.transport !== "stdio" && row.state !== "untrusted" && row.state !== "needs_auth") {
    list.push("logout");
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
