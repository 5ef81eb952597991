import type { Failure, ToPage } from "../chat/messages";
import type {
  ContentBlock,
  PermissionOption,
  PlanEntry,
  SessionUpdate,
  StopReason,
  ToolCallContent,
  ToolCallLocation,
  ToolCallOrigin,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from "../protocol.gen";

/** A tool call with all that was said about it. */
export interface ToolCall {
  toolCallId: string;
  title: string;
  kind: ToolKind;
  status: ToolCallStatus;
  content: ToolCallContent[];
  locations: ToolCallLocation[];
  rawInput?: unknown;
  rawOutput?: unknown;
  origin?: ToolCallOrigin;
}

/** One thing in the conversation. Its id is its place: items are only added at the end. */
export type Item =
  | { kind: "user"; id: number; text: string; messageId?: string }
  | { kind: "agent" | "thought"; id: number; text: string }
  | { kind: "note"; id: number; text: string; bad: boolean }
  | { kind: "content"; id: number; content: ContentBlock }
  | { kind: "tool"; id: number; call: ToolCall; question?: PermissionOption[] }
  | { kind: "plan"; id: number; entries: PlanEntry[] }
  | { kind: "stopped"; id: number; reason: StopReason }
  | { kind: "failure"; id: number; failure: Failure };

/** How full the model's window is, in tokens. */
export interface Usage {
  used: number;
  size: number;
  /** What the session has cost so far, "$0.12"; absent where no price is known. */
  cost?: string | undefined;
}

/** An amount as people write it: small ones with as many digits as they need. */
export function money(cost: { amount: number; currency: string } | undefined): string | undefined {
  if (cost === undefined) {
    return undefined;
  }
  return new Intl.NumberFormat("en", {
    style: "currency",
    currency: cost.currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: cost.amount < 1 ? 4 : 2,
  }).format(cost.amount);
}

export interface Transcript {
  readonly items: readonly Item[];
  readonly running: boolean;
  readonly usage?: Usage;
  /** The place of the prompt that began the last turn. */
  readonly begun?: number;
}

export const emptyTranscript: Transcript = { items: [], running: false };

/**
 * reduce lays one message over the transcript. Nothing is changed in place: an item
 * that is the same object is the same on the screen.
 */
export function reduce(t: Transcript, message: ToPage): Transcript {
  switch (message.type) {
    case "clear":
      return emptyTranscript;
    case "prompt":
      return { ...add(t, { kind: "user", id: t.items.length, text: message.text }), begun: t.items.length };
    case "turn":
      return turn(t, message);
    case "cut":
      return cut(t, message.messageId);
    case "note":
      return add(t, { kind: "note", id: t.items.length, text: message.text, bad: message.bad === true });
    case "update":
      return update(t, message.update);
    case "question":
      return withCall(t, message.call, (item) => ({ ...item, question: message.options }));
    case "answered":
      return changeTool(t, message.toolCallId, ({ question: _, ...item }) => item);
    default:
      return t;
  }
}

function turn(t: Transcript, message: Extract<ToPage, { type: "turn" }>): Transcript {
  let next: Transcript = { ...t, running: message.running };
  const id = t.items.length;
  if (message.messageId !== undefined) {
    next = named(next, message.messageId);
  }
  if (message.failure !== undefined) {
    next = add(next, { kind: "failure", id, failure: message.failure });
  } else if (message.stopReason !== undefined && message.stopReason !== "end_turn") {
    next = add(next, { kind: "stopped", id, reason: message.stopReason });
  }
  return next;
}

/** Gives the message that began the turn its name. */
function named(t: Transcript, messageId: string): Transcript {
  const item = t.items[t.begun ?? -1];
  return item?.kind === "user" ? replaceAt(t, t.begun ?? -1, { ...item, messageId }) : t;
}

function cut(t: Transcript, messageId: string): Transcript {
  const index = t.items.findIndex((item) => item.kind === "user" && item.messageId === messageId);
  return index < 0 ? t : { ...t, items: t.items.slice(0, index) };
}

function update(t: Transcript, u: SessionUpdate): Transcript {
  switch (u.sessionUpdate) {
    case "user_message_chunk":
      return chunk(t, "user", u.content, u.messageId);
    case "agent_message_chunk":
      return chunk(t, "agent", u.content);
    case "agent_thought_chunk":
      return chunk(t, "thought", u.content);
    case "tool_call":
    case "tool_call_update":
      return withCall(t, u, (item) => item);
    case "plan":
      return plan(t, u.entries);
    case "usage_update":
      return { ...t, usage: { used: u.used, size: u.size, cost: money(u.cost) } };
    default:
      return t;
  }
}

function add(t: Transcript, item: Item): Transcript {
  return { ...t, items: [...t.items, item] };
}

function replaceAt(t: Transcript, index: number, item: Item): Transcript {
  return { ...t, items: t.items.with(index, item) };
}

/** Adds a piece to the message that is being written, or begins one. */
function chunk(t: Transcript, kind: "user" | "agent" | "thought", content: ContentBlock, messageId?: string): Transcript {
  const text = content.type === "text" ? content.text : kind === "user" ? nameOf(content) : undefined;
  const id = t.items.length;
  if (text === undefined) {
    return add(t, { kind: "content", id, content });
  }
  const last = t.items.at(-1);
  if (kind === "user") {
    // Blocks of one message go on; another message is another item.
    const same = messageId === undefined ? content.type !== "text" : last?.kind === "user" && last.messageId === messageId;
    if (last?.kind === "user" && same) {
      return replaceAt(t, id - 1, { ...last, text: last.text + text });
    }
    return add(t, { kind, id, text, ...(messageId !== undefined && { messageId }) });
  }
  if (last?.kind === kind) {
    return replaceAt(t, id - 1, { ...last, text: last.text + text });
  }
  return add(t, { kind, id, text });
}

/** How a prompt's block that is no text is shown in it. */
function nameOf(content: Exclude<ContentBlock, { type: "text" }>): string {
  switch (content.type) {
    case "resource_link":
      return ` @${content.name}`;
    case "resource":
      return ` @${content.resource.uri}`;
    default:
      return ` [${content.type}]`;
  }
}

function plan(t: Transcript, entries: PlanEntry[]): Transcript {
  // A plan is sent whole each time; the one of this turn stays where it is.
  for (let i = t.items.length - 1; i >= 0; i--) {
    const item = t.items[i];
    if (item?.kind === "plan") {
      return replaceAt(t, i, { ...item, entries });
    }
    if (item?.kind === "user") {
      break;
    }
  }
  return add(t, { kind: "plan", id: t.items.length, entries });
}

/** Sorts the calls of sub-agents under the calls that started them. */
export function nest(items: readonly Item[]): { top: readonly Item[]; nested: ReadonlyMap<string, readonly Item[]> } {
  const nested = new Map<string, Item[]>();
  const known = new Set<string>();
  const top: Item[] = [];
  for (const item of items) {
    const parent = item.kind === "tool" ? item.call.origin?.parent : undefined;
    if (parent === undefined || !known.has(parent)) {
      top.push(item);
    } else {
      nested.set(parent, [...(nested.get(parent) ?? []), item]);
    }
    if (item.kind === "tool") {
      known.add(item.call.toolCallId);
    }
  }
  return { top: nested.size === 0 ? items : top, nested };
}

type ToolItem = Extract<Item, { kind: "tool" }>;

/** Lays what is said of a call over it, or begins it. */
function withCall(t: Transcript, said: ToolCallUpdate, then: (item: ToolItem) => ToolItem): Transcript {
  const index = indexOfTool(t, said.toolCallId);
  if (index < 0) {
    return add(t, then({ kind: "tool", id: t.items.length, call: lay(newCall(said.toolCallId), said) }));
  }
  const item = t.items[index] as ToolItem;
  return replaceAt(t, index, then({ ...item, call: lay(item.call, said) }));
}

function changeTool(t: Transcript, toolCallId: string, change: (item: ToolItem) => ToolItem): Transcript {
  const index = indexOfTool(t, toolCallId);
  return index < 0 ? t : replaceAt(t, index, change(t.items[index] as ToolItem));
}

function indexOfTool(t: Transcript, toolCallId: string): number {
  return t.items.findLastIndex((item) => item.kind === "tool" && item.call.toolCallId === toolCallId);
}

function newCall(toolCallId: string): ToolCall {
  return { toolCallId, title: "", kind: "other", status: "pending", content: [], locations: [] };
}

/** The members that are present replace those of before. */
function lay(call: ToolCall, said: ToolCallUpdate): ToolCall {
  const next = { ...call };
  if (said.title !== undefined) next.title = said.title;
  if (said.kind !== undefined) next.kind = said.kind;
  if (said.status !== undefined) next.status = said.status;
  if (said.content !== undefined) next.content = said.content;
  if (said.locations !== undefined) next.locations = said.locations;
  if (said.rawInput !== undefined) next.rawInput = said.rawInput;
  if (said.rawOutput !== undefined) next.rawOutput = said.rawOutput;
  if (said._meta?.codebot !== undefined) next.origin = said._meta.codebot;
  return next;
}
