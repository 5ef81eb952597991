import type { PermissionOption, SessionUpdate, StopReason, ToolCallUpdate } from "../protocol.gen";
import type { Strings } from "./strings";

/** What the chat shows of the session that is open. */
export interface SessionView {
  id: string;
  mode: string;
  model: string;
}

/** A way out of a failure that the chat offers as a button. */
export type Remedy = "retry" | "pickModel" | "openSettings" | "restart" | "showLog";

export interface Failure {
  message: string;
  detail?: string;
  remedies: { remedy: Remedy; label: string }[];
}

/** From the extension to the chat's page. */
export type ToPage =
  | { type: "hello"; strings: Strings; locale: string }
  | { type: "server"; state: "stopped" | "starting" | "running" | "failed"; message?: string }
  /** Another session, or none: everything shown so far is gone. Its updates follow. */
  | { type: "clear" }
  | { type: "session"; session: SessionView }
  | { type: "prompt"; text: string }
  /** A prompt that could not be sent, given back to whoever wrote it. */
  | { type: "unsent"; text: string }
  | { type: "update"; update: SessionUpdate }
  | { type: "turn"; running: boolean; stopReason?: StopReason; failure?: Failure }
  | { type: "question"; call: ToolCallUpdate; options: PermissionOption[] }
  | { type: "answered"; toolCallId: string }
  | { type: "focus" };

/** From the chat's page to the extension. */
export type FromPage =
  | { type: "ready" }
  | { type: "send"; text: string }
  | { type: "stop" }
  | { type: "answer"; toolCallId: string; optionId: string }
  | { type: "link"; href: string }
  | { type: "file"; path: string; line?: number }
  | { type: "diff"; path: string; oldText?: string; newText: string }
  | { type: "copy"; text: string }
  | { type: "insert"; text: string }
  | { type: "pickMode" }
  | { type: "pickModel" }
  | { type: "remedy"; remedy: Remedy };
