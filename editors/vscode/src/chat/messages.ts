import type { ContentBlock, Mention, PermissionOption, SessionUpdate, SlashCommand, StopReason, ToolCallUpdate } from "../protocol.gen";
import type { Strings } from "./strings";

/** What the chat shows of the session that is open. */
export interface SessionView {
  id: string;
  mode: string;
  model: string;
}

/** A way out of a failure, or of having no model, that the chat offers as a button. */
export type Remedy = "retry" | "pickModel" | "enterKey" | "compact" | "openSettings" | "restart" | "showLog";

export interface Failure {
  message: string;
  detail?: string;
  remedies: { remedy: Remedy; label: string }[];
}

/** What goes along with a prompt beside its text. */
export interface Attachment {
  label: string;
  block: ContentBlock;
}

/** What a chat without a model says: what can be done about it, and what goes without one. */
export interface Card {
  text: string;
  remedies: { remedy: Remedy; label: string }[];
  /** Prompts that the offline planner can do. */
  prompts: string[];
}

/** What a completion puts into the prompt. */
export type Proposal = { kind: "command"; command: SlashCommand } | { kind: "mention"; mention: Mention };

/** From the extension to the chat's page. */
export type ToPage =
  | { type: "hello"; strings: Strings; locale: string }
  | { type: "server"; state: "stopped" | "starting" | "running" | "failed"; message?: string }
  /** Another session, or none: everything shown so far is gone. Its updates follow. */
  | { type: "clear" }
  | { type: "session"; session: SessionView }
  | { type: "card"; card: Card | undefined }
  | { type: "prompt"; text: string }
  /** A prompt that could not be sent, or was taken back, given back to whoever wrote it. */
  | { type: "unsent"; text: string }
  | { type: "update"; update: SessionUpdate }
  | { type: "turn"; running: boolean; stopReason?: StopReason; failure?: Failure; messageId?: string }
  /** The user's message of that id and all after it are gone. */
  | { type: "cut"; messageId: string }
  | { type: "note"; text: string; bad?: boolean }
  | { type: "question"; call: ToolCallUpdate; options: PermissionOption[] }
  | { type: "answered"; toolCallId: string }
  | { type: "attach"; attachment: Attachment }
  /** The answer to complete, of the same number. */
  | { type: "proposals"; number: number; proposals: Proposal[] }
  /** What a command does in the prompt that has the focus. */
  | { type: "key"; key: "send" | "newLine" }
  | { type: "focus" };

/** From the chat's page to the extension. */
export type FromPage =
  | { type: "ready" }
  | { type: "send"; text: string; blocks: ContentBlock[] }
  | { type: "stop" }
  | { type: "answer"; toolCallId: string; optionId: string }
  | { type: "link"; href: string }
  | { type: "file"; path: string; line?: number }
  | { type: "diff"; path: string; oldText?: string; newText: string }
  | { type: "copy"; text: string }
  | { type: "insert"; text: string }
  | { type: "apply"; text: string }
  | { type: "pickMode" }
  | { type: "pickModel" }
  | { type: "pickFile" }
  /** Files that were dropped on the prompt, by their addresses. */
  | { type: "dropped"; uris: string[] }
  | { type: "context" }
  | { type: "undo"; messageId: string }
  | { type: "fork"; messageId: string }
  | { type: "complete"; number: number; trigger: "/" | "@"; query: string }
  | { type: "remedy"; remedy: Remedy };
