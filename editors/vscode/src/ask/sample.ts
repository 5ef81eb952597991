import * as vscode from "vscode";
import type { Documents } from "../documents";
import { mcpSample, type MCPSampleParams, type SampleAction } from "../protocol.gen";
import type { Server } from "../server/server";
import { visible } from "../visible";

/** Asks before an MCP server may use the model, and shows what it would send. */
export function answerSamples(server: Server, documents: Documents): void {
  server.answer(mcpSample, async (params, token) => {
    const once = vscode.l10n.t("Allow once");
    const session = vscode.l10n.t("Allow in this session");
    const show = vscode.l10n.t("Show what it would send");
    const actions = new Map<string | undefined, SampleAction>([[once, "allow_once"], [session, "allow_session"]]);
    let chosen: string | undefined;
    do {
      const asked = vscode.window.showWarningMessage(vscode.l10n.t("May the MCP server {0} ask the model {1}?", visible(params.server), visible(params.model)), once, session, show);
      chosen = await Promise.race([asked, taken(token)]);
      if (chosen === show) {
        await documents.show(`${params.server}.md`, sampleText(params));
      }
    } while (chosen === show);
    return { action: actions.get(chosen) ?? "reject" };
  });
}

/** All that the server would send, as text. */
export function sampleText({ model, maxTokens, systemPrompt, messages }: MCPSampleParams): string {
  const parts = [`model: ${model}, max ${maxTokens} tokens`];
  if (systemPrompt !== undefined) {
    parts.push(`# system\n\n${systemPrompt}`);
  }
  for (const { role, content } of messages) {
    parts.push(`# ${role}\n\n${content.type === "text" ? content.text : `[${content.type}]`}`);
  }
  return `${parts.join("\n\n")}\n`;
}

function taken(token: vscode.CancellationToken): Promise<undefined> {
  return new Promise((resolve) => token.onCancellationRequested(() => resolve(undefined)));
}
