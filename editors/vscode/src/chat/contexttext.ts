import * as vscode from "vscode";
import type { SessionContextResult } from "../protocol.gen";

/** What the next request is made of, as a Markdown table. */
export function contextText({ blocks, tools, messages, contextTokens, cacheBreak }: SessionContextResult): string {
  const rows: [string, string, number, string][] = [
    [vscode.l10n.t("tools"), String(tools.count), tools.tokens, tools.hash],
    ...blocks.map((block): [string, string, number, string] => [block.key, "", block.tokens, block.hash]),
    [vscode.l10n.t("messages"), String(messages.count), messages.tokens, ""],
  ];
  const total = rows.reduce((sum, [, , tokens]) => sum + tokens, 0);
  const lines = [
    `| ${vscode.l10n.t("part")} | ${vscode.l10n.t("count")} | ${vscode.l10n.t("size in tokens")} | hash |`,
    "|---|---|---|---|",
    ...rows.map(([name, count, tokens, hash]) => `| ${name} | ${count} | ${tokens} | ${hash.slice(0, 12)} |`),
    "",
    contextTokens === undefined ? vscode.l10n.t("{0} tokens", total) : vscode.l10n.t("{0} of {1} tokens, {2} %", total, contextTokens, Math.round((100 * total) / contextTokens)),
  ];
  if (cacheBreak !== undefined) {
    lines.push("", vscode.l10n.t("What the provider has cached of the last request is lost from here on: {0}", cacheBreak));
  }
  return `${lines.join("\n")}\n`;
}
