import * as vscode from "vscode";
import { mcpAuthorize } from "../protocol.gen";
import type { Server } from "../server/server";
import { visible } from "../visible";
import { loopbackRedirect } from "./redirect";

/**
 * Lets a person log in to an MCP server with the browser. The browser of a remote
 * window may not reach the machine; then the address at which it ended is pasted.
 */
export function answerLogins(server: Server): void {
  server.answer(mcpAuthorize, async (params, token) => {
    const open = vscode.l10n.t("Open the page");
    const paste = vscode.l10n.t("Paste the address");
    for (;;) {
      const asked = vscode.window.showInformationMessage(
        vscode.l10n.t("{0} wants you to log in at {1}.", visible(params.server), visible(params.issuer)),
        open,
        paste,
      );
      const chosen = await Promise.race([asked, taken(token)]);
      if (token.isCancellationRequested) {
        return {};
      }
      switch (chosen) {
        case open:
          await forward(params.url);
          await vscode.env.openExternal(vscode.Uri.parse(params.url, true));
          break; // and ask again: the browser may not come back by itself
        case paste: {
          const callback = await vscode.window.showInputBox({
            title: vscode.l10n.t("Log in to {0}", visible(params.server)),
            prompt: vscode.l10n.t("The address at which the browser stopped, or the code in it"),
            ignoreFocusOut: true,
          }, token);
          if (callback !== undefined && callback.trim() !== "") {
            return { callback: callback.trim() };
          }
          break;
        }
        default:
          return { cancelled: true };
      }
    }
  });
}

/**
 * The browser comes back to a port of the machine that the server runs on, which in a
 * remote window is not the browser's. Asking for its outside address makes the editor
 * forward it, at the same port where that is free; where it is not, there is "paste".
 */
async function forward(url: string): Promise<void> {
  const redirect = loopbackRedirect(url);
  if (redirect !== undefined && vscode.env.remoteName !== undefined) {
    await vscode.env.asExternalUri(vscode.Uri.parse(redirect, true));
  }
}

function taken(token: vscode.CancellationToken): Promise<undefined> {
  return new Promise((resolve) => token.onCancellationRequested(() => resolve(undefined)));
}
