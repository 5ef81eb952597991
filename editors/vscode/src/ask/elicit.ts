import * as vscode from "vscode";
import { mcpElicit, type MCPElicitParams, type MCPElicitResult } from "../protocol.gen";
import type { Server } from "../server/server";
import { visible } from "../visible";
import { fieldsOf, parseField, type Field } from "./form";

const cancelled: MCPElicitResult = { action: "cancel" };

/**
 * Elicitations shows what MCP servers ask: a form, field by field, or a page to open.
 * One at a time; to leave a question cancels it, only "decline" declines.
 */
export class Elicitations {
  private queue: Promise<unknown> = Promise.resolve();

  constructor(server: Server) {
    server.answer(mcpElicit, (params, token) => {
      const turn = this.queue.then(() => (token.isCancellationRequested ? cancelled : ask(params, token)));
      this.queue = turn.catch(() => undefined);
      return turn;
    });
  }
}

async function ask(params: MCPElicitParams, token: vscode.CancellationToken): Promise<MCPElicitResult> {
  const page = params.mode === "url" ? (params.url ?? "") : undefined;
  const accept = page === undefined ? vscode.l10n.t("Answer") : vscode.l10n.t("Open {0}", hostOf(page));
  const decline = vscode.l10n.t("Decline");
  const answer = await choose(vscode.l10n.t("{0} asks", visible(params.server)), [accept, decline], [visible(params.message), ...(page === undefined ? [] : [visible(page)])].join("  "), token);
  if (answer === undefined) {
    return cancelled;
  }
  if (answer === decline) {
    return { action: "decline" };
  }
  if (page !== undefined) {
    return (await vscode.env.openExternal(vscode.Uri.parse(page, true))) ? { action: "accept" } : cancelled;
  }
  const content: Record<string, unknown> = {};
  const fields = fieldsOf(params.requestedSchema);
  for (const [i, field] of fields.entries()) {
    const value = await askField(field, `${visible(params.server)} (${i + 1}/${fields.length})`, token);
    if (value === undefined) {
      return cancelled;
    }
    if (value.given) {
      content[field.name] = value.value;
    }
  }
  return { action: "accept", content };
}

type Answer = { given: true; value: unknown } | { given: false } | undefined;

async function askField(field: Field, title: string, token: vscode.CancellationToken): Promise<Answer> {
  const label = visible(field.description === undefined ? field.label : `${field.label}: ${field.description}`);
  if (field.choices !== undefined) {
    const items = field.choices.map(({ value, name }) => ({ label: visible(name), value, picked: field.several ? isIn(field.fallback, value) : value === field.fallback }));
    if (field.several) {
      const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: label, canPickMany: true, ignoreFocusOut: true }, token);
      return chosen === undefined ? undefined : { given: true, value: chosen.map((item) => item.value) };
    }
    const none = { label: vscode.l10n.t("Leave it out"), value: undefined, picked: false };
    const chosen = await vscode.window.showQuickPick<(typeof items)[number] | typeof none>(field.required ? items : [...items, none], { title, placeHolder: label, ignoreFocusOut: true }, token);
    return chosen === undefined ? undefined : chosen === none ? { given: false } : { given: true, value: chosen.value };
  }
  const text = await vscode.window.showInputBox(
    {
      title,
      prompt: field.required ? label : vscode.l10n.t("{0} (may be left out)", label),
      value: field.fallback === undefined ? "" : String(field.fallback),
      ignoreFocusOut: true,
      validateInput: (typed) => (typed === "" && !field.required ? undefined : problemText(parseField(field, typed))),
    },
    token,
  );
  if (text === undefined) {
    return undefined;
  }
  if (text === "" && !field.required) {
    return { given: false };
  }
  const parsed = parseField(field, text);
  return parsed.ok ? { given: true, value: parsed.value } : undefined;
}

function problemText(parsed: ReturnType<typeof parseField>): string | undefined {
  if (parsed.ok) {
    return undefined;
  }
  const { limit } = parsed;
  switch (parsed.problem) {
    case "number":
      return vscode.l10n.t("This is no number.");
    case "whole":
      return vscode.l10n.t("This is no whole number.");
    case "low":
      return vscode.l10n.t("It must be at least {0}.", limit ?? "");
    case "high":
      return vscode.l10n.t("It must be at most {0}.", limit ?? "");
    case "short":
      return vscode.l10n.t("It needs at least {0} characters.", limit ?? "");
    case "long":
      return vscode.l10n.t("It may have at most {0} characters.", limit ?? "");
    case "format":
      return vscode.l10n.t("This is not of the form {0}.", limit ?? "");
  }
}

function isIn(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.includes(value);
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return visible(url);
  }
}

/** Lets the person choose one of a few answers; undefined when the question is left or taken back. */
async function choose(title: string, answers: string[], placeHolder: string, token: vscode.CancellationToken): Promise<string | undefined> {
  return vscode.window.showQuickPick(answers, { title, placeHolder, ignoreFocusOut: true }, token);
}
