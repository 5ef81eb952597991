import type { StatusResult } from "./protocol.gen";

export interface StatusView {
  text: string;
  /** A theme colour for the background, where there is one. */
  background?: "statusBarItem.warningBackground" | "statusBarItem.errorBackground";
}

/** statusView is how the status item looks: an icon for the health or a spinner, a colour when something is wrong. */
export function statusView(status: Pick<StatusResult, "health" | "busy" | "text">): StatusView {
  const icon = status.busy ? "loading~spin" : healthIcon(status.health);
  // A codicon is written $(name); text from elsewhere must not make one.
  const view: StatusView = { text: `$(${icon}) ${status.text.replaceAll("$(", "$\u200b(")}` };
  if (status.health === "warning") {
    view.background = "statusBarItem.warningBackground";
  } else if (status.health === "error") {
    view.background = "statusBarItem.errorBackground";
  }
  return view;
}

function healthIcon(health: StatusResult["health"]): string {
  switch (health) {
    case "ok":
      return "pass";
    case "warning":
      return "warning";
    case "error":
      return "error";
    case "inactive":
      return "circle-outline";
  }
}
