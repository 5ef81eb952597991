import type { Proposal } from "../chat/messages";

/** What is being completed: a command at the very beginning, or a mention anywhere. */
export interface Trigger {
  trigger: "/" | "@";
  query: string;
  /** Where the word begins, with its sign. */
  start: number;
}

let numbers = 0;

/** Questions for suggestions are numbered, so that a late answer is not taken for another. */
export function nextNumber(): number {
  return ++numbers;
}

/** The word before the caret, when it is one that can be completed. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command !== null) {
    return { trigger: "/", query: command[1] ?? "", start: 0 };
  }
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention !== null) {
    const query = mention[1] ?? "";
    return { trigger: "@", query, start: caret - query.length - 1 };
  }
  return undefined;
}

/** The word that a proposal stands for, with its sign. */
export function wordOf(proposal: Proposal): string {
  return proposal.kind === "command" ? `/${proposal.command.name}` : proposal.mention.text;
}

/** Puts a word in the place of the one before the caret. */
export function withProposal(text: string, caret: number, word: string): { text: string; caret: number } {
  const start = triggerAt(text, caret)?.start ?? caret;
  const rest = text.slice(caret);
  const gap = /^\s/.test(rest) ? "" : " ";
  return { text: text.slice(0, start) + word + gap + rest, caret: start + word.length + 1 };
}

/** The addresses of the files that are dropped; the editor's own list before the usual one. */
export function urisOf(data: Pick<DataTransfer, "getData"> | null | undefined): string[] {
  const list = data?.getData("application/vnd.code.uri-list") || data?.getData("text/uri-list") || "";
  return list.split(/\r?\n/).filter((line) => /^(file|vscode-remote):/.test(line));
}
