import * as vscode from "vscode";
import { providersList } from "../protocol.gen";
import { messageOf, type Server } from "../server/server";
import { visible } from "../visible";
import type { Card } from "./messages";

/** What a chat without a model shows: what goes all the same, and how to get one. */
export async function offlineCard(server: Server): Promise<Card> {
  let local: string[] = [];
  try {
    const { providers } = await server.request(providersList, {});
    local = providers.filter((p) => p.local === true && p.available).map((p) => visible(p.name));
  } catch (err) {
    server.log.info(`codebot/providers/list: ${messageOf(err)}`);
  }
  const found = local.length === 0 ? "" : ` ${vscode.l10n.t("Found on this machine: {0}.", local.join(", "))}`;
  return {
    text: vscode.l10n.t("No model is set up. Without one, codebot matches simple requests to tools by their words, and asks before it acts.") + found,
    remedies: [
      { remedy: "enterKey", label: vscode.l10n.t("Enter API key") },
      { remedy: "pickModel", label: vscode.l10n.t("Use a local model") },
      { remedy: "openSettings", label: vscode.l10n.t("Open settings") },
    ],
    prompts: [
      vscode.l10n.t("Search the docs for the worktree cleanup policy."),
      vscode.l10n.t("Deploy the current project and report the result."),
      vscode.l10n.t("What documentation and deployment actions can you perform?"),
    ],
  };
}
