import type { ComponentChildren } from "preact";
import type { Strings } from "../../chat/strings";
import type { PermissionOption, ToolCallContent, ToolCallStatus, ToolKind } from "../../protocol.gen";
import { host } from "../host";
import type { ToolCall } from "../transcript";
import { ContentView, Plain } from "./content";
import { DiffView } from "./diff";
import { Json } from "./json";

/** A tool call: what it is, how it goes, what it was given and what came of it. */
export function ToolCard({ call, question, nested, strings }: { call: ToolCall; question: PermissionOption[] | undefined; nested: ComponentChildren; strings: Strings }) {
  const asked = question !== undefined;
  const input = call.rawInput === undefined ? undefined : JSON.stringify(call.rawInput, undefined, 2);
  const output = call.content.length === 0 ? call.rawOutput : undefined;
  const progress = call.status === "in_progress" ? call.origin?.progress : undefined;
  // A change is the point of an edit; what other tools answered is there for whoever looks.
  const hasDiff = call.content.some((content) => content.type === "diff");
  return (
    <details class={`item tool ${call.status}${asked ? " asked" : ""}`} open={asked || hasDiff || nested !== null || call.status === "failed"} data-tool={call.origin?.tool}>
      <summary>
        <span class={`codicon codicon-${kindIcon(call.kind)}`} aria-hidden="true" />
        {call.origin?.server !== undefined && <span class="server">{call.origin.server}</span>}
        <span class="title">{call.title === "" ? (call.origin?.tool ?? "") : call.title}</span>
        <span class={`codicon codicon-${statusIcon(call.status)} status`} role="img" aria-label={statusText(call.status, strings)} title={statusText(call.status, strings)} />
      </summary>
      {asked && (
        <div class="question" role="alert">
          {strings.asks} <code>{call.origin?.tool ?? call.title}</code>
          {call.origin?.reason !== undefined && <div class="reason">{call.origin.reason}</div>}
        </div>
      )}
      {call.locations.map((at) => (
        <button key={`${at.path}:${at.line ?? 0}`} type="button" class="location" onClick={() => host.post({ type: "file", path: at.path, ...(at.line !== undefined && { line: at.line }) })}>
          {at.path}
          {at.line === undefined ? "" : `:${at.line}`}
        </button>
      ))}
      {input !== undefined && input !== "{}" && (
        <details class="part" open={asked && !hasDiff}>
          <summary>{strings.arguments}</summary>
          <Plain text={input} strings={strings} />
        </details>
      )}
      {call.content.map((content, i) => (
        <ToolContent key={i} content={content} strings={strings} />
      ))}
      {output !== undefined && <Json value={output} open />}
      {progress !== undefined && (
        <div class="progress">
          <progress {...(progress.total !== undefined && { value: progress.progress, max: progress.total })} /> {progress.message ?? ""}
        </div>
      )}
      {nested !== null && <div class="nested">{nested}</div>}
      {asked && (
        <div class="buttons" role="group">
          {question.map((option) => (
            <button
              key={option.optionId}
              type="button"
              class={option.kind.startsWith("allow") ? "primary" : "secondary"}
              data-option={option.optionId}
              onClick={() => host.post({ type: "answer", toolCallId: call.toolCallId, optionId: option.optionId })}
            >
              {option.name}
            </button>
          ))}
        </div>
      )}
    </details>
  );
}

function ToolContent({ content, strings }: { content: ToolCallContent; strings: Strings }) {
  return content.type === "diff" ? (
    <DiffView path={content.path} oldText={content.oldText} newText={content.newText} strings={strings} />
  ) : (
    <ContentView content={content.content} strings={strings} />
  );
}

function kindIcon(kind: ToolKind): string {
  switch (kind) {
    case "read":
      return "book";
    case "fetch":
      return "globe";
    case "edit":
      return "edit";
    case "execute":
      return "terminal";
    case "other":
      return "tools";
  }
}

function statusIcon(status: ToolCallStatus): string {
  switch (status) {
    case "pending":
      return "watch";
    case "in_progress":
      return "loading codicon-modifier-spin";
    case "completed":
      return "check";
    case "failed":
      return "error";
  }
}

function statusText(status: ToolCallStatus, strings: Strings): string {
  switch (status) {
    case "pending":
      return strings.pending;
    case "in_progress":
      return strings.inProgress;
    case "completed":
      return strings.completed;
    case "failed":
      return strings.failed;
  }
}
